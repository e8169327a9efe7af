//! Statuses, headers, refusals, and variants of JSON text.

use integration_tests::{broken, faults::Broken};
use serde_json::{Value, json};

use super::{
    behaviours::{BoundedRate, MembersThatVary},
    rewrites::{
        escaped, every_json, every_success, every_text, refusals, reversed, spaced, told,
        with_header, with_status,
    },
};

const JSON: &str = "application/json";

pub(super) fn variants() -> Vec<Broken> {
    broken! {
        "responses have more members", every_json(|value| {
            value["note"] = json!({"de": "mehr", "since": [1, 2.5, null, true]});
        }) => [];
        "members are in reverse order", every_json(|value| *value = reversed(value))
            => ["chain/transaction-signatures"];
        "JSON has blanks and line ends", every_text(spaced) => [];
        "JSON has escapes for letters", every_text(escaped) => [];
        "the content type has a charset", every_success(|response| {
            with_header(response, "content-type", "Application/JSON; charset=UTF-8")
        }) => [];
        "JSON is called a text", every_success(|response| {
            with_header(response, "content-type", "text/plain")
        }) => ["http/content-type"];
        "JSON has no content type", every_success(|mut response| {
            response.headers.remove("content-type");
            response
        }) => ["http/content-type"];
        "there are more headers", every_success(|response| {
            with_header(with_header(response, "x-powered-by", "sand"), "set-cookie", "a=b; Path=/")
        }) => [];
        "responses are not to be stored", every_success(|response| {
            with_header(response, "cache-control", "no-store")
        }) => [];
        "successes have status 203", every_success(|response| with_status(response, 203))
            => ["http/success-status"];
        "successes have status 201", every_success(|response| with_status(response, 201))
            => ["http/success-status"];
        "refusals have status 404 and no body", refusals(|response| told(response, 404, "text/plain", ""))
            => [];
        "refusals have status 400 and a text", refusals(|response| told(response, 400, "text/plain", "no"))
            => [];
        "refusals have status 422 and a list", refusals(|response| told(response, 422, JSON, "[\"no\"]"))
            => [];
        "refusals have status 410 and a page", refusals(|response| {
            told(response, 410, "text/html", "<html>gone</html>")
        }) => [];
        "refusals have status 200 and a detail", refusals(|response| {
            told(response, 200, JSON, r#"{"detail":"no"}"#)
        }) => [];
        "refusals have status 200 and are a failure", refusals(|response| {
            told(response, 200, JSON, r#"{"status":"FAILURE","message":"no"}"#)
        }) => [];
        "refusals have status 200 and a code", refusals(|response| {
            told(response, 200, JSON, r#"{"error":{"code":7,"message":"no"}}"#)
        }) => [];
        "what is wrong is answered with null", refusals(|response| told(response, 200, JSON, "null")) => [];
        "what is wrong is answered with nothing", refusals(|response| told(response, 200, JSON, "{}")) => [];
        "what is wrong is answered with no value", refusals(|response| {
            told(response, 200, JSON, r#"{"status":"SUCCESS","data":null}"#)
        }) => [];
        "what is wrong is answered with an empty value", refusals(|response| {
            told(response, 200, JSON, r#"{"value":[]}"#)
        }) => [];
        "responses say how long they took", integration_tests::faults::behaving(MembersThatVary::default())
            => [];
        "few requests are taken in a second", integration_tests::faults::behaving(BoundedRate::new(2))
            => [];
        "every response repeats its path", std::sync::Arc::new(
            |asked: &integration_tests::proxy::Asked, response: integration_tests::proxy::Response| {
                let path = asked.path.clone();
                response.with_json(|value| {
                    if let Value::Object(members) = value {
                        members.insert("path".to_owned(), json!(path));
                    }
                })
            }) => [];
    }
}
