//! Conforming behaviour is not reported as a mismatch, and a mismatch is named.

use std::{
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use axum::http::StatusCode;
use integration_tests::{
    faults::set,
    proxy::{Fault, LocalProxy, Proxy, RecordedRequest, Response},
    submissions::{building, charging, in_blocks, options, refusing},
    watch::{check, ids},
};
use nodeproof_conformance::{Options, Tier, cases, report::Outcome};
use nodeproof_devnode::{BlockTime, Config, Handle};
use serde_json::json;

use crate::conformance_tiers::{ended, local};

#[tokio::test(flavor = "multi_thread")]
async fn a_good_node_passes_every_tier_at_any_number_of_jobs() {
    let node = local().await;
    for jobs in [1, 4, 16] {
        let mut options = options(&node, Tier::Write);
        options.selection.probe = true;
        options.limits.jobs = jobs;
        let report = check(&node.base_url, &options).await;
        let others: Vec<_> = report
            .cases
            .iter()
            .filter(|case| case.outcome != Outcome::Pass)
            .map(|case| (&case.id, case.outcome, &case.reason))
            .collect();
        assert!(others.is_empty(), "{others:?}");
        assert_eq!(report.exit_code, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_with_a_co_signer_and_one_claim_has_a_verdict() {
    let every = BlockTime::Every(Duration::from_millis(50));
    let node = nodeproof_devnode::spawn(Config::for_tests().with_block_time(every))
        .await
        .expect("a local node");
    let wallet = |name| node.wallet(name).map(|wallet| wallet.keys().clone().into());
    let mut options = Options::default();
    options.selection.allow = Tier::Write;
    options.submitting.wallet = wallet("alice");
    options.submitting.co_signer = wallet("bob");
    let report = check(node.base_url(), &options).await;
    assert_eq!(report.exit_code, 0, "{:?}", report.reason);
    let open = [Outcome::Fail, Outcome::Warn, Outcome::Inconclusive];
    let open = open.map(|outcome| ids(&report, outcome));
    assert!(open.iter().all(Vec::is_empty), "{open:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fee_that_is_refused_is_not_a_finding() {
    let node = local().await;
    let mut options = options(&node, Tier::Write);
    options.submitting.fee = "7".parse().expect("an amount");
    let report = check(&node.base_url, &options).await;
    let (outcome, reason) = ended(&report, "submit-transaction/claim-accepted");
    assert_eq!(outcome, Outcome::Inconclusive);
    assert!(
        reason.contains("Not enough fee") && reason.contains("--fee"),
        "{reason}"
    );
    assert_eq!(
        report.exit_code, 3,
        "no claim was made, so the tier did not run"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_that_stands_still_is_not_a_finding() {
    let node = nodeproof_devnode::spawn(nodeproof_devnode::Config::for_tests())
        .await
        .expect("a local node");
    let mut options = Options::default();
    options.selection.allow = Tier::Write;
    options.submitting.wallet = node.wallet("bob").map(|bob| bob.keys().clone().into());
    options.submitting.settle_timeout = Duration::from_millis(100);
    let report = check(node.base_url(), &options).await;
    let (outcome, reason) = ended(&report, "submit-transaction/claim-readable");
    assert_eq!(outcome, Outcome::Inconclusive);
    assert!(reason.contains("--settle-timeout"), "{reason}");
    assert_eq!(report.exit_code, 0, "{:?}", report.cases);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tip_that_moves_is_not_a_finding() {
    let every = nodeproof_devnode::BlockTime::Every(Duration::from_millis(15));
    let config = nodeproof_devnode::Config::for_tests().with_block_time(every);
    let node = nodeproof_devnode::spawn(config)
        .await
        .expect("a local node");
    for _ in 0..2 {
        let mut options = Options::default();
        options.selection.allow = Tier::Write;
        options.selection.probe = true;
        options.submitting.wallet = node
            .wallet("carol")
            .map(|carol| carol.keys().clone().into());
        let report = check(node.base_url(), &options).await;
        let others: Vec<_> = report
            .cases
            .iter()
            .filter(|case| case.outcome != Outcome::Pass)
            .map(|case| (&case.id, case.outcome, &case.reason))
            .collect();
        assert!(others.is_empty(), "{others:?}");
    }
}

/// Each response takes longer than the time between two blocks.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_does_not_read_each_block_of_a_chain_that_is_faster_than_the_node() {
    let config = Config::for_tests().with_block_time(BlockTime::Manual);
    let node = nodeproof_devnode::spawn(config).await;
    let node = node.expect("a local node");
    let growing = Arc::clone(node.node());
    let slow: Fault = Arc::new(move |_, response| {
        growing.make_block();
        response
    });
    let proxy = Proxy::spawn(&node, slow).await.expect("a proxy");
    let report = check(&proxy.server.base_url(), &Options::default()).await;
    let (exit_code, requests) = (report.exit_code, report.requests);
    assert_eq!(exit_code, 0, "{:?}", report.cases);
    assert!(requests < 480, "{requests}");
    assert!(node.node().height() > 300);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_of_the_observed_forms_refuses_well_enough() {
    let node = integration_tests::observed_node::spawn()
        .await
        .expect("a node");
    let mut options = Options::default();
    options.selection.allow = Tier::Reject;
    options
        .select_only(
            cases::all()
                .iter()
                .map(|case| case.id)
                .filter(|id| id.starts_with("submit-") || *id == "http/server-errors"),
        )
        .expect("IDs");
    let report = check(&node.base_url(), &options).await;
    assert_eq!(
        report.exit_code,
        0,
        "{:?} {:?}",
        report.reason,
        ids(&report, Outcome::Fail)
    );
    assert_eq!(ids(&report, Outcome::Warn), ["http/server-errors"]);
    // The node has no second endpoint for submissions and no readable record. A missing record therefore
    // proves nothing. It refuses a fee with a fraction in other words than the control.
    assert_eq!(
        ids(&report, Outcome::Inconclusive),
        [
            "submit-transaction/fee-with-fraction",
            "submit-transaction/batch",
            "submit-transaction/refused-not-stored"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_messages_is_named() {
    let node = local().await;
    let fault = refusing(|response| set(response, "/response/msg", json!(["no"])));
    let proxy = LocalProxy::new(&node, fault).expect("a proxy");
    let report = proxy.check(&options(&node, Tier::Reject)).await;
    assert_eq!(
        ended(&report, "submit-transaction/msg"),
        (Outcome::Fail, "msg is an array")
    );
}

/// Returns a node that accepts this many submissions in a second, and the options of a run that submits.
async fn limiting(submissions: u32) -> (Handle, Options) {
    let config = Config::for_tests()
        .with_block_time(BlockTime::Every(Duration::from_millis(50)))
        .with_rate_limit(NonZeroU32::new(submissions).expect("more than none"));
    let node = nodeproof_devnode::spawn(config)
        .await
        .expect("a local node");
    let mut options = Options::default();
    options.selection.allow = Tier::Write;
    options.limits.jobs = 16;
    options.submitting.wallet = node
        .wallet("alice")
        .map(|alice| alice.keys().clone().into());
    (node, options)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_limits_submissions_is_waited_for() {
    let (node, options) = limiting(40).await;
    let report = check(node.base_url(), &options).await;
    assert_eq!(report.exit_code, 0, "{:?}", ids(&report, Outcome::Fail));
    for outcome in [Outcome::Inconclusive, Outcome::Warn] {
        assert_eq!(ids(&report, outcome), [""; 0], "{outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_few_submissions_in_a_second_are_enough() {
    let (node, mut options) = limiting(4).await;
    let selected = [
        "submit-transaction/half-signed",
        "submit-transaction/unlisted-signer",
        "submit-transaction/claim-accepted",
        "submit-transaction/resubmission-not-new",
    ];
    options.select_only(selected).expect("IDs");
    let report = check(node.base_url(), &options).await;
    assert_eq!(ids(&report, Outcome::Pass).len(), selected.len());
    assert_eq!(report.exit_code, 0, "{:?}", report.reason);
}

/// A node may show a block later than the record that the block wrote.
#[tokio::test(flavor = "multi_thread")]
async fn the_block_of_a_claim_is_waited_for() {
    let node = local().await;
    let hidden = AtomicU32::new(0);
    let fault: Fault = Arc::new(move |request: &RecordedRequest, response: Response| {
        let text = String::from_utf8_lossy(&response.body);
        let has_claim =
            request.path == "/get-block" && text.contains("made by a conformance check");
        if has_claim && hidden.fetch_add(1, Ordering::Relaxed) < 4 {
            return response
                .with_status(StatusCode::BAD_REQUEST)
                .with_body(json!({"detail": "Block not found"}).to_string());
        }
        response
    });
    let proxy = LocalProxy::new(&node, fault).expect("a proxy");
    let mut options = options(&node, Tier::Write);
    options.submitting.settle_timeout = Duration::from_secs(30);
    let report = proxy.check(&options).await;
    assert_eq!(
        ended(&report, "submit-transaction/claim-in-block").0,
        Outcome::Pass
    );
    assert_eq!(report.exit_code, 0, "{:?}", ids(&report, Outcome::Fail));
}

#[tokio::test(flavor = "multi_thread")]
async fn other_payments_of_the_wallet_are_not_a_finding() {
    let node = local().await;
    let charge = charging(|accepted, _| accepted.min(1) * 7);
    let others = in_blocks(|list| {
        let mut another = list.clone();
        for entry in &mut another {
            set(entry, "/transaction/trans_code", json!("ab".repeat(20)));
        }
        list.extend(another);
    });
    let fault: Fault =
        Arc::new(move |request, response| others(request, charge(request, response)));
    let proxy = LocalProxy::new(&node, fault).expect("a proxy");
    let report = proxy.check(&options(&node, Tier::Write)).await;
    let (outcome, reason) = ended(&report, "submit-transaction/fee-paid");
    assert_eq!(outcome, Outcome::Inconclusive);
    assert!(reason.contains("other transactions"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_asked_for_is_named_and_not_signed() {
    let node = local().await;
    for (fault, said, exit_code) in [
        // A member that the call does not explain fails `call-sc/echo`.
        (
            building(|built| built["payload"] = json!("x")),
            "payload",
            1,
        ),
        (
            building(|built| built["is_child_txn"] = json!(true)),
            "is_child_txn",
            3,
        ),
    ] {
        let proxy = LocalProxy::new(&node, fault).expect("a proxy");
        let report = proxy.check(&options(&node, Tier::Write)).await;
        let (outcome, reason) = ended(&report, "submit-transaction/claim-built");
        assert_eq!(outcome, Outcome::Inconclusive);
        assert!(
            reason.contains(said) && reason.contains("not signed"),
            "{reason}"
        );
        assert_eq!(
            report.exit_code, exit_code,
            "no claim was made, so the tier did not run"
        );
    }
}
