//! Checks of one node.

use integration_tests::observed_node;

use super::{conformance, outputs};

/// Runs the task. Returns its exit status, its output, and its messages.
async fn run(arguments: &[&str]) -> (i32, String, String) {
    outputs(conformance(arguments)).await
}

#[tokio::test]
async fn without_a_url_a_local_node_is_started_and_conforms() {
    let (code, stdout, stderr) = run(&["--strict"]).await;
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(
        stdout.contains("conforms") && stdout.contains("0 failed"),
        "{stdout}"
    );
    assert!(
        stderr
            .lines()
            .any(|line| line.starts_with("pass") && line.contains("docs/responds"))
    );
    // It ends with the run.
    let (code, _, stderr) = run(&["--blocks", "..", "--resume"]).await;
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("--resume needs the --base-url"), "{stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_of_the_observed_forms_does_not_conform_and_its_findings_are_named() {
    let node = observed_node::spawn().await.expect("a node");
    let (code, stdout, stderr) =
        run(&["--base-url", &node.base_url(), "--network", "devnet"]).await;
    assert_eq!(code, 1, "{stdout}{stderr}");
    for named in [
        "a row of the node's block table",
        "index is named block_index",
        "committee is a string that contains",
        "status is null",
        "creator_wallet is null",
        "a zero balance is returned as balance: null",
        "the state is in `data`, and `value` is missing",
    ] {
        assert!(stdout.contains(named), "{named:?} is not named: {stdout}");
    }
    assert!(stdout.contains("does not conform"), "{stdout}");
    assert!(
        !stdout.contains("the harness") && !stderr.contains("panicked"),
        "{stdout}{stderr}"
    );
}
