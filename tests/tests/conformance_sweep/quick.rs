//! Blocks are fetched and judged the quick way, and nobody can tell from a report.

use std::{path::Path, sync::Arc};

use axum::http::StatusCode;
use integration_tests::{
    faults::{remove, set},
    proxy::{Answer, Asked, Proxy},
    watch::check,
};
use nodeproof_conformance::Options;
use serde_json::{Value, json};

use super::{as_json, devnode, only_blocks};

const BLOCKS: u64 = 240;
const RECEIPTS: &str = "/text/previous_block_receipts";

/// The index of the block that was asked for.
fn index(asked: &Asked) -> Option<u64> {
    asked.query.strip_prefix("block_index=")?.parse().ok()
}

/// Something else is wrong with, or only written otherwise in, each few blocks.
fn changed(asked: &Asked, answer: Answer) -> Answer {
    let Some(index) = index(asked).filter(|index| (20..BLOCKS - 20).contains(index)) else {
        return answer;
    };
    let text = |answer: &Answer| String::from_utf8_lossy(&answer.body).into_owned();
    let signature = format!("{RECEIPTS}/0/signature");
    match index % 24 {
        0 => answer.with_json(|block| remove(block, "", "status")),
        2 => answer.with_json(|block| set(block, "/proof", json!("42"))),
        4 => answer.with_json(|block| set(block, &format!("{RECEIPTS}/1/data/vote"), json!(1.0))),
        6 => answer.with_json(|block| set(block, &signature, json!("ab".repeat(64)))),
        8 => answer.with_json(|block| set(block, &format!("{RECEIPTS}/2/public_key"), json!("0"))),
        10 => answer.with_json(|block| set(block, "/previous_hash", json!("cd".repeat(32)))),
        12 => answer.with_json(|block| set(block, "/timestamp", json!(1_700_000_000))),
        14 => answer.with_status(StatusCode::BAD_REQUEST).with_body("{}"),
        16 => answer.with_json(|block| {
            let wallet = block.pointer(&format!("{RECEIPTS}/0/data/wallet_address"));
            let wallet = wallet.cloned().unwrap_or_default();
            set(block, &format!("{RECEIPTS}/1/data/wallet_address"), wallet);
        }),
        18 => {
            let body = text(&answer).replacen('{', "{\"more\":{\"a\":1,\"a\":2},", 1);
            answer.with_body(body)
        }
        // These conform all the same.
        20 => {
            let body = text(&answer).replacen('{', " {\n \"more\" : [1.5, null, \"\\u00e9\"],", 1);
            answer.with_body(body)
        }
        22 => answer.with_json(|block| {
            let hash = block["previous_hash"].as_str().unwrap_or_default();
            block["previous_hash"] = json!(hash.to_uppercase());
        }),
        _ => answer,
    }
}

/// Takes out what differs between any two runs.
fn without_times(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_times),
        Value::Object(members) => {
            members.retain(|name, _| !matches!(name.as_str(), "elapsed_ms" | "started_at"));
            members.values_mut().for_each(without_times);
        }
        _ => {}
    }
}

fn same(options: &Options, quick: bool) -> Options {
    let mut options = options.clone();
    if let Some(sweep) = &mut options.sweep {
        sweep.quick = quick;
    }
    options
}

async fn reports(options: &Options) -> [Value; 2] {
    let node = devnode(BLOCKS).await;
    let proxy = Proxy::spawn(node.base_url(), Arc::new(changed)).await;
    let url = proxy.as_ref().expect("a proxy").server.base_url();
    let mut reports = [Value::Null, Value::Null];
    for (report, quick) in reports.iter_mut().zip([true, false]) {
        *report = as_json(&check(&url, &same(options, quick)).await);
        without_times(report);
    }
    reports
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_is_the_same_whichever_way_blocks_were_judged() {
    let mut options = only_blocks("..");
    options.jobs = 8;
    let [quick, long] = reports(&options).await;
    assert_eq!(quick, long);
    assert_eq!(quick["exit_code"], 1);
    let kinds = quick["sweep"]["kinds"].as_array().expect("kinds");
    assert!(kinds.len() >= 12, "{kinds:#?}");
    for selects in ["chain/*", "get-block/receipt-*", "chain/receipt-signatures"] {
        let glob = globset::Glob::new(selects).expect("a glob");
        options.only = vec![glob.compile_matcher()];
        options.most_depth = 5;
        let [quick, long] = reports(&options).await;
        assert_eq!(quick, long, "{selects}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_is_the_same_whichever_way_blocks_were_judged() {
    let node = devnode(BLOCKS).await;
    let proxy = Proxy::spawn(node.base_url(), Arc::new(changed)).await;
    let url = proxy.as_ref().expect("a proxy").server.base_url();
    let folder = tempfile::tempdir().expect("a folder");
    let state = async |path: &Path, quick| {
        let mut options = same(&only_blocks(".."), quick);
        // One at a time, so that it is cut at the same block.
        options.jobs = 1;
        options.most_requests = 200;
        options.sweep = options.sweep.map(|mut sweep| {
            sweep.counts_requests = true;
            sweep.keeping_state(path.to_owned())
        });
        let report = check(&url, &options).await;
        assert_eq!(report.exit_code, 3, "{:?}", report.reason);
        let text = std::fs::read_to_string(path).expect("a state");
        let mut state: Value = serde_json::from_str(&text).expect("JSON");
        without_times(&mut state);
        remove(&mut state, "", "checksum");
        state
    };
    let quick = state(&folder.path().join("quick"), true).await;
    let long = state(&folder.path().join("long"), false).await;
    assert_eq!(quick, long);
    let next = quick["state"]["next"].as_u64().unwrap_or_default();
    assert!((100..BLOCKS).contains(&next), "{next}");
}
