//! Checks of one node.

use integration_tests::{observed_node, proxy::Proxy};
use nodeproof_conformance::report::{Outcome, Report};
use nodeproof_devnode::{BlockTime, Config};
use nodeproof_primitives::Network;

use super::{conformance, outputs};

/// Runs the task. Returns its exit status, its output, and its messages.
async fn run(arguments: &[&str]) -> (i32, String, String) {
    outputs(conformance(arguments)).await
}

async fn devnode() -> nodeproof_devnode::Handle {
    let mut config = Config::new(Network::Devnet);
    config.port = Some(0);
    config.seed = 7;
    config.block_time = BlockTime::Manual;
    nodeproof_devnode::spawn(config)
        .await
        .expect("a local node")
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
async fn a_second_node_by_url_conforms_and_is_asked_nothing_that_could_change_it() {
    let node = devnode().await;
    let url = node.base_url().to_owned();
    let proxy = Proxy::honest(url.as_str()).await.expect("a proxy");
    let base_url = proxy.server.base_url();
    let (code, stdout, stderr) = run(&[
        "--base-url",
        &base_url,
        "--network",
        "devnet",
        "--format",
        "json",
    ])
    .await;
    assert_eq!(code, 0, "{stdout}{stderr}");
    let report = Report::from_json(&stdout).expect("a report");
    let report = &report.nodes[0];
    assert_eq!(report.count(Outcome::Fail), 0);
    assert_eq!(report.count(Outcome::Inconclusive), 0, "{stdout}");
    let requested = proxy.requests();
    assert_eq!(
        report.requests,
        u64::try_from(requested.len()).expect("few")
    );
    for request in &requested {
        let reads = request.method == "GET" || request.path == "/call-sc";
        assert!(reads && !request.path.contains("submit"), "{request:?}");
    }
    assert!(
        requested.len() <= 360,
        "{} requests are too many for a read",
        requested.len()
    );
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

#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_some_cases_skips_the_others() {
    let node = devnode().await;
    let url = node.base_url().to_owned();
    let (code, stdout, _) = run(&[
        "--base-url",
        &url,
        "--network",
        "devnet",
        "--only",
        "docs/*",
        "--format",
        "json",
    ])
    .await;
    assert_eq!(code, 0);
    let report = Report::from_json(&stdout).expect("a report");
    let report = &report.nodes[0];
    assert!(report.count(Outcome::Pass) == 4 && report.count(Outcome::Skipped) > 50);
}
