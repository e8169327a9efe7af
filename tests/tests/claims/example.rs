//! The example as its readers run it: a real process, a key file, and a document.

use std::{fs, path::Path, process::Command};

use nodeproof_wallet::{KeyFile, Protection};

use super::*;

/// Where cargo puts an example when it builds all of this package's tests.
fn example() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let profile = tests.parent().and_then(Path::parent).unwrap();
    let path = profile
        .join("examples/claim")
        .with_extension(std::env::consts::EXE_EXTENSION);
    // A run of this test alone does not build it.
    if !path.exists() {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "-p", env!("CARGO_PKG_NAME")]);
        build.args(["--example", "claim"]);
        assert!(build.status().unwrap().success());
    }
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_makes_a_claim_once_however_often_it_is_run() {
    let every = nodeproof_devnode::BlockTime::Every(Duration::from_millis(200));
    let node = nodeproof_devnode::spawn(Config::for_tests().with_block_time(every))
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let keys = node.wallets().first().unwrap().keys();
    KeyFile::write(path("wallet.json"), keys, Protection::Plain).unwrap();
    fs::write(path("inspection.pdf"), "weighed").unwrap();
    let arguments = [
        node.base_url().to_owned(),
        node.contract_address().to_string(),
        path("wallet.json").display().to_string(),
        "caf\u{e9}".to_owned(),
        path("inspection.pdf").display().to_string(),
        node.native_token().to_owned(),
    ];
    let run = || {
        let arguments = arguments.clone();
        tokio::task::spawn_blocking(move || Command::new(example()).args(arguments).output())
    };
    let first = run().await.unwrap().unwrap();
    let again = run().await.unwrap().unwrap();
    for output in [&first, &again] {
        let error = String::from_utf8_lossy(&output.stderr);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{error}");
        assert!(text.contains("recorded: \"caf\u{e9}\""), "{text}");
        assert!(text.contains("dfa086bad24f4395"), "{text}");
    }
    // Only the first run had something to sign.
    let first = String::from_utf8_lossy(&first.stdout).into_owned();
    assert!(first.contains("fee          1500000"), "{first}");
    assert!(!String::from_utf8_lossy(&again.stdout).contains("fee"));
    let saved = SavedTransaction::open(&path("inspection.claim.json"))
        .unwrap()
        .unwrap();
    assert!(first.contains(&saved.trans_code().to_string()));
    assert_eq!(node.submissions_received(), 2);
}
