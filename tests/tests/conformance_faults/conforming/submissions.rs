//! Refused submissions, and claims.

use std::sync::Arc;

use integration_tests::{
    broken,
    faults::{Broken, json_of, response_of, set},
    proxy::{Fault, Response},
    submissions::{SUBMIT, in_blocks, kind_of_submission, refusing},
};
use serde_json::{Value, json};

use super::{
    rewrites::{told, with_status},
    state::named,
};
use crate::records::{STATE, rows_of};

const JSON: &str = "application/json";

pub(super) fn refusals() -> Vec<Broken> {
    broken! {
        "refusals have any text", refusing(|response| {
            set(response, "/response/msg", json!("Nein: \u{1f6ab} \"zurückgewiesen\""));
        }) => [];
        "refusals are a failure", refusing(|response| response["status"] = json!("FAILURE")) => [];
        "refusals are not new", refusing(|response| {
            set(response, "/response/new_transaction", json!(false));
        }) => [];
        "refusals have more members", refusing(|response| response["response"]["code"] = json!(17)) => [];
        "refusals have status 400 and a detail", refused(|response| {
            told(response, 400, JSON, r#"{"detail":"no"}"#)
        }) => [];
        "refusals have status 403 and no body", refused(|response| told(response, 403, "text/plain", ""))
            => [];
        "refusals have status 422 and a form", refused(|response| with_status(response, 422)) => [];
        "refusals are faults of the server", refused(|response| {
            told(response, 500, JSON, r#"{"detail":"Signature verification failed"}"#)
        }) => ["submit-transaction/refusal-is-no-crash"];
        "refusals have status 202", refused(|response| with_status(response, 202)) => [];
        "a GET of a submission explains itself", response_of(SUBMIT, |asked, response| {
            match asked.method.as_str() {
                "GET" => told(response, 200, JSON, r#"{"help":"send a POST"}"#),
                _ => response,
            }
        }) => [];
        "a GET of a submission is a page", response_of(SUBMIT, |asked, response| {
            match asked.method.as_str() {
                "GET" => told(response, 200, "text/html", "<html>send a POST</html>"),
                _ => response,
            }
        }) => [];
    }
}

pub(super) fn claims() -> Vec<Broken> {
    broken! {
        "a claim is accepted in other words", of_claims(|response| {
            response.with_json(|response| set(response, "/response/msg", json!("")))
        }) => [];
        "a claim is created", of_claims(|response| with_status(response, 201))
            => ["submit-transaction/claim-http-status"];
        "a known claim is a conflict", of_known_claims(|response| {
            told(response, 409, JSON, r#"{"detail":"known"}"#)
        }) => [];
        "a known claim is not valid", of_known_claims(|response| {
            response.with_json(|response| set(response, "/response/valid", json!(false)))
        }) => ["submit-transaction/resubmission-valid"];
        "a known claim is a fault of the server", of_known_claims(|response| {
            told(response, 500, JSON, r#"{"detail":"known"}"#)
        }) => ["submit-transaction/resubmission-valid"];
        "a claim's record is an object", json_of(STATE, |_, response| {
            rows_of(response, |row| named(&row, false));
        }) => [];
        "a claim's record is an object in reverse order", json_of(STATE, |_, response| {
            rows_of(response, |row| named(&row, true));
        }) => [];
        "a claim's record is one of a list", json_of(STATE, |_, response| {
            rows_of(response, |row| json!([row]));
        }) => [];
        "a claim's columns are in reverse order", json_of(STATE, |_, response| {
            rows_of(response, |row| {
                let items = row.as_array().into_iter().flatten();
                items.rev().cloned().collect()
            });
        }) => ["submit-transaction/claim-columns"];
        "a claim is in its block as a code", in_blocks(|list| {
            for entry in list {
                *entry = entry["transaction"]["trans_code"].take();
            }
        }) => [];
        "a claim is in its block as a code in upper case", in_blocks(|list| {
            for entry in list {
                let code = entry["transaction"]["trans_code"].as_str().unwrap_or_default();
                *entry = json!(code.to_uppercase());
            }
        }) => [];
        "a claim is in its block under another name", in_blocks(|list| {
            for entry in list {
                *entry = json!({"hash": "ab".repeat(32)});
            }
        }) => ["submit-transaction/claim-in-block"];
        "a claim is flat in its block", in_blocks(|list| {
            for entry in list {
                let mut flat = entry["transaction"].take();
                flat["signatures"] = entry["signatures"].take();
                *entry = flat;
            }
        }) => [];
        "built claims have places for signatures", json_of("/call-sc", |_, response| {
            let signers = response["transaction"]["specific_data"]["signers"].as_array();
            let place = |signer: &Value| json!({"wallet_address": signer, "msgsign": ""});
            response["signatures"] = signers.into_iter().flatten().map(place).collect();
        }) => ["call-sc/submittable"];
    }
}

/// Changes the refusals of submissions.
fn refused(change: fn(Response) -> Response) -> Fault {
    response_of(SUBMIT, move |asked, response| {
        let refuses =
            asked.method == "POST" && !matches!(kind_of_submission(asked), "claim" | "control");
        if refuses { change(response) } else { response }
    })
}

/// Changes the first and all later responses to a claim.
fn of_claims(change: fn(Response) -> Response) -> Fault {
    response_of(SUBMIT, move |asked, response| {
        if kind_of_submission(asked) == "claim" {
            change(response)
        } else {
            response
        }
    })
}

/// Changes the responses to a claim that is already known.
fn of_known_claims(change: fn(Response) -> Response) -> Fault {
    Arc::new(move |asked, response| {
        let known = String::from_utf8_lossy(&response.body).contains("\"new_transaction\":false");
        if asked.path == SUBMIT && kind_of_submission(asked) == "claim" && known {
            change(response)
        } else {
            response
        }
    })
}
