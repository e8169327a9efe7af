//! Proof of the cases beyond reading: a good node with one thing broken fails those about it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use axum::http::{HeaderValue, StatusCode, header};
use integration_tests::{
    broken,
    faults::{Broken, answer_of, as_if_right, json_of, remove, set},
    matrix,
    proxy::{Answer, Asked, Fault, Proxy},
    watch::{check, ids},
};
use nodeproof_client::VerificationRecord;
use nodeproof_conformance::{Tier, cases, report::Outcome};
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
pub(crate) fn in_blocks(change: fn(&mut Vec<Value>)) -> Fault {
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

/// Changes how the claim is answered, each time.
fn of_claim(change: fn(Answer) -> Answer) -> Fault {
    answer_if(
        |asked| asked.path == SUBMIT && kind_of_submission(asked) == "claim",
        change,
    )
}

/// Changes answers to some requests.
fn answer_if(which: fn(&Asked) -> bool, change: fn(Answer) -> Answer) -> Fault {
    Arc::new(move |asked, answer| if which(asked) { change(answer) } else { answer })
}

/// The same with another media type.
fn typed(mut answer: Answer, media: &'static str) -> Answer {
    let media = HeaderValue::from_static(media);
    answer.headers.insert(header::CONTENT_TYPE, media);
    answer
}

/// Changes the transaction of the claim as it is built.
pub(crate) fn building(change: fn(&mut Value)) -> Fault {
    Arc::new(move |asked, answer| {
        let body = String::from_utf8_lossy(&asked.body);
        if asked.path != "/call-sc" || !body.contains("made by a conformance check") {
            return answer;
        }
        answer.with_json(|built| change(&mut built["transaction"]))
    })
}

/// The asset of what is refused just before the claim.
fn of_nothing(asked: &Asked) -> Option<String> {
    let body: Value = serde_json::from_slice(&asked.body).ok()?;
    let params = body.pointer("/transaction/specific_data/params")?;
    let right = asked.path == SUBMIT && params["remarks"] == "to be refused, and to have no effect";
    right.then(|| params["asset_id"].as_str().map(ToOwned::to_owned))?
}

/// Takes something more from the wallet: after so many accepted, and so many refused submissions.
pub(crate) fn charging(more: fn(i64, i64) -> i64) -> Fault {
    let counts = Mutex::new((0, 0));
    Arc::new(move |asked: &Asked, answer: Answer| {
        let Ok(mut counts) = counts.lock() else {
            return answer;
        };
        if asked.path == SUBMIT && kind_of_submission(asked) == "claim" {
            counts.0 += 1;
        }
        if of_nothing(asked).is_some() {
            counts.1 += 1;
        }
        if !asked.query.contains("TOKEN_IN_WALLET") || asked.query.contains("ALL_TOKENS") {
            return answer;
        }
        let taken = more(counts.0, counts.1);
        answer.with_json(|answer| {
            if let Some(balance) = answer["balance"].as_i64() {
                answer["balance"] = json!(balance - taken);
            }
        })
    })
}

/// Changes the row that was claimed, as it is read back.
fn row(change: fn(&mut Vec<Value>)) -> Fault {
    Arc::new(move |asked, answer| {
        if asked.path != STATE || !asked.query.contains("unique_value=conformance-") {
            return answer;
        }
        answer.with_json(|value| {
            for name in ["value", "data"] {
                if let Value::Array(row) = &mut value[name] {
                    change(row);
                }
            }
        })
    })
}

/// Shows the record that was claimed as an object, with a change.
fn named_record(change: fn(&mut Value)) -> Fault {
    Arc::new(move |asked, answer| {
        if asked.path != STATE || !asked.query.contains("unique_value=conformance-") {
            return answer;
        }
        answer.with_json(|value| {
            for name in ["value", "data"] {
                if let Value::Array(row) = &value[name] {
                    let names = VerificationRecord::COLUMNS.iter().map(ToString::to_string);
                    let mut record = Value::Object(names.zip(row.iter().cloned()).collect());
                    change(&mut record);
                    value[name] = record;
                }
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
        "a transaction without signers needs no signature", accepts("no-signers")
            => ["submit-transaction/unsigned"];
        "the second signer is enough", accepts("second-only") => ["submit-transaction/half-signed"];
        "signatures are only counted", accepts("signed-twice") => ["submit-transaction/half-signed"];
        "only the first signature is verified", accepts("first-of-two-right")
            => ["submit-transaction/another-wallets-key"];
        "only the last signature is verified", accepts("last-of-two-right")
            => ["submit-transaction/another-wallets-key"];
        "child transactions are not verified", accepts("child-transaction")
            => ["submit-transaction/another-wallets-key"];
        "the timestamp is not signed", accepts("timestamp-altered") => ["submit-transaction/transaction-altered"];
        "the trans_code is not signed", accepts("code-altered") => ["submit-transaction/transaction-altered"];
        "the type is not signed", accepts("type-altered") => ["submit-transaction/transaction-altered"];
        "the currency is not signed", accepts("currency-altered") => ["submit-transaction/transaction-altered"];
        "the descr is not signed", accepts("descr-altered") => ["submit-transaction/transaction-altered"];
        "the valid is not signed", accepts("valid-altered") => ["submit-transaction/transaction-altered"];
        "the function is not signed", accepts("function-altered") => ["submit-transaction/transaction-altered"];
        "the contract is not signed", accepts("address-altered") => ["submit-transaction/transaction-altered"];
        "the signers are not signed", accepts("signers-altered") => ["submit-transaction/transaction-altered"];
        "an empty signature will do", accepts("signature-empty")
            => ["submit-transaction/signature-not-hex"];
        "a signature may be null", accepts("signature-null")
            => ["submit-transaction/signature-not-hex"];
        "half a signature will do", accepts("signature-short")
            => ["submit-transaction/signature-not-hex"];
        "zeros are a signature", accepts("signature-zero")
            => ["submit-transaction/signature-not-hex"];
        "a transaction may be null", accepts("transaction-null")
            => ["submit-transaction/transaction-required"];
        "a transaction may be a text", accepts("transaction-text")
            => ["submit-transaction/transaction-required"];
        "signatures may be an object", accepts("signatures-object")
            => ["submit-transaction/signatures-required"];
        "nothing is valid", accepts("body-empty") => ["submit-transaction/body-not-json"];
        "signatures may be null", accepts("signatures-null")
            => ["submit-transaction/signatures-required"];
        "a fee may be a text", accepts("fee-text") => ["submit-transaction/fee-mistyped"];
        "a fee may be negative", accepts("fee-negative") => ["submit-transaction/fee-negative"];
        "a fee may be 0", accepts("fee-zero") => ["submit-transaction/fee-zero"];
        "a bad submission is accepted with status 201", {
            let accepts = accepts("unsigned");
            Arc::new(move |asked, answer| {
                let answer = accepts(asked, answer);
                match asked.path == SUBMIT && kind_of_submission(asked) == "unsigned" {
                    true => answer.with_status(StatusCode::CREATED),
                    false => answer,
                }
            })
        } => ["submit-transaction/unsigned"];
        "refusals say that they are a page", answer_of(SUBMIT, |_, answer| typed(answer, "text/html"))
            => ["submit-transaction/answers"];
        "signatures alone are valid", accepts("transaction-required")
            => ["submit-transaction/transaction-required"];
        "signatures may be left out", accepts("signatures-required")
            => ["submit-transaction/signatures-required"];
        "an empty object is valid", accepts("empty-object") => ["submit-transaction/empty-object"];
        "half a document is valid", accepts("body-not-json") => ["submit-transaction/body-not-json"];
        "an array is valid", accepts("body-array") => ["submit-transaction/body-array"];
        "a text is valid", accepts("body-text") => ["submit-transaction/body-text"];
        "there is no limit", accepts("oversized") => ["submit-transaction/oversized"];
        "what is refused is stored all the same", json_of(STATE, |asked, answer| {
            if asked.query.contains("unique_value=conformance-refused-") {
                answer["value"] = json!(["stored"]);
            }
        }) => ["submit-transaction/refused-not-stored"];
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

#[expect(clippy::too_many_lines, reason = "a table")]
fn write_faults() -> Vec<Broken> {
    broken! {
        "another claim is built", answer_of("/call-sc", |asked, answer| {
            let body = String::from_utf8_lossy(&asked.body);
            if body.contains("made by a conformance check") {
                answer.with_json(|a| set(a, "/transaction/specific_data/params/outcome", json!(0)))
            } else { answer }
        }) => ["submit-transaction/claim-built"];
        "another validity is built", building(|t| t["valid"] = json!(0))
            => ["submit-transaction/claim-built"];
        "a claim is built with seconds", building(|t| {
            t["timestamp"] = json!(t["timestamp"].as_i64().unwrap_or_default() / 1000);
        }) => ["submit-transaction/claim-built"];
        "a good claim has no message", claiming(true, |answer| remove(answer, "/response", "msg"))
            => ["submit-transaction/claim-msg"];
        "a good claim's message is null", claiming(true, |answer| {
            set(answer, "/response/msg", Value::Null);
        }) => ["submit-transaction/claim-msg"];
        "a good claim's message is a list", claiming(true, |answer| {
            set(answer, "/response/msg", json!(["fine"]));
        }) => ["submit-transaction/claim-msg"];
        "a resubmission's message is a list", claiming(false, |answer| {
            set(answer, "/response/msg", json!(["known"]));
        }) => ["submit-transaction/claim-msg"];
        "a good claim's answer says that it is a text", of_claim(|answer| typed(answer, "text/plain"))
            => ["submit-transaction/claim-answers"];
        "a good claim's answer says that it is nothing", of_claim(|answer| typed(answer, ""))
            => ["submit-transaction/claim-answers"];
        "a good claim is answered with status 202", of_claim(|answer| {
            answer.with_status(StatusCode::ACCEPTED)
        }) => ["submit-transaction/claim-http-status"];
        "a resubmission is valid with a failure for a status", claiming(false, |answer| {
            answer["status"] = json!("FAILURE");
        }) => ["submit-transaction/claim-status"];
        "a resubmission crashes it", of_claim(|answer| {
            let again = String::from_utf8_lossy(&answer.body).contains("\"new_transaction\":false");
            match again {
                true => answer.with_status(StatusCode::INTERNAL_SERVER_ERROR),
                false => answer,
            }
        }) => ["submit-transaction/resubmission-not-new"];
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
        "an outcome is stored as text", record(4, || json!("1"))
            => ["submit-transaction/claim-outcome"];
        "a named outcome is stored as text", named_record(|record| record["outcome"] = json!("1"))
            => ["submit-transaction/claim-outcome"];
        "a threshold is stored as its digits", record(8, || json!("1347345"))
            => ["submit-transaction/claim-deletable-after"];
        "a named threshold is stored as its digits", named_record(|record| {
            record["deletable_after"] = json!("1347345");
        }) => ["submit-transaction/claim-deletable-after"];
        "names of a record are swapped", named_record(|record| {
            let remarks = record["remarks"].take();
            record["remarks"] = record["asset_type"].take();
            record["asset_type"] = remarks;
        }) => ["submit-transaction/claim-asset-type", "submit-transaction/claim-remarks"];
        "remarks and type are swapped", row(|row| row.swap(2, 7))
            => ["submit-transaction/claim-columns"];
        "hashes and links are swapped", row(|row| row.swap(5, 6))
            => ["submit-transaction/claim-columns"];
        "verifier and asset are swapped", row(|row| row.swap(1, 3))
            => ["submit-transaction/claim-columns"];
        "a row is the wrong way round", row(|row| row.reverse())
            => ["submit-transaction/claim-columns"];
        "a row is of another contract", record(0, || json!(format!("ct{}", "0".repeat(40))))
            => ["submit-transaction/claim-columns"];
        "lists are joined with commas", row(|row| {
            for list in &mut row[5..7] {
                let items: Vec<String> =
                    serde_json::from_str(list.as_str().unwrap_or_default()).unwrap_or_default();
                *list = json!(items.join(","));
            }
        }) => ["submit-transaction/claim-lists"];
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
        "a block's transaction has another fee", in_blocks(|list| {
            for entry in list {
                set(entry, "/transaction/fee", json!(5));
            }
        }) => ["submit-transaction/claim-in-block-as-signed"];
        "a block's transaction has lost its signatures", in_blocks(|list| {
            for entry in list {
                set(entry, "/signatures", json!([]));
            }
        }) => ["submit-transaction/claim-in-block-as-signed"];
        "a block's transaction has another signature", in_blocks(|list| {
            for entry in list {
                set(entry, "/signatures/0/msgsign", json!("ab".repeat(64)));
            }
        }) => ["submit-transaction/claim-in-block-as-signed"];
        "the fee is paid twice", charging(|accepted, _| accepted.min(1) * 1_000_000)
            => ["submit-transaction/fee-paid"];
        "a resubmission is paid for, too", charging(|accepted, _| {
            (accepted - 1).max(0) * 1_000_000
        }) => ["submit-transaction/fee-paid"];
        "one unit too much is paid", charging(|accepted, _| accepted.min(1))
            => ["submit-transaction/fee-paid"];
        "a refusal is paid for", charging(|_, refused| refused * 1_000_000)
            => ["submit-transaction/claim-refused-costs-nothing"];
        "a refused claim is stored all the same", {
            let refused = Mutex::new(BTreeSet::new());
            Arc::new(move |asked: &Asked, answer: Answer| {
                let Ok(mut refused) = refused.lock() else { return answer };
                if let Some(asset) = of_nothing(asked) {
                    refused.insert(asset);
                }
                if asked.path != STATE || !refused.iter().any(|asset| asked.query.contains(asset)) {
                    return answer;
                }
                answer.with_json(|value| value["value"] = json!(["stored"]))
            })
        } => ["submit-transaction/claim-refused-not-stored"];
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

/// The cases that fail, warn or inform behind a proxy with this fault.
async fn caught(fault: Fault, allow: Tier) -> Vec<String> {
    // Each has a node of its own: the claims of one run are material of the next.
    let node = local().await;
    let proxy = Proxy::spawn(&node.base_url, fault).await.expect("a proxy");
    let mut options = options(&node, allow);
    // What a fault does to a balance from the claim on does not befall the cases about balances.
    options.jobs = 1;
    let report = check(&proxy.server.base_url(), &options).await;
    let mut caught: Vec<String> = [Outcome::Fail, Outcome::Warn, Outcome::Info]
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
