//! Nodes that have dropped the first blocks of their chain.

use std::sync::Arc;

use axum::http::StatusCode;
use integration_tests::{
    proxy::{Fault, Proxy, RecordedRequest, Response},
    watch::{check, ids},
};
use nodeproof_conformance::{
    Options,
    report::{self, Outcome},
};

use super::{devnode, kinds, only_blocks, sweep};

/// Returns a fault: the node has no block below that index.
fn without_below(first: u64, status: StatusCode) -> Fault {
    Arc::new(move |request: &RecordedRequest, response: Response| {
        match request.query.strip_prefix("block_index=").map(str::parse) {
            Some(Ok(index)) if (0..first).contains(&index) => response
                .with_status(status)
                .with_body(r#"{"detail":"Block not found"}"#),
            _ => response,
        }
    })
}

async fn pruned(node: &nodeproof_devnode::Handle, first: u64, status: StatusCode) -> Proxy {
    let fault = without_below(first, status);
    Proxy::spawn(node, fault).await.expect("a proxy")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_of_all_begins_at_the_lowest_block_that_there_is_and_says_so() {
    let node = devnode(100).await;
    let (refused, absent) = (StatusCode::BAD_REQUEST, StatusCode::NOT_FOUND);
    for (first, status) in [
        (2, refused),
        (3, absent),
        (8, absent),
        (9, refused),
        (47, absent),
        (64, refused),
    ] {
        let proxy = pruned(&node, first, status).await;
        let report = check(&proxy.server.base_url(), &only_blocks("..")).await;
        let message = format!(
            "{first}: {:?} {:?}",
            report.reason,
            ids(&report, Outcome::Fail)
        );
        assert_eq!(report.exit_code, 0, "{message}");
        let sweep = report.sweep.as_ref().expect("a sweep");
        assert_eq!((sweep.from, sweep.to), (first, 101), "{message}");
        assert_eq!((sweep.judged, sweep.missing), (101 - first, 0), "{message}");
        assert_eq!(sweep.none_below, Some(first), "{message}");
        let text = report::text(&report.into(), report::Style::Plain);
        let words = format!("the node has no block below {first}");
        assert!(text.contains(&words), "{text}");
    }
    let whole = check(node.base_url(), &only_blocks("..")).await;
    assert_eq!(whole.sweep.and_then(|sweep| sweep.none_below), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_given_range_is_enough_where_no_search_finds_a_block() {
    let node = devnode(62).await;
    // From 50 to 62 there is neither a power of two nor one and a half times a power of two.
    let proxy = pruned(&node, 50, StatusCode::NOT_FOUND).await;
    let url = proxy.server.base_url();
    for (range, from, judged) in [
        ("50..", 50, 13),
        ("55..", 55, 8),
        ("50..=62", 50, 13),
        ("..=62", 50, 13),
        ("55..60", 55, 5),
    ] {
        let mut options = Options::default();
        options.sweep = Some(sweep(range));
        let report = check(&url, &options).await;
        let message = format!(
            "{range}: {:?} {:?}",
            report.reason,
            ids(&report, Outcome::Fail)
        );
        assert_eq!(report.exit_code, 0, "{message}");
        let sweep = report.sweep.as_ref().expect("a sweep");
        assert_eq!((sweep.from, sweep.judged), (from, judged), "{message}");
        assert!(ids(&report, Outcome::Pass).contains(&"get-balances/agree"));
    }
    // Missing blocks that the user named are reported as missing.
    let report = check(&url, &only_blocks("45..=62")).await;
    assert_eq!(
        kinds(&report),
        [("chain/no-holes", 5, &[45, 46, 47, 48, 49][..])]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pruned_node_is_judged_without_a_fixture_and_with_few_requests() {
    let node = devnode(100).await;
    let whole = check(node.base_url(), &Options::default()).await;
    for (first, status) in [(8, StatusCode::BAD_REQUEST), (60, StatusCode::NOT_FOUND)] {
        let proxy = pruned(&node, first, status).await;
        let report = check(&proxy.server.base_url(), &Options::default()).await;
        let undecided = ids(&report, Outcome::Inconclusive);
        assert_eq!(
            (report.exit_code, undecided),
            (0, Vec::new()),
            "{:?}",
            report.reason
        );
        let most = whole.requests + 2;
        assert!(report.requests <= most, "{} of {most}", report.requests);
    }
    // The remaining blocks of this long chain include no power of two.
    let blocks = 786_000..=786_999_u64;
    let long = Arc::new(move |request: &RecordedRequest, response: Response| {
        let index = request.query.strip_prefix("block_index=").map(str::parse);
        match index {
            Some(Ok(index)) if blocks.contains(&index) => {
                let body = format!("{{\"index\":{index},\"timestamp\":{index}}}");
                response.with_status(StatusCode::OK).with_body(body)
            }
            Some(_) => response.with_status(StatusCode::NOT_FOUND).with_body("{}"),
            None => response,
        }
    });
    let proxy = Proxy::spawn(&node, long).await.expect("a proxy");
    let mut options = only_blocks("..");
    options.select_only(["chain/no-holes"]).expect("an ID");
    let report = check(&proxy.server.base_url(), &options).await;
    let sweep = report.sweep.expect("a sweep");
    assert_eq!((sweep.from, sweep.to), (786_000, 787_000));
    assert_eq!((sweep.judged, sweep.missing), (1_000, 0));
    // If no block can be found, the message states what would help.
    let empty = pruned(&node, u64::MAX, StatusCode::BAD_REQUEST).await;
    let report = check(&empty.server.base_url(), &Options::default()).await;
    assert_eq!(report.exit_code, 3);
    let reason = report.reason.unwrap_or_default();
    assert!(reason.contains("--blocks"), "{reason}");
    let more = report.requests.saturating_sub(whole.requests);
    assert!(more <= 4, "{more}");
}

/// The blocks before a range are read for their links. Their fields are not those of the range.
#[tokio::test]
async fn the_fields_in_a_range_are_checked_although_the_blocks_before_it_have_them() {
    let node = devnode(60).await;
    let report = check(node.base_url(), &only_blocks("40..=50")).await;
    let undecided = report
        .cases
        .iter()
        .filter(|case| case.outcome == Outcome::Inconclusive);
    let undecided: Vec<_> = undecided.map(|case| (&case.id, &case.reason)).collect();
    assert!(undecided.is_empty(), "{undecided:?}");
}
