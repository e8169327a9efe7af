//! `/call-sc`: the specification does not show the shape of its response.

use std::sync::Arc;

use axum::http::StatusCode;
use integration_tests::{
    faults::{SeededFault, change_json, change_response, remove, set},
    proxy::{Fault, Response},
    seeded_faults,
};
use serde_json::{Value, json};

use super::rewrites::{response_of, reversed, with_status};

const CALL: &str = "/call-sc";

pub(super) fn variants() -> Vec<SeededFault> {
    seeded_faults! {
        "/call-sc returns status 201", successes(|response| with_status(response, 201)) => ["http/success-status"];
        "/call-sc returns status 202", successes(|response| with_status(response, 202)) => ["http/success-status"];
        "built calls have entries with empty signatures", change_json(CALL, |_, response| {
            response["signatures"] = places(response, || json!(""));
        }) => ["call-sc/submittable"];
        "built calls have entries with null signatures", change_json(CALL, |_, response| {
            response["signatures"] = places(response, || Value::Null);
        }) => ["call-sc/submittable"];
        "built calls have no signatures member", change_json(CALL, |_, response| remove(response, "", "signatures"))
            => ["call-sc/submittable"];
        "built calls have additional members", change_json(CALL, |_, response| {
            set(response, "/transaction/is_child_txn", json!(false));
            response["expires"] = json!("soon");
        }) => [];
        "built calls have an integer fee", change_json(CALL, |_, response| {
            set(response, "/transaction/fee", json!(1_000_000));
        }) => [];
        "built calls have a decimal fee", change_json(CALL, |_, response| {
            set(response, "/transaction/fee", json!(0.25));
        }) => [];
        "built calls have a descr", change_json(CALL, |_, response| {
            set(response, "/transaction/descr", json!("a call"));
        }) => [];
        "built calls have an upper-case trans_code", change_json(CALL, |_, response| {
            let code = response["transaction"]["trans_code"].as_str().unwrap_or_default();
            response["transaction"]["trans_code"] = json!(code.to_uppercase());
        }) => [];
        "the members of built calls are in reverse order", change_json(CALL, |_, response| *response = reversed(response)) => [];
        "/call-sc returns only the transaction", change_json(CALL, |_, response| {
            *response = response["transaction"].take();
        }) => ["call-sc/snapshot", "call-sc/submittable"];
        "/call-sc returns the transaction in another member", change_json(CALL, |_, response| {
            *response = json!({"raw": response["transaction"].take()});
        }) => ["call-sc/snapshot", "call-sc/submittable"];
        "/call-sc returns a hexadecimal payload to sign", change_json(CALL, |_, response| {
            let text: String = response.to_string().bytes().map(|byte| format!("{byte:02x}")).collect();
            *response = json!({"payload": text});
        }) => ["call-sc/snapshot", "call-sc/submittable"];
        "/call-sc refuses long remarks", unless(|body| body.contains("long long long")) => [];
        "/call-sc refuses calls over 1 KiB", unless(|body| body.len() > 1024) => [];
        "/call-sc refuses more than one signer", unless(|body| {
            let call: Value = serde_json::from_str(body).unwrap_or_default();
            call["signers"].as_array().is_some_and(|signers| signers.len() > 1)
        }) => [];
        "/call-sc refuses unknown params", unless(|body| body.contains("\"odd\"")) => [];
    }
}

/// Returns one empty place for each signer's signature.
fn places(response: &Value, empty: fn() -> Value) -> Value {
    let signers = response["transaction"]["specific_data"]["signers"].as_array();
    let place = |signer: &Value| json!({"wallet_address": signer, "msgsign": empty()});
    signers.into_iter().flatten().map(place).collect()
}

fn successes(change: fn(Response) -> Response) -> Fault {
    change_response(CALL, move |_, response| {
        if response.status == StatusCode::OK {
            change(response)
        } else {
            response
        }
    })
}

/// Refuses calls for whose body `refused` is true.
fn unless(refused: fn(&str) -> bool) -> Fault {
    Arc::new(move |request, response| {
        let body = String::from_utf8_lossy(&request.body);
        if request.path == CALL && request.method == "POST" && refused(&body) {
            response_of(
                response,
                422,
                "application/json",
                r#"{"detail":"more than is built"}"#,
            )
        } else {
            response
        }
    })
}
