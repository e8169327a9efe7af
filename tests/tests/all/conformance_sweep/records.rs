//! After a sweep, the records of the claims in its blocks are compared with the claims.

use std::{collections::BTreeSet, sync::Arc};

use integration_tests::{
    proxy::{Fault, Proxy, RecordedRequest, Response},
    watch::{check, ids, run_one},
};
use nodeproof_conformance::{
    Options,
    report::{FindingReport, NodeReport, Outcome},
};
use serde_json::{Value, json};

use super::{
    cut::{At, kept, resumed, slow, state, target},
    devnode, sweep,
};

const CASE: &str = "sc-state/record-matches-claim";
const BLOCKS: u64 = 600;

/// Returns the queries for records that a run with these options sends.
async fn requested_records(
    node: &nodeproof_devnode::Handle,
    options: &Options,
) -> BTreeSet<String> {
    let proxy = Proxy::honest(node).await.expect("a proxy");
    let report = check(&proxy.server.base_url(), options).await;
    assert_eq!(report.exit_code, 0, "{:?}", report.reason);
    let records = proxy.requests().into_iter();
    let records = records.filter(|request| request.path == "/sc-state" && request.method == "GET");
    // The rule *near* asks for other values, and writes parameters in another order.
    let asks_for_an_asset = |query: &String| {
        query.starts_with("table_name=verification&contract_address=ct")
            && query
                .split_once("unique_column=asset_id&unique_value=")
                .is_some_and(|(_, asset)| {
                    asset.bytes().all(|byte| {
                        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'
                    })
                })
    };
    let queries = records.map(|request| request.query);
    queries.filter(asks_for_an_asset).collect()
}

/// Returns a fault in the record that this query is for, if it is a row or an object.
fn in_record(query: &str, column: usize, name: &'static str, value: Value) -> Fault {
    let query = query.to_owned();
    Arc::new(move |request: &RecordedRequest, response: Response| {
        if request.path != "/sc-state" || request.query != query {
            return response;
        }
        response.with_json(|body| {
            let value = value.clone();
            for member in ["value", "data"] {
                match body.get_mut(member) {
                    Some(Value::Array(row)) => row[column] = value.clone(),
                    Some(Value::Object(record)) => record[name] = value.clone(),
                    _ => {}
                }
            }
        })
    })
}

fn swept() -> Options {
    let mut options = Options::default();
    options.sweep = Some(sweep(".."));
    options
}

fn compared(report: &NodeReport) -> (u64, u64) {
    let records = report.sweep.as_ref().and_then(|sweep| sweep.records);
    let records = records.expect("the records of a sweep");
    assert_eq!(records.other_claims, 0);
    (records.assets, records.compared)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_compares_records_that_a_run_without_a_sweep_does_not_request() {
    let node = devnode(BLOCKS).await;
    let without = requested_records(&node, &Options::default()).await;
    let with = requested_records(&node, &swept()).await;
    let only_swept: Vec<_> = with.difference(&without).collect();
    let query = only_swept[only_swept.len() / 2];
    for (column, name, value) in [
        (2, "asset_type", json!("another")),
        (4, "outcome", json!(77)),
        (5, "doc_hash_list", json!("[]")),
        (7, "remarks", json!("changed")),
        (8, "deletable_after", json!(1)),
    ] {
        let broken = Proxy::spawn(&node, in_record(query, column, name, value)).await;
        let broken = broken.expect("a proxy");
        let url = broken.server.base_url();
        let report = check(&url, &Options::default()).await;
        assert_eq!(
            report.exit_code,
            0,
            "{name}: {:?}",
            ids(&report, Outcome::Fail)
        );
        let report = check(&url, &swept()).await;
        assert_eq!(ids(&report, Outcome::Fail), [CASE], "{name}");
        let case = report.cases.iter().find(|case| case.id == CASE);
        let findings = &case.expect("the case").findings;
        let has_name = |finding: &FindingReport| finding.what.contains(name);
        assert!(
            !findings.is_empty() && findings.iter().all(has_name),
            "{name}: {findings:?}"
        );
        let (assets, records) = compared(&report);
        assert!(
            assets == records && assets >= 40,
            "{assets} assets, {records} records"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_sweep_compares_the_records_of_all_its_blocks() {
    let node = devnode(BLOCKS).await;
    let whole = check(node.base_url(), &swept()).await;
    let (_folder, path) = state();
    let mut options = kept(&path);
    options.selection.only.clear();
    slow(&mut options);
    let (watch, come) = At::block(BLOCKS / 2);
    let interrupt = async move { drop(come.await) };
    let target = target(node.base_url());
    let report = run_one(target, &options, watch, interrupt).await;
    assert_eq!(report.exit_code, 130, "{:?}", report.reason);
    assert!(report.sweep.expect("a sweep").records.is_none());
    let mut options = resumed(&path, node.base_url());
    options.selection.only.clear();
    let report = check(node.base_url(), &options).await;
    assert_eq!(report.exit_code, 0, "{:?}", ids(&report, Outcome::Fail));
    assert_eq!(compared(&report), compared(&whole));
}
