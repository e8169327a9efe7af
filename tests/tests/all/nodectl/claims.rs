//! `nodectl claim`.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::http::StatusCode;
use integration_tests::proxy::{Fault, Proxy};
use nodeproof_client::signed_message;
use nodeproof_devnode::{BlockTime, Config, Handle};
use nodeproof_wallet::{KeyFile, KeyPair, Protection};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::nodectl::program::{Home, RunOutput, keys, words};

const PASSPHRASE: &str = "correct horse battery";
/// The SHA-256 of `abc`, from FIPS 180-2.
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// A home with alice's encrypted key, and a claim about an asset.
pub(crate) struct Verifier {
    pub(crate) home: Home,
    pub(crate) keys: KeyPair,
    pub(crate) contract: String,
    pub(crate) wallet: String,
    /// A plain key file outside of the home. Opening an encrypted one takes as long as a whole run.
    plain: (TempDir, String),
    passphrase: String,
    document: String,
}

impl Verifier {
    pub(crate) fn of(node: &Handle) -> Self {
        let home = Home::new();
        let keys = keys(node, "alice");
        let wallet = home.path("alice.pem");
        fs::copy(encrypted(&keys), &wallet).expect("a key file");
        let folder = tempfile::tempdir().expect("a folder");
        let plain = folder.path().join("plain.json");
        KeyFile::write(&plain, &keys, Protection::Plain).expect("a key file");
        Self {
            contract: node.contract_address().to_string(),
            wallet: wallet.display().to_string(),
            plain: (folder, plain.display().to_string()),
            passphrase: home.file("pw", PASSPHRASE),
            document: home.file("report.pdf", "abc"),
            keys,
            home,
        }
    }

    /// Makes a claim without the passphrase of the key.
    pub(crate) fn add(&self, url: &str, asset: &str, more: &[&str]) -> RunOutput {
        self.home.ask(url, &self.claim(asset, &self.wallet, more))
    }

    /// Returns the arguments that make a claim.
    fn claim<'a>(&'a self, asset: &'a str, wallet: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let claim = [
            "--json",
            "claim",
            "add",
            "--asset",
            asset,
            "--document",
            &self.document,
            "--link",
            "https://example.org/r",
            "--remarks",
            "Größe \u{1f600}",
            "--deletable-after",
            "99",
            "--contract",
            &self.contract,
            "--fee",
            "1000000",
            "--currency",
            "DEVN",
            "--wallet",
            wallet,
        ];
        [&claim[..], more].concat()
    }

    /// Makes a claim with these variables in the environment.
    pub(crate) fn add_with(
        &self,
        variables: &[(&str, &str)],
        url: &str,
        asset: &str,
        more: &[&str],
    ) -> RunOutput {
        let target = ["--base-url", url, "--network", "devnet"];
        let arguments = [&self.claim(asset, &self.plain.1, &target)[..], more].concat();
        let mut command = self.home.command(&arguments);
        let ran = command.envs(variables.iter().copied()).output();
        let ran = RunOutput::of(ran.expect("the program"));
        self.keeps_secret(&ran);
        ran
    }

    /// Makes a claim with the plain key file.
    pub(crate) fn add_signed(&self, url: &str, asset: &str, more: &[&str]) -> RunOutput {
        let ran = self.home.ask(url, &self.claim(asset, &self.plain.1, more));
        self.keeps_secret(&ran);
        ran
    }

    /// Makes a claim with the encrypted key file and its passphrase.
    fn add_unlocked(&self, url: &str, asset: &str, more: &[&str]) -> RunOutput {
        let signing = ["--passphrase-file", &self.passphrase];
        let ran = self.add(url, asset, &[&signing[..], more].concat());
        self.keeps_secret(&ran);
        ran
    }

    pub(crate) fn get(&self, url: &str, asset: &str) -> RunOutput {
        let get = [
            "--json",
            "claim",
            "get",
            asset,
            "--contract",
            &self.contract,
        ];
        self.home.ask(url, &get)
    }

    /// Asserts that neither key nor passphrase is in the output or in any file.
    fn keeps_secret(&self, ran: &RunOutput) {
        let secret = self.keys.private_key().reveal();
        let written = self.home.everything_written();
        for text in [&ran.out, &ran.err, &written] {
            assert!(!text.to_lowercase().contains(secret.as_str()));
        }
        for text in [&ran.out, &ran.err] {
            assert!(!text.contains(PASSPHRASE));
        }
    }
}

/// Returns a key file with the passphrase. It stays for later tests, because its encryption takes long.
fn encrypted(keys: &KeyPair) -> PathBuf {
    let name = format!("{}.pem", keys.address());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if !path.exists() {
        // Another test may write it at the same time.
        let _written = KeyFile::write(&path, keys, Protection::Passphrase(PASSPHRASE));
    }
    path
}

pub(crate) async fn lively() -> Handle {
    let every = BlockTime::Every(Duration::from_millis(50));
    let node = nodeproof_devnode::spawn(Config::for_tests().with_block_time(every));
    node.await.expect("a node")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_is_made_and_read_back() {
    let node = lively().await;
    let verifier = Verifier::of(&node);
    let made = verifier
        .add_unlocked(node.base_url(), "sack 7", &[])
        .ended(0)
        .json();
    assert_eq!(
        (&made["new_transaction"], &made["resumed"]),
        (&json!(true), &json!(false))
    );
    let record = &made["record"];
    assert_eq!(record["doc_hash_list"], json!([ABC]));
    assert_eq!(record["remarks"], "Größe \u{1f600}");
    assert_eq!(
        record["verifier_address"],
        verifier.keys.address().to_string()
    );

    let read = verifier.get(node.base_url(), "sack 7").ended(0).json();
    assert_eq!(&read["records"][0], record);
    let shown = ["claim", "get", "sack 7", "--contract", &verifier.contract];
    let shown = verifier.home.ask(node.base_url(), &shown).ended(0);
    assert!(
        shown.out.contains(ABC) && shown.out.contains("Größe"),
        "{shown:?}"
    );
    verifier.get(node.base_url(), "sack 8").ended(1);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn what_was_signed_is_kept_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let node = lively().await;
    let verifier = Verifier::of(&node);
    let made = verifier
        .add_signed(node.base_url(), "a", &["--no-wait"])
        .ended(0)
        .json();
    let kept = made["saved_in"].as_str().unwrap();
    assert!(
        kept.starts_with(
            verifier
                .home
                .path(".local/state/nodectl/claims")
                .to_str()
                .unwrap()
        )
    );
    let mode = fs::metadata(kept).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(fs::read_to_string(kept).unwrap().contains("msgsign"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_shows_the_message_to_the_byte_and_leaves_no_trace() {
    let node = lively().await;
    let proxy = Proxy::honest(&node).await.unwrap();
    let verifier = Verifier::of(&node);
    // Nothing is signed, so no passphrase is needed.
    let ran = verifier
        .add(&proxy.server.base_url(), "a", &["--dry-run"])
        .ended(0);
    let shown = ran.json();
    let from = ran.out.find("{\"timestamp\"").unwrap();
    let to = ran.out.find(",\"message\"").unwrap();
    let message = signed_message(&ran.out[from..to]).unwrap();
    assert_eq!(shown["message"], message.as_str());
    assert_eq!(shown["message_bytes"], message.len());
    assert_eq!(shown["signers"], json!([verifier.keys.address()]));
    assert!(message.contains(r#""fee": 1000000"#) && message.contains(ABC));
    let paths: Vec<_> = proxy
        .requests()
        .into_iter()
        .map(|request| request.path)
        .collect();
    assert_eq!(paths, ["/call-sc"]);
    assert!(!verifier.home.path(".local").exists());

    let person = format!(
        "claim add --asset a --deletable-after 9 --contract {} --fee 1000000 --currency \
             DEVN --wallet {} --dry-run",
        verifier.contract, verifier.wallet
    );
    let person = words(&person);
    let person = verifier.home.ask(node.base_url(), &person).ended(0);
    assert!(person.out.contains("\n{\"timestamp\": "), "{person:?}");
    assert!(
        person
            .out
            .ends_with("nothing was signed, and nothing was submitted\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_command_again_submits_the_same_transaction() {
    let node = lively().await;
    let healed = Arc::new(AtomicBool::new(false));
    let state = Arc::clone(&healed);
    let fault: Fault = Arc::new(move |request, response| {
        if request.path == "/submit-transaction" && !state.load(Ordering::SeqCst) {
            response.with_status(StatusCode::BAD_GATEWAY).with_body("")
        } else {
            response
        }
    });
    let proxy = Proxy::spawn(&node, fault).await.unwrap();
    let url = proxy.server.base_url();
    let verifier = Verifier::of(&node);
    let first = verifier.add_unlocked(&url, "a", &[]).ended(5).error();
    assert_eq!(
        (&first["kind"], &first["maybe_sent"]),
        (&json!("unconfirmed"), &json!(true))
    );
    assert!(
        first["message"]
            .as_str()
            .unwrap()
            .contains("repeat the same call"),
        "{first}"
    );

    healed.store(true, Ordering::SeqCst);
    // The saved transaction is submitted without the key.
    let second = verifier.add(&url, "a", &[]).ended(0).json();
    assert_eq!(
        (&second["resumed"], &second["new_transaction"]),
        (&json!(true), &json!(false))
    );
    let third = verifier.add(&url, "a", &[]).ended(0).json();
    assert_eq!(third["trans_code"], second["trans_code"]);
    let bodies: std::collections::BTreeSet<_> = proxy
        .requests()
        .into_iter()
        .filter(|request| request.path == "/submit-transaction")
        .map(|request| request.body)
        .collect();
    assert_eq!(bodies.len(), 1, "one transaction, to the byte");

    let elsewhere = verifier.add(node.base_url(), "a", &[]).ended(2).error();
    assert!(
        elsewhere["message"]
            .as_str()
            .unwrap()
            .contains("--any-node"),
        "{elsewhere}"
    );
    let elsewhere = verifier
        .add(node.base_url(), "a", &["--any-node"])
        .ended(0)
        .json();
    assert_eq!(elsewhere["trans_code"], second["trans_code"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_does_not_come_is_5_unless_nobody_waits() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let verifier = Verifier::of(&node);
    let ran = verifier
        .add_signed(node.base_url(), "a", &["--wait", "0.2"])
        .ended(5);
    let words = ran.error()["message"].as_str().unwrap().to_owned();
    assert!(
        words.contains("was accepted") && words.contains("same command again"),
        "{words}"
    );
    let ran = verifier
        .add_signed(node.base_url(), "b", &["--no-wait"])
        .ended(0)
        .json();
    assert_eq!(ran["record"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_input_is_refused_before_anything_is_asked() {
    let node = lively().await;
    let verifier = Verifier::of(&node);
    let url = node.base_url();
    for (more, words) in [
        (&["--document", "no-such-file"][..], "no-such-file"),
        (&["--document", "/"], "folder"),
        (&["--document-hash", "abc"], "64 hexadecimal digits"),
        (&["--remarks-file", "x"], "cannot be used with"),
        (&["--wallet", "no-such-wallet"], "no-such-wallet"),
        (&["--outcome", "1.5"], "1.5"),
        (&["--wallet", &verifier.wallet], "sign twice"),
    ] {
        let ran = verifier.add_signed(url, "a", more).ended(2);
        assert!(ran.err.contains(words), "{more:?}: {ran:?}");
    }
    let ran = verifier.add_signed(url, "", &[]).ended(2);
    assert!(ran.err.contains("names no asset"), "{ran:?}");
    assert_eq!(node.node().requests_received(), 0);
    assert!(!verifier.home.path(".local").exists());
}
