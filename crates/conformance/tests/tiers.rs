//! Tests of the permissions that the binary needs for tiers above reading.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
};

use nodeproof_wallet::{KeyFile, KeyPair, Protection};
use serde_json::json;

/// Returns the exit status, standard output and standard error.
fn status_and_output(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_nodeproof"))
        .args(arguments)
        .output()
        .expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().expect("an exit status"),
        text(output.stdout),
        text(output.stderr),
    )
}

/// A port that accepts connections, and can check whether there was one.
struct Watched(TcpListener);

impl Watched {
    fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").expect("a free port"))
    }

    fn url(&self) -> String {
        format!("http://{}", self.0.local_addr().expect("an address"))
    }

    #[track_caller]
    fn was_left_alone(&self) {
        self.0.set_nonblocking(true).expect("a mode");
        assert!(self.0.accept().is_err(), "something was sent");
    }
}

/// Checks that a run is refused with exit status 2 and these words, and that it sends nothing.
#[track_caller]
fn refuses(arguments: &str, parts: &[&str]) {
    let node = Watched::new();
    let url = node.url();
    let arguments: Vec<_> = arguments.split(' ').collect();
    let (code, stdout, stderr) =
        status_and_output(&[&["--base-url", &url], &arguments[..]].concat());
    assert_eq!(code, 2, "{arguments:?}: {stdout}{stderr}");
    for part in parts {
        assert!(stderr.contains(part), "{part:?} is not in {stderr}");
    }
    node.was_left_alone();
}

const SECRET: &str = "5ec2e7aa7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f";

fn key_file(folder: &Path, change: impl FnOnce(&mut serde_json::Value)) -> PathBuf {
    let wallet = KeyPair::from_hex(SECRET).expect("a key");
    let mut file = json!({
        "public": wallet.public_key().to_string(),
        "private": SECRET,
        "address": wallet.address().to_string(),
    });
    change(&mut file);
    let path = folder.join("wallet.json");
    std::fs::write(&path, file.to_string()).expect("the file is written");
    path
}

#[test]
fn reject_and_write_on_mainnet_need_allow_mainnet() {
    for tier in ["reject", "write"] {
        let arguments = format!("--network mainnet --allow {tier}");
        refuses(&arguments, &["--allow-mainnet", tier]);
    }
}

#[test]
fn cases_that_may_not_run_are_no_selection() {
    for (arguments, parts) in [
        (
            "--only submit-transaction/*",
            ["submit-transaction/unsigned", "--allow reject"],
        ),
        (
            "--allow everything",
            ["everything", "read, probe, reject, write"],
        ),
        ("--allow write", ["--wallet", ""]),
    ] {
        refuses(&format!("--network devnet {arguments}"), &parts);
    }
}

/// What else is wrong with a key file is in the tests of `crates/wallet`.
#[test]
fn a_bad_key_file_is_explained_and_never_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = json!(format!("0x{}", "1".repeat(40)));
    let path = key_file(folder.path(), |file| file["address"] = other);
    let path = path.to_str().expect("UTF-8");
    let wallet = ["--network", "devnet", "--allow", "write", "--wallet", path];
    let (code, stdout, stderr) = status_and_output(&wallet);
    assert_eq!(code, 2, "{stdout}{stderr}");
    let said = "has an address that does not belong to the public key";
    assert!(stderr.contains(said) && stderr.contains(path), "{stderr}");
    assert!(!format!("{stdout}{stderr}").contains("7f7f"), "{stderr}");
    let arguments = "--network devnet --wallet no-such-wallet.json";
    refuses(arguments, &["no-such-wallet.json", "can't be read"]);
}

#[test]
fn an_encrypted_key_file_is_opened_with_its_passphrase_and_not_without() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = KeyPair::from_hex(SECRET).expect("a key");
    let file = folder.path().join("wallet.pem");
    KeyFile::write(&file, &keys, Protection::Passphrase("horse staple")).expect("a key file");
    let wallet = file.to_str().expect("UTF-8");
    let with = |passphrase: &str| {
        let path = folder.path().join("passphrase");
        std::fs::write(&path, passphrase).expect("a file");
        status_and_output(&[
            "--dry-run",
            "--wallet",
            wallet,
            "--passphrase-file",
            path.to_str().expect("UTF-8"),
        ])
    };
    let (code, _, stderr) = with("horse staple\nand more");
    assert_eq!(code, 0, "{stderr}");
    let (code, _, stderr) = with("horse maple");
    assert!(code == 2 && stderr.contains("passphrase"), "{stderr}");
    assert!(!stderr.contains("maple"), "{stderr}");
    let without = format!("--network devnet --wallet {wallet}");
    refuses(&without, &["is encrypted", "--passphrase-file"]);
    let words = "the passphrase file none can't be read";
    refuses(&format!("{without} --passphrase-file none"), &[words]);
}

#[cfg(unix)]
#[test]
fn a_key_file_that_others_can_read_is_pointed_out() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = key_file(folder.path(), |_| {});
    for (mode, warns) in [(0o644, true), (0o600, false)] {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&path, permissions).expect("a mode");
        let path = path.to_str().expect("UTF-8");
        let (code, _, stderr) = status_and_output(&["--dry-run", "--wallet", path]);
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(stderr.contains("chmod 600"), warns, "{stderr}");
    }
}

#[test]
fn a_dry_run_lists_the_kinds_and_sends_nothing() {
    let node = Watched::new();
    let url = node.url();
    let dry = |more: &[&str]| {
        let base = ["--base-url", &url, "--network", "testnet", "--dry-run"];
        let (code, stdout, stderr) = status_and_output(&[&base, more].concat());
        assert_eq!(code, 0, "{stderr}");
        stdout
    };
    let read = dry(&[]);
    assert!(
        read.contains(&url) && read.contains("nothing was sent"),
        "{read}"
    );
    assert!(read.contains("/get-block?block_index=<"), "{read}");
    assert!(!read.contains("/submit-transaction"), "{read}");
    let reject = dry(&["--allow", "reject"]);
    assert!(reject.contains("an unsigned transaction"), "{reject}");
    assert!(!reject.contains("signed with the wallet"), "{reject}");
    let write = dry(&["--allow", "write"]);
    assert!(write.contains("signed with the wallet"), "{write}");
    let selected = dry(&["--only", "docs/*"]);
    assert!(
        selected.contains("/docs") && !selected.contains("/call-sc"),
        "{selected}"
    );
    node.was_left_alone();
}

#[test]
fn a_co_signer_is_a_second_wallet() {
    let folder = tempfile::tempdir().expect("a folder");
    let wallet = key_file(folder.path(), |_| {});
    let wallet = wallet.to_str().expect("UTF-8");
    let co_signer = format!("--network devnet --co-signer {wallet}");
    refuses(&co_signer, &["--wallet"]);
    let both = format!("{co_signer} --wallet {wallet}");
    refuses(&both, &["--co-signer is the wallet of --wallet"]);
}
