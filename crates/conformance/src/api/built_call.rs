//! The transaction in a response of `POST /call-sc`, whose form is open.

use serde_json::Value;

/// Finds a member by name, from the top, and returns its place. The specification does not show the shape of
/// the raw transaction, so the member may be at any depth.
pub(crate) fn find<'v>(value: &'v Value, name: &str) -> Option<(String, &'v Value)> {
    let members = value.as_object()?;
    if let Some(found) = members.get(name) {
        return Some((format!("/{name}"), found));
    }
    members
        .iter()
        // The submitted params are not a place for the transaction's own members.
        .filter(|(inner, _)| *inner != "params")
        .find_map(|(inner, value)| {
            let (at, found) = find(value, name)?;
            Some((format!("{}{at}", super::member(inner)), found))
        })
}

/// Whether a response has no member of a transaction.
pub(crate) fn builds_nothing(value: &Value) -> bool {
    ["transaction", "specific_data", "trans_code"]
        .iter()
        .all(|name| find(value, name).is_none())
}
