//! Merged sweeps over the parts of a range report what the parts found.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::http::StatusCode;
use integration_tests::{
    faults::remove,
    proxy::{Fault, Proxy, RecordedRequest, Response},
    watch::check,
};
use nodeproof_conformance::{Options, Part, StateError, report::NodeReport};
use serde_json::json;

use super::{
    cut::{selected, target},
    devnode, kinds, only_blocks, sweep,
    table::{BLOCKS, is_of},
};

const RANGE: &str = "..=80";
/// The first block of the third of four parts.
const FIRST: u64 = 40;

/// Sweeps these ranges, and returns the files with their states.
async fn swept(url: &str, ranges: &[&str], folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for range in ranges {
        let path = folder.join(range);
        let mut options = only_blocks(range);
        options.sweep = Some(sweep(range).keeping_state(path.clone()));
        check(url, &options).await;
        paths.push(path);
    }
    paths
}

fn merging(paths: &[PathBuf], url: &str, blocks: &str) -> Result<Options, StateError> {
    let mut options = only_blocks(blocks);
    let sweep = sweep(blocks).merging(paths, &target(url), &selected(&options))?;
    options.sweep = Some(sweep);
    Ok(options)
}

fn at_blocks(change: fn(u64, Response) -> Response) -> Fault {
    Arc::new(move |request: &RecordedRequest, response: Response| {
        let index = request.query.strip_prefix("block_index=");
        match index.and_then(|index| index.parse().ok()) {
            Some(index) if response.status == StatusCode::OK => change(index, response),
            _ => response,
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merged_report_has_the_findings_of_all_parts_and_the_worst_verdict() {
    let node = devnode(BLOCKS).await;
    let faults: [(Fault, u8); 3] = [
        (at_blocks(|_, response| response), 0),
        (
            at_blocks(|index, response| match index {
                // Only the blocks before the third part show that its first block is too old.
                FIRST => {
                    response.with_json(|block| block["timestamp"] = json!(1_500_000_000_000_i64))
                }
                _ if index.is_multiple_of(7) => {
                    response.with_json(|block| remove(block, "", "proof"))
                }
                _ => response,
            }),
            1,
        ),
        (
            at_blocks(|index, response| match index {
                30 => response.with_status(StatusCode::BAD_GATEWAY),
                _ => response,
            }),
            3,
        ),
    ];
    for (fault, status) in faults {
        let broken = Proxy::spawn(&node, fault);
        let broken = broken.await.expect("a proxy");
        let url = broken.server.base_url();
        let whole = check(&url, &only_blocks(RANGE)).await;
        let parts = [0, 1, 2, 3].map(|index| {
            let part: Part = format!("{index}/4").parse().expect("a part");
            part.of(RANGE.parse().expect("a range"))
                .expect("a part")
                .to_string()
        });
        let folder = tempfile::tempdir().expect("a folder");
        let mut paths = swept(&url, &parts.each_ref().map(String::as_str), folder.path()).await;
        // The order of the files does not matter.
        paths.reverse();
        let before = broken.requests().len();
        let merged = check(&url, &merging(&paths, &url, RANGE).expect("all parts")).await;
        let swept = broken.requests().split_off(before);
        assert!(
            !swept.iter().any(|request| is_of(request, 70)),
            "no block is checked again"
        );
        assert_eq!((merged.exit_code, whole.exit_code), (status, status));
        assert_eq!(kinds(&merged), kinds(&whole));
        let counts = |report: &NodeReport| {
            let sweep = report.sweep.as_ref().expect("a sweep");
            (
                sweep.from,
                sweep.to,
                sweep.done,
                sweep.judged,
                sweep.unread,
                sweep.findings,
            )
        };
        assert_eq!(counts(&merged), counts(&whole));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn states_that_do_not_fit_together_are_refused() {
    let node = devnode(BLOCKS).await;
    let other_chain = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&other_chain);
    let fault: Fault = Arc::new(move |request: &RecordedRequest, response: Response| {
        if seen.load(Ordering::Relaxed) && is_of(request, FIRST - 1) {
            response.with_json(|block| block["previous_hash"] = json!("ab".repeat(32)))
        } else {
            response
        }
    });
    let proxy = Proxy::spawn(&node, fault);
    let proxy = proxy.await.expect("a proxy");
    let url = proxy.server.base_url();
    let folder = tempfile::tempdir().expect("a folder");
    let ranges = ["..40", "40..81", "..27", "27..54", "54..81", "40..60"];
    let parts = swept(&url, &ranges, folder.path()).await;
    let [first, second, of_three, middle, last, short] = &parts[..] else {
        panic!("six states");
    };
    other_chain.store(true, Ordering::Relaxed);
    let forked = folder.path().join("forked");
    std::fs::create_dir(&forked).expect("a folder");
    let forked = &swept(&url, &["40..81"], &forked).await[0];
    let cut = folder.path().join("cut");
    let text = std::fs::read_to_string(first).expect("a state");
    std::fs::write(&cut, text.replace("\"next\":40", "\"next\":39")).expect("it is written");
    let none = folder.path().join("none");

    let table: &[(&[&PathBuf], &str, &str)] = &[
        (
            &[first],
            RANGE,
            "it has the blocks ..40, but part 0/1 of ..81 has the blocks ..81",
        ),
        (
            &[of_three, last],
            RANGE,
            "it has the blocks ..27, but part 0/2",
        ),
        (
            &[first, short],
            RANGE,
            "it has the blocks 40..60, but part 1/2",
        ),
        (
            &[first, second, second],
            RANGE,
            "it has the blocks ..40, but part 0/3",
        ),
        (
            &[of_three, middle, last],
            "..=100",
            "but part 0/3 of ..101 has the blocks ..33",
        ),
        (&[first, second], "..", "the same end for every part"),
        (&[&cut, second], RANGE, "finish it with --resume first"),
        (&[first, forked], RANGE, "another block 39"),
        (&[first, &none], RANGE, "no sweep has left its state"),
    ];
    for (paths, blocks, expected) in table {
        let paths: Vec<_> = paths.iter().copied().cloned().collect();
        let error = merging(&paths, &url, blocks)
            .expect_err(expected)
            .to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let other_node = merging(&parts[..2], "http://127.0.0.1:1", RANGE);
    let error = other_node.expect_err("another node").to_string();
    assert!(error.contains("its node is"), "{error}");
    merging(&parts[2..5], &url, RANGE).expect("three parts");
}
