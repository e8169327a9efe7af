//! The examples as their readers run them: real processes against a local node.

#![expect(
    clippy::unwrap_used,
    reason = "a test that can't go on says so by failing"
)]

use std::{
    path::PathBuf,
    process::{Command, Output},
};

use nodeproof_devnode::Config;

/// Where cargo puts an example when it builds all of this package's tests.
fn example(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let profile = tests.parent().and_then(|deps| deps.parent()).unwrap();
    let path = profile
        .join("examples")
        .join(name)
        .with_extension(std::env::consts::EXE_EXTENSION);
    // A run of this test alone does not build them.
    if !path.exists() {
        let mut build = Command::new(env!("CARGO"));
        build.args([
            "build",
            "--quiet",
            "-p",
            env!("CARGO_PKG_NAME"),
            "--example",
            name,
        ]);
        assert!(build.status().unwrap().success());
    }
    path
}

async fn run(name: &'static str, arguments: Vec<String>) -> Output {
    let run = move || Command::new(example(name)).args(arguments).output();
    tokio::task::spawn_blocking(run).await.unwrap().unwrap()
}

fn printed(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn read_chain_prints_blocks_and_balances() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let height = node.node().height();
    let arguments = vec![node.base_url().to_owned(), (height - 1).to_string()];
    let text = printed(&run("read_chain", arguments).await);
    assert!(text.contains(&format!("block {height} of ")), "{text}");
    assert!(text.contains(" holds "), "{text}");
    assert!(
        text.contains(&format!("there is no block {}", height + 1)),
        "{text}"
    );
    assert!(!text.contains("not as documented"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn build_claim_prints_what_is_to_be_signed() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let verifier = node.node().wallets().first().unwrap().address().to_string();
    let contract = node.node().contract_address().to_string();
    let arguments = [node.base_url(), &contract, &verifier, "caf\u{e9}"]
        .map(str::to_owned)
        .to_vec();
    let text = printed(&run("build_claim", arguments).await);
    assert!(text.contains("fee 1500000\n"), "{text}");
    assert!(
        text.contains(&format!("calls add_verification of {contract}")),
        "{text}"
    );
    // The message is written as it is signed: without anything beyond ASCII.
    assert!(text.contains(r#""asset_id": "caf\u00e9""#), "{text}");
    assert_eq!(node.node().submissions_received(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_example_says_what_is_wrong_with_its_node() {
    let output = run("read_chain", vec!["localhost:8420".to_owned()]).await;
    assert!(!output.status.success());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("http://localhost:8420"), "{error}");
}
