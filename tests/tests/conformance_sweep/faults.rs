//! One thing broken in one old block of a long chain: found there, once, and nowhere else.

use std::sync::Arc;

use axum::http::StatusCode;
use integration_tests::{
    faults::{remove, set},
    proxy::{Answer, Asked, Fault},
    watch::{check, ids},
};
use node_conformance::{
    Options,
    outcome::Outcome,
    report::{Style, Verdict},
};
use serde_json::{Value, json};

use super::{devnode, kinds, only_blocks, sweep, swept};

/// The block with the fault: far from those that a run reads without a sweep.
const BLOCK: u64 = 37;
const BLOCKS: u64 = 80;

fn is_of(asked: &Asked, block: u64) -> bool {
    asked.path == "/get-block" && asked.query == format!("block_index={block}")
}

/// Changes that block alone.
fn in_block(change: fn(&mut Value)) -> Fault {
    Arc::new(move |asked: &Asked, answer: Answer| {
        if is_of(asked, BLOCK) {
            answer.with_json(change)
        } else {
            answer
        }
    })
}

fn instead(answer: fn(Answer) -> Answer) -> Fault {
    Arc::new(move |asked: &Asked, good: Answer| {
        if is_of(asked, BLOCK) {
            answer(good)
        } else {
            good
        }
    })
}

fn reversed(value: &Value) -> Value {
    let text = value.as_str().unwrap_or_default();
    json!(text.chars().rev().collect::<String>())
}

const RECEIPTS: &str = "/text/previous_block_receipts";

/// A fault's name, the fault, and the cases that find it, each with how many places it finds.
type Row = (&'static str, Fault, Vec<(&'static str, u64)>);

#[expect(clippy::too_many_lines, reason = "a table")]
fn faults() -> Vec<Row> {
    vec![
        (
            "a link is broken",
            in_block(|block| block["previous_hash"] = reversed(&block["previous_hash"])),
            // As many votes as there are say so.
            vec![("chain/receipt-links", 3)],
        ),
        (
            "a receipt has another one's signature",
            in_block(|block| {
                let other = block.pointer(&format!("{RECEIPTS}/1/signature")).cloned();
                set(
                    block,
                    &format!("{RECEIPTS}/0/signature"),
                    other.unwrap_or_default(),
                );
            }),
            vec![("chain/receipt-signatures", 1)],
        ),
        (
            "a voter's address is another one's",
            in_block(|block| {
                let other = json!(format!("0x{}", "12".repeat(20)));
                set(block, &format!("{RECEIPTS}/2/data/wallet_address"), other);
            }),
            vec![("chain/voter-address", 1)],
        ),
        (
            "a voter votes twice",
            in_block(|block| {
                let list = block.pointer_mut(RECEIPTS).and_then(Value::as_array_mut);
                if let Some(list) = list {
                    list.push(list[0].clone());
                }
            }),
            vec![("chain/one-vote-a-voter", 1)],
        ),
        (
            "time goes back",
            in_block(|block| {
                let time = block["timestamp"].as_i64().unwrap_or_default();
                block["timestamp"] = json!(time - 3_000);
            }),
            vec![("chain/time-goes-on", 1)],
        ),
        (
            "a timestamp is far in the future",
            in_block(|block| block["timestamp"] = json!(4_102_444_800_000_i64)),
            vec![("chain/time-goes-on", 1)],
        ),
        (
            "a timestamp is a little later than that of the next block",
            in_block(|block| {
                let time = block["timestamp"].as_i64().unwrap_or_default();
                block["timestamp"] = json!(time + 3_000);
            }),
            vec![("chain/time-goes-on", 1)],
        ),
        (
            "a timestamp is in seconds",
            in_block(|block| {
                set(
                    block,
                    &format!("{RECEIPTS}/1/data/timestamp"),
                    json!(1_700_000_000),
                );
            }),
            vec![
                ("chain/receipt-signatures", 1),
                ("get-block/timestamp-unit", 1),
            ],
        ),
        (
            "a field is missing",
            in_block(|block| remove(block, "", "proof")),
            vec![("get-block/proof", 1)],
        ),
        (
            "a receipt is about another block",
            in_block(|block| set(block, &format!("{RECEIPTS}/0/data/block_index"), json!(1))),
            vec![
                ("chain/receipt-signatures", 1),
                ("get-block/receipts-of-preceding-block", 1),
            ],
        ),
        (
            "a receipt is null",
            in_block(|block| set(block, &format!("{RECEIPTS}/1"), Value::Null)),
            vec![("get-block/previous-block-receipts", 1)],
        ),
        (
            "receipts are a word, a list and a number",
            in_block(|block| {
                for (place, value) in [json!("x"), json!([]), json!(1)].into_iter().enumerate() {
                    set(block, &format!("{RECEIPTS}/{place}"), value);
                }
            }),
            vec![("get-block/previous-block-receipts", 3)],
        ),
        (
            "the block is missing",
            instead(|answer| {
                let body = r#"{"detail":"Block not found"}"#;
                answer.with_status(StatusCode::BAD_REQUEST).with_body(body)
            }),
            vec![("chain/no-holes", 1)],
        ),
        (
            "the block can't be read",
            instead(|answer| answer.with_body("{\"index\":37,")),
            vec![("get-block/answers", 1)],
        ),
        (
            "the index is not that which was asked for",
            in_block(|block| block["index"] = json!(BLOCK - 1)),
            vec![("get-block/index-echo", 1)],
        ),
        (
            "the block follows the same block as another one",
            Arc::new(|asked: &Asked, answer: Answer| {
                if is_of(asked, BLOCK) || is_of(asked, BLOCK + 20) {
                    answer.with_json(|block| {
                        block["previous_hash"] = json!("ab".repeat(32));
                        set(block, RECEIPTS, json!([]));
                    })
                } else {
                    answer
                }
            }),
            vec![("chain/distinct-blocks", 1)],
        ),
        (
            "a member stands twice",
            instead(|answer| {
                let text = String::from_utf8_lossy(&answer.body).replacen('{', "{\"proof\":1,", 1);
                answer.with_body(text)
            }),
            vec![("get-block/answers", 1)],
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_in_one_old_block_is_found_there_and_nowhere_else() {
    for (name, fault, expected) in faults() {
        let report = swept(BLOCKS, fault).await;
        let found: Vec<_> = kinds(&report)
            .into_iter()
            .map(|(case, count, _)| (case, count))
            .collect();
        assert_eq!(found, expected, "{name}");
        let place = if name.starts_with("the block follows") {
            BLOCK + 20
        } else {
            BLOCK
        };
        for (case, _, blocks) in kinds(&report) {
            assert_eq!(blocks, [place], "{name}: {case}");
        }
        let failed = ids(&report, Outcome::Fail);
        assert_eq!(failed.len(), expected.len(), "{name}: {failed:?}");
        assert_eq!(report.exit_code, 1, "{name}");
        let case = report.cases.iter().find(|case| case.id == failed[0]);
        let finding = &case.expect("the case").findings[0];
        assert_eq!(finding.block, Some(place), "{name}");
        let curl = finding.curl.as_deref().unwrap_or_default();
        assert!(
            curl.contains(&format!("block_index={place}")),
            "{name}: {curl}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_a_sweep_does_not_see_that_block() {
    let node = devnode(BLOCKS).await;
    let fault = in_block(|block| remove(block, "", "proof"));
    let broken = integration_tests::proxy::Proxy::spawn(node.base_url(), fault)
        .await
        .expect("a proxy");
    let report = check(&broken.server.base_url(), &Options::default()).await;
    assert_eq!(report.exit_code, 0, "{:?}", ids(&report, Outcome::Fail));
    assert!(report.requests <= 100, "{}", report.requests);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_fault_in_every_block_is_one_finding_with_its_first_places() {
    let every = |asked: &Asked, answer: Answer| {
        if asked.path == "/get-block" && answer.status == StatusCode::OK {
            answer.with_json(|block| remove(block, "", "proof"))
        } else {
            answer
        }
    };
    let report = swept(2_000, Arc::new(every)).await;
    assert_eq!(
        kinds(&report),
        [("get-block/proof", 2_000, &[1, 2, 3, 4, 5][..])]
    );
    let case = report
        .cases
        .iter()
        .find(|case| case.id == "get-block/proof");
    let case = case.expect("the case");
    assert_eq!((case.findings.len(), case.more_findings), (5, 1_995));
    let told = node_conformance::report::pretty(&report, Style::Plain);
    assert!(told.contains("1, the first of 2000 places"), "{told}");
    assert!(told.len() < 6_000, "{}", told.len());
    let whole = node_conformance::report::json(&report).expect("JSON");
    assert!(whole.len() < 300_000, "{}", whole.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_chain_passes_every_case_that_a_run_without_a_sweep_passes() {
    let node = devnode(300).await;
    let mut options = Options::default();
    let without = check(node.base_url(), &options).await;
    options.sweep = Some(sweep(".."));
    let with = check(node.base_url(), &options).await;
    assert_eq!(with.exit_code, 0);
    assert_eq!(ids(&with, Outcome::Pass), ids(&without, Outcome::Pass));
    let sweep = with.sweep.expect("a sweep");
    assert_eq!((sweep.from, sweep.to, sweep.judged), (1, 301, 300));
    assert!(sweep.done && sweep.kinds.is_empty());
    assert!(without.requests <= 100 && with.requests >= 300);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_has_the_blocks_that_it_names() {
    let node = devnode(60).await;
    let fault = in_block(|block| remove(block, "", "proof"));
    let broken = integration_tests::proxy::Proxy::spawn(node.base_url(), fault)
        .await
        .expect("a proxy");
    let url = broken.server.base_url();
    for (range, judged, code) in [
        ("30..37", 7, 0),
        ("30..=37", 8, 1),
        ("37..", 24, 1),
        ("38..", 23, 0),
        ("..37", 36, 0),
        ("50..1000", 11, 3),
    ] {
        let report = check(&url, &only_blocks(range)).await;
        assert_eq!(report.exit_code, code, "{range}: {:?}", report.reason);
        let sweep = report.sweep.expect("a sweep");
        assert_eq!(sweep.judged, judged, "{range}");
    }
    let report = check(&url, &only_blocks("61..70")).await;
    assert_eq!(
        (report.verdict, report.exit_code),
        (Verdict::Unreachable, 3)
    );
    let reason = report.reason.unwrap_or_default();
    assert!(reason.contains("the chain ends at block 60"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_that_names_a_block_that_is_not_there_is_not_cut_in_silence() {
    let node = devnode(60).await;
    let fault = |asked: &Asked, answer: Answer| {
        if is_of(asked, 60) {
            answer.with_status(StatusCode::NOT_FOUND)
        } else {
            answer
        }
    };
    let broken = integration_tests::proxy::Proxy::spawn(node.base_url(), Arc::new(fault))
        .await
        .expect("a proxy");
    let url = broken.server.base_url();
    let report = check(&url, &only_blocks("1..=60")).await;
    assert_eq!(report.exit_code, 3, "{:?}", ids(&report, Outcome::Fail));
    let reason = report.reason.unwrap_or_default();
    assert!(
        reason.contains("to block 60") && reason.contains("found is 59"),
        "{reason}"
    );
    assert_eq!(check(&url, &only_blocks("1..=59")).await.exit_code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_runs_the_selected_cases_alone() {
    let node = devnode(BLOCKS).await;
    let fault = in_block(|block| {
        remove(block, "", "proof");
        block["timestamp"] = json!(1);
    });
    let broken = integration_tests::proxy::Proxy::spawn(node.base_url(), fault)
        .await
        .expect("a proxy");
    let mut options = only_blocks("..");
    options
        .select_only(["chain/time-goes-on", "chain/no-holes"])
        .expect("IDs");
    let report = check(&broken.server.base_url(), &options).await;
    assert_eq!(kinds(&report), [("chain/time-goes-on", 1, &[BLOCK][..])]);
    assert_eq!(ids(&report, Outcome::Pass), ["chain/no-holes"]);
}
