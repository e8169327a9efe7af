//! The stored value in a response of `GET /sc-state`.

use serde_json::Value;

/// Returns each member that may carry the stored value, with its name.
pub(crate) fn carried(body: &Value) -> impl Iterator<Item = (&'static str, &Value)> {
    ["value", "data"]
        .into_iter()
        .filter_map(|name| Some((name, body.get(name)?)))
        .filter(|(_, value)| holds_something(value))
}

/// Whether a value stores anything. Null, empty values and texts of such values do not.
pub(crate) fn holds_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::String(text) => !matches!(text.trim(), "null" | "[]" | "{}" | ""),
        _ => true,
    }
}

/// Returns the stored value: from the member in the specification, or from the one that nodes were
/// seen to use.
pub(crate) fn stored(body: &Value) -> Option<&Value> {
    carried(body).next().map(|(_, value)| value)
}

/// Returns the first member with this name, at any depth.
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
