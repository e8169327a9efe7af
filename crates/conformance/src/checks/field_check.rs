//! Checks one documented field wherever a response has it.
//!
//! The case of a field checks only that field: whether it is present, and whether its value matches
//! the documented schema. Fields inside it with their own cases are left to those. So one fault
//! makes one case fail.

use std::sync::Arc;

use nodeproof_primitives::escape::escaped_up_to as shown;
use serde_json::Value;

use super::{
    field::Field,
    fields::FIELDS,
    finding::{Examination, Finding, Findings},
};
use crate::{
    api::{Sample, inner_json, is_row_form, reported_index},
    http::{Exchange, InconclusiveReason, unknown},
};
use nodeproof_openapi::{Mismatch, SchemaValidator, Spec, View, pointer};

/// Maximum number of findings to list for one case. The others are counted.
pub(crate) const MAX_FINDINGS: usize = 5;

/// Maximum number of places in one response at which a field is checked.
const MAX_PLACES: usize = 2_000;

/// Maximum number of mismatches to report for one value.
const MAX_MISMATCHES: usize = 200;

pub(crate) fn check_field(spec: &Spec, field: &Field, responses: &[Arc<Exchange>]) -> Findings {
    let validator = compiled(spec, &field.schema)?;
    let mut result = Examination::default();
    for exchange in responses {
        check_places(exchange, field, &validator, &mut result);
    }
    if result.examined == 0 {
        return unknown(NEVER_SEEN);
    }
    Ok(result)
}

/// The reason why a field's case is inconclusive if no response had a place for the field.
pub(crate) const NEVER_SEEN: &str = "no response had a place for this field";

/// Compiles a documented schema.
pub(crate) fn compiled(
    spec: &Spec,
    schema: &str,
) -> Result<Arc<SchemaValidator>, InconclusiveReason> {
    spec.validator(View::Documented, schema)
        .map_err(|error| InconclusiveReason::Harness(error.to_string()))
}

/// Compiles the documented schema of the responses of a sample.
pub(crate) fn sample_schema(
    spec: &Spec,
    sample: Sample,
) -> Result<Arc<SchemaValidator>, InconclusiveReason> {
    let schema = sample.schema(spec).ok_or_else(|| {
        InconclusiveReason::Harness("the spec does not describe this response".to_owned())
    })?;
    compiled(spec, &schema)
}

/// Checks the field wherever a response has it.
pub(crate) fn check_places(
    exchange: &Arc<Exchange>,
    field: &Field,
    validator: &SchemaValidator,
    result: &mut Examination,
) {
    let Some(body) = exchange.success_object() else {
        return;
    };
    let mut found = 0;
    for place in places(body, &field.path).into_iter().take(MAX_PLACES) {
        result.count_item();
        let findings = judge(exchange, field, &place, validator);
        found += findings.len();
        result.findings.extend(findings);
        if found > MAX_PLACES {
            break;
        }
    }
}

/// An object that has, or should have, the field.
struct Place<'v> {
    pointer: String,
    parent: &'v Value,
    value: Option<&'v Value>,
}

fn places<'v>(body: &'v Value, path: &[String]) -> Vec<Place<'v>> {
    let Some((name, parents)) = path.split_last() else {
        return Vec::new();
    };
    let mut objects = vec![(String::new(), body)];
    for step in parents {
        objects = objects
            .into_iter()
            .flat_map(|(at, value)| match (step.as_str(), value) {
                ("*", Value::Array(items)) => items
                    .iter()
                    .enumerate()
                    .take(MAX_PLACES)
                    .map(|(index, item)| (pointer::join(&at, &index.to_string()), item))
                    .collect(),
                (name, Value::Object(members)) => members
                    .get(name)
                    .map(|member| (pointer::join(&at, name), member))
                    .into_iter()
                    .collect(),
                _ => Vec::new(),
            })
            .collect();
    }
    objects
        .into_iter()
        .filter(|(_, parent)| parent.is_object())
        .map(|(at, parent)| Place {
            pointer: pointer::join(&at, name),
            parent,
            value: parent.get(name),
        })
        .collect()
}

fn judge(
    exchange: &Arc<Exchange>,
    field: &Field,
    place: &Place<'_>,
    validator: &SchemaValidator,
) -> Vec<Finding> {
    let name = &field.name;
    let Some(value) = place.value else {
        if !field.is_required {
            return Vec::new();
        }
        let what = named_absence(field, place).unwrap_or_else(|| format!("{name} is missing"));
        let members = place.parent.as_object().map(|members| {
            members
                .keys()
                .map(|key| shown(key, 40))
                .take(20)
                .collect::<Vec<_>>()
                .join(", ")
        });
        let actual = format!("an object with {}", members.unwrap_or_default());
        return vec![
            Finding::new(exchange, what, field.expected(), actual).at(place.pointer.clone()),
        ];
    };
    let below = |other: &&Field| {
        other.sample == field.sample
            && other.path.len() > field.path.len()
            && other.path.starts_with(&field.path)
    };
    let own_only = FIELDS.iter().any(|other| below(&other));
    // If an element is not an object, the cases of the fields inside it have no place to check.
    let elements = FIELDS
        .iter()
        .filter(below)
        .any(|other| other.path[field.path.len()] == "*");
    validator
        .each_mismatch_in(value)
        .filter(|mismatch| !own_only || is_own(mismatch) || elements && is_of_an_element(mismatch))
        .map(|mismatch| {
            let at = format!("{}{}", place.pointer, mismatch.instance);
            let found = value.pointer(&mismatch.instance).unwrap_or(value);
            let of_element = elements && is_of_an_element(&mismatch);
            let name = format!("{name}{}", if of_element { "[]" } else { "" });
            // Only a value of the wrong type can be one of the forms with a name.
            let what = (mismatch.keyword == "type")
                .then(|| named_mismatch(&name, found))
                .flatten()
                .unwrap_or_else(|| format!("{name}: {}", mismatch.message));
            Finding::new(
                exchange,
                what,
                field.expected(),
                shown(&found.to_string(), 160),
            )
            .at(at)
        })
        .take(MAX_MISMATCHES)
        .collect()
}

/// Whether a mismatch is about the value itself, and not about a field inside it with its own case.
fn is_own(mismatch: &Mismatch) -> bool {
    mismatch.instance.is_empty() && mismatch.keyword != "required"
}

/// Whether a mismatch is about the type of one of the value's elements.
fn is_of_an_element(mismatch: &Mismatch) -> bool {
    let place = mismatch.instance.strip_prefix('/');
    mismatch.keyword == "type" && place.is_some_and(|place| !place.contains('/'))
}

fn named_absence(field: &Field, place: &Place<'_>) -> Option<String> {
    if field.sample != Sample::Blocks || field.path.len() != 1 {
        return None;
    }
    let name = &field.path[0];
    if name == "index" && reported_index(place.parent).is_some() {
        return Some("index is named block_index (a row of the block table)".to_owned());
    }
    is_row_form(place.parent).then(|| format!("{name} is missing (a row of the block table)"))
}

fn named_mismatch(name: &str, found: &Value) -> Option<String> {
    match found {
        Value::Null => Some(format!("{name} is null")),
        Value::Array(_) if name.ends_with("msg") => Some("msg is an array".to_owned()),
        Value::String(text) => {
            let inner: Value = inner_json(text)?;
            match inner {
                Value::Array(_) => Some(format!("{name} is a string that contains a JSON array")),
                Value::Object(_) => Some(format!("{name} is a string that contains a JSON object")),
                Value::Number(_) if !text.is_empty() => {
                    Some(format!("{name} is a string that contains a number"))
                }
                _ => None,
            }
        }
        Value::Number(number) if number.is_f64() => Some(format!(
            "{name} is a number with a fraction or an exponent, not an integer"
        )),
        _ => None,
    }
}
