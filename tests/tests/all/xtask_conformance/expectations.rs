//! Known deviations, through the real binary: known, stale, expired, and without a case.

use std::path::PathBuf;

use integration_tests::observed_node;
use nodeproof_conformance::report::{NodeReport, Outcome, Report};

use super::{conformance, outputs};

fn shipped() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../crates/conformance/expectations/observed-node.toml")
}

/// Runs the task with a JSON report, against the local node if no URL is given.
async fn run(expect: PathBuf, base_url: Option<String>) -> (i32, Result<NodeReport, String>) {
    let mut command = conformance(&["--format", "json", "--expect"]);
    command.arg(expect);
    if let Some(url) = base_url {
        command.args(["--network", "devnet", "--base-url", &url]);
    }
    let (code, stdout, stderr) = outputs(command).await;
    let report = serde_json::from_str(&stdout).map(|mut report: Report| report.nodes.remove(0));
    (code, report.map_err(|_| stderr))
}

/// Returns the IDs of the cases that failed.
fn failed(report: &NodeReport) -> Vec<&str> {
    let failed = report
        .cases
        .iter()
        .filter(|case| case.outcome == Outcome::Fail);
    failed.map(|case| case.id.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shipped_file_makes_a_node_of_the_observed_forms_pass_with_its_findings_known() {
    let node = observed_node::spawn().await.expect("a node");
    let (code, report) = run(shipped(), Some(node.base_url())).await;
    let report = report.expect("a report");
    assert_eq!(code, 0, "{:?}", failed(&report));
    assert_eq!(report.count(Outcome::Known), 10);
    let failing = report.cases.iter();
    let failing = failing.filter(|case| matches!(case.outcome, Outcome::Fail | Outcome::Warn));
    let failing: Vec<_> = failing.map(|case| (&case.id, &case.reason)).collect();
    assert!(failing.is_empty(), "{failing:?}");
    let known = report
        .cases
        .iter()
        .find(|case| case.id == "get-block/committee")
        .expect("a case");
    assert_eq!(known.outcome, Outcome::Known);
    assert!(
        known
            .note
            .as_deref()
            .is_some_and(|note| note.contains("inside a string"))
    );
    assert!(known.reason.is_some(), "the findings are reported too");
}

#[tokio::test]
async fn a_case_that_passes_unexpectedly_is_stale_and_fails_the_run() {
    let (code, report) = run(shipped(), None).await;
    let report = report.expect("a report");
    assert_eq!((code, report.exit_code), (5, 5));
    assert_eq!(report.count(Outcome::Stale), 10);
}
