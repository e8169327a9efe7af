//! What a run finds on a short chain, it finds on a long one.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

use std::{sync::Arc, time::Duration};

use integration_tests::watch::{caught, check};
use nodeproof_conformance::Options;
use nodeproof_devnode::{Config, InjectedFault};
use tokio::{sync::Semaphore, task::JoinSet};

async fn found(fault: InjectedFault, blocks: u64, options: &Options) -> Vec<String> {
    let config = Config::for_tests().with_fault(fault).with_blocks(blocks);
    let node = nodeproof_devnode::spawn(config).await.expect("a node");
    caught(&check(node.base_url(), options).await)
}

/// Returns the cases that find a fault on a short chain, and those of them that do not find it on a longer one.
async fn found_and_lost(fault: InjectedFault) -> (Vec<String>, Vec<String>) {
    let mut options = Options::default();
    // A fault that holds requests back costs a few of these.
    options.limits.request_timeout = Duration::from_secs(5);
    let short = found(fault, 12, &options).await;
    if short.is_empty() {
        return (short, Vec::new());
    }
    // At this length, a run reads only some of the blocks.
    let ids = short.iter().map(String::as_str);
    options.select_only(ids).expect("IDs");
    let long = found(fault, 500, &options).await;
    let lost = short.iter().filter(|id| !long.contains(id)).cloned();
    let lost = lost.collect();
    (short, lost)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_of_a_short_chain_is_found_on_a_longer_one() {
    // Most of them wait for blocks, so several run at the same time.
    let at_once = Arc::new(Semaphore::new(8));
    let mut runs = JoinSet::new();
    for fault in InjectedFault::all() {
        let at_once = Arc::clone(&at_once);
        runs.spawn(async move {
            let _one = at_once.acquire_owned().await.expect("it stays open");
            (fault, found_and_lost(fault).await)
        });
    }
    let results = runs.join_all().await;
    let found = results.iter().filter(|(_, (short, _))| !short.is_empty());
    let lost: Vec<_> = results
        .iter()
        .filter(|(_, (_, lost))| !lost.is_empty())
        .map(|(fault, (_, lost))| format!("{fault}: {lost:?}"))
        .collect();
    assert!(lost.is_empty(), "{lost:#?}");
    let found = found.count();
    assert!(found >= 12, "only {found} faults are found by reading");
}
