//! Merged sweeps over parts of a chain report what one sweep over the whole chain reports.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use integration_tests::{
    faults::{change_json, remove},
    proxy::{Fault, Proxy, RecordedRequest, Response},
    watch::check,
};
use nodeproof_client::Client;
use nodeproof_conformance::{Options, StateError, report::NodeReport};
use serde_json::{Value, json};
use similar::TextDiff;

use super::{
    cut::{same, selected, target},
    devnode, kinds, only_blocks, sweep,
    table::{BLOCK, BLOCKS, WITH_TRANSACTION, is_of, rows},
};

/// Sweeps these ranges, and returns the files with their states.
async fn swept_parts(url: &str, ranges: &[&str], folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for (position, range) in ranges.iter().enumerate() {
        let path = folder.join(format!("{position}.json"));
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

/// Sweeps these ranges, which together are the whole chain, and returns the merged report.
async fn merged(url: &str, ranges: &[&str]) -> NodeReport {
    let folder = tempfile::tempdir().expect("a folder");
    let mut paths = swept_parts(url, ranges, folder.path()).await;
    // The order of the files does not matter.
    paths.reverse();
    let options = merging(&paths, url, "..").expect("states that fit together");
    check(url, &options).await
}

/// Asserts that two reports are the same, and otherwise shows what differs.
fn assert_same(merged: &NodeReport, whole: &NodeReport, what: &str) {
    let [merged, whole] = [merged, whole].map(|report| {
        let mut report = same(report);
        // The run that merges requests no blocks.
        let operations = report.pointer_mut("/coverage/operations");
        for operation in operations
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            remove(operation, "", "statuses");
        }
        let text = serde_json::to_string_pretty(&report).expect("JSON");
        // The current time decides whether the latest block is in the future.
        let lines = text
            .lines()
            .filter(|line| !line.contains("a timestamp of at most"));
        lines.collect::<Vec<_>>().join("\n")
    });
    let diff = TextDiff::from_lines(&whole, &merged);
    assert!(merged == whole, "{what}\n{}", diff.unified_diff());
}

/// Each block with a fault of the table is the first one of a part, or the last one.
const DIVISIONS: [&[&str]; 2] = [
    &["..37", "37..48", "48..57", "57..80", "80.."],
    &["..38", "38..49", "49..58", "58.."],
];

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_is_reported_as_by_one_sweep() {
    assert_eq!((BLOCK, WITH_TRANSACTION, BLOCKS), (37, 48, 80));
    let node = devnode(BLOCKS).await;
    for (row, ranges) in rows().into_iter().zip(DIVISIONS.into_iter().cycle()) {
        let broken = Proxy::spawn(&node, row.fault).await.expect("a proxy");
        let url = broken.server.base_url();
        let whole = check(&url, &only_blocks("..")).await;
        let merged = merged(&url, ranges).await;
        assert_same(&merged, &whole, &format!("{}: {ranges:?}", row.name));
    }
}

fn with_transactions_of(block: Value, at: &'static [u64]) -> Fault {
    Arc::new(move |request: &RecordedRequest, response: Response| {
        if at.iter().any(|index| is_of(request, *index)) {
            let list = &block["text"]["transactions"];
            response.with_json(|changed| changed["text"]["transactions"] = list.clone())
        } else {
            response
        }
    })
}

fn unverified(first: u64, end: u64) -> Fault {
    change_json("/get-block", move |_, block| {
        if block["index"]
            .as_u64()
            .is_some_and(|index| (first..end).contains(&index))
        {
            let receipts = block.pointer_mut("/text/previous_block_receipts");
            for receipt in receipts.and_then(Value::as_array_mut).into_iter().flatten() {
                receipt["signature"] = json!("ab".repeat(64));
            }
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_only_two_parts_together_show_is_reported() {
    let node = devnode(BLOCKS).await;
    let client = Client::new(node.base_url()).expect("a client");
    let block = client.block(WITH_TRANSACTION).await.expect("a block");
    let block = serde_json::to_value(block).expect("JSON");
    let faults: [(&str, Fault, &str, u64); 4] = [
        (
            "a transaction is in three parts",
            with_transactions_of(block, &[20, 71]),
            "chain/distinct-transactions",
            2,
        ),
        (
            "the receipts before block 41 are wrong",
            unverified(0, 41),
            "chain/receipt-signatures",
            5,
        ),
        (
            "the receipts from block 57 on are wrong",
            unverified(57, 81),
            "chain/receipt-signatures",
            24 * 3,
        ),
        (
            "all receipts are wrong",
            unverified(0, 81),
            "chain/signature-algorithm",
            1,
        ),
    ];
    for (name, fault, case, least) in faults {
        let broken = Proxy::spawn(&node, fault).await.expect("a proxy");
        let url = broken.server.base_url();
        let whole = check(&url, &only_blocks("..")).await;
        let found = kinds(&whole).into_iter().find(|kind| kind.0 == case);
        assert!(
            found.is_some_and(|found| found.1 >= least),
            "{name}: {found:?}"
        );
        for ranges in DIVISIONS {
            let merged = merged(&url, ranges).await;
            assert_same(&merged, &whole, &format!("{name}: {ranges:?}"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn blocks_in_two_parts_count_once() {
    let node = devnode(BLOCKS).await;
    let few = |(_, count): &(&str, u64)| *count <= 5;
    let rows = rows().into_iter().filter(|row| row.finds.iter().all(few));
    for row in rows.step_by(4) {
        let broken = Proxy::spawn(&node, row.fault).await.expect("a proxy");
        let url = broken.server.base_url();
        let whole = check(&url, &only_blocks("..")).await;
        let merged = merged(&url, &["..45", "30..60", "48.."]).await;
        assert_eq!(kinds(&merged), kinds(&whole), "{}", row.name);
        assert_eq!(merged.exit_code, whole.exit_code, "{}", row.name);
        // A block without a response counts for each part.
        let judged = |report: &NodeReport| {
            let sweep = report.sweep.as_ref().expect("a sweep");
            sweep.judged + sweep.missing + sweep.unread
        };
        assert_eq!(judged(&merged), judged(&whole), "{}", row.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn states_that_do_not_fit_together_are_refused() {
    let node = devnode(BLOCKS).await;
    let other_chain = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&other_chain);
    let fault: Fault = Arc::new(move |request: &RecordedRequest, response: Response| {
        if seen.load(Ordering::Relaxed) && is_of(request, 39) {
            response.with_json(|block| block["previous_hash"] = json!("ab".repeat(32)))
        } else {
            response
        }
    });
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
    let url = proxy.server.base_url();
    let folder = tempfile::tempdir().expect("a folder");
    let ranges = ["..40", "40..60", "60..", "10..30"];
    let parts = swept_parts(&url, &ranges, folder.path()).await;
    let [first, second, third, inner] = &parts[..] else {
        panic!("four states");
    };
    other_chain.store(true, Ordering::Relaxed);
    let forked = folder.path().join("forked");
    std::fs::create_dir(&forked).expect("a folder");
    let forked = swept_parts(&url, &["40..60"], &forked).await;
    let cut = folder.path().join("cut.json");
    let text = std::fs::read_to_string(second).expect("a state");
    std::fs::write(&cut, text.replace("\"next\":60", "\"next\":50")).expect("it is written");

    let table: &[(&[&PathBuf], &str, &str)] = &[
        (&[first, third], "..", "no state has the blocks 40 to 59"),
        (
            &[second, third],
            "..",
            "no state has the beginning of .., and this one begins at block 40",
        ),
        (
            &[first, second],
            "..",
            "no state has the end of .., and this one ends at block 59",
        ),
        (
            &[first, second, third],
            "..=100",
            "no state has the end of ..101",
        ),
        (
            &[first, second, third],
            "5..",
            "no state has the beginning of 5..",
        ),
        (
            &[first, second, third, inner],
            "..",
            "the other states have all of its blocks",
        ),
        (
            &[first, first, second, third],
            "..",
            "the other states have all of its blocks",
        ),
        (
            &[first, &cut, third],
            "..",
            "interrupted at block 50 of 59: finish it with --resume first",
        ),
        (&[first, &forked[0], third], "..", "another block 39"),
        (
            &[first, &folder.path().join("none")],
            "..",
            "no sweep has left its state",
        ),
    ];
    for (paths, blocks, expected) in table {
        let paths: Vec<_> = paths.iter().copied().cloned().collect();
        let error = merging(&paths, &url, blocks)
            .expect_err(expected)
            .to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    // Both ends may be named, and the chain may end before the range does.
    for (ranges, blocks) in [
        (["..40", "40..=80"], "..=80"),
        (["1..40", "40..=100"], "1..=100"),
    ] {
        let paths = swept_parts(&url, &ranges, folder.path()).await;
        merging(&paths, &url, blocks).expect(blocks);
    }
}
