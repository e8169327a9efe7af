//! The documented fields of a response, read from the description.

use nodeproof_openapi::{Spec, View, pointer};
use serde_json::Value;

/// The kind of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Integer {
        is_time: bool,
    },
    Number,
    Boolean,
    /// A text, and whether the specification gives it a form.
    Text {
        has_form: bool,
    },
    /// An array, and whether the specification gives its texts a form.
    List {
        has_form: bool,
    },
    Object,
    /// The specification does not show its form.
    Open,
}

/// One documented field of a response.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// Member names from the top of the response. A star stands for every element of an array.
    pub(crate) path: Vec<String>,
    pub(crate) shape: Shape,
    /// The IDs of the requirements that describe it.
    pub(crate) requirements: Vec<String>,
    /// The next member of the same object with the same shape.
    pub(crate) sibling: Option<String>,
}

impl Field {
    /// Returns its name in the docs.
    pub(crate) fn name(&self) -> String {
        self.path.join(".").replace(".*", "[]")
    }
}

/// Returns the fields below a schema of the documented view, in the order of the description.
pub(crate) fn fields(spec: &Spec, at: &str, path: &[&str]) -> Vec<Field> {
    let mut found = Vec::new();
    let path: Vec<_> = path.iter().map(ToString::to_string).collect();
    walk(spec, at, &path, &mut found);
    found
}

fn walk(spec: &Spec, at: &str, path: &[String], found: &mut Vec<Field>) {
    let Some((place, schema)) = target(spec, at) else {
        return;
    };
    let members = schema.get("properties").and_then(Value::as_object);
    let names: Vec<_> = members
        .into_iter()
        .flat_map(|members| members.keys())
        .collect();
    let below = |name: &str| pointer::join(&pointer::join(&place, "properties"), name);
    let shapes: Vec<_> = names.iter().map(|name| shape(spec, &below(name))).collect();
    for (index, name) in names.iter().enumerate() {
        let next = (1..names.len()).map(|step| (index + step) % names.len());
        let mut alike = next.filter(|other| shapes[*other] == shapes[index]);
        let mut path = path.to_vec();
        path.push(name.to_string());
        let at = below(name);
        found.push(Field {
            path: path.clone(),
            shape: shapes[index],
            requirements: requirements(spec, &at),
            sibling: alike.next().map(|other| names[other].clone()),
        });
        let items = target(spec, &at).map(|(place, _)| pointer::join(&place, "items"));
        match (shapes[index], items) {
            (Shape::Object, _) => walk(spec, &at, &path, found),
            (Shape::List { .. }, Some(items)) => {
                path.push("*".to_owned());
                walk(spec, &items, &path, found);
            }
            _ => {}
        }
    }
}

/// Returns a schema after following its references. For a choice, it returns the first branch.
fn target<'s>(spec: &'s Spec, at: &str) -> Option<(String, &'s Value)> {
    let (place, schema) = spec.unwrap(View::Documented, at)?;
    for choice in ["anyOf", "oneOf"] {
        if schema.get(choice).is_some() && schema.get("properties").is_none() {
            return target(spec, &pointer::join(&pointer::join(&place, choice), "0"));
        }
    }
    Some((place, schema))
}

fn shape(spec: &Spec, at: &str) -> Shape {
    let Some((place, schema)) = target(spec, at) else {
        return Shape::Open;
    };
    let items = || target(spec, &pointer::join(&place, "items"));
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => Shape::Integer {
            is_time: place.ends_with("/TimestampMs"),
        },
        Some("number") => Shape::Number,
        Some("boolean") => Shape::Boolean,
        Some("string") => Shape::Text {
            // For a status, the word for success is documented.
            has_form: schema.get("pattern").is_some() || schema["example"] == "SUCCESS",
        },
        Some("array") => Shape::List {
            has_form: items().is_some_and(|(_, items)| items.get("pattern").is_some()),
        },
        Some("object") => Shape::Object,
        _ => Shape::Open,
    }
}

/// Returns the requirements that a member's description cites.
fn requirements(spec: &Spec, at: &str) -> Vec<String> {
    let node = spec.documented().pointer(at);
    match node.and_then(|node| node.get("x-requirement")) {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(several)) => {
            let several = several.iter().filter_map(Value::as_str);
            several.map(ToOwned::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
