//! Files on disk: written, read back, damaged, and those of others.

use super::*;
use crate::claim::{
    EchoError,
    sample::{FIRST, Pen, SECOND, call, check, fee, honest},
};

struct Desk {
    folder: tempfile::TempDir,
    node: BaseUrl,
    checked: CheckedTransaction,
    signed: SignedTransaction,
}

async fn desk() -> Desk {
    let checked = check(&honest()).unwrap();
    let signed = checked
        .sign(&[&Pen::of(FIRST), &Pen::of(SECOND)])
        .await
        .unwrap();
    Desk {
        folder: tempfile::tempdir().unwrap(),
        node: "http://localhost:8420".parse().unwrap(),
        checked,
        signed,
    }
}

impl Desk {
    fn path(&self) -> PathBuf {
        self.folder.path().join("a.json")
    }

    fn keep(&self) -> Kept {
        Kept::create(&self.path(), &self.node, &self.checked, &self.signed).unwrap()
    }

    fn opened(&self) -> Kept {
        Kept::open(&self.path()).unwrap().unwrap()
    }

    /// Opens it after its text was changed.
    fn changed(&self, change: impl FnOnce(String) -> String) -> KeptError {
        let text = std::fs::read_to_string(self.path()).unwrap();
        let changed = change(text.clone());
        assert_ne!(changed, text);
        std::fs::write(self.path(), changed).unwrap();
        let error = Kept::open(&self.path()).unwrap_err();
        std::fs::write(self.path(), text).unwrap();
        assert!(error.to_string().contains("a.json"), "{error}");
        error
    }
}

#[tokio::test]
async fn a_kept_transaction_is_read_back_byte_for_byte() {
    let desk = desk().await;
    assert_eq!(Kept::open(&desk.path()).unwrap(), None);
    let kept = desk.keep();
    let opened = desk.opened();
    assert_eq!(opened, kept);
    assert_eq!(opened.signed().text(), desk.signed.text());
    assert_eq!(opened.state(), KeptState::Signed);
    assert_eq!(opened.node(), desk.node.as_str());
    assert_eq!(opened.asked(), &call());
    assert!(opened.check_same(&call(), &fee()).is_ok());
    assert!(opened.check_node(&desk.node).is_ok());
    // Nothing else is left in the folder.
    assert_eq!(std::fs::read_dir(desk.folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_can_read_it() {
    use std::os::unix::fs::PermissionsExt;

    let desk = desk().await;
    let mut kept = desk.keep();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&desk.path()), 0o600);
    kept.note(KeptState::Accepted).unwrap();
    assert_eq!(mode(&desk.path()), 0o600);
}

#[tokio::test]
async fn what_is_there_is_never_written_over() {
    let desk = desk().await;
    desk.keep();
    let before = std::fs::read(desk.path()).unwrap();
    let again = Kept::create(&desk.path(), &desk.node, &desk.checked, &desk.signed);
    assert!(matches!(again, Err(KeptError::Exists { .. })));
    assert_eq!(std::fs::read(desk.path()).unwrap(), before);
    assert_eq!(std::fs::read_dir(desk.folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn of_many_at_once_one_keeps_its_transaction() {
    let desk = std::sync::Arc::new(desk().await);
    let start = std::sync::Arc::new(std::sync::Barrier::new(8));
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (desk, start) = (desk.clone(), start.clone());
            std::thread::spawn(move || {
                start.wait();
                Kept::create(&desk.path(), &desk.node, &desk.checked, &desk.signed).is_ok()
            })
        })
        .collect();
    let won = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .filter(|won| *won)
        .count();
    assert_eq!(won, 1);
    desk.opened();
}

#[tokio::test]
async fn its_state_is_noted_and_nothing_else_changes() {
    let desk = desk().await;
    let mut kept = desk.keep();
    for state in [KeptState::Refused, KeptState::Accepted, KeptState::Recorded] {
        kept.note(state).unwrap();
        assert_eq!(desk.opened(), kept);
        assert_eq!(desk.opened().state(), state);
    }
    assert_eq!(desk.opened().signed().text(), desk.signed.text());
}

#[tokio::test]
async fn only_what_was_signed_for_what_was_checked_is_kept() {
    let desk = desk().await;
    let text = desk.signed.text().as_str();
    for other in [
        text.replace(r#""one":1"#, r#""one":2"#),
        text.replace(
            &format!(r#""wallet_address":"{FIRST}""#),
            r#""wallet_address":"0x00000000000000000000000000000000000000a1""#,
        ),
    ] {
        assert_ne!(other, text);
        let other = SignedTransaction::from_text(&other).unwrap();
        let refused = Kept::create(&desk.path(), &desk.node, &desk.checked, &other);
        assert!(matches!(refused, Err(KeptError::NotEchoed { .. })));
        assert!(!desk.path().exists());
    }
}

#[tokio::test]
async fn what_was_changed_or_cut_short_is_damaged() {
    let desk = desk().await;
    desk.keep();
    type Damage = fn(String) -> String;
    let damage: [(&str, Damage); 8] = [
        ("a signature", |text| text.replacen("c811", "c812", 99)),
        ("a signed number", |text| {
            text.replace(r#"\"one\":1"#, r#"\"one\":2"#)
        }),
        ("an asked number", |text| {
            text.replace("9007199254740993", "9007199254740992")
        }),
        ("the fee", |text| text.replace("1500000.25", "1.5")),
        ("the node", |text| text.replace("localhost", "127.0.0.1")),
        ("the end", |text| text[..text.len() - 5].to_owned()),
        ("the start", |text| text[..20].to_owned()),
        ("everything", |_| String::new()),
    ];
    for (what, change) in damage {
        let error = desk.changed(change);
        assert!(
            matches!(error, KeptError::Damaged { .. }),
            "{what}: {error}"
        );
    }
    desk.opened();
}

#[tokio::test]
async fn a_tampering_that_hides_itself_is_noticed_by_the_echo_check() {
    let desk = desk().await;
    desk.keep();
    // Who can write the file can renew its digest as well.
    let tamper = |from: &str, to: &str| {
        desk.changed(|text| {
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
            KeptError::NotEchoed { source, .. } => assert_eq!(source.member(), Some(member)),
            other => panic!("{other}"),
        }
    }
    let unsigned = tamper(
        &format!(r#""wallet_address":"{SECOND}""#),
        &format!(r#""wallet_address":"{FIRST}""#),
    );
    assert!(matches!(
        unsigned,
        KeptError::NotEchoed {
            source: EchoError::NotASigner { .. },
            ..
        }
    ));
    let code = tamper("04087cb4", "14087cb4");
    assert!(matches!(code, KeptError::Damaged { .. }), "{code}");
}

#[tokio::test]
async fn other_files_are_told_apart_from_damaged_ones() {
    let desk = desk().await;
    for text in [
        "{}",
        "[1]",
        "key = 1",
        r#"{"format":"other","version":1}"#,
        r#"{"format":"node-client/kept-transaction","version":2}"#,
    ] {
        std::fs::write(desk.path(), text).unwrap();
        let error = Kept::open(&desk.path()).unwrap_err();
        assert!(
            matches!(error, KeptError::Foreign { .. }),
            "{text}: {error}"
        );
    }
    std::fs::write(desk.path(), [0xff, 0xfe]).unwrap();
    assert!(matches!(
        Kept::open(&desk.path()),
        Err(KeptError::Foreign { .. })
    ));
    let huge = std::fs::File::create(desk.path()).unwrap();
    huge.set_len(1 << 40).unwrap();
    let error = Kept::open(&desk.path()).unwrap_err();
    assert!(error.to_string().ends_with("it is too long"), "{error}");
    let folder = Kept::open(desk.folder.path()).unwrap_err();
    assert!(matches!(folder, KeptError::Foreign { .. }));
    let nowhere = desk.folder.path().join("no").join("where");
    let error = Kept::create(&nowhere, &desk.node, &desk.checked, &desk.signed).unwrap_err();
    assert!(matches!(
        error,
        KeptError::Unusable {
            action: "written",
            ..
        }
    ));
}

#[tokio::test]
async fn a_file_of_another_call_says_what_differs() {
    let desk = desk().await;
    let kept = desk.keep();
    let differences = |asked: &ContractCall, fee: &Fee| match kept.check_same(asked, fee) {
        Err(KeptError::OfAnother { differences, .. }) => differences,
        other => panic!("{other:?}"),
    };
    let dearer = Fee::new(1_500_001.into(), "TKN \"é\"").unwrap();
    assert_eq!(
        differences(&call(), &dearer),
        ["`fee` was 1500000.25, and is 1500001"]
    );
    let params = call()
        .params
        .as_str()
        .replace(r#""one":1"#, r#""one":7,"two":2"#);
    let other = call().params(&params.parse::<RawJson>().unwrap()).unwrap();
    assert_eq!(
        differences(&other, &fee()),
        ["`one` was 1, and is 7", "`two` was not there, and is 2"]
    );
    let long = "a".repeat(500);
    let params = call()
        .params
        .as_str()
        .replace("\"b\"]", &format!("\"{long}\"]"));
    let other = call().params(&params.parse::<RawJson>().unwrap()).unwrap();
    let shown = differences(&other, &fee()).join("");
    assert!(shown.starts_with(r#"`list` was ["a", "b"], and is ["a", "aaa"#));
    assert!(shown.len() < 200);
    let one = ContractCall {
        signers: vec![FIRST.parse().unwrap()],
        ..call()
    };
    assert!(differences(&one, &fee())[0].starts_with("`signers` was 0xc811"));
    let elsewhere = "http://localhost:8421".parse().unwrap();
    let error = kept.check_node(&elsewhere).unwrap_err().to_string();
    assert!(
        error.contains("the node was http://localhost:8420"),
        "{error}"
    );
}
