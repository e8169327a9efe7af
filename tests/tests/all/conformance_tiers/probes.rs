//! Probes find nodes that misread unusual values, and report no other nodes.

use std::collections::BTreeSet;

use integration_tests::{
    careless::{Careless, Parameters, careless},
    proxy::{Fault, LocalProxy, RecordedRequest},
    submissions::options,
    watch::{caught, check},
};
use nodeproof_conformance::{Options, Tier, cases};
use nodeproof_devnode::{Config, InjectedFault};

use crate::conformance_tiers::local;

/// Returns the options of a run that only probes.
fn probing() -> Options {
    let mut options = Options::default();
    options.selection.probe = true;
    let cases = cases::all().into_iter();
    let probes = cases.filter(|case| case.tier == Tier::Probe);
    let ids: Vec<_> = probes.map(|case| case.id).collect();
    options.select_only(ids).expect("IDs");
    options
}

async fn caught_at(fault: Fault) -> Vec<String> {
    let node = local().await;
    let proxy = LocalProxy::new(&node, fault).expect("a proxy");
    let report = proxy.check(&probing()).await;
    assert!(report.exit_code <= 1, "{:?}", report.reason);
    caught(&report)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_is_taken_for_something_else_is_found() {
    type Row = (&'static str, &'static str, &'static str, &'static str);
    // The tables of `conformance_faults` contain the simpler values.
    let rows: [Row; 10] = [
        ("/get-block", "block_index", "' OR '", "get-block"),
        ("/get-block", "block_index", "-", "get-block"),
        ("/get-block", "block_index", "1e400", "get-block"),
        ("/get-block", "block_index", "429496730", "get-block"),
        ("/get-balances", "balance_type", "' --", "get-balances"),
        ("/sc-state", "contract_address", "\"", "sc-state"),
        ("/sc-state", "unique_value", "' OR ''='", "sc-state"),
        ("/sc-state", "unique_value", "_", "sc-state"),
        ("/sc-state", "unique_value", "$ne", "sc-state"),
        (
            "/get-trustscore-wallets",
            "dst_wallet_address",
            "OR 1=1",
            "get-trustscore-wallets",
        ),
    ];
    for (path, parameter, text, operation) in rows {
        let fault = careless(
            move |request, parameters| request == path && parameters.has(parameter, text),
            Careless::Replays,
        );
        let found = caught_at(fault).await;
        let expected = format!("{operation}/probes-only-requested");
        assert_eq!(found, [expected], "{parameter} with {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_is_nearly_an_asset_is_not_that_asset() {
    let exact = "warehouse-receipt-0001";
    type Lenient = (&'static str, fn(&str) -> String);
    let lenient: [Lenient; 2] = [
        ("a NUL", |text| {
            text.split('\0').next().unwrap_or_default().to_owned()
        }),
        ("a comment", |text| {
            text.split("' --").next().unwrap_or_default().to_owned()
        }),
    ];
    for (what, read) in lenient {
        let fault = careless(
            move |path, parameters| {
                let value = parameters.0.split_once("&unique_value=");
                let value = value.map_or("", |(_, value)| value);
                path == "/sc-state" && value != exact && read(value) == exact
            },
            Careless::Replays,
        );
        let found = caught_at(fault).await;
        assert_eq!(found, ["sc-state/probes-only-requested"], "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_is_found_whatever_caused_it() {
    type Row = (&'static str, fn(&str) -> bool);
    let rows: [Row; 6] = [
        ("a NUL", |text| {
            text.contains('\0') || text.contains("\\u0000")
        }),
        ("a long text", |text| text.len() > 60_000),
        ("no UTF-8", |text| text.contains('\u{fffd}')),
        ("an array", |text| text.contains("[]=")),
        ("a quote", |text| text.contains("'")),
        ("a backslash", |text| {
            text.contains("\\") && text.starts_with("&block_index")
        }),
    ];
    for (place, (what, crashes)) in rows.into_iter().enumerate() {
        let does = if place % 2 == 0 {
            Careless::Fails
        } else {
            Careless::Dies
        };
        // The params of calls in the read tier contain some of these texts.
        let fault = careless(
            move |path, text| path != "/call-sc" && crashes(&text.0),
            does,
        );
        let found = caught_at(fault).await;
        assert!(
            found.contains(&"get-block/probes-no-crash".to_owned()),
            "{what}: {found:?}"
        );
        let others: Vec<_> = found
            .iter()
            .filter(|id| !id.ends_with("probes-no-crash"))
            .collect();
        assert!(others.is_empty(), "{what}: {others:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_another_one_afterwards_is_found() {
    let fault = careless(|_, text| text.has("table_name", "--"), Careless::Changes);
    assert_eq!(caught_at(fault).await, ["chain/unchanged-by-probes"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_table_condition_of_a_devnode_is_found() {
    let config = Config::for_tests().with_fault(InjectedFault::TableCondition);
    let node = nodeproof_devnode::spawn(config).await.expect("a node");
    let report = check(node.base_url(), &probing()).await;
    let found = caught(&report);
    assert!(
        found.contains(&"sc-state/probes-only-requested".to_owned()),
        "{found:?}"
    );
}

/// Returns the parameters with values that only probes send.
fn only_probes_send(requests: &[RecordedRequest]) -> BTreeSet<String> {
    let texts = requests.iter().map(|request| Parameters::of(request).0);
    texts
        .filter(|text| text.contains("1=1") || text.contains('\0'))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn probes_are_sent_only_where_they_are_named() {
    let node = local().await;
    for allow in [Tier::Read, Tier::Reject, Tier::Write] {
        let proxy = LocalProxy::honest(&node).expect("a proxy");
        proxy.check(&options(&node, allow)).await;
        assert_eq!(
            only_probes_send(&proxy.requests()),
            BTreeSet::new(),
            "{allow:?}"
        );
    }
    let proxy = LocalProxy::honest(&node).expect("a proxy");
    proxy.check(&probing()).await;
    assert!(only_probes_send(&proxy.requests()).len() > 100);
}
