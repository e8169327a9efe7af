//! The example as users run it: a real process and a document.

use std::{fs, process::Command};

use integration_tests::built;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn the_example_makes_a_claim_once_however_often_it_is_run() {
    let every = nodeproof_devnode::BlockTime::Every(Duration::from_millis(200));
    let node = nodeproof_devnode::spawn(Config::for_tests().with_block_time(every))
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("inspection.pdf"), "weighed").unwrap();
    let arguments = [
        node.base_url().to_owned(),
        "caf\u{e9}".to_owned(),
        path("inspection.pdf").display().to_string(),
    ];
    let example = built::example("claim").unwrap();
    let run = || {
        let mut command = Command::new(&example);
        command.args(&arguments);
        tokio::task::spawn_blocking(move || command.output())
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
    // Only the first run had a transaction to sign.
    let first = String::from_utf8_lossy(&first.stdout).into_owned();
    assert!(first.contains("fee          1500000"), "{first}");
    assert!(first.contains("in block "), "{first}");
    assert!(!String::from_utf8_lossy(&again.stdout).contains("fee"));
    let saved = SavedTransaction::open(&path("inspection.claim.json"))
        .unwrap()
        .unwrap();
    assert!(first.contains(&saved.trans_code().to_string()));
    assert_eq!(node.submissions_received(), 1);
}
