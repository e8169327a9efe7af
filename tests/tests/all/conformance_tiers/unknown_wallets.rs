//! A node that knows only some wallets refuses throw-away wallets as it refuses wrong signatures.
//! The run's own claim decides what they cannot.

use std::{collections::BTreeSet, num::NonZeroU8, sync::Mutex, time::Duration};

use axum::{
    Json,
    body::{Body, to_bytes},
    extract::Request,
    http::StatusCode,
    middleware::{Next, from_fn},
    response::IntoResponse as _,
};
use integration_tests::{
    faults::change_response,
    proxy::{Fault, LocalProxy, RecordedRequest, Response},
    server::Server,
    watch::{check, ids},
};
use nodeproof_conformance::{
    Options, Tier,
    report::{NodeReport, Outcome},
};
use nodeproof_devnode::{BlockTime, Config, InjectedFault, spawn};
use serde_json::{Value, json};

use crate::conformance_tiers::{ended, local, with_eight_claims};

const SUBMIT: &str = "/submit-transaction";
const BATCH: &str = "/submit-transaction-batch";

/// The response to everything by a wallet that the node does not know.
fn refusal() -> Value {
    json!({"status": "SUCCESS", "response": {
        "valid": false, "msg": "Transaction has invalid signatures", "new_transaction": true,
    }})
}

/// Refuses everything with one message, as a node does that does not know a wallet.
fn refused(response: Response) -> Response {
    response.with_body(refusal().to_string())
}

fn signers(request: &RecordedRequest) -> Vec<String> {
    signers_in(&request.body)
}

fn signers_in(body: &[u8]) -> Vec<String> {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let signers = &body["transaction"]["specific_data"]["signers"];
    let signers = signers.as_array().into_iter().flatten();
    signers
        .filter_map(|one| one.as_str().map(str::to_owned))
        .collect()
}

/// Returns the wallet to which a submission transfers tokens.
fn receiver(request: &RecordedRequest) -> Option<String> {
    let body: Value = serde_json::from_slice(&request.body).ok()?;
    let receiver = body.pointer("/transaction/specific_data/params/receiver")?;
    receiver.as_str().map(ToOwned::to_owned)
}

fn is_valid(response: &Response) -> bool {
    has(response, "valid")
}

/// Whether a member of a response is true.
fn has(response: &Response, name: &str) -> bool {
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    body["response"][name] == true
}

/// Runs the write tier with bob's wallet, which is the only one with money at the node.
async fn run(
    change: impl Fn(&RecordedRequest, Response) -> Response + Send + Sync + 'static,
) -> NodeReport {
    run_with("", 1, change).await
}

/// Runs the write tier with bob's wallet, and with this co-signer, if it is not empty. Only these have
/// money at the node. The run makes this many claims of bob's wallet.
async fn run_with(
    co_signer: &str,
    claims: u8,
    change: impl Fn(&RecordedRequest, Response) -> Response + Send + Sync + 'static,
) -> NodeReport {
    let same = nodeproof_devnode::Node::new(&nodeproof_devnode::Config::for_tests());
    let known = [same.wallet("bob"), same.wallet(co_signer)];
    let known = known.into_iter().flatten();
    let known: BTreeSet<_> = known.map(|wallet| wallet.address().to_string()).collect();
    let known = Mutex::new(known);
    let fault: Fault = change_response(SUBMIT, move |request, response| {
        let mut known = known.lock().expect("a set");
        let is_known = signers(request).iter().all(|signer| known.contains(signer));
        let is_accepted = is_valid(&response) && is_known;
        // A wallet is known once it has received tokens.
        known.extend(receiver(request).filter(|_| is_accepted));
        drop(known);
        change(
            request,
            if is_accepted {
                response
            } else {
                refused(response)
            },
        )
    });
    run_fault(co_signer, claims, fault).await
}

async fn run_fault(co_signer: &str, claims: u8, fault: Fault) -> NodeReport {
    let node = local().await;
    let same = nodeproof_devnode::Node::new(&nodeproof_devnode::Config::for_tests());
    let wallet = same.wallet("bob").expect("a wallet");
    let co_signer = same.wallet(co_signer);
    let proxy = LocalProxy::new(&node, fault).expect("a proxy");
    let mut options = Options::default();
    options.selection.allow = Tier::Write;
    options.submitting.wallet = Some(wallet.keys().clone().into());
    options.submitting.co_signer = co_signer.map(|wallet| wallet.keys().clone().into());
    options.submitting.currency = Some(same.native_token().to_owned());
    options.submitting.contract = Some(same.contract_address());
    options.submitting.claims = NonZeroU8::new(claims).expect("a number");
    options.submitting.settle_timeout = Duration::from_secs(2);
    proxy.check(&options).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_runs_own_claim_decides_what_throw_away_wallets_cannot() {
    let report = run(|_, response| response).await;
    assert_eq!(ids(&report, Outcome::Fail), Vec::<&str>::new());
    let (outcome, _) = ended(&report, "submit-transaction/claim-accepted");
    assert_eq!(outcome, Outcome::Pass);
    for id in [
        "unsigned",
        "unlisted-signer",
        "another-wallets-key",
        "signature-altered",
        "params-altered",
        "fee-altered",
        "signature-not-hex",
        "body-malformed",
        "right-after-wrong-signature",
    ] {
        let case = format!("submit-transaction/{id}");
        let (outcome, reason) = ended(&report, &case);
        assert_eq!(outcome, Outcome::Pass, "{case}: {reason}");
    }
    // These need a second wallet, or a second claim.
    let undecided = ids(&report, Outcome::Inconclusive);
    let open = [
        "half-signed",
        "fee-negative",
        "fee-zero",
        "oversized",
        "two-signers",
        "signature-order",
        "fee-with-fraction",
    ];
    assert_eq!(undecided, open.map(|id| format!("submit-transaction/{id}")));
}

/// Returns the wallets that a submission has signatures of, in order.
fn signed_by(request: &RecordedRequest) -> Vec<String> {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let entries = body["signatures"].as_array().into_iter().flatten();
    let names = entries.filter_map(|entry| entry["wallet_address"].as_str());
    names.map(str::to_owned).collect()
}

fn accepted(response: Response) -> Response {
    let body = json!({"status": "SUCCESS", "response": {
        "valid": true, "msg": "Economic validation succeeded", "new_transaction": true,
    }});
    response.with_body(body.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_co_signer_decides_the_cases_about_two_signers() {
    type Change = fn(&RecordedRequest, Response) -> Response;
    let rows: [(&str, Change, &[&str]); 4] = [
        ("verifies each signature", |_, response| response, &[]),
        (
            "needs only the first signature",
            |request, response| match (&signers(request)[..], &signed_by(request)[..]) {
                ([first, _], [one]) if first == one => accepted(response),
                _ => response,
            },
            // One signer may also be listed twice.
            &["half-signed", "transaction-altered"],
        ),
        (
            "needs as many signatures as signers",
            |request, response| match (&signers(request)[..], &signed_by(request)[..]) {
                ([_, _], [one, other]) if one == other => accepted(response),
                _ => response,
            },
            &["half-signed"],
        ),
        (
            "refuses signatures in another order",
            |request, response| match (&signers(request)[..], &signed_by(request)[..]) {
                ([first, _], [_, other]) if first == other => refused(response),
                _ => response,
            },
            // The node behind it has accepted that.
            &["signature-order", "resubmission-not-new"],
        ),
    ];
    for (name, change, fails) in rows {
        let report = run_with("carol", 1, change).await;
        let fails: Vec<_> = fails
            .iter()
            .map(|id| format!("submit-transaction/{id}"))
            .collect();
        let mut failed: Vec<_> = [Outcome::Fail, Outcome::Warn]
            .iter()
            .flat_map(|outcome| ids(&report, *outcome))
            .collect();
        // It names the same submissions.
        failed.retain(|id| *id != "submit-transaction/authority");
        assert_eq!(failed, fails, "{name}");
        let undecided = ids(&report, Outcome::Inconclusive);
        for id in ["half-signed", "signature-order"] {
            let id = format!("submit-transaction/{id}");
            assert!(
                !undecided.contains(&id.as_str()) || !fails.is_empty(),
                "{name}: {id}"
            );
        }
    }
}

/// A node that sets a fee for a transaction has to accept it at that fee.
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_of_two_wallets_is_signed_as_it_was_built() {
    let halved = change_response("/call-sc", |request, response| {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        match body["signers"].as_array().map_or(0, Vec::len) {
            2 => response.with_json(|built| built["transaction"]["fee"] = json!(500_000.0)),
            _ => response,
        }
    });
    let report = run_fault("carol", 1, halved).await;
    let refused = "submit-transaction/claim-accepted";
    assert_eq!(ids(&report, Outcome::Fail), [refused]);
    let case = report.cases.iter().find(|case| case.id == refused);
    let what = &case.expect("a case").findings[0].what;
    assert!(what.contains("both of its wallets signed"), "{what}");
}

fn code(request: &RecordedRequest) -> String {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    body["transaction"]["trans_code"].to_string()
}

/// Whether the fee in a submission is written with a fraction.
fn has_fee_fraction(request: &RecordedRequest) -> bool {
    String::from_utf8_lossy(&request.body).contains("\"fee\":11000000.0")
}

/// Whether the first byte of s is in the higher half.
fn has_high_s(request: &RecordedRequest) -> bool {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let signature = body["signatures"][0]["msgsign"].as_str();
    let byte = signature.and_then(|signature| signature.get(64..66));
    byte.and_then(|byte| u8::from_str_radix(byte, 16).ok()) > Some(0x7f)
}

#[tokio::test(flavor = "multi_thread")]
async fn three_claims_and_a_co_signer_leave_only_what_could_cost_money() {
    type IsRefused = fn(&RecordedRequest) -> bool;
    let rows: [(&str, IsRefused, &[&str]); 3] = [
        ("accepts all forms", |_| false, &[]),
        // What the proxy refuses is in a block of the node behind it.
        (
            "refuses the higher value of s",
            has_high_s,
            &["claim-in-block-as-signed", "high-s"],
        ),
        (
            "refuses a fee with a fraction",
            has_fee_fraction,
            &["claim-in-block-as-signed", "fee-with-fraction"],
        ),
    ];
    for (name, is_refused, fails) in rows {
        // The node behind the proxy has stored what the proxy refuses, and knows its code from then on.
        let stored = Mutex::new(BTreeSet::new());
        let report = run_with("carol", 3, move |request, response| {
            let mut stored = stored.lock().expect("a set");
            if is_valid(&response) && is_refused(request) {
                if has(&response, "new_transaction") {
                    stored.insert(code(request));
                }
                return refused(response);
            }
            match stored.remove(&code(request)) {
                true => accepted(response),
                false => response,
            }
        })
        .await;
        let failed = [Outcome::Fail, Outcome::Warn];
        let failed: Vec<_> = failed
            .iter()
            .flat_map(|outcome| ids(&report, *outcome))
            .collect();
        let named = |ids: &[&str]| -> Vec<String> {
            ids.iter()
                .map(|id| format!("submit-transaction/{id}"))
                .collect()
        };
        assert_eq!(
            failed,
            named(fails),
            "{name} {:?}",
            ended(&report, "submit-transaction/resubmission-not-new")
        );
        let undecided = ids(&report, Outcome::Inconclusive);
        assert_eq!(undecided, named(&["oversized"]), "{name}");
        let (outcome, reason) = ended(&report, "submit-transaction/claim-readable");
        assert_eq!(outcome, Outcome::Pass, "{name}: {reason}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_is_accepted_with_a_wrong_signature_fails_the_case() {
    let report = run(|request, response| {
        // The node checks only that the signature has 128 digits.
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let signature = body["signatures"][0]["msgsign"]
            .as_str()
            .unwrap_or_default();
        let is_of_bob = body["signatures"]
            .as_array()
            .is_some_and(|all| all.len() == 1)
            && signers(request).len() == 1
            && body["signatures"][0]["wallet_address"] == signers(request)[0].as_str();
        if !is_of_bob || signature.len() != 128 {
            return response;
        }
        response.with_body(
            json!({"status": "SUCCESS", "response": {
                "valid": true, "msg": "Economic validation succeeded", "new_transaction": true,
            }})
            .to_string(),
        )
    })
    .await;
    let (outcome, reason) = ended(&report, "submit-transaction/another-wallets-key");
    assert_eq!(outcome, Outcome::Fail, "{reason}");
    assert_eq!(report.exit_code, 1);
}

/// A node that takes nothing from a wallet which is not registered, although the wallet has money.
#[tokio::test(flavor = "multi_thread")]
async fn wallets_that_the_node_knows_also_send_what_a_node_must_refuse() {
    for (fault, fails) in [
        (None, &[][..]),
        (
            Some(InjectedFault::NegativeFraction),
            &["submit-transaction/fee-paid"],
        ),
    ] {
        let every = BlockTime::Every(Duration::from_millis(100));
        let mut config = Config::for_tests().with_block_time(every);
        config.fault = fault;
        let node = spawn(config).await.expect("a local node");
        let options = with_eight_claims(&node);
        let known = ["bob", "carol"].map(|name| node.wallet(name).expect("a wallet").address());
        let known = known.map(|address| address.to_string());
        let registered = move |request: Request, next: Next| {
            let known = known.clone();
            async move {
                let (parts, body) = request.into_parts();
                let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
                let is_known = signers_in(&body).iter().all(|one| known.contains(one));
                match parts.uri.path() {
                    SUBMIT if !is_known => return Json(refusal()).into_response(),
                    // It has no batches.
                    BATCH => return StatusCode::NOT_FOUND.into_response(),
                    _ => {}
                }
                next.run(Request::from_parts(parts, Body::from(body))).await
            }
        };
        let router = nodeproof_devnode::router(node.node().clone()).layer(from_fn(registered));
        let server = Server::spawn(router).await.expect("a server");
        let report = check(&server.base_url(), &options).await;
        assert_eq!(ids(&report, Outcome::Fail), fails);
    }
}
