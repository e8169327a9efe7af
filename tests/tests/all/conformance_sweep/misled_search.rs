//! Nodes that mislead the search for the latest block. They respond wrongly for the blocks that it
//! requests, or report a missing block in their own way.

use std::{sync::Arc, time::Duration};

use axum::http::StatusCode;
use integration_tests::{
    hostile::front::{Act, Good, Seen, front, raw},
    proxy::{Proxy, RecordedRequest, Response},
    watch::{check, ids},
};
use nodeproof_conformance::{
    Options,
    report::{NodeReport, Outcome},
};

use super::{devnode, kinds, only_blocks, swept};

const BLOCKS: u64 = 60;
/// Blocks that doubling and bisection request in a chain of that length, and their neighbours.
const ASKED: [u64; 8] = [2, 3, 4, 8, 33, 56, 59, BLOCKS];

/// A wrong response for one block, and the case that finds it, or `None` if there is no response.
type Wrong = (&'static str, fn(u64, &Good) -> Act, Option<&'static str>);

const WRONG: [Wrong; 6] = [
    (
        "500",
        |_, good| Act::send(status("500 Internal Server Error", good)),
        Some("get-block/responds"),
    ),
    (
        "302",
        |_, good| Act::send(status("302 Found", good)),
        Some("get-block/responds"),
    ),
    (
        "204",
        |_, _| Act::send(raw("HTTP/1.1 204 No Content\r\n", b"")),
        Some("get-block/responds"),
    ),
    (
        "a body that is not JSON",
        |_, good| Act::send(good.changed("<html>")),
        Some("get-block/responds"),
    ),
    (
        "another index",
        |index, good| {
            let message = format!("\"index\":{index},");
            Act::send(good.changed(good.text().replacen(&message, "\"index\":700,", 1)))
        },
        Some("get-block/index-echo"),
    ),
    ("reset", |_, _| Act::reset(""), None),
];

fn status(status: &str, good: &Good) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\n",
        good.body.len()
    );
    raw(&head, &good.body)
}

/// Runs a sweep of a node that responds in this way to requests for one of its blocks.
async fn with_one_wrong(
    node: &nodeproof_devnode::Handle,
    index: u64,
    act: impl Fn(u64, &Good) -> Act + Send + Sync + 'static,
    options: &Options,
) -> NodeReport {
    let query = format!("block_index={index}");
    let act = move |seen: &Seen, good: &Good| {
        if seen.query == query {
            act(index, good)
        } else {
            Act::Right
        }
    };
    let front = front(node.base_url(), Arc::new(act))
        .await
        .expect("a front");
    check(&format!("http://{}", front.address), options).await
}

#[tokio::test(flavor = "multi_thread")]
async fn one_wrong_block_is_one_finding_wherever_it_is() {
    let node = devnode(BLOCKS).await;
    for (name, act, case) in WRONG {
        // The search treats all of them alike, so the first one and the lost response stand for the others.
        let everywhere = name == "500" || case.is_none();
        let rest = ASKED.iter().filter(|_| everywhere);
        for index in [1, 32].iter().chain(rest).copied() {
            let named = [1, BLOCKS].contains(&index).then_some("1..=60");
            for range in [".."].into_iter().chain(named) {
                let report = with_one_wrong(&node, index, act, &only_blocks(range)).await;
                let message = format!("{name}, block {index}, {range}: {:?}", report.reason);
                let sweep = report.sweep.as_ref().expect("a sweep");
                assert!(sweep.done, "{message}");
                assert_eq!((sweep.from, sweep.to), (1, BLOCKS + 1), "{message}");
                let found = kinds(&report);
                match case {
                    Some(case) => {
                        assert_eq!(found, [(case, 1, &[index][..])], "{message}");
                        assert_eq!((sweep.judged, report.exit_code), (BLOCKS, 1), "{message}");
                    }
                    None => {
                        assert_eq!(found, [], "{message}");
                        assert_eq!((sweep.unread, report.exit_code), (1, 3), "{message}");
                        let reason = report.reason.as_deref().unwrap_or_default();
                        assert!(reason.contains(&format!("block {index}:")), "{message}");
                    }
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_without_a_response_costs_the_sweep_only_that_block() {
    let node = devnode(BLOCKS).await;
    let mut options = only_blocks("..");
    options.limits.request_timeout = Duration::from_secs(2);
    let run = |index| with_one_wrong(&node, index, |_, _| Act::Silence, &options);
    let (first, middle, latest) = tokio::join!(run(1), run(32), run(60));
    for report in [first, middle, latest] {
        let sweep = report.sweep.expect("a sweep");
        assert_eq!((sweep.judged, sweep.unread), (BLOCKS - 1, 1));
        assert!(sweep.done && report.exit_code == 3);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_sweep_such_a_block_is_found_too_and_the_other_cases_run() {
    let node = devnode(BLOCKS).await;
    for (name, act, case) in WRONG {
        // The search treats all of them alike, so the first one and the lost response stand for the others.
        let everywhere = name == "500" || case.is_none();
        let indexes: &[u64] = if everywhere { &[4, 60] } else { &[4] };
        for index in indexes.iter().copied() {
            let report = with_one_wrong(&node, index, act, &Options::default()).await;
            let failed = ids(&report, Outcome::Fail);
            let message = format!("{name}, block {index}: {failed:?} {:?}", report.reason);
            match case {
                Some(case) => {
                    assert_eq!((failed, report.exit_code), (vec![case], 1), "{message}");
                }
                // The request is repeated alone, and gets no response again.
                None => {
                    assert_eq!(
                        (failed, report.exit_code),
                        (vec!["http/responds"], 1),
                        "{message}"
                    );
                }
            }
            let decided = |id: &str| ids(&report, Outcome::Pass).contains(&id);
            assert!(decided("get-balances/agree"), "{message}");
            // The run reads the whole chain.
            assert!(
                report.requests <= 473 + BLOCKS,
                "{message}: {}",
                report.requests
            );
        }
    }
}

fn blocks_from(first: u64, change: fn(Response) -> Response) -> integration_tests::proxy::Fault {
    Arc::new(move |request: &RecordedRequest, response: Response| {
        match request.query.strip_prefix("block_index=").map(str::parse) {
            Some(Ok(index)) if (first..=BLOCKS).contains(&index) => change(response),
            _ => response,
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_latest_blocks_are_found_although_all_of_them_are_wrong() {
    let broken = |response: Response| response.with_status(StatusCode::INTERNAL_SERVER_ERROR);
    for first in [60, 59, 57, 50, 30] {
        let report = swept(BLOCKS, blocks_from(first, broken)).await;
        let sweep = report.sweep.as_ref().expect("a sweep");
        assert_eq!(
            (sweep.to, sweep.judged),
            (BLOCKS + 1, BLOCKS),
            "from {first}"
        );
        let found: Vec<_> = kinds(&report)
            .into_iter()
            .map(|(case, count, blocks)| (case, count, blocks[0]))
            .collect();
        assert_eq!(found, [("get-block/responds", BLOCKS - first + 1, first)]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_named_range_is_gone_through_whatever_the_search_has_found() {
    let node = devnode(BLOCKS).await;
    // The gap is too long for a search to discover that the chain continues after it.
    let gap = |request: &RecordedRequest, response: Response| match request
        .query
        .strip_prefix("block_index=")
        .map(str::parse)
    {
        Some(Ok(20_u64..50)) => response
            .with_status(StatusCode::BAD_REQUEST)
            .with_body(r#"{"detail":"Block not found"}"#),
        _ => response,
    };
    let proxy = Proxy::spawn(&node, Arc::new(gap)).await.expect("a proxy");
    let url = proxy.server.base_url();
    let report = check(&url, &only_blocks("1..=60")).await;
    let sweep = report.sweep.as_ref().expect("a sweep");
    assert_eq!((sweep.judged, sweep.missing), (30, 30));
    assert_eq!(
        kinds(&report),
        [("chain/no-holes", 30, &[20, 21, 22, 23, 24][..])]
    );
    // Blocks after the chain's end do not count as missing, and most of the range is not requested.
    let before = proxy.requests().len();
    let report = check(&url, &only_blocks("1..1000000000")).await;
    let sweep = report.sweep.as_ref().expect("a sweep");
    assert_eq!((sweep.to, sweep.judged, sweep.missing), (61, 30, 30));
    assert!(sweep.done && proxy.requests().len() - before < 300);
}

/// Other ways in which nodes report a missing block.
const NONE_THERE: [fn(Response) -> Response; 4] = [
    |response| response.with_status(StatusCode::INTERNAL_SERVER_ERROR),
    |response| response.with_status(StatusCode::OK).with_body("null"),
    |response| response.with_status(StatusCode::UNPROCESSABLE_ENTITY),
    |response| response.with_status(StatusCode::NO_CONTENT).with_body(""),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_node_may_say_in_its_own_way_that_there_is_no_such_block() {
    let node = devnode(BLOCKS).await;
    for (place, way) in NONE_THERE.into_iter().enumerate() {
        let fault = move |request: &RecordedRequest, response: Response| {
            if request.path == "/get-block" && response.status == StatusCode::BAD_REQUEST {
                way(response)
            } else {
                response
            }
        };
        let proxy = Proxy::spawn(&node, Arc::new(fault)).await.expect("a proxy");
        let url = proxy.server.base_url();
        let ranges = ["..", "5..", "..=60", "50..1000"];
        for range in ranges.into_iter().take(if place == 0 { 4 } else { 1 }) {
            let report = check(&url, &only_blocks(range)).await;
            let message = format!("{place}, {range}: {:?} {:?}", report.reason, kinds(&report));
            let sweep = report.sweep.as_ref().expect("a sweep");
            assert_eq!((sweep.to, sweep.findings), (61, 0), "{message}");
            let cut = range == "50..1000";
            assert_eq!(report.exit_code, if cut { 3 } else { 0 }, "{message}");
        }
        let report = check(&url, &Options::default()).await;
        assert_eq!(
            report.exit_code,
            0,
            "{place}: {:?}",
            ids(&report, Outcome::Fail)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_returns_its_latest_block_for_every_later_one_is_swept_up_to_it() {
    let node = devnode(BLOCKS).await;
    let latest = std::sync::OnceLock::new();
    let clamps = move |request: &RecordedRequest, response: Response| {
        if request.query == "block_index=60" {
            latest.get_or_init(|| response.body.clone());
        }
        if request.path == "/get-block" && response.status == StatusCode::BAD_REQUEST {
            response
                .with_status(StatusCode::OK)
                .with_body(latest.get().cloned().unwrap_or_default())
        } else {
            response
        }
    };
    let proxy = Proxy::spawn(&node, Arc::new(clamps))
        .await
        .expect("a proxy");
    let url = proxy.server.base_url();
    // This run requests the latest block, so the fault can remember it.
    check(&url, &only_blocks("..=60")).await;
    for (range, code) in [("1..", 1), ("1..1000", 1)] {
        let report = check(&url, &only_blocks(range)).await;
        let sweep = report.sweep.as_ref().expect("a sweep");
        assert_eq!(
            (sweep.to, sweep.judged, sweep.findings),
            (61, 60, 0),
            "{range}"
        );
        // The case about unknown blocks reports that the node returns blocks for them.
        let unknown = "get-block/unknown-index";
        assert!(ids(&report, Outcome::Fail).contains(&unknown), "{range}");
        assert_eq!(report.exit_code, code, "{range}");
    }
}
