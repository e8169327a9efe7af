//! Tests of saved files: writing, reading, damage, and files of other claims.

mod sample;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use nodeproof_client::{
    BaseUrl, ContractCall, RawTransaction, SignedTransaction,
    contract_call::{BuiltCallMismatch, CheckedTransaction, Fee},
};
use nodeproof_primitives::{Network, RawJson};

use super::{
    Placement, SavedClaims, SavedTransaction, SavedTransactionError, TransactionState,
    transaction::Contents,
};
use crate::Claim;
use sample::{CONTRACT, FIRST, FakeSigner, SECOND, call, check, fee, honest};

struct TestFiles {
    folder: tempfile::TempDir,
    node: BaseUrl,
    checked: CheckedTransaction,
    signed: SignedTransaction,
}

async fn files() -> TestFiles {
    let checked = check(&honest()).unwrap();
    let signed = checked
        .sign(&[&FakeSigner::of(FIRST), &FakeSigner::of(SECOND)])
        .await
        .unwrap();
    TestFiles {
        folder: tempfile::tempdir().unwrap(),
        node: "http://localhost:8420".parse().unwrap(),
        checked,
        signed,
    }
}

/// Makes another transaction of another call.
async fn other_files() -> TestFiles {
    claiming("another", FIRST, "1").await
}

impl TestFiles {
    fn path(&self) -> PathBuf {
        self.folder.path().join("a.json")
    }

    fn keep(&self) -> SavedTransaction {
        SavedTransaction::create(&self.path(), &self.node, &self.checked, &self.signed).unwrap()
    }

    /// Writes the file, and puts the one that is there aside.
    fn put_at(
        &self,
        path: &Path,
        node: &BaseUrl,
    ) -> Result<(SavedTransaction, Option<PathBuf>), SavedTransactionError> {
        let saved = SavedTransaction::of(path, node, &self.checked, &self.signed)?;
        let aside =
            saved.write_first(
                Placement::Aside,
                &[],
                |_| Ok::<_, SavedTransactionError>(()),
            )?;
        Ok((saved, aside))
    }

    fn opened(&self) -> SavedTransaction {
        SavedTransaction::open(&self.path()).unwrap().unwrap()
    }

    /// Opens the file after its text was changed.
    fn changed(&self, change: impl FnOnce(String) -> String) -> SavedTransactionError {
        let text = std::fs::read_to_string(self.path()).unwrap();
        let changed = change(text.clone());
        assert_ne!(changed, text);
        std::fs::write(self.path(), changed).unwrap();
        let error = SavedTransaction::open(&self.path()).unwrap_err();
        std::fs::write(self.path(), text).unwrap();
        assert!(error.to_string().contains("a.json"), "{error}");
        error
    }
}

#[tokio::test]
async fn a_kept_transaction_is_read_back_byte_for_byte() {
    let files = files().await;
    assert_eq!(SavedTransaction::open(&files.path()).unwrap(), None);
    let kept = files.keep();
    let opened = files.opened();
    assert_eq!(opened, kept);
    assert_eq!(opened.signed().text(), files.signed.text());
    assert_eq!(opened.state(), TransactionState::Signed);
    assert_eq!(opened.node(), files.node.as_str());
    assert_eq!(opened.call(), &call());
    assert!(opened.check_same(&call(), Some(&fee())).is_ok());
    assert!(opened.check_target(&files.node, None, false).is_ok());
    // The folder contains nothing else.
    assert_eq!(std::fs::read_dir(files.folder.path()).unwrap().count(), 1);
}

/// A gateway's port names no network, so the stated one is in the file.
#[tokio::test]
async fn a_transaction_of_a_gateway_stays_on_the_network_that_was_stated() {
    let files = files().await;
    let gateway: BaseUrl = "http://gateway.example/".parse().unwrap();
    let saved = SavedTransaction::of(&files.path(), &gateway, &files.checked, &files.signed);
    let saved = saved.unwrap().on_network(Some(Network::Devnet));
    saved.write_new().unwrap();
    let opened = files.opened();
    assert_eq!(opened.network(), Some(Network::Devnet));
    let other = "http://localhost:8421".parse().unwrap();
    let same_network = "http://localhost:8420".parse().unwrap();
    for (node, network, is_right) in [
        (&gateway, None, true),
        (&gateway, Some(Network::Devnet), true),
        (&gateway, Some(Network::Testnet), false),
        (&other, None, false),
        (&same_network, None, true),
        (&same_network, Some(Network::Mainnet), false),
    ] {
        let checked = opened.check_target(node, network, true);
        assert_eq!(checked.is_ok(), is_right, "{node} {network:?}");
    }
    // It can't be changed in the file.
    let error = files.changed(|text| text.replace("devnet", "testnet"));
    assert!(
        matches!(error, SavedTransactionError::Damaged { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn what_is_there_is_never_written_over() {
    let files = files().await;
    files.keep();
    let before = std::fs::read(files.path()).unwrap();
    let again = SavedTransaction::create(&files.path(), &files.node, &files.checked, &files.signed);
    assert!(matches!(again, Err(SavedTransactionError::Exists { .. })));
    assert_eq!(std::fs::read(files.path()).unwrap(), before);
    assert_eq!(std::fs::read_dir(files.folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn of_many_at_once_one_keeps_its_transaction() {
    let files = std::sync::Arc::new(files().await);
    let start = std::sync::Arc::new(std::sync::Barrier::new(8));
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (files, start) = (files.clone(), start.clone());
            std::thread::spawn(move || {
                start.wait();
                SavedTransaction::create(&files.path(), &files.node, &files.checked, &files.signed)
                    .is_ok()
            })
        })
        .collect();
    let won = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .filter(|won| *won)
        .count();
    assert_eq!(won, 1);
    files.opened();
}

#[tokio::test]
async fn accepted_and_recorded_states_are_never_downgraded() {
    let files = files().await;
    let mut kept = files.keep();
    // Another process opened the file before and does not have the result.
    let mut late = files.opened();
    assert_eq!(
        kept.save_state(TransactionState::Sent).unwrap(),
        TransactionState::Signed
    );
    kept.save_state(TransactionState::Accepted).unwrap();
    assert_eq!(
        late.save_state(TransactionState::Sent).unwrap(),
        TransactionState::Accepted
    );
    for lower in [TransactionState::Signed, TransactionState::Refused] {
        late.save_state(lower).unwrap();
        assert_eq!(late.state(), TransactionState::Accepted);
        assert_eq!(files.opened().state(), TransactionState::Accepted);
    }
    late.save_state(TransactionState::Recorded).unwrap();
    kept.save_state(TransactionState::Accepted).unwrap();
    assert_eq!(files.opened().state(), TransactionState::Recorded);
    assert_eq!(files.opened().signed().text(), files.signed.text());
}

#[tokio::test]
async fn the_one_that_is_there_is_put_aside_under_a_name_that_is_free() {
    let (files, other) = (files().await, other_files().await);
    let path = files.path();
    let beside = |new: &TestFiles| new.put_at(&path, &files.node);
    let text = |path: &Path| std::fs::read_to_string(path).unwrap();

    let (mut first, aside) = beside(&files).unwrap();
    assert_eq!(aside, None);
    let before = text(&path);
    let (second, aside) = beside(&other).unwrap();
    let one = files.folder.path().join("a.json.1");
    assert_eq!(aside.as_deref(), Some(&*one));
    assert_eq!(text(&one), before);
    assert_eq!(files.opened(), second);
    // A file that was put aside is never overwritten either.
    let (_, aside) = beside(&files).unwrap();
    assert_eq!(aside, Some(files.folder.path().join("a.json.2")));
    assert_eq!(text(&one), before);
    assert_eq!(std::fs::read_dir(files.folder.path()).unwrap().count(), 3);

    // A process that still waits for the first transaction does not change the new file.
    beside(&other).unwrap();
    let latest = text(&path);
    let error = first.save_state(TransactionState::Recorded).unwrap_err();
    assert!(
        matches!(error, SavedTransactionError::DifferentTransaction { .. }),
        "{error}"
    );
    assert_eq!(first.state(), TransactionState::Signed);
    assert_eq!(text(&path), latest);
}

#[tokio::test]
async fn where_the_new_one_can_not_be_written_the_old_one_keeps_its_name() {
    let files = files().await;
    // A folder can't be put aside, and no file can take its name.
    std::fs::create_dir(files.path()).unwrap();
    let failed = files.put_at(&files.path(), &files.node);
    assert!(matches!(
        failed,
        Err(SavedTransactionError::Unusable { .. })
    ));
    assert_eq!(std::fs::read_dir(files.folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn many_that_put_each_other_aside_lose_none() {
    let files = std::sync::Arc::new(files().await);
    let start = std::sync::Arc::new(std::sync::Barrier::new(8));
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let (files, start) = (files.clone(), start.clone());
            std::thread::spawn(move || {
                // Each file has a different base URL, which identifies its content.
                let node = format!("http://localhost:{}", 9000 + number)
                    .parse()
                    .unwrap();
                start.wait();
                files.put_at(&files.path(), &node).unwrap();
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let mut nodes: Vec<_> = std::fs::read_dir(files.folder.path())
        .unwrap()
        .map(|entry| {
            SavedTransaction::open(&entry.unwrap().path())
                .unwrap()
                .unwrap()
        })
        .map(|kept| kept.node().to_owned())
        .collect();
    nodes.sort();
    nodes.dedup();
    assert_eq!(nodes.len(), 8, "{nodes:?}");
}

#[tokio::test]
async fn what_a_process_left_that_was_ended_is_removed_after_a_day() {
    let files = files().await;
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(25 * 60 * 60);
    let leave = |name: &str, aged: bool| {
        let path = files.folder.path().join(name);
        let file = std::fs::File::create(&path).unwrap();
        if aged {
            file.set_modified(old).unwrap();
        }
        path
    };
    let stale = leave(".saved-aB3xY9", true);
    // Another process may be writing it.
    let fresh = leave(".saved-Zz0Zz0", false);
    // Which names are left alone is in the tests of `remove_leftovers`.
    files.keep();
    assert!(!stale.exists() && fresh.exists());
}

/// Creates test files with a claim of `verifier` about an asset.
async fn claiming(asset: &str, verifier: &str, fee: &str) -> TestFiles {
    let fee = Fee::new(fee.parse().unwrap(), "TKN").unwrap();
    let wallet = verifier.parse().unwrap();
    let claim = Claim::new(CONTRACT.parse().unwrap(), asset, 99, fee.clone());
    let call = claim.call(&[wallet], Vec::new()).unwrap();
    let built = format!(
        r#"{{"transaction":{{"timestamp":1767225593000,"trans_code":"04087cb4c58f389c80bef882e3392f1b3b0e9e3c","type":3,"currency":"NWRL","fee":0.0,"descr":"","valid":1,"specific_data":{{"address":"{}","function":"add_verification","signers":["{verifier}"],"params":{}}}}},"signatures":[]}}"#,
        call.sc_address,
        call.params.as_str()
    );
    let raw = RawTransaction::from_json(&built).unwrap();
    let checked = CheckedTransaction::check(&call, &raw, &fee).unwrap();
    let signed = checked.sign(&[&FakeSigner::of(verifier)]).await.unwrap();
    TestFiles {
        checked,
        signed,
        ..files().await
    }
}

#[tokio::test]
async fn every_saved_claim_about_an_asset_is_found_in_a_folder_whatever_its_state() {
    let folder = tempfile::tempdir().unwrap();
    let keep = |files: &TestFiles, name: &str, state: TransactionState| {
        let path = folder.path().join(name);
        let mut kept =
            SavedTransaction::create(&path, &files.node, &files.checked, &files.signed).unwrap();
        kept.save_state(state).unwrap();
    };
    let (cheap, dear) = (
        claiming("caf\u{e9}", FIRST, "1").await,
        claiming("caf\u{e9}", FIRST, "2").await,
    );
    keep(&cheap, "accepted.json", TransactionState::Accepted);
    keep(&cheap, "signed.json.1", TransactionState::Signed);
    keep(&dear, "sent", TransactionState::Sent);
    keep(&dear, "refused.json", TransactionState::Refused);
    keep(&cheap, "recorded.json", TransactionState::Recorded);
    let elsewhere = claiming("cafe", FIRST, "1").await;
    keep(&elsewhere, "asset.json", TransactionState::Sent);
    let stranger = claiming("caf\u{e9}", SECOND, "1").await;
    keep(&stranger, "verifier.json", TransactionState::Sent);
    keep(&files().await, "no-claim.json", TransactionState::Sent);
    let whole = std::fs::read(folder.path().join("sent")).unwrap();
    std::fs::write(folder.path().join("cut.json"), &whole[..whole.len() / 2]).unwrap();
    std::fs::write(folder.path().join("empty.json"), "").unwrap();
    std::fs::write(folder.path().join("notes.txt"), "buy milk").unwrap();
    std::fs::write(folder.path().join(".saved-aB3xY9"), &whole[..9]).unwrap();
    // Where another process has locked it, it can't be read.
    std::fs::write(folder.path().join(".lock"), &whole[..9]).unwrap();
    std::fs::create_dir(folder.path().join("folder.json")).unwrap();

    let claims = |contract: &str| {
        let (contract, verifier) = (contract.parse().unwrap(), FIRST.parse().unwrap());
        SavedClaims::find(folder.path(), contract, "caf\u{e9}", &[verifier], true).unwrap()
    };
    let found = claims(CONTRACT);
    let names: Vec<_> = found
        .transactions
        .iter()
        .map(|(kept, _)| kept.path().file_name().unwrap().to_str().unwrap())
        .collect();
    let expected = [
        "accepted.json",
        "recorded.json",
        "refused.json",
        "sent",
        "signed.json.1",
    ];
    assert_eq!(names, expected);
    assert!(found.complete);
    let names = |errors: &[SavedTransactionError], name: &str| {
        errors.len() == 1 && errors[0].to_string().contains(name)
    };
    // What was a saved transaction counts. Another file may be anything.
    assert!(names(&found.unread, "cut.json"), "{:?}", found.unread);
    assert!(names(&found.skipped, "empty.json"), "{:?}", found.skipped);
    let other = claims("ct0000000000000000000000000000000000000001");
    assert!(other.transactions.is_empty());

    let nowhere = folder.path().join("nowhere");
    let (contract, verifier) = (CONTRACT.parse().unwrap(), FIRST.parse().unwrap());
    let none = SavedClaims::find(&nowhere, contract, "a", &[verifier], true);
    assert!(none.unwrap().transactions.is_empty());
}

/// Searches a folder, as the process that holds its lock, for claims about an asset.
fn search(folder: &Path, asset: &str) -> SavedClaims {
    let (contract, verifier) = (CONTRACT.parse().unwrap(), FIRST.parse().unwrap());
    SavedClaims::find(folder, contract, asset, &[verifier], true).unwrap()
}

/// Saves claims about the assets 0 to `count` in each folder. Once the files are as old as the index wants them, it
/// searches the folders.
async fn index<const N: usize>(folders: [(&Path, usize); N]) {
    let mut last = folders[0].0.to_owned();
    for (folder, count) in folders {
        for number in 0..count {
            let claim = claiming(&number.to_string(), FIRST, "1").await;
            last = folder.join(format!("{number}.json"));
            SavedTransaction::create(&last, &claim.node, &claim.checked, &claim.signed).unwrap();
        }
    }
    let saved = std::fs::metadata(last).unwrap().modified().unwrap();
    while saved.elapsed().unwrap() < Duration::from_millis(2100) {
        std::thread::sleep(Duration::from_millis(20));
    }
    for (folder, count) in folders {
        assert_eq!(search(folder, "new").read, count);
    }
}

#[tokio::test]
async fn a_search_reads_as_few_files_in_a_large_folder_as_in_a_small_one() {
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [few, small, large] = folders.each_ref().map(tempfile::TempDir::path);
    index([(few, 3), (small, 40), (large, 200)]).await;
    for folder in [small, large] {
        let reads = |asset| {
            (
                search(folder, asset).read,
                search(folder, asset).transactions.len(),
            )
        };
        assert_eq!(reads("new"), (0, 0));
        assert_eq!(reads("7"), (1, 1));
        // A claim that is saved or noted later is read in each search, until the index has it.
        let mut claim = search(folder, "7").transactions.remove(0).0;
        claim.save_state(TransactionState::Sent).unwrap();
        assert_eq!((reads("new"), reads("7")), ((1, 0), (1, 1)));
    }
    // A folder with few files has nothing else.
    assert_eq!(std::fs::read_dir(few).unwrap().count(), 3);
}

#[tokio::test]
async fn an_index_hides_no_claim_whatever_happens_to_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    index([(folder.path(), 40)]).await;
    let (index, claim) = (at(super::file::INDEX), claiming("new", FIRST, "1").await);
    let finds = |name: &str| {
        let found = search(folder.path(), "new");
        let paths: Vec<_> = found
            .transactions
            .iter()
            .map(|(saved, _)| saved.path())
            .collect();
        assert_eq!(paths, [at(name)]);
    };
    // Another program, or an older version, adds a file; a person copies it over a listed one, or renames it.
    SavedTransaction::create(&at("new"), &claim.node, &claim.checked, &claim.signed).unwrap();
    finds("new");
    std::fs::copy(at("new"), at("3.json")).unwrap();
    std::fs::remove_file(at("new")).unwrap();
    finds("3.json");
    std::fs::rename(at("3.json"), at("4.json")).unwrap();
    finds("4.json");
    let whole = std::fs::read_to_string(&index).unwrap();
    for damaged in [&whole[..whole.len() / 2], "", "{}", "[]", "no JSON"] {
        std::fs::write(&index, damaged).unwrap();
        finds("4.json");
    }
    std::fs::remove_file(&index).unwrap();
    std::fs::create_dir(&index).unwrap();
    finds("4.json");
}

#[tokio::test]
async fn only_what_was_signed_for_what_was_checked_is_kept() {
    let files = files().await;
    let text = files.signed.text().as_str();
    for other in [
        text.replace(r#""one":1"#, r#""one":2"#),
        text.replace(
            &format!(r#""wallet_address":"{FIRST}""#),
            r#""wallet_address":"0x00000000000000000000000000000000000000a1""#,
        ),
    ] {
        assert_ne!(other, text);
        let other = SignedTransaction::from_json(&other).unwrap();
        let refused = SavedTransaction::create(&files.path(), &files.node, &files.checked, &other);
        assert!(matches!(
            refused,
            Err(SavedTransactionError::Mismatch { .. })
        ));
        assert!(!files.path().exists());
    }
}

#[tokio::test]
async fn what_was_changed_or_cut_short_is_damaged() {
    let files = files().await;
    files.keep();
    type Damage = fn(String) -> String;
    let damage: [(&str, Damage); 8] = [
        ("a signature", |text| text.replacen("c811", "c812", 99)),
        ("a signed number", |text| {
            text.replace(r#"\"one\":1"#, r#"\"one\":2"#)
        }),
        ("a requested number", |text| {
            text.replace("9007199254740993", "9007199254740992")
        }),
        ("the fee", |text| text.replace("1500000.25", "1.5")),
        ("the node", |text| text.replace("localhost", "127.0.0.1")),
        ("the end", |text| text[..text.len() - 5].to_owned()),
        ("the start", |text| text[..20].to_owned()),
        ("everything", |_| String::new()),
    ];
    for (what, change) in damage {
        let error = files.changed(change);
        assert!(
            matches!(error, SavedTransactionError::Damaged { .. }),
            "{what}: {error}"
        );
    }
    files.opened();
}

#[tokio::test]
async fn a_tampering_that_hides_itself_is_noticed_by_the_echo_check() {
    let files = files().await;
    files.keep();
    // An attacker who can write the file can also recompute its digest.
    let tamper = |from: &str, to: &str| {
        files.changed(|text| {
            let mut contents: Contents = serde_json::from_str(&text).unwrap();
            let signed = contents.signed_transaction.replacen(from, to, 1);
            assert_ne!(signed, contents.signed_transaction);
            contents.signed_transaction = signed;
            contents.sha256 = contents.digest();
            serde_json::to_string(&contents).unwrap()
        })
    };
    for (from, to, member) in [
        (
            r#""one":1"#,
            r#""one":2"#,
            "transaction.specific_data.params.one",
        ),
        (r#""fee":1500000.25"#, r#""fee":9e9"#, "transaction.fee"),
        (r#""valid":1"#, r#""valid":1,"more":1"#, "transaction.more"),
    ] {
        match tamper(from, to) {
            SavedTransactionError::Mismatch { source, .. } => {
                assert_eq!(source.member(), Some(member))
            }
            other => panic!("{other}"),
        }
    }
    let unsigned = tamper(
        &format!(r#""wallet_address":"{SECOND}""#),
        &format!(r#""wallet_address":"{FIRST}""#),
    );
    assert!(matches!(
        unsigned,
        SavedTransactionError::Mismatch {
            source: BuiltCallMismatch::NotASigner { .. },
            ..
        }
    ));
    let code = tamper("04087cb4", "14087cb4");
    assert!(
        matches!(code, SavedTransactionError::Damaged { .. }),
        "{code}"
    );
}

#[tokio::test]
async fn other_files_are_told_apart_from_damaged_ones() {
    let files = files().await;
    std::fs::write(files.path(), "[]").unwrap();
    let error = SavedTransaction::open(&files.path())
        .unwrap_err()
        .to_string();
    assert!(error.ends_with("it is not a JSON object"), "{error}");
    for text in [
        "{}",
        "[1]",
        "key = 1",
        r#"{"format":"other","version":1}"#,
        r#"{"format":"nodeproof-claims/saved-transaction","version":2}"#,
    ] {
        std::fs::write(files.path(), text).unwrap();
        let error = SavedTransaction::open(&files.path()).unwrap_err();
        assert!(
            matches!(error, SavedTransactionError::NotSavedTransaction { .. }),
            "{text}: {error}"
        );
    }
    std::fs::write(files.path(), [0xff, 0xfe]).unwrap();
    assert!(matches!(
        SavedTransaction::open(&files.path()),
        Err(SavedTransactionError::NotSavedTransaction { .. })
    ));
    let huge = std::fs::File::create(files.path()).unwrap();
    huge.set_len(1 << 40).unwrap();
    let error = SavedTransaction::open(&files.path()).unwrap_err();
    assert!(error.to_string().ends_with("it is too long"), "{error}");
    let folder = SavedTransaction::open(files.folder.path()).unwrap_err();
    assert!(matches!(
        folder,
        SavedTransactionError::NotSavedTransaction { .. }
    ));
    let nowhere = files.folder.path().join("no").join("where");
    let error =
        SavedTransaction::create(&nowhere, &files.node, &files.checked, &files.signed).unwrap_err();
    assert!(matches!(
        error,
        SavedTransactionError::Unusable {
            action: "written",
            ..
        }
    ));
}

#[tokio::test]
async fn a_file_of_another_call_says_what_differs() {
    let files = files().await;
    let kept = files.keep();
    let differences =
        |requested: &ContractCall, fee: &Fee| match kept.check_same(requested, Some(fee)) {
            Err(SavedTransactionError::DifferentTransaction { differences, .. }) => differences,
            other => panic!("{other:?}"),
        };
    let dearer = Fee::new(1_500_001.into(), "TKN \"é\"").unwrap();
    assert_eq!(
        differences(&call(), &dearer),
        ["`fee` was 1500000.25, and is now 1500001"]
    );
    let params = call()
        .params
        .as_str()
        .replace(r#""one":1"#, r#""one":7,"two":2"#);
    let other = call().params(&params.parse::<RawJson>().unwrap()).unwrap();
    assert_eq!(
        differences(&other, &fee()),
        [
            "`one` was 1, and is now 7",
            "`two` was not there, and is now 2"
        ]
    );
    let long = "a".repeat(500);
    let params = call()
        .params
        .as_str()
        .replace("\"b\"]", &format!("\"{long}\"]"));
    let other = call().params(&params.parse::<RawJson>().unwrap()).unwrap();
    let shown = differences(&other, &fee()).join("");
    assert!(shown.starts_with(r#"`list` was ["a", "b"], and is now ["a", "aaa"#));
    assert!(shown.len() < 200);
    let mut one = call();
    one.signers.truncate(1);
    assert!(differences(&one, &fee())[0].starts_with("`signers` was 0xc811"));
    for same in ["http://127.0.0.1:8420", "http://[::1]:8420/"] {
        let checked = kept.check_target(&same.parse().unwrap(), None, false);
        assert!(checked.is_ok(), "{same}");
    }
    let testnet = "http://localhost:8421".parse().unwrap();
    let error = kept.check_target(&testnet, None, true).unwrap_err();
    assert!(error.to_string().contains("is one of testnet"), "{error}");
    for other in [
        "http://localhost:8430",
        "https://localhost:8420",
        "http://localhost:8420/api",
        "http://10.0.0.1:8420",
    ] {
        let checked = kept.check_target(&other.parse().unwrap(), None, false);
        let error = checked.unwrap_err();
        let said = error.to_string();
        for part in ["saved for the node at http://localhost:8420", "`any_node`"] {
            assert!(said.contains(part), "{said}");
        }
        assert!(!said.contains("another file"), "{said}");
    }
}
