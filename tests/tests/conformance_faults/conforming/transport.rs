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
        "the content type has a charset", every_success(|answer| {
            with_header(answer, "content-type", "Application/JSON; charset=UTF-8")
        }) => [];
        "JSON is called a text", every_success(|answer| {
            with_header(answer, "content-type", "text/plain")
        }) => ["http/content-type"];
        "JSON has no content type", every_success(|mut answer| {
            answer.headers.remove("content-type");
            answer
        }) => ["http/content-type"];
        "there are more headers", every_success(|answer| {
            with_header(with_header(answer, "x-powered-by", "sand"), "set-cookie", "a=b; Path=/")
        }) => [];
        "responses are not to be stored", every_success(|answer| {
            with_header(answer, "cache-control", "no-store")
        }) => [];
        "successes have status 203", every_success(|answer| with_status(answer, 203))
            => ["http/success-status"];
        "successes have status 201", every_success(|answer| with_status(answer, 201))
            => ["http/success-status"];
        "refusals have status 404 and no body", refusals(|answer| told(answer, 404, "text/plain", ""))
            => [];
        "refusals have status 400 and a text", refusals(|answer| told(answer, 400, "text/plain", "no"))
            => [];
        "refusals have status 422 and a list", refusals(|answer| told(answer, 422, JSON, "[\"no\"]"))
            => [];
        "refusals have status 410 and a page", refusals(|answer| {
            told(answer, 410, "text/html", "<html>gone</html>")
        }) => [];
        "refusals have status 200 and a detail", refusals(|answer| {
            told(answer, 200, JSON, r#"{"detail":"no"}"#)
        }) => [];
        "refusals have status 200 and are a failure", refusals(|answer| {
            told(answer, 200, JSON, r#"{"status":"FAILURE","message":"no"}"#)
        }) => [];
        "refusals have status 200 and a code", refusals(|answer| {
            told(answer, 200, JSON, r#"{"error":{"code":7,"message":"no"}}"#)
        }) => [];
        "what is wrong is answered with null", refusals(|answer| told(answer, 200, JSON, "null")) => [];
        "what is wrong is answered with nothing", refusals(|answer| told(answer, 200, JSON, "{}")) => [];
        "what is wrong is answered with no value", refusals(|answer| {
            told(answer, 200, JSON, r#"{"status":"SUCCESS","data":null}"#)
        }) => [];
        "what is wrong is answered with an empty value", refusals(|answer| {
            told(answer, 200, JSON, r#"{"value":[]}"#)
        }) => [];
        "responses say how long they took", integration_tests::faults::behaving(MembersThatVary::default())
            => [];
        "few requests are taken in a second", integration_tests::faults::behaving(BoundedRate::new(2))
            => [];
        "every response repeats its path", std::sync::Arc::new(
            |asked: &integration_tests::proxy::Asked, answer: integration_tests::proxy::Answer| {
                let path = asked.path.clone();
                answer.with_json(|value| {
                    if let Value::Object(members) = value {
                        members.insert("path".to_owned(), json!(path));
                    }
                })
            }) => [];
    }
}
