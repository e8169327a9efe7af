//! Probes find nodes that misread unusual values, and report no other nodes.

use std::collections::BTreeSet;

use integration_tests::{
    careless::{Careless, Parameters, careless},
    proxy::{Fault, LocalProxy, RecordedRequest},
    submissions::options,
    watch::caught,
};
use nodeproof_conformance::{Options, Tier, cases};

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
    // This tier has the requests of the ones below it.
    let proxy = LocalProxy::honest(&node).expect("a proxy");
    proxy.check(&options(&node, Tier::Write)).await;
    assert_eq!(only_probes_send(&proxy.requests()), BTreeSet::new());
    let proxy = LocalProxy::honest(&node).expect("a proxy");
    proxy.check(&probing()).await;
    let requests = proxy.requests();
    assert!(only_probes_send(&requests).len() > 100);
    // `conformance_faults` shows that another response to a probe is found, whatever its value is.
    let sent: Vec<_> = requests
        .iter()
        .map(|request| (&request.path, Parameters::of(request)))
        .collect();
    for (path, parameter, text) in [
        ("/get-block", "block_index", "' OR '"),
        ("/get-block", "block_index", "-"),
        ("/get-block", "block_index", "1e400"),
        ("/get-block", "block_index", "42949673"),
        ("/get-balances", "balance_type", "' --"),
        ("/sc-state", "contract_address", "\""),
        ("/sc-state", "unique_value", "' OR ''='"),
        ("/sc-state", "unique_value", "_"),
        ("/sc-state", "unique_value", "$ne"),
        ("/sc-state", "unique_value", "warehouse-receipt-0001\0"),
        ("/sc-state", "unique_value", "warehouse-receipt-0001' --"),
        ("/get-trustscore-wallets", "dst_wallet_address", "OR 1=1"),
    ] {
        let is_sent = sent
            .iter()
            .any(|(to, values)| *to == path && values.has(parameter, text));
        assert!(is_sent, "{parameter} with {text}");
    }
}
