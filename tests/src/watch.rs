//! Running the conformance checks from a test.

use std::{future::Future, sync::Arc};

use nodeproof_conformance::{
    Observer, Options, Target,
    report::{CaseReport, NodeReport},
};
use nodeproof_primitives::Network;

/// Returns how many runs of the checks go on at the same time. A run is mostly waiting.
#[must_use]
pub fn threads_that_wait() -> usize {
    4 * std::thread::available_parallelism().map_or(2, usize::from)
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Observer for Silent {}

/// Checks the node at a base URL of devnet.
///
/// # Panics
/// When the text is not a base URL.
#[expect(
    clippy::expect_used,
    reason = "a test's own URL is right, or the test is wrong"
)]
pub async fn check(base_url: &str, options: &Options) -> NodeReport {
    let target = Target::parse(base_url, Network::Devnet).expect("a base URL");
    check_target(target, options).await
}

/// Checks a target.
pub async fn check_target(target: Target, options: &Options) -> NodeReport {
    run_one(target, options, Arc::new(Silent), std::future::pending()).await
}

/// Checks one target, until `interrupt` is ready.
pub async fn run_one(
    target: Target,
    options: &Options,
    observer: Arc<dyn Observer>,
    interrupt: impl Future<Output = ()> + Send + 'static,
) -> NodeReport {
    let node = (target, options.clone(), observer);
    let mut report = nodeproof_conformance::run(vec![node], interrupt).await;
    report.nodes.remove(0)
}

/// The cases about the whole run.
pub const WHOLE_RUN: [&str; 18] = [
    "call-sc/echo",
    "call-sc/fresh",
    "call-sc/timestamp-current",
    "call-sc/trans-code-distinct",
    "chain/repeat-read",
    "get-balances/agree",
    "get-balances/near",
    "get-balances/repeat-read",
    "get-block/near",
    "get-trustscore-wallets/near",
    "get-trustscore-wallets/repeat-read",
    "http/content-type",
    "http/json",
    "http/server-errors",
    "http/success-status",
    "sc-state/near",
    "sc-state/repeat-read",
    "submit-transaction/authority",
];

/// Whether a case about the whole run is explained by more exact cases, which report the same responses.
fn is_explained(case: &CaseReport) -> bool {
    case.explained_by.is_some() && WHOLE_RUN.contains(&case.id.as_str())
}

/// Returns the IDs of the cases with this outcome, in the report's order. Those about the whole run that more
/// exact cases explain are left out.
#[must_use]
pub fn ids(report: &NodeReport, outcome: nodeproof_conformance::report::Outcome) -> Vec<&str> {
    report
        .cases
        .iter()
        .filter(|case| case.outcome == outcome && !is_explained(case))
        .map(|case| case.id.as_str())
        .collect()
}

/// Returns the IDs of the cases that failed, warned or informed, sorted. The run must have a verdict.
///
/// # Panics
/// When the run ended without a verdict.
#[must_use]
pub fn caught(report: &NodeReport) -> Vec<String> {
    use nodeproof_conformance::report::Outcome::{Fail, Info, Warn};
    let mut caught: Vec<String> = [Fail, Warn, Info]
        .into_iter()
        .flat_map(|outcome| ids(report, outcome))
        .map(ToOwned::to_owned)
        .collect();
    caught.sort();
    assert!(report.exit_code <= 1, "{:?}", report.reason);
    for case in &report.cases {
        for finding in &case.findings {
            let read_the_same = !finding.actual.is_empty() && finding.expected == finding.actual;
            assert!(!read_the_same, "{}: {finding:?}", case.id);
        }
    }
    caught
}

/// Returns the IDs of the cases with findings that no other case explains, sorted.
#[must_use]
pub fn causes(report: &NodeReport) -> Vec<String> {
    let mut causes: Vec<String> = report
        .causes()
        .iter()
        .map(|(cause, _)| cause.id.clone())
        .collect();
    causes.sort();
    causes
}
