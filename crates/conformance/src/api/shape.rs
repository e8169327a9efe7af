//! The shape of a JSON document: its members and the kinds of their values.

use std::collections::BTreeSet;

use nodeproof_primitives::{ContractAddress, Hash256, TransactionCode, WalletAddress};
use serde_json::{Map, Value, json};

/// Returns the common shape of some values. Objects become their members, with a question mark
/// after a member that not all have. Arrays become the union of their elements. Every other value
/// becomes its kind.
pub(crate) fn shape_of(values: &[&Value]) -> Value {
    let objects: Vec<_> = values
        .iter()
        .filter_map(|value| value.as_object())
        .collect();
    let elements: Vec<_> = values
        .iter()
        .filter_map(|value| value.as_array())
        .flatten()
        .collect();
    let kinds: BTreeSet<&str> = values
        .iter()
        .filter(|value| !value.is_object() && !value.is_array())
        .map(|value| kind(value))
        .collect();
    let mut shapes = Vec::new();
    if !objects.is_empty() {
        let names: BTreeSet<&String> = objects.iter().flat_map(|object| object.keys()).collect();
        let members: Map<_, _> = names
            .into_iter()
            .map(|name| {
                let inner: Vec<_> = objects
                    .iter()
                    .filter_map(|object| object.get(name))
                    .collect();
                let mark = if inner.len() < objects.len() { "?" } else { "" };
                (format!("{name}{mark}"), shape_of(&inner))
            })
            .collect();
        shapes.push(Value::Object(members));
    }
    if values.iter().any(|value| value.is_array()) {
        let inner = if elements.is_empty() {
            Vec::new()
        } else {
            vec![shape_of(&elements)]
        };
        shapes.push(Value::Array(inner));
    }
    // Values of different kinds in one place: list every kind.
    if !kinds.is_empty() || shapes.is_empty() {
        let kinds: Vec<_> = kinds.into_iter().collect();
        shapes.insert(0, Value::from(kinds.join(" | ")));
    }
    match shapes.len() {
        1 => shapes.remove(0),
        _ => json!({ "<one of>": shapes }),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(text) if text.parse::<WalletAddress>().is_ok() => "<wallet_address>",
        Value::String(text) if text.parse::<ContractAddress>().is_ok() => "<contract_address>",
        Value::String(text) if text.parse::<Hash256>().is_ok() => "<hash>",
        Value::String(text) if text.parse::<TransactionCode>().is_ok() => "<transaction_code>",
        _ => json_type(value),
    }
}

/// Returns the type of a JSON value, as snapshots show it.
pub(crate) fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<null>",
        Value::Bool(_) => "<bool>",
        Value::Number(number) if number.is_f64() => "<number>",
        Value::Number(_) => "<int>",
        Value::String(_) => "<text>",
        Value::Array(_) => "<array>",
        Value::Object(_) => "<object>",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_arrays_to_the_union_of_their_elements() {
        let value = json!({"list": [{"a": 1, "b": null}, {"a": "x"}], "empty": []});
        let wanted = json!({"empty": [], "list": [{"a": "<int> | <text>", "b?": "<null>"}]});
        assert_eq!(shape_of(&[&value]), wanted);
    }

    #[test]
    fn tells_every_kind_that_stands_in_one_place() {
        let values = [json!([1]), json!({"a": true}), json!(null)];
        let wanted = json!({"<one of>": ["<null>", {"a": "<bool>"}, ["<int>"]]});
        assert_eq!(shape_of(&values.iter().collect::<Vec<_>>()), wanted);
    }
}
