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

use std::{num::NonZeroU8, time::Duration};

use nodeproof_conformance::{
    Options, Tier,
    cli::LocalNode,
    report::{NodeReport, Outcome},
};
use nodeproof_devnode::Handle;
use nodeproof_primitives::Network;

/// Starts a local node that makes a block whenever a transaction waits for one.
async fn local() -> LocalNode {
    let start = xtask::conformance::start_local();
    start(Network::Devnet).await.expect("a local node")
}

/// Returns the options of a run with eight claims of bob's wallet at a local node. Carol signs, too.
fn with_eight_claims(node: &Handle) -> Options {
    let mut options = Options::default();
    options.selection.allow = Tier::Write;
    let keys = |name| node.wallet(name).map(|wallet| wallet.keys().clone().into());
    options.submitting.claims = const { NonZeroU8::new(8).unwrap() };
    options.submitting.settle_timeout = Duration::from_secs(5);
    options.submitting.wallet = keys("bob");
    options.submitting.co_signer = keys("carol");
    options.submitting.currency = Some(node.node().native_token().to_owned());
    options.submitting.contract = Some(node.node().contract_address());
    options
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
