//! Refused submissions, and claims.

use std::sync::Arc;

use integration_tests::{
    faults::{SeededFault, change_json, change_response, set},
    proxy::{Fault, Response},
    seeded_faults,
    submissions::{SUBMIT, building, in_blocks, kind_of_submission, refusing},
};
use serde_json::{Value, json};

use super::{
    rewrites::{response_of, with_status},
    state::{longer, named},
};
use crate::{
    balances::BALANCES,
    records::{STATE, rows_of},
    submit_transaction::accepting_right,
};

const JSON: &str = "application/json";

pub(super) fn refusals() -> Vec<SeededFault> {
    seeded_faults! {
        "refusals have another message", refusing(|response| {
            set(response, "/response/msg", json!("Nein: \u{1f6ab} \"zurückgewiesen\""));
        }) => [];
        "refusals have the status FAILURE", refusing(|response| response["status"] = json!("FAILURE")) => [];
        "refusals have new_transaction false", refusing(|response| {
            set(response, "/response/new_transaction", json!(false));
        }) => [];
        "refusals have additional members", refusing(|response| response["response"]["code"] = json!(17)) => [];
        "refusals have status 400 and a detail member", refused(|response| {
            response_of(response, 400, JSON, r#"{"detail":"no"}"#)
        }) => [];
        "refusals have status 403 and no body", refused(|response| response_of(response, 403, "text/plain", ""))
            => [];
        "refusals have status 422", refused(|response| with_status(response, 422)) => [];
        "refusals have status 500", refused(|response| {
            response_of(response, 500, JSON, r#"{"detail":"Signature verification failed"}"#)
        }) => ["http/server-errors"];
        "a batch lists failed transactions as objects", change_json("/submit-transaction-batch", |_, response| {
            if let Value::Array(list) = &mut response["response"]["failed_transactions"] {
                for code in list {
                    *code = json!({"transaction_code": code.take(), "msg": "invalid signatures"});
                }
            }
        }) => [];
        "refusals have status 202", refused(|response| with_status(response, 202)) => [];
        "GET /submit-transaction returns a help message", change_response(SUBMIT, |request, response| {
            match request.method.as_str() {
                "GET" => response_of(response, 200, JSON, r#"{"help":"send a POST"}"#),
                _ => response,
            }
        }) => [];
        "GET /submit-transaction returns an HTML page", change_response(SUBMIT, |request, response| {
            match request.method.as_str() {
                "GET" => response_of(response, 200, "text/html", "<html>send a POST</html>"),
                _ => response,
            }
        }) => [];
    }
}

pub(super) fn claims() -> Vec<SeededFault> {
    seeded_faults! {
        "the msg for an accepted claim is empty", of_claims(|response| {
            response.with_json(|response| set(response, "/response/msg", json!("")))
        }) => [];
        "an accepted claim has HTTP status 201", of_claims(|response| with_status(response, 201))
            => ["http/success-status"];
        "a resubmitted claim gets status 409", of_known_claims(|response| {
            response_of(response, 409, JSON, r#"{"detail":"known"}"#)
        }) => [];
        "a resubmitted claim has valid false", of_known_claims(|response| {
            response.with_json(|response| set(response, "/response/valid", json!(false)))
        }) => ["submit-transaction/resubmission-valid"];
        "a resubmitted claim gets status 500", of_known_claims(|response| {
            response_of(response, 500, JSON, r#"{"detail":"known"}"#)
        }) => ["submit-transaction/resubmission-valid"];
        "a claim's record is an object", change_json(STATE, |_, response| {
            rows_of(response, |row| named(&row, false));
        }) => [];
        "a claim's record is an object with members in reverse order", change_json(STATE, |_, response| {
            rows_of(response, |row| named(&row, true));
        }) => [];
        "a claim's record has a tenth column", change_json(STATE, |_, response| {
            rows_of(response, longer);
        }) => [];
        "a claim's record is in a list", change_json(STATE, |_, response| {
            rows_of(response, |row| json!([row]));
        }) => [];
        "a claim's columns are in reverse order", change_json(STATE, |_, response| {
            rows_of(response, |row| {
                let items = row.as_array().into_iter().flatten();
                items.rev().cloned().collect()
            });
        }) => ["submit-transaction/claim-columns"];
        "a block lists the claim by trans_code", in_blocks(|list| {
            for entry in list {
                *entry = entry["transaction"]["trans_code"].take();
            }
        }) => [];
        "a block lists the claim by upper-case trans_code", in_blocks(|list| {
            for entry in list {
                let code = entry["transaction"]["trans_code"].as_str().unwrap_or_default();
                *entry = json!(code.to_uppercase());
            }
        }) => [];
        "a block lists the claim by another hash", in_blocks(|list| {
            for entry in list {
                *entry = json!({"hash": "ab".repeat(32)});
            }
        }) => ["submit-transaction/claim-in-block"];
        "a block lists the claim as a flattened transaction", in_blocks(|list| {
            for entry in list {
                let mut flat = entry["transaction"].take();
                flat["signatures"] = entry["signatures"].take();
                *entry = flat;
            }
        }) => [];
        "built claims have codes in capital letters", building(|built| {
            let code = built["trans_code"].as_str().unwrap_or_default().to_uppercase();
            built["trans_code"] = json!(code);
        }) => [];
        "built claims have entries with empty signatures", change_json("/call-sc", |_, response| {
            let signers = response["transaction"]["specific_data"]["signers"].as_array();
            let place = |signer: &Value| json!({"wallet_address": signer, "msgsign": ""});
            response["signatures"] = signers.into_iter().flatten().map(place).collect();
        }) => ["call-sc/submittable"];
        "built claims have members beside the transaction", change_json("/call-sc", |_, response| {
            response["served_by"] = json!("a worker");
            response["error"] = Value::Null;
        }) => [];
        "built claims have a descr", building(|built| built["descr"] = json!("a call")) => [];
        "every token pays a fee, and no list shows what a wallet holds", any_token_pays()
            => ["get-balances/lists-carry-balances"];
    }
}

/// Changes the refusals of submissions.
fn refused(change: fn(Response) -> Response) -> Fault {
    change_response(SUBMIT, move |request, response| {
        let refuses =
            request.method == "POST" && !matches!(kind_of_submission(request), "claim" | "control");
        if refuses { change(response) } else { response }
    })
}

/// Accepts a fee in another token that is not higher than the fee of a claim. Lists of balances have a form of their own.
fn any_token_pays() -> Fault {
    let accepting = accepting_right(|transaction| {
        let token = transaction["currency"].as_str().unwrap_or_default();
        let is_low = transaction["fee"].as_i64() == Some(1_000_000);
        let is_another = !token.is_empty() && !token.trim().eq_ignore_ascii_case("DEVN");
        is_low && is_another && !token.starts_with("NO-SUCH")
    });
    Arc::new(move |request, response| {
        let mut response = accepting(request, response);
        if request.path == BALANCES {
            response = response.with_json(|reply| {
                if reply["balance"].is_array() {
                    *reply = json!({"pages": [reply["balance"].take()]});
                }
            });
        }
        response
    })
}

/// Changes the first and all later responses to a claim.
fn of_claims(change: fn(Response) -> Response) -> Fault {
    change_response(SUBMIT, move |request, response| {
        if kind_of_submission(request) == "claim" {
            change(response)
        } else {
            response
        }
    })
}

/// Changes the responses to a claim that is already known.
fn of_known_claims(change: fn(Response) -> Response) -> Fault {
    Arc::new(move |request, response| {
        let known = String::from_utf8_lossy(&response.body).contains("\"new_transaction\":false");
        if request.path == SUBMIT && kind_of_submission(request) == "claim" && known {
            change(response)
        } else {
            response
        }
    })
}
