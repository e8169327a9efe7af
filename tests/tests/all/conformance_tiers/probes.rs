//! Probes find nodes that misread unusual values, and report no other nodes.

use std::collections::BTreeSet;

use integration_tests::{
    careless::Parameters,
    proxy::{LocalProxy, RecordedRequest},
    submissions::options,
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
    assert!(sent.iter().any(|(_, values)| values.0.len() > 60_000));
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
