//! Going beyond reading: what must be refused, the claim, and the plan of all that is sent.

#![expect(
    clippy::expect_used,
    reason = "a test that can't go on says so by failing"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::http::StatusCode;
use integration_tests::{
    broken,
    faults::{Broken, answer_of, as_if_right, json_of, remove, set},
    proxy::{Answer, Asked, Fault, Proxy},
    watch::{Silent, check, ids},
};
use node_conformance::{
    Baseline, Options, Target, Tier, cases, cli::LocalNode, exchange::Method, outcome::Outcome,
    plan, report::Report,
};
use node_primitives::{Network, signed_message};
use node_wallet::{KeyPair, SignatureEntry, verify_transaction};
use serde_json::{Value, json};

/// A local node that makes a block whenever a transaction waits for one.
async fn local() -> LocalNode {
    let start = xtask::conformance::start_local();
    start(Network::Devnet).await.expect("a local node")
}

fn options(node: &LocalNode, allow: Tier) -> Options {
    let mut options = Options::default();
    options.allow = allow;
    options.submitting.wallet.clone_from(&node.wallet);
    options.submitting.settle_timeout = Duration::from_secs(2);
    options
}

/// What can be told of a request before it is sent.
type Kind = (String, String, Vec<String>);

fn kind_of(asked: &Asked) -> Kind {
    let mut names: Vec<String> = asked
        .query
        .split('&')
        .filter_map(|pair| pair.split('=').next())
        .filter(|name| !name.is_empty())
        .map(ToOwned::to_owned)
        .collect();
    names.sort();
    (asked.method.to_string(), asked.path.clone(), names)
}

fn planned(options: &Options) -> BTreeSet<Kind> {
    plan::kinds(options, Network::Devnet)
        .iter()
        .map(|kind| {
            let mut names: Vec<_> = kind
                .parameters
                .iter()
                .map(|(name, _)| (*name).to_owned())
                .collect();
            names.sort();
            let method = if kind.method == Method::Get {
                "GET"
            } else {
                "POST"
            };
            (method.to_owned(), kind.path.to_owned(), names)
        })
        .collect()
}

async fn sent(node: &LocalNode, options: &Options) -> BTreeSet<Kind> {
    let proxy = Proxy::honest(&node.base_url).await.expect("a proxy");
    let report = check(&proxy.server.base_url(), options).await;
    assert!(report.exit_code <= 1, "{:?}", report.reason);
    proxy.asked().iter().map(kind_of).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_is_what_the_plan_says() {
    let node = local().await;
    for allow in Tier::ALL {
        let options = options(&node, allow);
        assert_eq!(sent(&node, &options).await, planned(&options), "{allow:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_case_sends_what_the_plan_says_of_it() {
    let node = local().await;
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = options(&node, Tier::Write);
    all.baseline = Some(Baseline::named("here", folder.path(), true).expect("a baseline"));
    let mut wrong = Vec::new();
    for case in all.cases() {
        let mut options = all.clone();
        options.select_only([case.id]).expect("an ID");
        let (sent, planned) = (sent(&node, &options).await, planned(&options));
        let unplanned: Vec<_> = sent.difference(&planned).collect();
        let unsent: Vec<_> = planned.difference(&sent).collect();
        if !unplanned.is_empty() || !unsent.is_empty() {
            wrong.push(format!(
                "{}: unplanned {unplanned:?}, not sent {unsent:?}",
                case.id
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "crates/conformance/src/plan/kinds.rs is not what is sent:\n{}",
        wrong.join("\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_node_passes_every_tier_at_any_number_of_jobs() {
    let node = local().await;
    for jobs in [1, 4, 16] {
        let mut options = options(&node, Tier::Write);
        options.jobs = jobs;
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

const SUBMIT: &str = "/submit-transaction";
const STATE: &str = "/sc-state";
const BLOCK: &str = "/get-block";

/// The wallet whose key everybody can know, and that signs what others should have.
fn stranger() -> KeyPair {
    KeyPair::from_bytes(&[0xa5; 32]).expect("a key")
}

/// What is wrong with a submission, as the ID of its case; `claim` for the one that is right.
fn kind_of_submission(asked: &Asked) -> &'static str {
    let Ok(body) = serde_json::from_slice::<Value>(&asked.body) else {
        return "body-not-json";
    };
    let transaction = &body["transaction"];
    let entries = body["signatures"].as_array().map_or(&[][..], Vec::as_slice);
    let signers = &transaction["specific_data"]["signers"];
    let Some(entry) = entries.first() else {
        return match &body {
            Value::Array(_) => "body-array",
            Value::String(_) => "body-text",
            Value::Object(members) if members.is_empty() => "empty-object",
            Value::Object(members) if members.contains_key("signatures") => "unsigned",
            _ => "signatures-required",
        };
    };
    if transaction.is_null() {
        return "transaction-required";
    }
    if asked.body.len() > 10_000 {
        return "oversized";
    }
    let text = transaction.to_string();
    let entries: Result<Vec<SignatureEntry>, _> =
        serde_json::from_value(body["signatures"].clone());
    let Ok(entries) = entries else {
        return "signature-not-hex";
    };
    if verify_transaction(&text, &entries).is_ok() {
        return "claim";
    }
    let message = signed_message(&text).expect("a message");
    let by_stranger = entries[0]
        .msgsign
        .verify_by_address(message.as_bytes(), stranger().address())
        .is_ok();
    if signers.as_array().is_some_and(|signers| signers.len() == 2) {
        "half-signed"
    } else if signers[0] != entry["wallet_address"] {
        "unlisted-signer"
    } else if by_stranger {
        "another-wallets-key"
    } else if text.contains("to be taken") {
        "params-altered"
    } else if transaction["fee"] == 2_000_000 {
        "fee-altered"
    } else {
        "signature-altered"
    }
}

/// Takes a bad submission for a good one.
fn accepts(kind: &'static str) -> Fault {
    let good = json!({"status": "SUCCESS",
        "response": {"valid": true, "msg": "fine", "new_transaction": true}});
    let wrong = move |asked: &Asked, _: &Answer| {
        asked.method == "POST" && kind_of_submission(asked) == kind
    };
    as_if_right(SUBMIT, wrong, good)
}

/// Changes how submissions that must be refused are.
fn refusing(change: fn(&mut Value)) -> Fault {
    Arc::new(move |asked, answer| {
        if asked.path != SUBMIT
            || answer.status != StatusCode::OK
            || kind_of_submission(asked) == "claim"
        {
            return answer;
        }
        answer.with_json(change)
    })
}

/// Changes how the claim is answered: the first time, when it is new, or when it comes again.
fn claiming(first: bool, change: fn(&mut Value)) -> Fault {
    Arc::new(move |asked, answer| {
        if asked.path != SUBMIT || kind_of_submission(asked) != "claim" {
            return answer;
        }
        answer.with_json(|value| {
            if value["response"]["new_transaction"] == first {
                change(value);
            }
        })
    })
}

/// Changes a column of the record that was claimed, as it is read back.
fn record(column: usize, new: fn() -> Value) -> Fault {
    Arc::new(move |asked, answer| {
        if asked.path != STATE || !asked.query.contains("unique_value=conformance-") {
            return answer;
        }
        answer.with_json(|value| {
            for name in ["value", "data"] {
                set(value, &format!("/{name}/{column}"), new());
            }
        })
    })
}

/// Does something to the transactions of a block that are claims of a conformance check.
fn in_blocks(change: fn(&mut Vec<Value>)) -> Fault {
    Arc::new(move |asked, answer| {
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        if asked.path != BLOCK || !text.contains("\"conformance-") {
            return answer;
        }
        answer.with_json(|block| {
            if let Some(Value::Array(list)) = block.pointer_mut("/text/transactions") {
                change(list);
            }
        })
    })
}

fn reject_faults() -> Vec<Broken> {
    broken! {
        "unsigned is valid", accepts("unsigned") => ["submit-transaction/unsigned"];
        "half-signed is valid", accepts("half-signed") => ["submit-transaction/half-signed"];
        "anybody may sign", accepts("unlisted-signer") => ["submit-transaction/unlisted-signer"];
        "any key will do", accepts("another-wallets-key")
            => ["submit-transaction/another-wallets-key"];
        "any signature will do", accepts("signature-altered")
            => ["submit-transaction/signature-altered"];
        "params are not signed", accepts("params-altered") => ["submit-transaction/params-altered"];
        "the fee is not signed", accepts("fee-altered") => ["submit-transaction/fee-altered"];
        "a signature is any text", accepts("signature-not-hex")
            => ["submit-transaction/signature-not-hex"];
        "signatures alone are valid", accepts("transaction-required")
            => ["submit-transaction/transaction-required"];
        "signatures may be left out", accepts("signatures-required")
            => ["submit-transaction/signatures-required"];
        "an empty object is valid", accepts("empty-object") => ["submit-transaction/empty-object"];
        "half a document is valid", accepts("body-not-json") => ["submit-transaction/body-not-json"];
        "an array is valid", accepts("body-array") => ["submit-transaction/body-array"];
        "a text is valid", accepts("body-text") => ["submit-transaction/body-text"];
        "there is no limit", accepts("oversized") => ["submit-transaction/oversized"];
        "a GET submits something", as_if_right(SUBMIT, |asked, _| asked.method == "GET",
            json!({"status": "SUCCESS"})) => ["submit-transaction/wrong-method"];
        "wrong signatures crash it", answer_of(SUBMIT, |asked, answer| {
            if kind_of_submission(asked) == "signature-altered" {
                answer.with_status(StatusCode::INTERNAL_SERVER_ERROR)
            } else { answer }
        }) => ["submit-transaction/refusal-is-no-crash"];
        "refusals have a number for a status", refusing(|answer| answer["status"] = json!(0))
            => ["submit-transaction/status"];
        "refusals have no response", refusing(|answer| remove(answer, "", "response"))
            => ["submit-transaction/response", "submit-transaction/decodes"];
        "valid is a word", refusing(|answer| set(answer, "/response/valid", json!("false")))
            => ["submit-transaction/valid", "submit-transaction/decodes"];
        "msg is a list", refusing(|answer| set(answer, "/response/msg", json!(["no"])))
            => ["submit-transaction/msg"];
        "refusals do not say whether they are new", refusing(|answer| {
            remove(answer, "/response", "new_transaction");
        }) => ["submit-transaction/new-transaction"];
    }
}

fn write_faults() -> Vec<Broken> {
    broken! {
        "another claim is built", answer_of("/call-sc", |asked, answer| {
            let body = String::from_utf8_lossy(&asked.body);
            if body.contains("made by a conformance check") {
                answer.with_json(|a| set(a, "/transaction/specific_data/params/outcome", json!(0)))
            } else { answer }
        }) => ["submit-transaction/claim-built"];
        "a good claim is refused", claiming(true, |answer| {
            answer["response"] = json!({"valid": false, "msg": "no", "new_transaction": true});
        }) => ["submit-transaction/claim-accepted"];
        "a good claim crashes it", answer_of(SUBMIT, |asked, answer| {
            if kind_of_submission(asked) == "claim" {
                answer.with_status(StatusCode::INTERNAL_SERVER_ERROR)
            } else { answer }
        }) => ["submit-transaction/claim-accepted"];
        "a good claim's status is a failure", claiming(true, |a| a["status"] = json!("FAILURE"))
            => ["submit-transaction/claim-status"];
        "a new claim is not new", claiming(true, |answer| {
            set(answer, "/response/new_transaction", json!(false));
        }) => ["submit-transaction/claim-new"];
        "everything is new", claiming(false, |answer| {
            set(answer, "/response/new_transaction", json!(true));
        }) => ["submit-transaction/resubmission-not-new"];
        "a resubmission is not valid", claiming(false, |answer| {
            set(answer, "/response/valid", json!(false));
        }) => ["submit-transaction/resubmission-valid"];
        "a claim is never stored", json_of(STATE, |asked, answer| {
            if asked.query.contains("unique_value=conformance-") {
                *answer = json!({"status": "SUCCESS", "value": null, "data": null});
            }
        }) => ["submit-transaction/claim-readable"];
        "another asset is stored", record(1, || json!("conformance-0"))
            => ["submit-transaction/claim-asset-id"];
        "another kind of asset is stored", record(2, || json!("house"))
            => ["submit-transaction/claim-asset-type"];
        "another verifier is stored", record(3, || json!(stranger().address().to_string()))
            => ["submit-transaction/claim-verifier-address"];
        "another outcome is stored", record(4, || json!(0)) => ["submit-transaction/claim-outcome"];
        "an outcome is stored as a decimal", record(4, || json!(1.0))
            => ["submit-transaction/claim-outcome"];
        "one hash is lost", record(5, || json!(format!("[\"{}\"]", "5a".repeat(32))))
            => ["submit-transaction/claim-doc-hash-list"];
        "links are lost", record(6, || json!("[]")) => ["submit-transaction/claim-doc-link-list"];
        "remarks lose what is not ASCII", record(7, || {
            json!("made by a conformance check: \"Gr??e\" \\ ?")
        }) => ["submit-transaction/claim-remarks"];
        "a threshold is stored as text", record(8, || json!("soon"))
            => ["submit-transaction/claim-deletable-after"];
        "blocks leave a transaction out", in_blocks(Vec::clear)
            => ["submit-transaction/claim-in-block"];
        "a block's transaction is not what was signed", in_blocks(|list| {
            for entry in list {
                set(entry, "/transaction/specific_data/params/remarks", json!("changed"));
            }
        }) => ["submit-transaction/claim-in-block-as-signed"];
        "nobody pays", Arc::new({
            let seen = Mutex::new(BTreeMap::new());
            move |asked: &Asked, answer: Answer| {
                let Ok(mut seen) = seen.lock() else { return answer };
                if !asked.query.contains("TOKEN_IN_WALLET") { return answer; }
                let first = seen.entry(asked.query.clone()).or_insert_with(|| answer.body.clone());
                answer.with_body(first.clone())
            }
        }) => ["submit-transaction/fee-paid"];
    }
}

/// The cases that fail or warn behind a proxy with this fault.
async fn caught(fault: Fault, allow: Tier) -> Vec<String> {
    // Each has a node of its own: the claims of one run are material of the next.
    let node = local().await;
    let proxy = Proxy::spawn(&node.base_url, fault).await.expect("a proxy");
    let report = check(&proxy.server.base_url(), &options(&node, allow)).await;
    let mut caught: Vec<String> = [Outcome::Fail, Outcome::Warn]
        .iter()
        .flat_map(|outcome| ids(&report, *outcome))
        .map(ToOwned::to_owned)
        .collect();
    caught.sort();
    assert!(report.exit_code <= 1, "{:?}", report.reason);
    caught
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_fails_the_cases_about_it_and_no_others() {
    let mut wrong = Vec::new();
    for (faults, allow) in [
        (reject_faults(), Tier::Reject),
        (write_faults(), Tier::Write),
    ] {
        for broken in faults {
            let mut expected: Vec<_> = broken.caught_by.iter().map(ToString::to_string).collect();
            expected.sort();
            let caught = caught(broken.fault, allow).await;
            if caught != expected {
                wrong.push(format!(
                    "{}: caught by {caught:?}, not {expected:?}",
                    broken.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_case_above_read_is_failed_by_some_fault() {
    let proven: Vec<_> = reject_faults()
        .iter()
        .chain(&write_faults())
        .flat_map(|broken| broken.caught_by)
        .copied()
        .collect();
    let unproven: Vec<_> = cases::all()
        .iter()
        .filter(|case| case.tier > Tier::Read && !proven.contains(&case.id))
        .map(|case| case.id)
        .collect();
    assert!(
        unproven.is_empty(),
        "no fault makes these fail: {unproven:?}"
    );
}

/// How a case ended, and why.
fn ended<'r>(report: &'r Report, id: &str) -> (Outcome, &'r str) {
    let case = report
        .cases
        .iter()
        .find(|case| case.id == id)
        .expect("a case");
    (case.outcome, case.reason.as_deref().unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_allowed_is_skipped_and_not_sent() {
    let node = local().await;
    let proxy = Proxy::honest(&node.base_url).await.expect("a proxy");
    let report = check(&proxy.server.base_url(), &options(&node, Tier::Read)).await;
    assert!(proxy.asked().iter().all(|asked| asked.path != SUBMIT));
    let unsigned = ended(&report, "submit-transaction/unsigned");
    assert_eq!(unsigned, (Outcome::Skipped, "needs --allow reject"));
    let claim = ended(&report, "submit-transaction/claim-new");
    assert_eq!(claim, (Outcome::Skipped, "needs --allow write"));

    let report = check(&proxy.server.base_url(), &options(&node, Tier::Reject)).await;
    assert_eq!(report.exit_code, 0);
    assert!(
        proxy
            .asked()
            .iter()
            .all(|asked| asked.path != SUBMIT || kind_of_submission(asked) != "claim")
    );
    assert_eq!(
        ended(&report, "submit-transaction/claim-new").0,
        Outcome::Skipped
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_submitted_to_mainnet_without_a_second_word() {
    let node = local().await;
    let proxy = Proxy::honest(&node.base_url).await.expect("a proxy");
    let target = Target::parse(&proxy.server.base_url(), Network::Mainnet).expect("a target");
    let options = options(&node, Tier::Write);
    let report = node_conformance::run(
        target,
        &options,
        std::sync::Arc::new(Silent),
        std::future::pending(),
    )
    .await;
    assert!(proxy.asked().iter().all(|asked| asked.path != SUBMIT));
    let unsigned = ended(&report, "submit-transaction/unsigned");
    assert_eq!(unsigned, (Outcome::Skipped, "needs --allow-mainnet"));
    assert_eq!(
        plan::kinds(&options, Network::Mainnet)
            .iter()
            .map(|kind| kind.tier)
            .max(),
        Some(Tier::Read)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fee_that_is_refused_is_no_departure() {
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
    assert_eq!(report.exit_code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_that_stands_still_is_no_departure() {
    let node = devnode::spawn(devnode::Config::for_tests())
        .await
        .expect("a local node");
    let mut options = Options::default();
    options.allow = Tier::Write;
    options.submitting.wallet = node.wallet("bob").map(|bob| bob.keys().clone());
    options.submitting.settle_timeout = Duration::from_millis(100);
    let report = check(node.base_url(), &options).await;
    let (outcome, reason) = ended(&report, "submit-transaction/claim-readable");
    assert_eq!(outcome, Outcome::Inconclusive);
    assert!(reason.contains("--settle-timeout"), "{reason}");
    assert_eq!(report.exit_code, 0, "{:?}", report.cases);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_asked_for_is_never_signed() {
    let node = local().await;
    let fault = json_of("/call-sc", |_, answer| {
        set(
            answer,
            "/transaction/specific_data/function",
            json!("transfer"),
        );
        set(
            answer,
            "/transaction/specific_data/params",
            json!({"amount_to_send": 1}),
        );
    });
    let proxy = Proxy::spawn(&node.base_url, fault).await.expect("a proxy");
    check(&proxy.server.base_url(), &options(&node, Tier::Write)).await;
    let submitted: Vec<_> = proxy
        .asked()
        .into_iter()
        .filter(|asked| asked.path == SUBMIT)
        .collect();
    assert!(submitted.len() > 10, "{}", submitted.len());
    for asked in submitted {
        let text = String::from_utf8_lossy(&asked.body);
        assert!(
            !text.contains("amount_to_send") && kind_of_submission(&asked) != "claim",
            "{text}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_report_and_no_request_shows_the_key() {
    let node = local().await;
    let proxy = Proxy::honest(&node.base_url).await.expect("a proxy");
    let options = options(&node, Tier::Write);
    let wallet = options.submitting.wallet.clone().expect("a wallet");
    let key = wallet.private_key().reveal();
    let report = check(&proxy.server.base_url(), &options).await;
    let mut texts = vec![format!("{options:?}"), format!("{report:?}")];
    texts.push(serde_json::to_string(&report).expect("a report"));
    texts.extend(
        proxy
            .asked()
            .iter()
            .map(|asked| String::from_utf8_lossy(&asked.body).into_owned()),
    );
    for text in texts {
        assert!(!text.contains(key.as_str()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tip_that_moves_is_no_departure() {
    let every = devnode::BlockTime::Every(Duration::from_millis(15));
    let config = devnode::Config::for_tests().with_block_time(every);
    let node = devnode::spawn(config).await.expect("a local node");
    for _ in 0..5 {
        let mut options = Options::default();
        options.allow = Tier::Write;
        options.submitting.wallet = node.wallet("carol").map(|carol| carol.keys().clone());
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

#[tokio::test(flavor = "multi_thread")]
async fn a_node_of_the_observed_forms_refuses_well_enough() {
    let node = integration_tests::observed_node::spawn()
        .await
        .expect("a node");
    let mut options = Options::default();
    options.allow = Tier::Reject;
    options
        .select_only(
            cases::all()
                .iter()
                .map(|case| case.id)
                .filter(|id| id.starts_with("submit-")),
        )
        .expect("IDs");
    let report = check(&node.base_url(), &options).await;
    assert_eq!(report.exit_code, 0, "{:?}", ids(&report, Outcome::Fail));
    assert_eq!(
        ids(&report, Outcome::Warn),
        ["submit-transaction/refusal-is-no-crash"]
    );
    assert!(ids(&report, Outcome::Inconclusive).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_messages_is_named() {
    let node = local().await;
    let fault = refusing(|answer| set(answer, "/response/msg", json!(["no"])));
    let proxy = Proxy::spawn(&node.base_url, fault).await.expect("a proxy");
    let report = check(&proxy.server.base_url(), &options(&node, Tier::Reject)).await;
    assert_eq!(
        ended(&report, "submit-transaction/msg"),
        (Outcome::Fail, "msg as a list")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_limits_submissions_is_waited_for() {
    let every = devnode::BlockTime::Every(Duration::from_millis(50));
    let ten = std::num::NonZeroU32::new(10).expect("ten");
    let config = devnode::Config::for_tests()
        .with_block_time(every)
        .with_rate_limit(ten);
    let node = devnode::spawn(config).await.expect("a local node");
    let mut options = Options::default();
    options.allow = Tier::Write;
    options.jobs = 16;
    options.submitting.wallet = node.wallet("alice").map(|alice| alice.keys().clone());
    let report = check(node.base_url(), &options).await;
    assert_eq!(report.exit_code, 0, "{:?}", ids(&report, Outcome::Fail));
    assert!(ids(&report, Outcome::Inconclusive).is_empty());
    assert!(ids(&report, Outcome::Warn).is_empty());
}
