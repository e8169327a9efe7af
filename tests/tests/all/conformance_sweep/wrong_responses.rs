//! Blocks without a response, or with one beyond the reading limits. They do not end a sweep, and the
//! report states only what is known about them.

use std::sync::Arc;

use axum::http::StatusCode;
use integration_tests::{
    proxy::{Proxy, RecordedRequest, Response},
    watch::check,
};

use super::{devnode, kinds, only_blocks, swept};

const BLOCK: &str = "block_index=40";

#[tokio::test(flavor = "multi_thread")]
async fn many_large_blocks_are_judged_one_at_a_time_and_none_is_lost() {
    // White space is part of a JSON document. Each response is long enough to wait for a permit.
    let large = |request: &RecordedRequest, response: Response| {
        if request.path == "/get-block" && response.status == StatusCode::OK {
            let body = [response.body.as_ref(), &vec![b' '; 2 << 20]].concat();
            response.with_body(body)
        } else {
            response
        }
    };
    let report = swept(30, Arc::new(large)).await;
    let sweep = report.sweep.as_ref().expect("a sweep");
    assert_eq!((sweep.judged, sweep.unread, sweep.findings), (30, 0, 0));
    assert_eq!(report.exit_code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_a_node_names_becomes_a_million_kinds() {
    let hostile = |request: &RecordedRequest, response: Response| {
        if request.path == "/get-block" && response.status == StatusCode::OK {
            let name = format!("\\u001b[31m{}", request.query);
            let twice = format!("{{\"{name}\":1,\"{name}\":2,");
            let text = String::from_utf8_lossy(&response.body).replacen('{', &twice, 1);
            response.with_body(text)
        } else {
            response
        }
    };
    let report = swept(300, Arc::new(hostile)).await;
    let found = kinds(&report);
    assert_eq!(found.len(), 8, "{found:?}");
    assert_eq!(report.sweep.as_ref().map(|sweep| sweep.findings), Some(300));
    let json = nodeproof_conformance::report::json(&report.into()).expect("JSON");
    assert!(!json.contains('\u{1b}'));
    assert!(json.len() < 500_000, "{}", json.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_busy_now_and_then_is_waited_for() {
    let asked_before = std::sync::Mutex::new(std::collections::BTreeSet::new());
    let busy = move |request: &RecordedRequest, response: Response| {
        let first = asked_before
            .lock()
            .is_ok_and(|mut seen| seen.insert(request.query.clone()));
        if first && request.query == BLOCK {
            let mut response = response.with_status(StatusCode::TOO_MANY_REQUESTS);
            response.headers.insert("retry-after", 0.into());
            response
        } else {
            response
        }
    };
    let report = swept(60, Arc::new(busy)).await;
    assert_eq!(report.exit_code, 0, "{:?}", report.reason);
    assert_eq!(report.sweep.map(|sweep| sweep.judged), Some(60));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limit_of_requests_ends_a_sweep_only_where_it_counts() {
    let node = devnode(200).await;
    let proxy = Proxy::honest(&node).await.expect("a proxy");
    let url = proxy.server.base_url();
    let mut options = only_blocks("..");
    options.limits.max_requests = 60;
    let report = check(&url, &options).await;
    assert_eq!(report.exit_code, 0, "{:?}", report.reason);
    if let Some(sweep) = &mut options.sweep {
        sweep.counts_requests = true;
    }
    let before = proxy.requests().len();
    let report = check(&url, &options).await;
    assert_eq!(report.exit_code, 3);
    // When the limit is reached, requests that are being sent at the same time are dropped.
    let received = proxy.requests().len() - before;
    assert!((50..=60).contains(&received), "{received}");
    let sweep = report.sweep.expect("a sweep");
    assert!(!sweep.done && sweep.next > 1);
}
