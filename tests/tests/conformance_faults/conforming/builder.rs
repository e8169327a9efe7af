//! `/call-sc`: the contract does not show the shape of its response.

use std::sync::Arc;

use axum::http::StatusCode;
use integration_tests::{
    broken,
    faults::{Broken, json_of, remove, response_of, set},
    proxy::{Fault, Response},
};
use serde_json::{Value, json};

use super::rewrites::{reversed, told, with_status};

const CALL: &str = "/call-sc";

pub(super) fn variants() -> Vec<Broken> {
    broken! {
        "calls are created", successes(|response| with_status(response, 201)) => ["http/success-status"];
        "calls are accepted", successes(|response| with_status(response, 202)) => ["http/success-status"];
        "calls have empty places for signatures", json_of(CALL, |_, response| {
            response["signatures"] = places(response, || json!(""));
        }) => ["call-sc/submittable"];
        "calls have null for signatures", json_of(CALL, |_, response| {
            response["signatures"] = places(response, || Value::Null);
        }) => ["call-sc/submittable"];
        "calls have no signatures", json_of(CALL, |_, response| remove(response, "", "signatures"))
            => ["call-sc/submittable"];
        "calls have more members", json_of(CALL, |_, response| {
            set(response, "/transaction/is_child_txn", json!(false));
            response["expires"] = json!("soon");
        }) => [];
        "calls have an integer for a fee", json_of(CALL, |_, response| {
            set(response, "/transaction/fee", json!(1_000_000));
        }) => [];
        "calls have a decimal fee", json_of(CALL, |_, response| {
            set(response, "/transaction/fee", json!(0.25));
        }) => [];
        "calls have a description", json_of(CALL, |_, response| {
            set(response, "/transaction/descr", json!("a call"));
        }) => [];
        "calls have a code in upper case", json_of(CALL, |_, response| {
            let code = response["transaction"]["trans_code"].as_str().unwrap_or_default();
            response["transaction"]["trans_code"] = json!(code.to_uppercase());
        }) => [];
        "calls are in reverse order", json_of(CALL, |_, response| *response = reversed(response)) => [];
        "calls are the transaction alone", json_of(CALL, |_, response| {
            *response = response["transaction"].take();
        }) => ["call-sc/snapshot", "call-sc/submittable"];
        "calls are in another member", json_of(CALL, |_, response| {
            *response = json!({"raw": response["transaction"].take()});
        }) => ["call-sc/decodes", "call-sc/snapshot", "call-sc/submittable"];
        "calls are a text to sign", json_of(CALL, |_, response| {
            let text: String = response.to_string().bytes().map(|byte| format!("{byte:02x}")).collect();
            *response = json!({"payload": text});
        }) => ["call-sc/decodes", "call-sc/snapshot", "call-sc/submittable"];
        "long remarks are not taken", unless(|body| body.contains("long long long")) => [];
        "long calls are not taken", unless(|body| body.len() > 1024) => [];
        "one wallet signs", unless(|body| {
            let call: Value = serde_json::from_str(body).unwrap_or_default();
            call["signers"].as_array().is_some_and(|signers| signers.len() > 1)
        }) => [];
        "other parameters are not taken", unless(|body| body.contains("\"odd\"")) => [];
    }
}

/// Returns one empty place for each signer's signature.
fn places(response: &Value, empty: fn() -> Value) -> Value {
    let signers = response["transaction"]["specific_data"]["signers"].as_array();
    let place = |signer: &Value| json!({"wallet_address": signer, "msgsign": empty()});
    signers.into_iter().flatten().map(place).collect()
}

fn successes(change: fn(Response) -> Response) -> Fault {
    response_of(CALL, move |_, response| {
        if response.status == StatusCode::OK {
            change(response)
        } else {
            response
        }
    })
}

/// Refuses calls for whose body `refused` is true.
fn unless(refused: fn(&str) -> bool) -> Fault {
    Arc::new(move |asked, response| {
        let body = String::from_utf8_lossy(&asked.body);
        if asked.path == CALL && asked.method == "POST" && refused(&body) {
            told(
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
