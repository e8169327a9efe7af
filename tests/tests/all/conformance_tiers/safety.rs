//! A run submits nothing that was not allowed, and signs only what was requested.

use integration_tests::{
    faults::{change_json, set},
    proxy::Proxy,
    submissions::{SUBMIT, kind_of_submission, options},
    watch::{Silent, check, run_one},
};
use nodeproof_conformance::{Target, Tier, plan, report::Outcome};
use nodeproof_primitives::Network;
use serde_json::json;

use crate::conformance_tiers::{ended, local};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_allowed_is_skipped_and_not_sent() {
    let node = local().await;
    let proxy = Proxy::honest(&node).await.expect("a proxy");
    let report = check(&proxy.server.base_url(), &options(&node, Tier::Read)).await;
    assert!(
        proxy
            .requests()
            .iter()
            .all(|request| request.path != SUBMIT)
    );
    let unsigned = ended(&report, "submit-transaction/unsigned");
    assert_eq!(unsigned, (Outcome::Skipped, "needs --allow reject"));
    let claim = ended(&report, "submit-transaction/claim-new");
    assert_eq!(claim, (Outcome::Skipped, "needs --allow write"));

    let report = check(&proxy.server.base_url(), &options(&node, Tier::Reject)).await;
    assert_eq!(report.exit_code, 0);
    assert!(
        proxy
            .requests()
            .iter()
            .all(|request| request.path != SUBMIT || kind_of_submission(request) != "claim")
    );
    assert_eq!(
        ended(&report, "submit-transaction/claim-new").0,
        Outcome::Skipped
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_submitted_to_mainnet_without_a_second_word() {
    let node = local().await;
    let proxy = Proxy::honest(&node).await.expect("a proxy");
    let target = Target::parse(&proxy.server.base_url(), Network::Mainnet).expect("a target");
    let options = options(&node, Tier::Write);
    let report = run_one(
        target,
        &options,
        std::sync::Arc::new(Silent),
        std::future::pending(),
    )
    .await;
    assert!(
        proxy
            .requests()
            .iter()
            .all(|request| request.path != SUBMIT)
    );
    let unsigned = ended(&report, "submit-transaction/unsigned");
    assert_eq!(unsigned, (Outcome::Skipped, "needs --allow-mainnet"));
    assert_eq!(
        plan::planned(&options, Network::Mainnet)
            .iter()
            .map(|request| request.tier)
            .max(),
        Some(Tier::Read)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_asked_for_is_never_signed() {
    let node = local().await;
    let fault = change_json("/call-sc", |_, response| {
        set(
            response,
            "/transaction/specific_data/function",
            json!("transfer"),
        );
        set(
            response,
            "/transaction/specific_data/params",
            json!({"amount_to_send": 1}),
        );
    });
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
    check(&proxy.server.base_url(), &options(&node, Tier::Write)).await;
    let submitted: Vec<_> = proxy
        .requests()
        .into_iter()
        .filter(|request| request.path == SUBMIT)
        .collect();
    assert!(submitted.len() > 10, "{}", submitted.len());
    for request in submitted {
        let text = String::from_utf8_lossy(&request.body);
        assert!(
            !text.contains(r#"{"amount_to_send":1}"#) && kind_of_submission(&request) != "claim",
            "{text}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_report_and_no_request_shows_the_key() {
    let node = local().await;
    let proxy = Proxy::honest(&node).await.expect("a proxy");
    let options = options(&node, Tier::Write);
    // The local node's signer does not show its key. The key follows from the seed.
    let same = nodeproof_devnode::Node::new(&nodeproof_devnode::Config::for_tests());
    let wallet = same.wallet("alice").expect("a wallet");
    let signer = options.submitting.wallet.as_ref().expect("a wallet");
    assert_eq!(signer.address(), wallet.address());
    let key = wallet.keys().private_key().reveal();
    let report = check(&proxy.server.base_url(), &options).await;
    let mut texts = vec![format!("{options:?}"), format!("{report:?}")];
    texts.push(serde_json::to_string(&report).expect("a report"));
    texts.extend(
        proxy
            .requests()
            .iter()
            .map(|request| String::from_utf8_lossy(&request.body).into_owned()),
    );
    for text in texts {
        assert!(!text.contains(key.as_str()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_node_does_not_choose_the_time_that_the_wallet_signs() {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    const NOW: fn() -> i64 = || nodeproof_primitives::TimestampMs::now().as_millis();
    let times: [fn() -> i64; 4] = [
        || NOW() - DAY - 60_000,
        || NOW() + DAY + 60_000,
        // These are in the year 5138 and in the year 1973.
        || 99_999_000_000_000,
        || 100_000_000_001,
    ];
    for time in times {
        let node = local().await;
        let fault = change_json("/call-sc", move |_, built| {
            set(built, "/transaction/timestamp", json!(time()));
        });
        let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
        let mut options = options(&node, Tier::Write);
        options
            .select_only(["submit-transaction/claim-accepted"])
            .expect("an ID");
        let report = check(&proxy.server.base_url(), &options).await;
        let claims = proxy.requests().into_iter();
        let claims = claims.filter(|request| request.path == SUBMIT);
        assert_eq!(
            claims
                .filter(|request| kind_of_submission(request) == "claim")
                .count(),
            0
        );
        let (outcome, reason) = ended(&report, "submit-transaction/claim-accepted");
        assert_eq!(outcome, Outcome::Inconclusive, "{reason}");
        assert!(reason.contains("nothing was signed"), "{reason}");
        assert_eq!(report.exit_code, 3, "{:?}", report.reason);
    }
}
