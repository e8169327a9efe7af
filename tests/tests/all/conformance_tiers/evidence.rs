//! A refusal counts only if the node would have accepted the same submission without the fault. A tier
//! that could not run has no verdict.

use std::{collections::BTreeSet, sync::Arc};

use axum::http::StatusCode;
use integration_tests::{
    faults::change_response,
    proxy::{Fault, LocalProxy, RecordedRequest, Response},
    submissions::{SUBMIT, accepting, kind_of_submission, knows_codes, options},
    watch::{caught, check, ids},
};
use nodeproof_conformance::{Options, Tier, report::NodeReport, report::Outcome};
use serde_json::json;

use crate::conformance_tiers::{ended, local};

/// Runs a tier. Throw-away wallets without money sign the submissions that must be refused.
async fn run(allow: Tier, fault: Fault) -> NodeReport {
    let node = local().await;
    let proxy = LocalProxy::new(&node, fault).expect("a proxy");
    let mut options = options(&node, allow);
    options.submitting.public_wallet = None;
    proxy.check(&options).await
}

/// Returns the cases of this operation that passed.
fn passed<'r>(report: &'r NodeReport, operation: &str) -> Vec<&'r str> {
    let all = ids(report, Outcome::Pass).into_iter();
    all.filter(|id| id.split('/').next() == Some(operation))
        .collect()
}

fn not_found(path: &'static str) -> Fault {
    change_response(path, |_, response| {
        response
            .with_status(StatusCode::NOT_FOUND)
            .with_body(json!({"detail": "Not Found"}).to_string())
    })
}

fn refusal(response: Response, message: &str) -> Response {
    let refusal = json!({"valid": false, "msg": message, "new_transaction": true});
    let body = json!({"status": "SUCCESS", "response": refusal});
    response
        .with_status(StatusCode::OK)
        .with_body(body.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_does_not_exist_refuses_nothing() {
    let report = run(Tier::Reject, not_found(SUBMIT)).await;
    assert_eq!(caught(&report), ["submit-transaction/responds"]);
    // `/submit-transaction-batch` is another endpoint, and exists.
    assert_eq!(
        passed(&report, "submit-transaction"),
        ["submit-transaction/batch"]
    );
    let (outcome, reason) = ended(&report, "submit-transaction/unsigned");
    assert_eq!(outcome, Outcome::Inconclusive);
    assert!(reason.contains("does not exist"), "{reason}");
    assert_eq!(report.exit_code, 1);

    let report = run(Tier::Read, not_found("/call-sc")).await;
    assert_eq!(caught(&report), ["call-sc/responds"]);
    assert_eq!(passed(&report, "call-sc"), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wallet_without_money_is_enough_where_signatures_come_first() {
    let report = run(Tier::Reject, Arc::new(|_, response| response)).await;
    assert_eq!(ids(&report, Outcome::Inconclusive), [""; 0]);
    assert_eq!(report.exit_code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_refuses_everything_in_the_same_words_shows_nothing() {
    let poor = change_response(SUBMIT, |request, response| match request.method == "POST" {
        true => refusal(response, "The wallet has no money"),
        false => response,
    });
    let report = run(Tier::Reject, poor).await;
    for case in passed(&report, "submit-transaction") {
        // These cases check the form of refusals, which the node does send.
        let form = [
            "responds",
            "content-type",
            "status",
            "response",
            "valid",
            "msg",
            "new-transaction",
            "refused-not-stored",
            "wrong-method",
            // This is another endpoint. It refuses because of the signatures.
            "batch",
        ];
        assert!(form.iter().any(|name| case.ends_with(name)), "{case}");
    }
    let (outcome, reason) = ended(&report, "submit-transaction/unsigned");
    assert_eq!(outcome, Outcome::Inconclusive);
    assert!(reason.contains("The wallet has no money"), "{reason}");
    assert_eq!(ids(&report, Outcome::Fail), [""; 0]);
    assert_eq!(report.exit_code, 3, "the tier tested nothing");
    let reason = report.reason.as_deref().unwrap_or_default();
    assert!(reason.contains(reason), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_like_a_right_submission_is_not_verified() {
    let ignores = |kinds: &'static [&'static str]| -> Fault {
        change_response(SUBMIT, move |request, response| {
            let is_ignored = || kinds.contains(&kind_of_submission(request));
            match request.method == "POST" && is_ignored() {
                true => refusal(response, "Fee validation failed: the wallet can't pay it"),
                false => response,
            }
        })
    };
    let rows: [(&[_], &[_]); 3] = [
        (
            &["params-altered", "fee-altered", "timestamp-altered"],
            &[
                "submit-transaction/params-altered",
                "submit-transaction/fee-altered",
                "submit-transaction/transaction-altered",
            ],
        ),
        (
            &["code-altered"],
            &["submit-transaction/transaction-altered"],
        ),
        (
            &["descr-altered"],
            &["submit-transaction/transaction-altered"],
        ),
    ];
    for (kinds, cases) in rows {
        let found = caught(&run(Tier::Reject, ignores(kinds)).await);
        let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(found, cases.iter().copied().collect(), "{kinds:?}");
    }
    // A node may refuse these by their content, before it verifies signatures.
    for kinds in [
        &["currency-altered"],
        &["address-altered"],
        &["half-signed"],
    ] {
        let report = run(Tier::Reject, ignores(kinds)).await;
        assert_eq!(caught(&report), [""; 0], "{kinds:?}");
        assert!(!ids(&report, Outcome::Inconclusive).is_empty(), "{kinds:?}");
    }
}

/// Observed on a real node: it accepts a call without signers, and from then on recognises it by its code.
#[tokio::test(flavor = "multi_thread")]
async fn a_bad_submission_that_is_accepted_spoils_no_other_case() {
    let accepts = accepting("no-signers");
    let knows = knows_codes();
    let both: Fault = Arc::new(move |request: &RecordedRequest, response| {
        knows(request, accepts(request, response))
    });
    let report = run(Tier::Write, both).await;
    let expected = [
        "submit-transaction/known-code-altered",
        "submit-transaction/unsigned",
    ];
    assert_eq!(caught(&report), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tier_that_made_no_claim_has_no_verdict() {
    let node = local().await;
    let right: Options = options(&node, Tier::Write);
    let mut poor = right.clone();
    poor.submitting.wallet = Some(integration_tests::submissions::stranger().into());
    let mut none = right.clone();
    none.submitting.wallet = None;
    for (options, missing) in [(poor, "holds 0"), (none, "--wallet")] {
        let report = check(&node.base_url, &options).await;
        assert_eq!(report.exit_code, 3, "{:?}", report.reason);
        let reason = report.reason.unwrap_or_default();
        assert!(reason.contains(missing), "{reason}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_without_a_contract_leaves_the_write_tier_without_a_verdict() {
    let node =
        nodeproof_devnode::spawn(nodeproof_devnode::Config::for_tests().with_blocks(0)).await;
    let node = node.expect("a local node");
    let mut options = Options::default();
    options.selection.allow = Tier::Write;
    options.submitting.wallet = node.wallet("bob").map(|bob| bob.keys().clone().into());
    let report = check(node.base_url(), &options).await;
    let (outcome, reason) = ended(&report, "submit-transaction/claim-accepted");
    assert_eq!(outcome, Outcome::Inconclusive);
    assert!(reason.contains("--contract"), "{reason}");
    assert_eq!(report.exit_code, 3, "{:?}", report.reason);
}
