//! What a run finds on a short chain, it finds on a long one.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use integration_tests::watch::{caught, check};
use nodeproof_conformance::Options;
use nodeproof_devnode::{Config, InjectedFault};

async fn found(fault: InjectedFault, blocks: u64) -> Vec<String> {
    let config = Config::for_tests().with_fault(fault).with_blocks(blocks);
    let node = nodeproof_devnode::spawn(config).await.expect("a node");
    caught(&check(node.base_url(), &Options::default()).await)
}

#[tokio::test]
async fn a_fault_of_a_short_chain_is_found_on_a_longer_one() {
    let mut faults_found = 0;
    let mut lost = Vec::new();
    for fault in InjectedFault::all() {
        let short = found(fault, 12).await;
        if short.is_empty() {
            continue;
        }
        faults_found += 1;
        for blocks in [150, 1_500] {
            let long = found(fault, blocks).await;
            let missing: Vec<_> = short.iter().filter(|id| !long.contains(id)).collect();
            if !missing.is_empty() {
                lost.push(format!("{fault} at {blocks} blocks: {missing:?}"));
            }
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
    assert!(
        faults_found >= 12,
        "only {faults_found} faults are found by reading"
    );
}
