//! The stored value in a response of `GET /sc-state`.

use serde_json::Value;

/// Each value in which an answer may hold what is stored, with its name.
pub(crate) fn carried(body: &Value) -> impl Iterator<Item = (&'static str, &Value)> {
    ["value", "data"]
        .into_iter()
        .filter_map(|name| Some((name, body.get(name)?)))
        .filter(|(_, value)| holds_something(value))
}

/// Whether anything is stored: no value, an empty one, or a text that holds such a one is nothing.
pub(crate) fn holds_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::String(text) => !matches!(text.trim(), "null" | "[]" | "{}" | ""),
        _ => true,
    }
}

/// What was stored, in the field that the contract names or the one that nodes were seen to use.
pub(crate) fn stored(body: &Value) -> Option<&Value> {
    carried(body).next().map(|(_, value)| value)
}

/// The first member of a name, wherever it stands.
pub(crate) fn member_named<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Object(members) => members.get(name).or_else(|| {
            members
                .values()
                .find_map(|member| member_named(member, name))
        }),
        Value::Array(items) => items.iter().find_map(|item| member_named(item, name)),
        _ => None,
    }
}
