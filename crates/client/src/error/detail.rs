//! The message of a failed response, in whatever form a node sends it.

use serde_json::{Map, Value};

use nodeproof_primitives::escape::escaped_up_to;

/// The maximum length of a detail, in characters.
const MAX_CHARACTERS: usize = 500;

/// The members that can contain the message. The first one found is used.
const MEMBERS: [&str; 4] = ["detail", "error", "message", "msg"];

/// Returns the detail of a failed response, as one line that is safe to print.
pub(super) fn of(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    match &body {
        Value::String(text) => harmless(text),
        Value::Object(members) => of_members(members),
        _ => None,
    }
}

/// Returns the message in the members of a response, as the end of an error's message.
pub(crate) fn words(members: &Map<String, Value>) -> String {
    let detail = of_members(members);
    detail.map_or_else(String::new, |detail| {
        format!("; the node's message: {}", escaped_up_to(&detail, 100))
    })
}

fn of_members(members: &Map<String, Value>) -> Option<String> {
    let detail = MEMBERS
        .iter()
        .find_map(|name| members.get(*name).filter(|detail| !detail.is_null()))?;
    harmless(&text_of(detail))
}

fn harmless(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| escaped_up_to(text, MAX_CHARACTERS))
}

fn text_of(detail: &Value) -> String {
    match detail {
        Value::String(text) => text.clone(),
        Value::Array(items) => items
            .iter()
            .map(fault)
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("; "),
        Value::Object(_) => fault(detail),
        other => other.to_string(),
    }
}

/// Writes one fault, such as `query.block_index: field required`.
fn fault(detail: &Value) -> String {
    let Some(message) = detail.get("msg").or_else(|| detail.get("message")) else {
        return match detail {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
    };
    let message = text_of(message);
    let place = detail.get("loc").and_then(Value::as_array).map(|steps| {
        let steps = steps.iter().map(|step| match step {
            Value::String(name) => name.clone(),
            other => other.to_string(),
        });
        steps.collect::<Vec<_>>().join(".")
    });
    match place {
        Some(place) if !place.is_empty() => format!("{place}: {message}"),
        _ => message,
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn reads_text_lists_and_objects() {
        for (body, detail) in [
            (r#"{"detail":"Block not found"}"#, Some("Block not found")),
            (
                r#"{"detail":[{"loc":["query","block_index"],"msg":"field required","type":"x"},
                    {"loc":["body",0,"fee"],"msg":"not a number"}]}"#,
                Some("query.block_index: field required; body.0.fee: not a number"),
            ),
            (r#"{"detail":["one","two"]}"#, Some("one; two")),
            (r#"{"detail":{"msg":"closed","code":3}}"#, Some("closed")),
            (r#"{"detail":{"code":3}}"#, Some(r#"{"code":3}"#)),
            (
                r#"{"error":"Rate limit exceeded: 10 per 1 second"}"#,
                Some("Rate limit exceeded: 10 per 1 second"),
            ),
            (r#"{"detail":null,"error":"second"}"#, Some("second")),
            (r#""plain""#, Some("plain")),
            (r#"{"detail":42}"#, Some("42")),
            (
                r#"{"detail":"line\nend\u001b[0m"}"#,
                Some("line\\nend\\u{1b}[0m"),
            ),
            (r#"{"detail":""}"#, None),
            (r#"{"other":"x"}"#, None),
            ("[]", None),
            ("<html>", None),
        ] {
            assert_eq!(of(body.as_bytes()).as_deref(), detail, "{body}");
        }
    }

    #[test]
    fn cuts_what_is_too_long() {
        let body = format!(r#"{{"detail":"{}"}}"#, "x".repeat(10_000));
        assert!(of(body.as_bytes()).unwrap().len() < 520);
    }
}
