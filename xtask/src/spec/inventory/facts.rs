//! What a node says, in words that can be compared.

use nodeproof_openapi::{pointer, view};
use serde_json::{Map, Value};

/// Schema keywords whose values are facts, in the order in which they are listed.
const FACTS: [&str; 20] = [
    "format",
    "nullable",
    "enum",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "default",
    "readOnly",
    "writeOnly",
    "x-when",
];

/// What to point at for the facts of a schema: the last part, which is the shared one if there is
/// one, because that is where a type or a pattern is written; but a place that is only a reference
/// has no better one than itself.
pub(super) fn schema_place<'v>(
    schema: &'v Value,
    parts: &[&'v Value],
    place: &'v Value,
) -> &'v Value {
    let has_facts = |part: &&&Value| part.get("type").is_some() || part.get("pattern").is_some();
    if schema.get("type").is_some() || schema.get("nullable").is_some() {
        return schema;
    }
    parts
        .iter()
        .find(has_facts)
        .copied()
        .unwrap_or(if schema.is_object() { schema } else { place })
}

pub(super) fn facts(parts: &[&Value]) -> String {
    let mut facts: Vec<String> = Vec::new();
    let mut add = |fact: String| {
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    };
    for part in parts {
        if let Some(of) = part.get("type").and_then(Value::as_str) {
            add(of.to_owned());
        }
    }
    for part in parts {
        for name in FACTS {
            let Some(value) = part.get(name) else {
                continue;
            };
            match (name, value) {
                ("nullable", Value::Bool(true)) => add("nullable".to_owned()),
                ("pattern", Value::String(pattern)) => add(format!("pattern={pattern}")),
                ("enum", _) => add(format!("enum={}", words(Some(value)))),
                _ => add(format!("{name}={value}")),
            }
        }
        for choice in ["oneOf", "anyOf"] {
            if part.get(choice).is_some() {
                add(choice.to_owned());
            }
        }
        if let Some(not) = part.get("not") {
            add(format!("not={not}"));
        }
        if part.get("additionalProperties") == Some(&Value::Bool(false)) {
            add("closed".to_owned());
        }
    }
    if facts.is_empty() {
        "any".to_owned()
    } else {
        facts.join(" ")
    }
}

/// Whether a schema says nothing.
pub(super) fn bare(schema: &Value) -> bool {
    schema
        .as_object()
        .is_some_and(|node: &Map<_, _>| node.keys().all(|name| name == view::SOURCE))
}

pub(super) fn name_of(branch: &Value, position: usize) -> String {
    let reference = branch
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(pointer::last);
    let title = branch
        .get("title")
        .and_then(Value::as_str)
        .map(str::to_owned);
    reference.or(title).unwrap_or_else(|| position.to_string())
}

pub(super) fn words(value: Option<&Value>) -> String {
    let words = list(value).map(|word| {
        word.as_str()
            .map_or_else(|| word.to_string(), str::to_owned)
    });
    words.collect::<Vec<_>>().join("|")
}

pub(super) fn json(value: Option<&Value>) -> String {
    value.map_or_else(|| "none".to_owned(), Value::to_string)
}

pub(super) fn members(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    value
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}

pub(super) fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}
