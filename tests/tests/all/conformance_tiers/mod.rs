//! The tiers above reading: submissions that must be refused, the claim, and the plan of all requests.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

mod collecting_node;
mod evidence;
mod false_alarms;
mod plan;
mod probes;
mod safety;
mod stopped;
mod token_contract;
mod unknown_wallets;
mod unusable;
mod verdicts;

use nodeproof_conformance::{
    cli::LocalNode,
    report::{NodeReport, Outcome},
};
use nodeproof_primitives::Network;

/// Starts a local node that makes a block whenever a transaction waits for one.
async fn local() -> LocalNode {
    let start = xtask::conformance::start_local();
    start(Network::Devnet).await.expect("a local node")
}

/// Returns the outcome of a case and its reason.
fn ended<'r>(report: &'r NodeReport, id: &str) -> (Outcome, &'r str) {
    let case = report
        .cases
        .iter()
        .find(|case| case.id == id)
        .expect("a case");
    (case.outcome, case.reason.as_deref().unwrap_or_default())
}
