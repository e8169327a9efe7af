//! Chains that grow during a run. A block that did not exist a moment ago is not a hole.

use std::{
    ops::RangeInclusive,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::http::StatusCode;
use integration_tests::{
    proxy::{Fault, Proxy},
    watch::{check, ids},
};
use nodeproof_conformance::{Options, report::Outcome};

use super::{devnode, kinds, only_blocks};

const BLOCKS: u64 = 30;
/// The latest block until the chain grows.
const BEFORE: u64 = 19;

/// Blocks that only a sweep requests. The search for the end of the chain requests 20, 24 and 32.
const ONLY_SWEPT: &[RangeInclusive<u64>] = &[22..=23, 25..=BLOCKS];

/// Returns a chain that ends at `BEFORE` until one of the blocks `at` is requested, and at `BLOCKS` after that.
/// Block `never` never appears.
fn grows(at: &'static [RangeInclusive<u64>], never: Option<u64>) -> Fault {
    let grown = AtomicBool::new(false);
    Arc::new(move |request, response| {
        let index = request.query.strip_prefix("block_index=");
        let Some(index) = index.and_then(|index| index.parse::<u64>().ok()) else {
            return response;
        };
        let grows = at.iter().any(|range| range.contains(&index));
        let has_grown = grown.fetch_or(grows, Ordering::SeqCst) || grows;
        if (index > BEFORE && !has_grown) || Some(index) == never {
            let none = response.with_status(StatusCode::NOT_FOUND);
            return none.with_body(r#"{"detail":"no such block"}"#);
        }
        response
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_that_is_overtaken_by_the_chain_sees_no_holes() {
    let node = devnode(BLOCKS).await;
    for jobs in [1, 8] {
        let fault = grows(ONLY_SWEPT, None);
        let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
        let mut options = only_blocks("1..=30");
        options.limits.jobs = jobs;
        let report = check(&proxy.server.base_url(), &options).await;
        let sweep = report.sweep.as_ref().expect("a sweep");
        assert_eq!(kinds(&report), []);
        assert_eq!((sweep.done, sweep.judged), (true, BLOCKS));
        assert_eq!(report.exit_code, 0, "{:?}", report.reason);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_that_is_still_missing_then_is_a_hole() {
    let node = devnode(BLOCKS).await;
    let fault = grows(ONLY_SWEPT, Some(21));
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
    let report = check(&proxy.server.base_url(), &only_blocks("1..=30")).await;
    assert_eq!(kinds(&report), [("chain/no-holes", 1, &[21][..])]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_that_grows_while_its_end_is_looked_for_has_no_holes() {
    let node = devnode(BLOCKS).await;
    // Blocks 20 and 24 are requested before block 21. Block 22 is requested after all of them.
    let fault = grows(&[21..=21], None);
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
    let report = check(&proxy.server.base_url(), &Options::default()).await;
    assert_eq!(ids(&report, Outcome::Fail), Vec::<&str>::new());
    assert!(ids(&report, Outcome::Pass).contains(&"chain/no-holes"));
}
