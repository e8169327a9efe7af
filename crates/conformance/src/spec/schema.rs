//! Compiling schemas of the spec, and telling where a body departs from one.

use jsonschema::error::{ValidationError, ValidationErrorKind};
use jsonschema::{Draft, Registry, Validator};
use serde_json::{Map, Value, json};

use super::SpecError;
use super::exact_integers::read_for_validation;
use super::grammar::{Kind, Shape};
use super::view::{DOCUMENTED, OBSERVED};

/// The name under which the view is registered.
const DOCUMENT: &str = "urn:node-api";

/// A compiled schema of the spec.
#[derive(Debug)]
pub struct SchemaValidator {
    pointer: String,
    validator: Validator,
}

/// One place in which a body departs from a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Departure {
    /// Where in the body: a JSON pointer, empty for the body itself.
    pub instance: String,
    /// Where in the spec's view: a JSON pointer. Steps through a `$ref` are part of it.
    pub schema: String,
    /// The keyword that does not hold, such as `required`.
    pub keyword: String,
    /// What does not hold, in words, without anything that the body holds.
    pub message: String,
}

impl SchemaValidator {
    /// Compiles the schema at `pointer` of the document that `schemas` was made of.
    pub(super) fn compile(schemas: &Registry<'_>, pointer: &str) -> Result<Self, SpecError> {
        let validator = jsonschema::options()
            .with_draft(Draft::Draft4)
            .with_registry(schemas)
            .build(&json!({ "$ref": format!("{DOCUMENT}#{}", escaped(pointer)) }))
            .map_err(|error| SpecError::unusable(pointer, &error))?;
        Ok(Self {
            pointer: pointer.to_owned(),
            validator,
        })
    }

    /// The schema's place in the view.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Where the JSON document `text` departs from the schema; nothing if it conforms.
    ///
    /// Integers may be of any size, and `1.0` is not one.
    ///
    /// # Errors
    /// Where `text` is not one JSON document.
    pub fn departures(&self, text: &str) -> Result<Vec<Departure>, serde_json::Error> {
        Ok(self.departures_of(&read_for_validation(text)?))
    }

    /// As [`departures`](Self::departures), of a value that has been read already.
    ///
    /// A value that `serde_json` has read holds an integer beyond 64 bits as a float, which is no
    /// integer here: prefer the text, or [`read_for_validation`](super::read_for_validation).
    pub fn departures_of(&self, value: &Value) -> Vec<Departure> {
        self.each_departure_of(value).collect()
    }

    /// The same one by one: a long list may have as many as it has elements.
    pub(crate) fn each_departure_of<'v>(
        &'v self,
        value: &'v Value,
    ) -> impl Iterator<Item = Departure> + 'v {
        self.validator.iter_errors(value).flat_map(|error| {
            let mut departures = Vec::new();
            collect(&error, &mut departures, 0);
            departures
        })
    }

    /// Whether the value conforms to the schema.
    pub fn is_valid(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }
}

/// Adds what `error` says; of a choice, what its nearest branch says.
///
/// "Matches none of two branches" tells nobody what to mend. The branch that fails deepest in the
/// body, and there in the fewest places, is the one that the body was most likely meant for.
fn collect(error: &ValidationError<'_>, departures: &mut Vec<Departure>, depth: usize) {
    let branches = match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            context.as_slice()
        }
        _ => &[],
    };
    let nearest = branches
        .iter()
        .filter(|branch| !branch.is_empty())
        .min_by_key(|branch| {
            let deepest = branch
                .iter()
                .map(|error| error.instance_path().as_str().matches('/').count())
                .max()
                .unwrap_or(0);
            (std::cmp::Reverse(deepest), branch.len())
        });
    match nearest {
        // A body that no branch could be about is described by the choice itself.
        Some(branch) if depth < 8 && !branch.iter().all(|inner| is_type_of(inner, error)) => {
            for inner in branch {
                collect(inner, departures, depth + 1);
            }
        }
        _ => departures.push(Departure {
            instance: error.instance_path().as_str().to_owned(),
            schema: error.schema_path().as_str().to_owned(),
            keyword: error.kind().keyword().to_owned(),
            message: error.masked().to_string(),
        }),
    }
}

fn is_type_of(inner: &ValidationError<'_>, outer: &ValidationError<'_>) -> bool {
    matches!(inner.kind(), ValidationErrorKind::Type { .. })
        && inner.instance_path() == outer.instance_path()
}

/// The schemas of a view, ready to be compiled.
pub(super) fn registry(view: &Value) -> Result<Registry<'static>, SpecError> {
    Registry::new()
        .draft(Draft::Draft4)
        .add(DOCUMENT, Draft::Draft4.create_resource(prepare(view)))
        .and_then(jsonschema::RegistryBuilder::prepare)
        .map_err(|error| SpecError::unusable("", &error))
}

/// The pointer as the fragment of a URI, in which braces and the like have to be escaped.
fn escaped(pointer: &str) -> String {
    let mut fragment = String::new();
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || b"/~-._".contains(&byte) {
            fragment.push(char::from(byte));
        } else {
            fragment.push_str(&format!("%{byte:02X}"));
        }
    }
    fragment
}

/// The view with its schemas in the words of JSON Schema draft 4, and without examples and marks.
///
/// OpenAPI's `nullable` means nothing to a JSON schema; it becomes a second `type`. Only schema
/// nodes are touched: a property may be called `nullable`, and an example may hold one.
fn prepare(view: &Value) -> Value {
    prepare_node(view, Kind::Document)
}

fn prepare_node(value: &Value, kind: Kind) -> Value {
    let Some(object) = value.as_object() else {
        return value.clone();
    };
    let mut node = Map::new();
    for (name, value) in object {
        if matches!(
            name.as_str(),
            "example" | "examples" | OBSERVED | DOCUMENTED
        ) {
            continue;
        }
        let prepared = match (kind.keyword(name).map(|keyword| keyword.shape), value) {
            (Some(Shape::One(kind) | Shape::OneOrFlag(kind)), _) => prepare_node(value, kind),
            (Some(Shape::Many(kind)), Value::Array(items)) => {
                items.iter().map(|item| prepare_node(item, kind)).collect()
            }
            (Some(Shape::Named(kind)), Value::Object(items)) => items
                .iter()
                .map(|(name, item)| (name.clone(), prepare_node(item, kind)))
                .collect::<Map<_, _>>()
                .into(),
            _ => value.clone(),
        };
        node.insert(name.clone(), prepared);
    }
    if kind == Kind::Schema && node.shift_remove("nullable") == Some(Value::Bool(true)) {
        admit_null(&mut node);
    }
    Value::Object(node)
}

fn admit_null(schema: &mut Map<String, Value>) {
    if let Some(Value::String(one)) = schema.get("type") {
        let both = vec![Value::from(one.as_str()), Value::from("null")];
        schema.insert("type".to_owned(), Value::Array(both));
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
}
