//! Proof of the cases beyond reading: a good node with one thing broken fails those about it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use axum::http::StatusCode;
use integration_tests::{
    broken,
    faults::{Broken, answer_of, as_if_right, json_of, remove, set},
    matrix,
    proxy::{Answer, Asked, Fault, Proxy},
    watch::{check, ids},
};
use node_conformance::{Tier, cases, outcome::Outcome};
use serde_json::{Value, json};

use crate::{
    local, options,
    submission::{SUBMIT, kind_of_submission, stranger},
};

const STATE: &str = "/sc-state";
const BLOCK: &str = "/get-block";

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
pub(crate) fn refusing(change: fn(&mut Value)) -> Fault {
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
fn the_fault_matrix_in_the_docs_is_fresh() {
    let fresh = matrix::keep_fresh(&[
        ("reject", matrix::render(&reject_faults())),
        ("write", matrix::render(&write_faults())),
    ]);
    assert_eq!(fresh, Ok(()));
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
