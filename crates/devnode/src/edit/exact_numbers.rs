//! Keeps the digits of numbers that a [`serde_json::Value`] would change.

use serde_json::Value;

/// The start of a text in place of such a number.
const KEPT: &str = "\"kept number ";

/// Turns such numbers into texts.
pub(super) fn keep(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => {
                let mut escaped = false;
                let end = rest[1..].find(|c| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                end.map_or(rest.len(), |end| end + 2)
            }
            '-' | '0'..='9' => rest
                .find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'))
                .unwrap_or(rest.len()),
            other => other.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        let is_number = matches!(first, '-' | '0'..='9');
        if is_number && !is_unchanged(token) {
            out.push_str(&format!("{KEPT}{token}\""));
        } else {
            out.push_str(token);
        }
        rest = after;
    }
    out
}

/// Returns whether a number has the same text after it was parsed. Text that is not a number stays.
fn is_unchanged(number: &str) -> bool {
    let value: Option<Value> = serde_json::from_str(number).ok();
    value.is_none_or(|value| value.to_string().as_str() == number)
}

/// Undoes [`keep`].
pub(crate) fn restore(text: &str) -> String {
    let mut parts = text.split(KEPT);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, after) = part.split_once('"').unwrap_or((part, ""));
        out.push_str(number);
        out.push_str(after);
    }
    out
}
