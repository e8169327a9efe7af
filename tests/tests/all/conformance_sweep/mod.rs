//! Sweeps run every case about blocks over every block. A fault in one block must be found there.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

mod cut;
mod faults;
mod growing;
mod merged;
mod misled_search;
mod pruned;
mod records;
mod table;
mod wrong_responses;

use integration_tests::{
    proxy::{Fault, LocalProxy},
    restart,
};
use nodeproof_conformance::{
    Options, Sweep,
    report::{NodeReport, SweepKind},
};
use nodeproof_devnode::Config;

async fn devnode(blocks: u64) -> nodeproof_devnode::Handle {
    let config = Config::for_tests().with_blocks(blocks);
    restart::start(config).await
}

fn sweep(blocks: &str) -> Sweep {
    Sweep::new(blocks.parse().expect("a range"))
}

/// Returns options for a run of only the cases about blocks, over these blocks.
fn only_blocks(blocks: &str) -> Options {
    let mut options = Options::default();
    let matcher = |glob| {
        let glob = globset::Glob::new(glob).expect("a glob");
        glob.compile_matcher()
    };
    options.selection.only = ["get-block/*", "chain/*"].map(matcher).to_vec();
    // It repeats requests beside the sweep. Which ones depends on the search for the latest block.
    options.selection.skip = vec![matcher("chain/repeat-read")];
    options.sweep = Some(sweep(blocks));
    options
}

/// Runs a sweep over all blocks of a node with this fault.
async fn swept(blocks: u64, fault: Fault) -> NodeReport {
    let node = devnode(blocks).await;
    let broken = LocalProxy::new(&node, fault).expect("a proxy");
    broken.check(&only_blocks("..")).await
}

/// Returns each kind of finding, in the order of the case IDs: case, number of findings, and first
/// blocks.
fn kinds(report: &NodeReport) -> Vec<(&str, u64, &[u64])> {
    let sweep = report.sweep.as_ref().expect("a sweep");
    let mut kinds: Vec<_> = sweep
        .kinds
        .iter()
        .map(
            |SweepKind {
                 case,
                 count,
                 blocks,
                 ..
             }| (case.as_str(), *count, blocks.as_slice()),
        )
        .collect();
    kinds.sort_unstable();
    kinds
}

fn as_json(report: &NodeReport) -> serde_json::Value {
    serde_json::to_value(report).expect("JSON")
}
