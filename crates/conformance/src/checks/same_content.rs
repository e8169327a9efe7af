//! Compares the content of two responses to the same request.

use std::sync::Arc;

use nodeproof_openapi::{Spec, View};
use serde_json::Value;

use super::finding::Finding;
use crate::{
    api::{FirstDifference, Sample, member},
    http::Exchange,
};

/// Returns the documented members of a response, under all of their names.
pub(crate) fn described(spec: &Spec, sample: Sample) -> Vec<String> {
    let at = sample.schema(spec);
    let schema = at.and_then(|at| spec.unwrap(View::Documented, &at));
    let schema = schema.map(|(_, schema)| schema);
    let branches = schema.and_then(|schema| schema.get("anyOf")?.as_array());
    let schemas = schema.into_iter().chain(branches.into_iter().flatten());
    let members = schemas.filter_map(|schema| schema.get("properties")?.as_object());
    members
        .flat_map(|members| members.keys().cloned())
        .collect()
}

/// Creates a finding about a response that is not the same as an earlier one. Both are shown around the
/// first difference in a member that counts.
pub(crate) fn changed(
    what: &str,
    before: &Exchange,
    after: &Arc<Exchange>,
    counts: impl Fn(&str, &Value) -> bool,
) -> Finding {
    let first = match (before.json(), after.json()) {
        (Ok(Value::Object(one)), Ok(Value::Object(other))) if before.status == after.status => {
            one.keys().chain(other.keys()).find_map(|name| {
                let (one, other) = (one.get(name), other.get(name));
                let mut values = [one, other].into_iter().flatten();
                let counts = values.any(|value| counts(name, value));
                let first = FirstDifference::at(member(name), one, other);
                first.filter(|_| counts)
            })
        }
        _ => None,
    };
    match first {
        Some(first) => Finding::new(after, what, first.expected, first.actual).at(first.pointer),
        None => Finding::of_response(after, what, before.summary()),
    }
}

/// Whether a member of a response is about the chain. An undocumented text or number may be about the
/// response, such as its duration or a count of confirmations.
pub(crate) fn is_about_the_chain(name: &str, value: &Value, described: &[String]) -> bool {
    value.is_object() || value.is_array() || described.iter().any(|known| known == name)
}

/// Whether two lists have the same elements.
fn has_same_elements(one: Option<&Value>, other: Option<&Value>) -> bool {
    let sorted = |list: &Value| {
        let elements = list.as_array()?.iter().map(ToString::to_string);
        let mut elements: Vec<_> = elements.collect();
        elements.sort();
        Some(elements)
    };
    let (one, other) = (one.and_then(sorted), other.and_then(sorted));
    one.is_some() && one == other
}

/// Whether two responses have the same content about the chain. Lists of balances have no order.
pub(crate) fn has_same_content(one: &Exchange, other: &Exchange, described: &[String]) -> bool {
    let has_order = one.request.path != "/get-balances";
    one.status == other.status
        && match (one.json().ok(), other.json().ok()) {
            (Some(Value::Object(one)), Some(Value::Object(other))) => {
                let members = one.keys().chain(other.keys());
                members.into_iter().all(|name| {
                    let (one, other) = (one.get(name), other.get(name));
                    let counts = |value: Option<&Value>| {
                        value.is_some_and(|value| is_about_the_chain(name, value, described))
                    };
                    one == other
                        || !counts(one) && !counts(other)
                        || !has_order && has_same_elements(one, other)
                })
            }
            (one, other) => one == other,
        }
}
