//! The rule *form*: a response is a success with a JSON document, or a clear refusal.

use std::{collections::BTreeSet, sync::Arc};

use nodeproof_primitives::escape::escaped_up_to as shown;
use serde_json::Value;

use crate::{
    api::{is_json, is_valid},
    checks::{Examination, Finding},
    history::{Answer, Entry, History},
    http::{Act, Exchange, LIMIT_MESSAGE, Method, Step},
};

/// The endpoints that return JSON, with the method of a valid request.
const ENDPOINTS: [(&str, Method); 6] = [
    ("/get-block", Method::Get),
    ("/get-balances", Method::Get),
    ("/sc-state", Method::Get),
    ("/get-trustscore-wallets", Method::Get),
    ("/call-sc", Method::Post),
    ("/submit-transaction", Method::Post),
];

/// Judges all responses of a run, whatever was requested.
pub(crate) fn form(history: &History) -> Examination {
    let mut result = Examination::default();
    for entry in history.entries().filter(is_about_json) {
        result.count_item();
        result.findings.extend(mismatch(&entry.exchange));
    }
    result
}

fn is_about_json(entry: &&Entry) -> bool {
    let request = &entry.exchange.request;
    ENDPOINTS.contains(&(request.path, request.method))
}

/// Judges the content types of all JSON documents of a run. Those of errors count beside right ones of successes.
pub(crate) fn content_type(history: &History) -> Examination {
    let is_document = |body: &Value| body.is_object() || body.is_array();
    let all = history.entries().filter(is_about_json);
    let documents = all.map(|entry| &entry.exchange);
    let documents = documents.filter(|exchange| exchange.json().is_ok_and(is_document));
    let (successes, errors): (Vec<_>, _) = documents.partition(|exchange| exchange.is_success());
    let mut result = content_types(&successes);
    if result.has_no_findings() {
        result.extend(content_types(&errors));
    }
    result
}

/// Judges the statuses of all successes of a run with a JSON document. A refused submission may have any.
pub(crate) fn success_status(history: &History) -> Examination {
    let is_result = |entry: &&Entry| {
        let exchange = &entry.exchange;
        let is_right = || exchange.request.wrongly_signed.is_none() && is_valid(exchange);
        entry.answer == Answer::Content
            && (exchange.request.path != "/submit-transaction" || is_right())
    };
    let mut result = Examination::default();
    for entry in history.entries().filter(is_about_json).filter(is_result) {
        let exchange = &entry.exchange;
        result.count_item();
        if exchange.status != 200 {
            let what = "a successful response has another status than 200";
            let actual = exchange.status.to_string();
            result.push(Finding::new(exchange, what, "200", actual));
        }
    }
    result
}

/// The statuses that refuse a method, and a version of HTTP.
const NOT_SUPPORTED: [u16; 2] = [501, 505];

/// Judges the server errors of a run, whatever was requested. One stands for all with the same parameter or row of a table.
/// Another case reports those that came only sometimes.
pub(crate) fn server_errors(history: &History) -> Examination {
    let (mut result, mut known) = (Examination::default(), BTreeSet::new());
    let answered = history.entries();
    let answered = answered.filter(|entry| entry.exchange.status < 500);
    let asked = |entry: &Entry| {
        let body = entry.exchange.request.body.clone();
        (Arc::clone(&entry.question), body)
    };
    let answered: BTreeSet<_> = answered.map(asked).collect();
    for entry in history.entries() {
        let exchange = &entry.exchange;
        result.count_item();
        let is_supported = !NOT_SUPPORTED.contains(&exchange.status);
        if exchange.status < 500 || !is_supported || answered.contains(&asked(entry)) {
            continue;
        }
        let path = exchange.request.path;
        let (kind, what) = match &exchange.request.step {
            Some(Step::Probe(parameter, unusual)) => {
                (parameter.clone(), format!("{unusual} in {parameter}"))
            }
            Some(Step::Row(row) | Step::Claim(_, Act::Row(row))) => (row.clone(), row.clone()),
            _ => (path.to_owned(), format!("a request to {path}")),
        };
        if known.insert(kind) {
            let what = format!("{what} gets status {}", exchange.status);
            let expected = "a response, or a refusal with a 4xx";
            result.push(Finding::of_response(exchange, what, expected));
        }
    }
    result
}

/// Checks the content types of JSON responses.
fn content_types(exchanges: &[&Arc<Exchange>]) -> Examination {
    let mut findings = Examination::default();
    for exchange in exchanges {
        findings.count_item();
        let media = exchange.content_type.as_deref();
        if media.is_some_and(is_json) {
            continue;
        }
        let what = match media {
            Some(_) => "a JSON response has another content type",
            None => "a JSON response has no content type",
        };
        let actual = format!("Content-Type: {}", shown(media.unwrap_or("none"), 80));
        let expected = "Content-Type: application/json";
        findings.push(Finding::new(exchange, what, expected, actual));
    }
    findings
}

fn mismatch(exchange: &Arc<Exchange>) -> Option<Finding> {
    let finding =
        |what: String, expected: &str| Some(Finding::of_response(exchange, what, expected));
    if (300..400).contains(&exchange.status) {
        let what = format!("the status {} refers to another response", exchange.status);
        return finding(what, "the response itself, or a refusal");
    }
    if exchange.status == 204 && exchange.body.is_empty() {
        // With this status, there is no body to read.
        return None;
    }
    let fault = exchange.json().err()?;
    if fault.ends_with(LIMIT_MESSAGE) {
        // The run's own limits are not a fault of the node.
        return None;
    }
    let fault = shown(fault, 200);
    if exchange.is_success() {
        return finding(format!("the body is {fault}"), "a JSON document");
    }
    // The form of a refusal is open. But a reader believes what its content type states.
    let media = exchange.content_type.as_deref();
    if media.is_some_and(is_json) && !exchange.body.is_empty() {
        let what = format!("the body of an error has the content type of JSON, but is {fault}");
        return finding(what, "a JSON document, or another content type");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::{block_request, token_balance_request},
        history::{exchange, history_of, recorded},
        http::Request,
    };

    #[test]
    fn every_response_is_a_json_document_or_a_refusal() {
        let balance = || token_balance_request("0x5a", "no-such-token");
        let call = || Request::post("/call-sc", "{}".to_owned());
        for (request, status, body, is_right) in [
            (balance(), 200, r#"{"balance":0}"#, true),
            (balance(), 200, r#"{"balance":NaN}"#, false),
            (balance(), 200, r#"{"balance":0}garbage"#, false),
            (balance(), 200, "", false),
            (balance(), 204, "", true),
            (balance(), 204, "garbage", false),
            (balance(), 304, "", false),
            (balance(), 302, "{}", false),
            (balance(), 400, r#"{"detail":"no"}"#, true),
            (balance(), 400, r#"{"detail":"no""#, false),
            (balance(), 404, "", true),
            (block_request(7), 200, "null", true),
            (block_request(7), 200, "\u{feff}{}", false),
            (call(), 200, "{} {}", false),
            (Request::get("/call-sc"), 200, "<html>", true),
            (Request::get("/docs"), 200, "<html>", true),
        ] {
            let text = format!("{} {status} {body}", request.query_text());
            let found = form(&recorded(vec![(10, request, status, body)]));
            assert_eq!(found.has_no_findings(), is_right, "{text}");
        }
    }

    #[test]
    fn an_error_of_another_content_type_may_say_anything() {
        let body = "<html>502 Bad Gateway";
        let exchange = exchange(block_request(1), 502, Some("text/html"), body);
        assert!(mismatch(&Arc::new(exchange)).is_none());
    }

    #[test]
    fn a_success_has_status_200() {
        let submit = |status, valid: bool| {
            let body = format!(r#"{{"status":"SUCCESS","response":{{"valid":{valid}}}}}"#);
            let request = Request::post("/submit-transaction", "{}".to_owned());
            exchange(request, status, None, &body)
        };
        let read = |status, body| exchange(block_request(1), status, None, body);
        for (exchange, result) in [
            (read(200, r#"{"index":1}"#), (1, 0)),
            (read(203, r#"{"index":1}"#), (1, 1)),
            (read(203, "null"), (0, 0)),
            (read(203, "<html>"), (0, 0)),
            (read(404, r#"{"detail":"no"}"#), (0, 0)),
            (submit(201, true), (1, 1)),
            (submit(202, false), (0, 0)),
            (exchange(Request::get("/docs"), 203, None, "{}"), (0, 0)),
        ] {
            let found = success_status(&history_of(vec![(1, exchange)]));
            assert_eq!((found.examined, found.findings.len()), result);
        }
    }

    #[test]
    fn json_has_the_content_type_of_json() {
        const JSON: Option<&str> = Some("application/json");
        const OTHER: &str = "a JSON response has another content type";
        const NONE: &str = "a JSON response has no content type";
        let read = |status, media, body| exchange(block_request(1), status, media, body);
        let success = |media| read(200, media, r#"{"index":1}"#);
        let error = |media| read(404, media, r#"{"detail":"no"}"#);
        for (exchanges, examined, findings) in [
            (vec![success(JSON), error(JSON)], 2, &[][..]),
            (vec![success(None)], 1, &[NONE]),
            (vec![success(Some("text/plain"))], 1, &[OTHER]),
            // Those of errors count beside right ones of successes.
            (vec![success(JSON), error(None)], 2, &[NONE]),
            (vec![success(None), error(None)], 1, &[NONE]),
            (vec![error(Some("text/plain"))], 1, &[OTHER]),
            // Only documents need it.
            (
                vec![read(404, None, "\"no\""), read(404, None, "[]")],
                1,
                &[NONE],
            ),
            (vec![read(404, Some("text/html"), "<html>")], 0, &[]),
            (
                vec![exchange(Request::get("/docs"), 200, None, "{}")],
                0,
                &[],
            ),
        ] {
            let exchanges = exchanges.into_iter().map(|exchange| (1, exchange));
            let found = content_type(&history_of(exchanges.collect()));
            let what: Vec<_> = found.findings.iter().map(|one| &*one.what).collect();
            assert_eq!((found.examined, &*what), (examined, findings));
        }
    }

    #[test]
    fn a_server_error_that_stays_is_reported_once_for_each_kind() {
        let probe = |unusual: &str| {
            let step = Step::Probe("block_index".to_owned(), unusual.to_owned());
            block_request(unusual).for_step(step)
        };
        let call = |body: &str| Request::post("/call-sc", body.to_owned());
        for (rows, count) in [
            (vec![(block_request(1), 200)], 0),
            (vec![(block_request(1), 400)], 0),
            (vec![(block_request(1), 500)], 1),
            (vec![(block_request(1), 501)], 0),
            (vec![(block_request(1), 505)], 0),
            (vec![(block_request(1), 503), (block_request(2), 500)], 1),
            // It came only sometimes.
            (vec![(block_request(1), 500), (block_request(1), 200)], 0),
            (vec![(call("a"), 500), (call("b"), 200)], 1),
            (vec![(block_request(1), 500), (probe("x"), 500)], 2),
            (vec![(probe("x"), 500), (probe("y"), 500)], 1),
        ] {
            let rows = rows.into_iter().zip(1..);
            let rows = rows.map(|((request, status), at)| (at * 10, request, status, "{}"));
            let result = server_errors(&recorded(rows.collect()));
            assert_eq!(result.findings.len(), count, "{:?}", result.findings);
        }
    }
}
