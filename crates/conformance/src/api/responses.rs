//! Classifies responses: a refusal, "not found", a block, JSON.

use nodeproof_primitives::escape::escaped_up_to as shown;
use serde_json::Value;

use super::stored_value::stored;
use crate::http::Exchange;

/// Whether a status means "not found". Nodes were seen to send 400.
pub(crate) const fn is_not_found(status: u16) -> bool {
    matches!(status, 400 | 404 | 410)
}

/// Whether a status means that the endpoint is missing.
pub(crate) const fn is_missing_endpoint(status: u16) -> bool {
    matches!(status, 404 | 405 | 501)
}

/// Whether a status comes from a gateway that cannot reach the node.
pub(crate) const fn is_gateway_error(status: u16) -> bool {
    matches!(status, 502 | 504)
}

/// Returns the index in a block, under either of its two names.
pub(crate) fn reported_index(block: &Value) -> Option<i128> {
    ["index", "block_index"]
        .iter()
        .find_map(|name| block.get(name))
        .and_then(|index| {
            index
                .as_i64()
                .map(i128::from)
                .or(index.as_u64().map(i128::from))
        })
}

/// Whether a media type is `application/json`, with any parameters.
pub(crate) fn is_json(media: &str) -> bool {
    let essence = media.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// The members of an error.
const OF_ERRORS: [&str; 7] = [
    "status", "detail", "error", "errors", "message", "msg", "code",
];

/// Whether a body is an error and nothing else. The specification does not show the form of errors,
/// so an error may come with status 200.
pub(crate) fn is_refusal(body: &Value) -> bool {
    let Some(members) = body.as_object() else {
        return false;
    };
    let succeeds = members.get("status").is_some_and(|status| {
        let status = status.as_str().unwrap_or_default();
        ["success", "ok"]
            .iter()
            .any(|s| status.eq_ignore_ascii_case(s))
    });
    let failed = members.get("status").is_some_and(Value::is_string) && !succeeds;
    let explained = ["detail", "error", "errors"].iter().any(|name| {
        members
            .get(*name)
            .is_some_and(|explained| !explained.is_null())
    });
    // A failure may give its reason in the member that carries the result of a success.
    let reason = |name: &str, value: &Value| {
        failed && matches!(name, "response" | "data" | "value") && value.is_string()
    };
    (failed || explained && !succeeds)
        && members.iter().all(|(name, value)| {
            value.is_null() || OF_ERRORS.contains(&name.as_str()) || reason(name, value)
        })
}

/// Whether a body carries nothing: null, 0, an empty value, or only such values apart from its
/// status. A node may return this for a request that lacks a parameter.
pub(crate) fn is_nothing(body: &Value) -> bool {
    match body {
        Value::Null => true,
        Value::Number(number) => number.as_u64() == Some(0),
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_nothing),
        Value::Object(members) => members
            .iter()
            .all(|(name, value)| OF_ERRORS.contains(&name.as_str()) || is_nothing(value)),
        Value::Bool(_) => false,
    }
}

/// Whether a body is an object without members.
pub(crate) fn is_empty(body: &Value) -> bool {
    body.as_object().is_some_and(serde_json::Map::is_empty)
}

/// Whether a body has any member of a block.
pub(crate) fn is_block(body: &Value) -> bool {
    ["index", "block_index", "previous_hash", "timestamp", "text"]
        .iter()
        .any(|name| body.get(name).is_some())
}

/// Whether a response has the record of a contract.
pub(crate) fn has_record(response: &Exchange) -> bool {
    response.success_object().and_then(stored).is_some()
}

/// Whether the response to a submission accepts the transaction.
pub(crate) fn is_valid(response: &Exchange) -> bool {
    let valid = response
        .success_object()
        .and_then(|body| body.pointer("/response/valid"));
    valid == Some(&Value::Bool(true))
}

/// Whether a submission is reported as new, or `None` if the response does not show it.
pub(crate) fn is_new(response: &Exchange) -> Option<bool> {
    let new = response
        .success_object()?
        .pointer("/response/new_transaction");
    new?.as_bool()
}

/// Returns how often a list in the response to a batch has a transaction. Each of its elements is a code, or an object
/// with one.
pub(crate) fn times_in_batch(response: &Exchange, list: &str, code: &str) -> usize {
    let elements = response
        .success_object()
        .and_then(|body| body.pointer("/response")?.get(list)?.as_array());
    let is_code = |value: &Value| {
        let text = value.as_str();
        text.is_some_and(|text| text.eq_ignore_ascii_case(code))
    };
    let names = |element: &&Value| match element {
        Value::Object(members) => members.values().any(is_code),
        other => is_code(other),
    };
    elements.into_iter().flatten().filter(names).count()
}

/// Whether the response to a submission, alone or in a batch, accepts the transaction with this code.
pub(crate) fn accepts(response: &Exchange, code: &str) -> bool {
    is_valid(response) || times_in_batch(response, "accepted_transactions", code) > 0
}

/// Returns the messages of a refused submission, on one line.
pub(crate) fn message(response: &Exchange) -> String {
    let said = response
        .success_object()
        .and_then(|body| body.get("response"))
        .map_or_else(Vec::new, |result| {
            texts(result.get("msg").unwrap_or(result))
        });
    if said.is_empty() {
        response.summary()
    } else {
        shown(&said.join("; "), 200)
    }
}

/// Returns the messages in a text, a list of texts, or any other value.
fn texts(message: &Value) -> Vec<String> {
    match message {
        Value::Null => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        other => vec![other.to_string()],
    }
}

/// Whether a block is a row of a database table. Nodes were seen to return such blocks.
pub(crate) fn is_row_form(block: &Value) -> bool {
    block.get("text").is_none() && block.get("block_index").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_with_only_false_is_a_refusal() {
        for body in [
            r#"{"detail":"Block not found"}"#,
            r#"{"status":"FAILURE"}"#,
            r#"{"status":"FAILURE","response":"NODE_BUSY"}"#,
            r#"{"status":"ERROR","message":"no","data":null}"#,
            r#"{"error":{"code":7}}"#,
        ] {
            let value: Value = serde_json::from_str(body).unwrap();
            assert!(is_refusal(&value), "{body}");
        }
        for body in [
            r#"{"status":"SUCCESS","detail":"all"}"#,
            r#"{"status":"FAILURE","data":["a"]}"#,
            r#"{"detail":"no","balance":5}"#,
            r#"{"status":1,"proof":42}"#,
            r#"{"detail":null}"#,
            "{}",
            "[]",
        ] {
            let value: Value = serde_json::from_str(body).unwrap();
            assert!(!is_refusal(&value), "{body}");
        }
    }

    #[test]
    fn a_body_without_a_value_is_nothing() {
        for body in [
            "null",
            "{}",
            r#"{"balance":null}"#,
            r#"{"status":"SUCCESS","data":[]}"#,
            r#"{"value":{"rows":[],"count":0}}"#,
        ] {
            let value: Value = serde_json::from_str(body).unwrap();
            assert!(is_nothing(&value), "{body}");
        }
        for body in [r#"{"balance":5}"#, r#"{"data":[[1]]}"#, r#"{"found":true}"#] {
            let value: Value = serde_json::from_str(body).unwrap();
            assert!(!is_nothing(&value), "{body}");
        }
    }

    #[test]
    fn json_is_told_by_the_essence_of_the_media_type() {
        assert!(is_json("application/json"));
        assert!(is_json("Application/JSON; charset=utf-8"));
        assert!(!is_json("text/html"));
        assert!(!is_json("application/jsonlines"));
    }
}
