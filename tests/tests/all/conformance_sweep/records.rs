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
    // The rule *near* needs requests for other values, and writes parameters in another order.
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

/// Returns a fault in the records that these queries are for, if they are rows or objects: each in another member.
fn in_records(queries: [String; 5]) -> Fault {
    Arc::new(move |request: &RecordedRequest, response: Response| {
        let mut records = queries.iter().zip(changes());
        let found =
            records.find(|(query, _)| request.path == "/sc-state" && request.query == **query);
        let Some((_, (column, name, value))) = found else {
            return response;
        };
        response.with_json(|body| {
            // The record is in both members. One of them is enough.
            body.as_object_mut().map(|members| members.remove("data"));
            match &mut body["value"] {
                Value::Array(row) => row[column] = value,
                record => record[name] = value,
            }
        })
    })
}

/// Changes of a record: the column, its name, and the value.
fn changes() -> [(usize, &'static str, Value); 5] {
    [
        (2, "asset_type", json!("another")),
        (4, "outcome", json!(77)),
        (5, "doc_hash_list", json!("[]")),
        (7, "remarks", json!("changed")),
        (8, "deletable_after", json!(1)),
    ]
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
    // The first ones may be for values that no claim has.
    let mut only_swept = with.difference(&without).skip(12).cloned();
    let queries = [(); 5].map(|()| only_swept.next().expect("five records"));
    let broken = Proxy::spawn(&node, in_records(queries)).await;
    let url = broken.as_ref().expect("a proxy").server.base_url();
    let report = check(&url, &Options::default()).await;
    assert_eq!(report.exit_code, 0, "{:?}", ids(&report, Outcome::Fail));
    let report = check(&url, &swept()).await;
    assert_eq!(ids(&report, Outcome::Fail), [CASE]);
    let case = report.cases.iter().find(|case| case.id == CASE);
    let findings = &case.expect("the case").findings;
    for (_, name, _) in changes() {
        let has_name = |finding: &&FindingReport| finding.what.contains(name);
        assert_eq!(
            findings.iter().filter(has_name).count(),
            1,
            "{name}: {findings:?}"
        );
    }
    assert_eq!(findings.len(), 5, "{findings:?}");
    let (assets, records) = compared(&report);
    assert!(
        assets == records && assets >= 40,
        "{assets} assets, {records} records"
    );
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
