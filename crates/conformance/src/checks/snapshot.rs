//! The third oracle: compares the normalised shape of a response with an insta snapshot.
//!
//! Shared (`common`) snapshots are portable: every conforming node produces the same text. So a
//! shape has only what the specification requires. Each value is replaced by its kind, and an array
//! by the union of its elements.
//!
//! Only a run against the local devnode may write a pending snapshot next to the shared ones. A run
//! against any other node compares with a copy. So a response can't become the specification,
//! whatever insta's settings are.

use std::{borrow::Cow, collections::BTreeSet, sync::Arc};

use serde_json::{Map, Value};

use super::{
    field_check::compiled,
    finding::{Examination, Finding, Findings},
    json_response::contents,
};
use crate::{
    api::{Sample, json_type},
    context::{Mismatch, SnapshotStore},
    http::{Exchange, InconclusiveReason, unknown},
};
use nodeproof_openapi::{Spec, View, pointer};

fn name_of(sample: Sample) -> &'static str {
    match sample {
        Sample::TokenBalance => "get-balances-token-in-wallet",
        Sample::WalletBalances => "get-balances-all-tokens-in-wallet",
        Sample::TokenHolders => "get-balances-all-wallets-for-token",
        Sample::Acceptances => "submit-transaction-accepted",
        _ => sample.operation(),
    }
}

/// Merges the responses of a sample into one shape, and compares it with its snapshot.
pub(crate) fn check_snapshot(
    spec: &Spec,
    snapshots: &SnapshotStore,
    sample: Sample,
    responses: &[Arc<Exchange>],
) -> Findings {
    let objects = contents(responses)?;
    let schema = match sample {
        // The specification does not show the response's shape. The transaction in it is meant to
        // be submitted.
        Sample::CallSc => "/components/schemas/Transaction".to_owned(),
        _ => sample.schema(spec).ok_or_else(|| {
            InconclusiveReason::Harness("the spec has no such response".to_owned())
        })?,
    };
    // Only changed bodies are copied. A response may be large, and there are several.
    let bodies: Vec<Cow<'_, Value>> = objects
        .iter()
        .map(|&(_, body)| match sample {
            Sample::CallSc => Cow::Borrowed(&body["transaction"]),
            Sample::TokenBalance => with_one_name(body),
            _ => Cow::Borrowed(body),
        })
        .collect();
    let values: Vec<&Value> = bodies.iter().map(AsRef::as_ref).collect();
    let shape = shape(spec, &schema, &values)?;
    let text = serde_json::to_string_pretty(&shape)
        .map_err(|error| InconclusiveReason::Harness(error.to_string()))?;
    let name = name_of(sample);
    let Some((exchange, _)) = objects.first() else {
        return Ok(Examination::default());
    };
    match snapshots.compare(name, &text) {
        Ok(()) => Ok(Examination::passed()),
        Err(Mismatch::Other(expected)) => Ok(Examination::failed(Finding::new(
            exchange,
            format!(
                "the shape of the response differs from the snapshot {}",
                snapshots.path_for_report(name)
            ),
            expected,
            text,
        ))),
        Err(Mismatch::NoSnapshot) => Err(InconclusiveReason::Harness(format!(
            "there is no snapshot {}; run against the local node, then `cargo insta review`",
            snapshots.path_for_report(name)
        ))),
    }
}

/// Returns the path of a sample's snapshot, for reports.
pub(crate) fn snapshot_path(sample: Sample) -> String {
    format!("snapshots/common/{}.snap", name_of(sample))
}

/// Returns a body with `balance` in place of `value`. The specification uses both names.
fn with_one_name(body: &Value) -> Cow<'_, Value> {
    match body.as_object() {
        Some(members) if members.contains_key("value") && !members.contains_key("balance") => {
            let mut members = members.clone();
            if let Some(value) = members.remove("value") {
                members.insert("balance".to_owned(), value);
            }
            Cow::Owned(Value::Object(members))
        }
        _ => Cow::Borrowed(body),
    }
}

/// Returns the common shape of some values, as far as the specification requires it.
fn shape(spec: &Spec, at: &str, values: &[&Value]) -> Result<Value, InconclusiveReason> {
    let lost = || InconclusiveReason::Harness(format!("the spec has no schema at {at}"));
    let (place, schema) = spec.unwrap(View::Documented, at).ok_or_else(lost)?;
    // The branches are two names of one thing, so the first is enough.
    for choice in ["anyOf", "oneOf"] {
        if schema.get(choice).is_some() && schema.get("properties").is_none() {
            return shape(
                spec,
                &pointer::join(&pointer::join(&place, choice), "0"),
                values,
            );
        }
    }
    if let Some(required) = schema.get("required").and_then(Value::as_array) {
        let mut members = Map::new();
        let mut names: Vec<_> = required.iter().filter_map(Value::as_str).collect();
        names.sort_unstable();
        for name in names {
            let inner: Vec<_> = values.iter().filter_map(|value| value.get(name)).collect();
            let below = pointer::join(&pointer::join(&place, "properties"), name);
            let folded = if inner.len() < values.len() {
                Value::from("<missing from a response>")
            } else {
                shape(spec, &below, &inner)?
            };
            members.insert(name.to_owned(), folded);
        }
        return Ok(others(values, Value::is_object).unwrap_or(Value::Object(members)));
    }
    if let Some(items) = schema.get("items") {
        if let Some(other) = others(values, Value::is_array) {
            return Ok(other);
        }
        let items_at = pointer::join(&place, "items");
        let open = spec
            .unwrap(View::Documented, &items_at)
            .is_none_or(|(_, node)| node.get("type").is_none() && node.get("required").is_none());
        if open || items.as_object().is_none_or(Map::is_empty) {
            return Ok(Value::Array(vec![Value::from("<any>")]));
        }
        let elements: Vec<_> = values
            .iter()
            .filter_map(|value| value.as_array())
            .flatten()
            .collect();
        if elements.is_empty() {
            let name = pointer::last(at).unwrap_or_default();
            return unknown(format!("every {name} is empty"));
        }
        return Ok(Value::Array(vec![shape(spec, &items_at, &elements)?]));
    }
    kinds(spec, at, &place, values)
}

/// Returns the types of the values that are not of the wanted type, or `None` if all are.
fn others(values: &[&Value], wanted: fn(&Value) -> bool) -> Option<Value> {
    let kinds: BTreeSet<_> = values
        .iter()
        .filter(|value| !wanted(value))
        .map(|value| json_type(value))
        .collect();
    (!kinds.is_empty()).then(|| Value::from(kinds.into_iter().collect::<Vec<_>>().join(" | ")))
}

/// Returns the kinds of some values: the name of their schema if they conform to it, or else their type.
fn kinds(
    spec: &Spec,
    at: &str,
    place: &str,
    values: &[&Value],
) -> Result<Value, InconclusiveReason> {
    let validator = compiled(spec, at)?;
    let named = place
        .strip_prefix("/components/schemas/")
        .filter(|name| !name.contains('/'));
    let kinds: BTreeSet<String> = values
        .iter()
        .map(|value| match named {
            Some(name) if validator.is_valid(value) => format!("<{}>", snake(name)),
            Some(name) => format!("{} that is no {}", json_type(value), snake(name)),
            None => json_type(value).to_owned(),
        })
        .collect();
    if kinds.is_empty() {
        // An object without required members matches any object.
        return Ok(Value::from("<any>"));
    }
    Ok(Value::from(
        kinds.into_iter().collect::<Vec<_>>().join(" | "),
    ))
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(character.to_ascii_lowercase());
    }
    out.replace("hash256", "hash")
}
