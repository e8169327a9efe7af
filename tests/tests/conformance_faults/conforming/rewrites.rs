//! Other ways to write the same response.

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use integration_tests::proxy::{Fault, RecordedRequest, Response};
use serde_json::Value;

/// Changes every successful JSON response.
pub(super) fn every_json(change: fn(&mut Value)) -> Fault {
    Arc::new(move |request, response| {
        if is_json(request, &response) {
            response.with_json(change)
        } else {
            response
        }
    })
}

/// Changes the text of every successful JSON response.
pub(super) fn every_text(change: fn(&str) -> String) -> Fault {
    Arc::new(move |request, response| {
        if is_json(request, &response) {
            let text = String::from_utf8_lossy(&response.body).into_owned();
            response.with_body(change(&text))
        } else {
            response
        }
    })
}

/// Changes every successful response that is JSON.
pub(super) fn every_success(change: fn(Response) -> Response) -> Fault {
    Arc::new(move |request, response| {
        if is_json(request, &response) {
            change(response)
        } else {
            response
        }
    })
}

fn is_json(request: &RecordedRequest, response: &Response) -> bool {
    response.status.is_success() && request.path != "/docs" && response.body.starts_with(b"{")
}

/// Changes the refusals of a local node.
pub(super) fn refusals(change: fn(Response) -> Response) -> Fault {
    Arc::new(move |_, response| {
        if response.status.is_client_error() {
            change(response)
        } else {
            response
        }
    })
}

/// Returns a response with this status, content type and body.
pub(super) fn response_of(
    response: Response,
    status: u16,
    media: &'static str,
    body: &'static str,
) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    let mut response = response.with_status(status).with_body(body);
    let media = HeaderValue::from_static(media);
    response.headers.insert(header::CONTENT_TYPE, media);
    response
}

/// Returns the response with another status.
pub(super) fn with_status(response: Response, status: u16) -> Response {
    response.with_status(StatusCode::from_u16(status).expect("a status"))
}

/// Returns the response with another header.
pub(super) fn with_header(
    mut response: Response,
    name: &'static str,
    value: &'static str,
) -> Response {
    let value = HeaderValue::from_static(value);
    response.headers.insert(name, value);
    response
}

/// Returns a value with the members of each object in reverse order.
pub(super) fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().rev();
            Value::Object(
                members
                    .map(|(name, value)| (name.clone(), reversed(value)))
                    .collect(),
            )
        }
        Value::Array(items) => items.iter().map(reversed).collect(),
        other => other.clone(),
    }
}

/// Returns a document with blanks and line ends in all allowed places.
pub(super) fn spaced(text: &str) -> String {
    rewritten(text, |c, in_string| match c {
        ',' | ':' | '{' | '[' | '}' | ']' if !in_string => format!(" {c}\r\n\t"),
        _ => c.to_string(),
    })
}

/// Returns a document with every letter and slash in its texts escaped.
pub(super) fn escaped(text: &str) -> String {
    rewritten(text, |c, in_string| match c {
        'a'..='z' | 'A'..='Z' | '/' if in_string => format!("\\u{:04X}", u32::from(c)),
        _ => c.to_string(),
    })
}

/// Changes each character of a document, except escapes and quotation marks.
fn rewritten(text: &str, change: fn(char, bool) -> String) -> String {
    let (mut out, mut in_string, mut kept) = (String::new(), false, 0_u8);
    for c in text.chars() {
        if kept > 0 {
            kept = if kept == 1 && c == 'u' { 4 + 1 } else { kept } - 1;
            out.push(c);
        } else if c == '"' {
            in_string = !in_string;
            out.push(c);
        } else if c == '\\' {
            kept = 1;
            out.push(c);
        } else {
            out.push_str(&change(c, in_string));
        }
    }
    out
}
