//! The stored value in a response of `GET /sc-state`.

use serde_json::Value;

/// Returns each member that may carry the stored value, with its name.
pub(crate) fn carried(body: &Value) -> impl Iterator<Item = (&'static str, &Value)> {
    ["value", "data"]
        .into_iter()
        .filter_map(|name| Some((name, body.get(name)?)))
        .filter(|(_, value)| holds_something(value))
}

/// The members of a page of records that list them.
const OF_PAGES: [&str; 5] = ["rows", "items", "records", "record", "results"];

/// Whether a value stores anything. Null, empty values and texts of such values do not, nor does a page without records.
pub(crate) fn holds_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => items.iter().any(holds_something),
        Value::Object(members) => {
            let mut listed = OF_PAGES.iter().filter_map(|name| members.get(*name));
            let is_zero = |value: &Value| value.as_u64() == Some(0) || value == &Value::Bool(false);
            listed.all(holds_something)
                && members
                    .values()
                    .any(|one| holds_something(one) && !is_zero(one))
        }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_without_records_stores_nothing() {
        for (value, holds) in [
            (json!({"total": 0, "items": []}), false),
            (json!({"found": false, "record": null}), false),
            (
                json!({"columns": ["asset_id", "outcome"], "rows": []}),
                false,
            ),
            (json!([[]]), false),
            (json!({"verification": {}}), false),
            (json!(0), true),
            (json!(["ct1", "an asset", 0]), true),
            (
                json!({"outcome": 0, "asset_id": "an asset", "doc_link_list": []}),
                true,
            ),
            (
                json!({"columns": ["asset_id"], "rows": [["an asset"]]}),
                true,
            ),
            (
                json!({"total": 1, "items": [{"asset_id": "an asset"}]}),
                true,
            ),
        ] {
            assert_eq!(holds_something(&value), holds, "{value}");
        }
    }
}
