//! Statuses, headers, refusals, and variants of JSON text.

use integration_tests::{
    faults::{SeededFault, change_response},
    seeded_faults,
};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::{
    behaviours::{bounded_rate, members_that_vary},
    rewrites::{
        escaped, every_json, every_success, every_text, refusals, response_of, reversed, spaced,
        with_header, with_status,
    },
};

const JSON: &str = "application/json";

/// Refusals of requests with unusual values.
pub(super) fn refused_probes() -> Vec<SeededFault> {
    seeded_faults! {
        "a refusal repeats the parameters, and one of them as its value", change_response("/sc-state", |request, response| {
            if !String::from_utf8_lossy(&response.body).contains(":null") {
                return response;
            }
            let pairs = request.query.split('&').filter_map(|pair| pair.split_once('='));
            let decoded = |text: &str| {
                let text = text.replace('+', " ");
                Value::from(percent_decode_str(&text).decode_utf8_lossy().into_owned())
            };
            let mut said: Map<_, _> = pairs.map(|(name, value)| (name.to_owned(), decoded(value))).collect();
            said.insert("value".to_owned(), said.get("unique_value").cloned().unwrap_or_default());
            said.insert("error".to_owned(), json!("nothing is stored"));
            with_status(response, 404).with_body(Value::Object(said).to_string())
        }) => [];
    }
}

pub(super) fn variants() -> Vec<SeededFault> {
    seeded_faults! {
        "responses have additional members", every_json(|value| {
            value["note"] = json!({"de": "mehr", "since": [1, 2.5, null, true]});
        }) => [];
        "members are in reverse order", every_json(|value| *value = reversed(value))
            => ["chain/transaction-signatures"];
        "JSON has extra whitespace", every_text(spaced) => [];
        "letters in JSON strings are Unicode-escaped", every_text(escaped) => [];
        "the content type has a charset", every_success(|response| {
            with_header(response, "content-type", "Application/JSON; charset=UTF-8")
        }) => [];
        "JSON has Content-Type text/plain", every_success(|response| {
            with_header(response, "content-type", "text/plain")
        }) => ["http/content-type"];
        "JSON has no Content-Type", every_success(|mut response| {
            response.headers.remove("content-type");
            response
        }) => ["http/content-type"];
        "responses have additional headers", every_success(|response| {
            with_header(with_header(response, "x-powered-by", "sand"), "set-cookie", "a=b; Path=/")
        }) => [];
        "responses have Cache-Control: no-store", every_success(|response| {
            with_header(response, "cache-control", "no-store")
        }) => [];
        "successful responses have status 203", every_success(|response| with_status(response, 203))
            => ["http/success-status"];
        "successful responses have status 201", every_success(|response| with_status(response, 201))
            => ["http/success-status"];
        "refusals have status 404 and no body", refusals(|response| response_of(response, 404, "text/plain", ""))
            => [];
        "refusals have status 400 and a plain-text body", refusals(|response| response_of(response, 400, "text/plain", "no"))
            => [];
        "refusals have status 422 and a JSON array", refusals(|response| response_of(response, 422, JSON, "[\"no\"]"))
            => [];
        "refusals have status 410 and an HTML page", refusals(|response| {
            response_of(response, 410, "text/html", "<html>gone</html>")
        }) => [];
        "refusals have status 200 and a detail member", refusals(|response| {
            response_of(response, 200, JSON, r#"{"detail":"no"}"#)
        }) => [];
        "refusals have status 200 and the JSON status FAILURE", refusals(|response| {
            response_of(response, 200, JSON, r#"{"status":"FAILURE","message":"no"}"#)
        }) => [];
        "refusals have status 200 and an error object", refusals(|response| {
            response_of(response, 200, JSON, r#"{"error":{"code":7,"message":"no"}}"#)
        }) => [];
        "responds to an invalid request with null", refusals(|response| response_of(response, 200, JSON, "null")) => ["http/missing-parameter"];
        "responds to an invalid request with an empty object", refusals(|response| response_of(response, 200, JSON, "{}")) => ["http/missing-parameter"];
        "responds to an invalid request with SUCCESS and null data", refusals(|response| {
            response_of(response, 200, JSON, r#"{"status":"SUCCESS","data":null}"#)
        }) => ["http/missing-parameter"];
        "responds to an invalid request with an empty value", refusals(|response| {
            response_of(response, 200, JSON, r#"{"value":[]}"#)
        }) => ["http/missing-parameter"];
        "responses contain their duration and a request ID", members_that_vary()
            => [];
        "limits the request rate", bounded_rate(2)
            => [];
        "responses contain the request path", std::sync::Arc::new(
            |request: &integration_tests::proxy::RecordedRequest, response: integration_tests::proxy::Response| {
                let path = request.path.clone();
                response.with_json(|value| {
                    if let Value::Object(members) = value {
                        members.insert("path".to_owned(), json!(path));
                    }
                })
            }) => [];
    }
}
