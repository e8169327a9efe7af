//! The write tier: building, submitting, storing and reading back a claim.

use std::{collections::BTreeSet, sync::Arc};

use axum::http::{StatusCode, header};
use integration_tests::{
    faults::{
        SeededFault, change_json, change_response, first_response_to_each, respond_successfully_if,
        set, stateful,
    },
    proxy::{Fault, RecordedRequest, Response},
    seeded_faults,
    submissions::{
        SUBMIT, building, charging, in_blocks, is_for_a_claim, kind_of_submission, knows_codes,
        options, refused_asset, stranger,
    },
    verifiers::{accepting_known, knows_signatures_of_claims},
};
use nodeproof_client::VerificationRecord;
use nodeproof_conformance::{Options, Tier, cli::LocalNode, report::NodeReport};
use nodeproof_primitives::Network;
use serde_json::{Value, json};

use crate::{blocks::BLOCK, records::STATE, setup, submit_transaction::typed};

#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn faults() -> Vec<SeededFault> {
    seeded_faults! {
        "a built claim has another outcome", change_response("/call-sc", |request, response| {
            let body = String::from_utf8_lossy(&request.body);
            if body.contains("made by a conformance check") {
                response.with_json(|a| set(a, "/transaction/specific_data/params/outcome", json!(0)))
            } else { response }
        }) => ["submit-transaction/claim-built"];
        "the tag of a response is its length", change_response("/get-balances", |_, mut response| {
            let tag = format!("\"{}\"", response.body.len());
            response.headers.insert(header::ETAG, tag.parse().expect("a tag"));
            response
        }) => ["http/caching"];
        "balances may be kept for an hour", change_response("/get-balances", |_, mut response| {
            let kept = "public, max-age=3600".parse().expect("a header");
            response.headers.insert(header::CACHE_CONTROL, kept);
            response
        }) => ["http/caching"];
        "does not verify what it has accepted, once it is in a block", accepting_known(|code| code.is_stored)
            => ["submit-transaction/known-code-altered"];
        // The copies of the claim are sent together, and the next one after their responses.
        "does not verify what arrives at the same moment as a claim", accepting_known(|code| code.right < 4)
            => ["submit-transaction/known-code-altered"];
        "recognises the signature of an accepted claim under another trans_code", knows_signatures_of_claims()
            => ["submit-transaction/authority", "submit-transaction/fee-paid"];
        "takes an unsigned transaction for valid after a later claim", stateful(false, |was_valid, request, response| {
            if request.path != SUBMIT { return response }
            let body = String::from_utf8_lossy(&request.body);
            let is_unsigned = body.contains("\"signatures\":[]");
            match is_unsigned && *was_valid {
                true => response.with_status(StatusCode::OK).with_body(
                    r#"{"status":"SUCCESS","response":{"valid":true,"msg":"","new_transaction":true}}"#,
                ),
                false => {
                    let is_valid = String::from_utf8_lossy(&response.body).contains("\"valid\":true");
                    let is_later = ["https://example.org/24", "\"1e3\""].iter().any(|value| body.contains(value));
                    *was_valid = is_valid && is_later;
                    response
                }
            }
        }) => ["submit-transaction/authority"];
        "recognises an accepted transaction by its trans_code alone", knows_codes()
            => ["submit-transaction/known-code-altered"];
        "treats another wallet's transaction with a known trans_code as known", respond_successfully_if(
            SUBMIT, |request, _| kind_of_submission(request) == "known-code-signed",
            json!({"status": "SUCCESS",
                "response": {"valid": true, "msg": "known", "new_transaction": false}}),
        ) => ["submit-transaction/known-code-altered"];
        "accepts another wallet's key from the second time on", stateful(0, |submissions, request, response| {
            if request.path != SUBMIT || kind_of_submission(request) != "another-wallets-key" {
                return response;
            }
            *submissions += 1;
            match submissions {
                1 => response,
                _ => response.with_status(StatusCode::OK).with_body(
                    r#"{"status":"SUCCESS","response":{"valid":true,"msg":"","new_transaction":true}}"#,
                ),
            }
        }) => ["submit-transaction/another-wallets-key", "submit-transaction/known-code-altered"];
        "takes a trans_code that starts with the same 8 digits for a known one", knows_codes_by_their_start()
            => ["submit-transaction/similar-code"];
        "reports a claim as new again from its third submission on", new_again()
            => ["submit-transaction/resubmission-not-new"];
        "refuses a claim for its fee although the wallet can pay it", claiming(true, |response| {
            set(response, "/response/valid", json!(false));
            set(response, "/response/msg", json!("Fee validation failed"));
        }) => ["submit-transaction/claim-accepted"];
        "refuses a claim for its balance although the wallet can pay", claiming(true, |response| {
            set(response, "/response/valid", json!(false));
            set(response, "/response/msg", json!("Balance is not enough"));
        }) => ["submit-transaction/claim-accepted"];
        "a built claim has valid 0", building(|t| t["valid"] = json!(0))
            => ["submit-transaction/claim-built"];
        "a built claim's timestamp is in seconds", building(|t| {
            t["timestamp"] = json!(t["timestamp"].as_i64().unwrap_or_default() / 1000);
        }) => ["submit-transaction/claim-built"];
        "the msg for a resubmission is a list", claiming(false, |response| {
            set(response, "/response/msg", json!(["known"]));
        }) => ["submit-transaction/claim-msg", "submit-transaction/claim-snapshot"];
        "the response to a valid claim has a duplicate member", of_claim(|response| {
            let text = String::from_utf8_lossy(&response.body).replacen('{', "{\"status\":\"\",", 1);
            response.with_body(text)
        }) => ["submit-transaction/claim-document"];
        "the response to a valid claim has Content-Type text/plain", of_claim(|response| typed(response, "text/plain"))
            => ["http/content-type"];
        "the response to a valid claim has an empty Content-Type", of_claim(|response| typed(response, ""))
            => ["http/content-type"];
        "the response to a valid claim has HTTP status 202", of_claim(|response| {
            response.with_status(StatusCode::ACCEPTED)
        }) => ["http/success-status"];
        "a resubmission is valid with status FAILURE", claiming(false, |response| {
            response["status"] = json!("FAILURE");
        }) => ["submit-transaction/claim-status"];
        "returns status 500 for a resubmission", of_claim(|response| {
            let again = String::from_utf8_lossy(&response.body).contains("\"new_transaction\":false");
            match again {
                true => response.with_status(StatusCode::INTERNAL_SERVER_ERROR),
                false => response,
            }
        }) => ["submit-transaction/resubmission-valid"];
        "refuses a valid claim", claiming(true, |response| {
            response["response"] = json!({"valid": false, "msg": "no", "new_transaction": true});
        }) => ["submit-transaction/claim-accepted"];
        "refuses a claim, and executes it", change_json(SUBMIT, |request, response| {
            if kind_of_submission(request) == "claim" { response["response"]["valid"] = json!(false); }
        }) => ["submit-transaction/claim-accepted", "submit-transaction/refused-costs-nothing", "submit-transaction/refused-not-stored"];
        "returns status 500 for a valid claim", change_response(SUBMIT, |request, response| {
            if kind_of_submission(request) == "claim" {
                response.with_status(StatusCode::INTERNAL_SERVER_ERROR)
            } else { response }
        }) => ["submit-transaction/claim-accepted"];
        "the status for a valid claim is FAILURE", claiming(true, |a| a["status"] = json!("FAILURE"))
            => ["submit-transaction/claim-status"];
        "reports a new claim as not new", claiming(true, |response| {
            set(response, "/response/new_transaction", json!(false));
        }) => ["submit-transaction/claim-new"];
        "reports a later claim as not new", of_a_later_claim(|response| {
            set(response, "/response/new_transaction", json!(false));
        }) => ["submit-transaction/claim-new"];
        "the msg for a later claim is a list", of_a_later_claim(|response| {
            set(response, "/response/msg", json!(["fine"]));
        }) => ["submit-transaction/claim-msg", "submit-transaction/claim-snapshot"];
        "reports a resubmission as new", claiming(false, |response| {
            set(response, "/response/new_transaction", json!(true));
        }) => ["submit-transaction/resubmission-not-new"];
        "reports a resubmission as not valid", claiming(false, |response| {
            set(response, "/response/valid", json!(false));
        }) => ["submit-transaction/resubmission-valid"];
        "a claim is never stored", change_json(STATE, |request, response| {
            if request.query.contains("unique_value=conformance-") {
                *response = json!({"status": "SUCCESS", "value": null, "data": null});
            }
        }) => ["submit-transaction/claim-readable"];
        "does not percent-decode the asset ID in a query", change_json(STATE, |request, response| {
            if request.query.contains("%26") {
                *response = json!({"status": "SUCCESS", "value": null, "data": null});
            }
        }) => ["submit-transaction/claim-readable"];
        "stores another asset ID", record(1, || json!("conformance-0"))
            => ["submit-transaction/claim-as-submitted"];
        "stores another asset_type", record(2, || json!("house"))
            => ["submit-transaction/claim-as-submitted"];
        "stores another verifier", record(3, || json!(stranger().address().to_string()))
            => ["sc-state/columns", "submit-transaction/claim-as-submitted"];
        "stores another outcome", record(4, || json!(0)) => ["submit-transaction/claim-as-submitted"];
        "stores the outcome as a decimal", record(4, || json!(1.0))
            => ["submit-transaction/claim-as-submitted"];
        "stores the outcome as a string", record(4, || json!("1"))
            => ["submit-transaction/claim-as-submitted"];
        "returns a record object with the outcome as a string", named_record(|record| record["outcome"] = json!("1"))
            => ["submit-transaction/claim-as-submitted"];
        "stores deletable_after as a string of digits", record(8, || json!("1347345"))
            => ["submit-transaction/claim-as-submitted"];
        "returns a record object with deletable_after as a string of digits", named_record(|record| {
            record["deletable_after"] = json!("1347345");
        }) => ["submit-transaction/claim-as-submitted"];
        "returns a record object with remarks and asset_type swapped", named_record(|record| {
            let remarks = record["remarks"].take();
            record["remarks"] = record["asset_type"].take();
            record["asset_type"] = remarks;
        }) => ["submit-transaction/claim-as-submitted"];
        "the columns remarks and asset_type are swapped", row(|row| row.swap(2, 7))
            => ["submit-transaction/claim-columns"];
        "the columns of hashes and links are swapped", row(|row| row.swap(5, 6))
            => ["submit-transaction/claim-columns"];
        "the columns of verifier and asset are swapped", row(|row| row.swap(1, 3))
            => ["submit-transaction/claim-columns"];
        "a record's columns are in reverse order", row(|row| row.reverse())
            => ["submit-transaction/claim-columns"];
        "a record names another contract", record(0, || json!(format!("ct{}", "0".repeat(40))))
            => ["sc-state/columns", "sc-state/new-records", "submit-transaction/claim-columns"];
        "stores lists as comma-separated text", row(|row| {
            for list in &mut row[5..7] {
                let items: Vec<String> =
                    serde_json::from_str(list.as_str().unwrap_or_default()).unwrap_or_default();
                *list = json!(items.join(","));
            }
        }) => ["submit-transaction/claim-lists"];
        "drops one document hash", record(5, || json!(format!("[\"{}\"]", "5a".repeat(32))))
            => ["submit-transaction/claim-as-submitted"];
        "drops the document links", record(6, || json!("[]")) => ["submit-transaction/claim-as-submitted"];
        "replaces non-ASCII characters in remarks with question marks", record(7, || {
            json!("made by a conformance check: \"Gr??e\" \\ ?")
        }) => ["submit-transaction/claim-as-submitted"];
        "cuts remarks after 200 characters", row(|row| cut(&mut row[7], 200))
            => ["submit-transaction/claim-as-submitted"];
        "trims remarks", row(|row| in_text(&mut row[7], |text| text.trim().to_owned()))
            => ["submit-transaction/claim-as-submitted"];
        "composes the letters of remarks", row(|row| in_text(&mut row[7], |text| text.replace("e\u{301}", "\u{e9}")))
            => ["submit-transaction/claim-as-submitted"];
        "escapes HTML in remarks", row(|row| in_text(&mut row[7], |text| text.replace('<', "&lt;")))
            => ["submit-transaction/claim-as-submitted"];
        "decodes HTML in remarks", row(|row| in_text(&mut row[7], |text| text.replace("&amp;", "&")))
            => ["submit-transaction/claim-as-submitted"];
        "changes the line ends of remarks", row(|row| in_text(&mut row[7], |text| text.replace("\r\n", "\n")))
            => ["submit-transaction/claim-as-submitted"];
        "decodes percent signs in remarks", row(|row| in_text(&mut row[7], |text| text.replace("%41", "A")))
            => ["submit-transaction/claim-as-submitted"];
        "stores empty remarks as null", row(|row| if row[7] == json!("") { row[7] = Value::Null })
            => ["submit-transaction/claim-as-submitted"];
        "stores remarks that look like a number as one", row(|row| if row[7] == json!("0012") { row[7] = json!(12) })
            => ["submit-transaction/claim-as-submitted"];
        "drops zeros before remarks that look like a number", row(|row| in_text(&mut row[7], |text| {
            text.trim_start_matches('0').to_owned()
        })) => ["submit-transaction/claim-as-submitted"];
        "stores an asset_type that looks like a number as one", row(|row| if row[2] == json!("1e3") { row[2] = json!(1000) })
            => ["submit-transaction/claim-as-submitted"];
        "changes the asset_type to lower case", row(|row| in_text(&mut row[2], |text| text.to_lowercase()))
            => ["submit-transaction/claim-as-submitted"];
        "stores an outcome of 0 as null", row(|row| if row[4] == json!(0) { row[4] = Value::Null })
            => ["submit-transaction/claim-as-submitted"];
        "stores every outcome but 0 as 1", row(|row| if row[4] != json!(0) { row[4] = json!(1) })
            => ["submit-transaction/claim-as-submitted"];
        "stores the outcome without its sign", row(|row| row[4] = json!(row[4].as_i64().unwrap_or_default().abs()))
            => ["submit-transaction/claim-as-submitted"];
        "stores an outcome in 16 bits", row(|row| {
            row[4] = json!(row[4].as_i64().unwrap_or_default() << 48 >> 48);
        }) => ["submit-transaction/claim-as-submitted"];
        "rounds deletable_after to a float", row(|row| row[8] = json!(row[8].as_f64().unwrap_or_default() as i64))
            => ["submit-transaction/claim-as-submitted"];
        "stores deletable_after in 32 bits", row(|row| {
            row[8] = json!(row[8].as_i64().unwrap_or_default() & 0xffff_ffff);
        }) => ["submit-transaction/claim-as-submitted"];
        "stores a deletable_after of 0 as null", row(|row| if row[8] == json!(0) { row[8] = Value::Null })
            => ["submit-transaction/claim-as-submitted"];
        "removes equal entries of hashes", row(|row| in_list(&mut row[5], |list| {
            let mut seen = BTreeSet::new();
            list.retain(|item| seen.insert(item.clone()));
        })) => ["submit-transaction/claim-as-submitted"];
        "sorts hashes", row(|row| in_list(&mut row[5], |list| list.sort()))
            => ["submit-transaction/claim-as-submitted"];
        "changes hashes to lower case", row(|row| in_text(&mut row[5], |text| text.to_lowercase()))
            => ["submit-transaction/claim-as-submitted"];
        "stores at most five links", row(|row| in_list(&mut row[6], |list| list.truncate(5)))
            => ["submit-transaction/claim-as-submitted"];
        "separates links at their commas", row(|row| in_list(&mut row[6], |list| {
            *list = list.iter().flat_map(|item| item.split(',').map(ToOwned::to_owned)).collect();
        })) => ["submit-transaction/claim-as-submitted"];
        "stores an empty list of links as null", row(|row| if row[6] == json!("[]") { row[6] = Value::Null })
            => ["submit-transaction/claim-as-submitted"];
        "drops an entry that looks like null", row(|row| in_list(&mut row[6], |list| list.retain(|item| item != "null")))
            => ["submit-transaction/claim-as-submitted"];
        "stores an empty list as an empty text", row(|row| for list in &mut row[5..7] {
            if *list == json!("[]") { *list = json!("") }
        }) => ["submit-transaction/claim-lists"];
        "does not store a claim with the outcome 0", row_or_none(|row| row[4] == json!(0))
            => ["submit-transaction/claim-readable"];
        "refuses a claim with empty lists", change_json(SUBMIT, |request, response| {
            if String::from_utf8_lossy(&request.body).contains("\"doc_hash_list\":[]") {
                response["response"] = json!({"valid": false, "msg": "no documents", "new_transaction": true});
            }
        }) => ["submit-transaction/claim-accepted", "submit-transaction/fee-paid", "submit-transaction/refused-not-stored", "submit-transaction/signed-values"];
        "builds another claim if its remarks are empty", change_json("/call-sc", |request, response| {
            if String::from_utf8_lossy(&request.body).contains("\"remarks\":\"\"") {
                set(response, "/transaction/specific_data/params/asset_type", json!("none"));
            }
        }) => ["submit-transaction/claim-built"];
        "stores deletable_after as a non-numeric string", record(8, || json!("soon"))
            => ["submit-transaction/claim-as-submitted"];
        "the block of the claim lists no transactions", in_blocks(Vec::clear)
            => ["submit-transaction/claim-in-block"];
        "a block's transaction has different remarks from those signed", in_blocks(|list| {
            for entry in list {
                set(entry, "/transaction/specific_data/params/remarks", json!("changed"));
            }
        }) => ["submit-transaction/claim-in-block-as-signed"];
        "a block's transaction has another fee", in_blocks(|list| {
            for entry in list {
                set(entry, "/transaction/fee", json!(5));
            }
        }) => ["submit-transaction/claim-in-block-as-signed"];
        "a block that is made during the run shows the fee in another notation", in_blocks(|list| {
            for entry in list {
                let fee = entry["transaction"]["fee"].to_string();
                if fee.ends_with(".0") {
                    set(entry, "/transaction/fee", json!(fee.parse::<f64>().unwrap_or_default() as u64));
                }
            }
        }) => ["chain/new-blocks"];
        "a block's transaction has no signatures", in_blocks(|list| {
            for entry in list {
                set(entry, "/signatures", json!([]));
            }
        }) => ["submit-transaction/claim-in-block-as-signed"];
        "a block's transaction has another signature", in_blocks(|list| {
            for entry in list {
                set(entry, "/signatures/0/msgsign", json!("ab".repeat(64)));
            }
        }) => ["submit-transaction/claim-in-block-as-signed"];
        "charges the fee twice", charging(|accepted, _| accepted.min(1) * 1_000_000)
            => ["submit-transaction/fee-paid"];
        "charges the fee again for a resubmission", charging(|accepted, _| {
            (accepted - 1).max(0) * 1_000_000
        }) => ["submit-transaction/fee-paid"];
        "charges one base unit too much", charging(|accepted, _| accepted.min(1))
            => ["submit-transaction/fee-paid"];
        "charges a fee for a refused submission", charging(|_, refused| refused * 1_000_000)
            => ["submit-transaction/fee-paid", "submit-transaction/refused-costs-nothing"];
        "does not compare the fee with what the wallet holds", accepts_any_fee()
            => ["submit-transaction/fee-negative"];
        "stores a claim before a block is made", stores_before_block()
            => ["submit-transaction/claim-stored-by-block"];
        "stores a refused claim", stores_refused_claims()
            => ["submit-transaction/refused-not-stored"];
        "balances never change after the first request", first_response_to_each(|request| request.query.contains("TOKEN_IN_WALLET"))
            => ["get-balances/agree", "submit-transaction/fee-paid"];
    }
}

/// Changes the responses to the claim: to the new claim if `first` is true, otherwise to repeated ones.
fn claiming(first: bool, change: fn(&mut Value)) -> Fault {
    Arc::new(move |request, response| {
        if request.path != SUBMIT || kind_of_submission(request) != "claim" {
            return response;
        }
        response.with_json(|value| {
            if value["response"]["new_transaction"] == first {
                change(value);
            }
        })
    })
}

/// Changes the responses to the claim without remarks, which is not the first one of a run.
fn of_a_later_claim(change: fn(&mut Value)) -> Fault {
    change_json(SUBMIT, move |request, response| {
        if String::from_utf8_lossy(&request.body).contains("\"remarks\":\"\"") {
            change(response);
        }
    })
}

/// Accepts each fee that is high, but not more than there is.
fn accepts_any_fee() -> Fault {
    change_response(SUBMIT, |request, response| {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let fee = body["transaction"]["fee"].as_i64().unwrap_or_default();
        match (100_000_000..8_000_000_000_000_000_000).contains(&fee) {
            true => response.with_json(|reply| set(reply, "/response/valid", json!(true))),
            false => response,
        }
    })
}

/// Takes another wallet's transaction for the claim if their codes start alike.
fn knows_codes_by_their_start() -> Fault {
    stateful(String::new(), |known, request, response| {
        if request.path != SUBMIT {
            return response;
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let code = body["transaction"]["trans_code"].as_str();
        let code = code.unwrap_or_default().to_owned();
        match kind_of_submission(request) {
            "claim" if known.is_empty() => *known = code,
            "known-code-signed" if code != *known && code.get(..8) == known.get(..8) => {
                return response.with_json(|reply| {
                    set(reply, "/response/new_transaction", json!(false));
                });
            }
            _ => {}
        }
        response
    })
}

/// Reports the claim as new again from its third submission on.
fn new_again() -> Fault {
    stateful(0, |submissions, request, response| {
        if request.path != SUBMIT || kind_of_submission(request) != "claim" {
            return response;
        }
        *submissions += 1;
        match submissions {
            1 | 2 => response,
            _ => response.with_json(|a| set(a, "/response/new_transaction", json!(true))),
        }
    })
}

/// Changes a column of the claim's record in responses.
fn record(column: usize, new: fn() -> Value) -> Fault {
    Arc::new(move |request, response| {
        if !is_for_a_claim(request) {
            return response;
        }
        response.with_json(|value| {
            for name in ["value", "data"] {
                set(value, &format!("/{name}/{column}"), new());
            }
        })
    })
}

/// Changes every response to the claim.
fn of_claim(change: fn(Response) -> Response) -> Fault {
    response_if(
        |request| request.path == SUBMIT && kind_of_submission(request) == "claim",
        change,
    )
}

/// Changes the responses to some requests.
fn response_if(which: fn(&RecordedRequest) -> bool, change: fn(Response) -> Response) -> Fault {
    Arc::new(move |request, response| {
        if which(request) {
            change(response)
        } else {
            response
        }
    })
}

/// Changes the row of the claim in responses.
pub(crate) fn row(change: fn(&mut Vec<Value>)) -> Fault {
    Arc::new(move |request, response| {
        if !is_for_a_claim(request) {
            return response;
        }
        response.with_json(|value| {
            for name in ["value", "data"] {
                if let Value::Array(row) = &mut value[name] {
                    change(row);
                }
            }
        })
    })
}

/// Changes a value if it is a text.
pub(crate) fn in_text(value: &mut Value, change: fn(&str) -> String) {
    if let Some(text) = value.as_str() {
        *value = json!(change(text));
    }
}

/// Cuts a text after this number of characters.
pub(crate) fn cut(value: &mut Value, length: usize) {
    if let Some(text) = value.as_str() {
        *value = json!(text.chars().take(length).collect::<String>());
    }
}

/// Changes a list that is stored as its JSON text.
pub(crate) fn in_list(value: &mut Value, change: fn(&mut Vec<String>)) {
    if let Some(Ok(mut list)) = value.as_str().map(serde_json::from_str) {
        change(&mut list);
        *value = json!(serde_json::to_string(&list).expect("a list"));
    }
}

/// Returns no record for the claims that this is true for.
fn row_or_none(hidden: fn(&[Value]) -> bool) -> Fault {
    change_json(STATE, move |_, response| {
        if response["value"].as_array().is_some_and(|row| hidden(row)) {
            *response = json!({"status": "SUCCESS", "value": null, "data": null});
        }
    })
}

/// Returns the claim's record as an object, with a change.
fn named_record(change: fn(&mut Value)) -> Fault {
    Arc::new(move |request, response| {
        if !is_for_a_claim(request) {
            return response;
        }
        response.with_json(|value| {
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

/// Stores the claims that it refused because of a wrong signature.
fn stores_refused_claims() -> Fault {
    stateful(BTreeSet::new(), |assets, request, response| {
        assets.extend(refused_asset(request));
        if request.path != STATE || !assets.iter().any(|asset| request.query.contains(asset)) {
            return response;
        }
        response.with_json(|value| value["value"] = json!(["stored"]))
    })
}

#[derive(Default)]
struct HiddenBlock {
    /// The highest index so far.
    latest: u64,
    /// The first hidden index, once the claim was accepted.
    hidden_from: Option<u64>,
    record_was_read: bool,
}

/// Hides the block of the claim until its record was read, and one block was requested afterwards.
fn stores_before_block() -> Fault {
    stateful(HiddenBlock::default(), |state, request, response| {
        match request.path.as_str() {
            SUBMIT if kind_of_submission(request) == "claim" => {
                state.hidden_from = state.hidden_from.or(Some(state.latest + 1));
            }
            STATE if state.hidden_from.is_some() => {
                state.record_was_read |= !String::from_utf8_lossy(&response.body).contains("null");
            }
            BLOCK if response.status == StatusCode::OK => {
                let index = request.query.strip_prefix("block_index=").map(str::parse);
                let Some(Ok(index)) = index else {
                    return response;
                };
                if state.hidden_from.is_some_and(|first| first <= index) {
                    if state.record_was_read {
                        state.hidden_from = Some(u64::MAX);
                    }
                    let body = json!({"detail": "Block not found"}).to_string();
                    return response
                        .with_status(StatusCode::BAD_REQUEST)
                        .with_body(body);
                }
                state.latest = state.latest.max(index);
            }
            _ => {}
        }
        response
    })
}

/// Runs this tier against a node with this fault.
pub(crate) async fn run(fault: Fault, allow: Tier) -> NodeReport {
    run_with(fault, |node| options(node, allow)).await
}

/// Runs with these options against a node with this fault.
pub(crate) async fn run_with(
    fault: Fault,
    options: impl FnOnce(&LocalNode) -> Options,
) -> NodeReport {
    // Each run has its own node: the claims of one run would be samples of the next.
    let start = xtask::conformance::start_local();
    let node = start(Network::Devnet).await.expect("a local node");
    let mut options = options(&node);
    // A fault that changes a balance after the claim must not affect the cases about balances.
    options.limits.jobs = 1;
    setup::run_with(&node, fault, &options).await
}
