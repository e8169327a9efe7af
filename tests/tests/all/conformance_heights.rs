//! What a run finds on a short chain, it finds on a long one.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use integration_tests::watch::{caught, check};
use nodeproof_conformance::Options;
use nodeproof_devnode::{Config, InjectedFault};

async fn found(fault: InjectedFault, blocks: u64, options: &Options) -> Vec<String> {
    let config = Config::for_tests().with_fault(fault).with_blocks(blocks);
    let node = nodeproof_devnode::spawn(config).await.expect("a node");
    caught(&check(node.base_url(), options).await)
}

#[tokio::test]
async fn a_fault_of_a_short_chain_is_found_on_a_longer_one() {
    let mut faults_found = 0;
    let mut lost = Vec::new();
    for fault in InjectedFault::all() {
        let mut options = Options::default();
        let short = found(fault, 12, &options).await;
        if short.is_empty() {
            continue;
        }
        faults_found += 1;
        // At this length, a run reads only some of the blocks.
        let ids = short.iter().map(String::as_str);
        options.select_only(ids).expect("IDs");
        let long = found(fault, 500, &options).await;
        let missing: Vec<_> = short.iter().filter(|id| !long.contains(id)).collect();
        if !missing.is_empty() {
            lost.push(format!("{fault}: {missing:?}"));
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
    assert!(
        faults_found >= 12,
        "only {faults_found} faults are found by reading"
    );
}
