//! Compiles schemas of the spec, and finds where a body does not match a schema.

use jsonschema::error::{ValidationError, ValidationErrorKind};
use jsonschema::{Draft, Registry, Validator};
use serde_json::{Map, Value, json};

use crate::{
    error::SpecError,
    exact_integers::read_for_validation,
    grammar::{Kind, Shape},
    view::{DOCUMENTED, OBSERVED},
};

/// The name under which the view is registered.
const DOCUMENT: &str = "urn:node-api";

/// A compiled schema of the spec.
///
/// ```
/// use nodeproof_openapi::{NODE_JSON, Spec, View};
///
/// let spec = Spec::from_json(NODE_JSON)?;
/// let address = spec.validator(View::Documented, "WalletAddress")?;
/// let mismatches = address.mismatches("\"0x12\"")?;
/// assert_eq!(mismatches[0].keyword, "pattern");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SchemaValidator {
    validator: Validator,
}

/// One place where a body does not match a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The place in the body: a JSON pointer, empty for the body itself.
    pub instance: String,
    /// The place in the view: a JSON pointer, with the steps through each `$ref`.
    pub(crate) schema: String,
    /// The keyword that does not match, such as `required`.
    pub keyword: String,
    /// A description without any text of the body, which is untrusted.
    pub message: String,
}

impl SchemaValidator {
    /// Compiles the schema at `pointer` of the document from which `schemas` was made.
    pub(crate) fn compile(schemas: &Registry<'_>, pointer: &str) -> Result<Self, SpecError> {
        let validator = jsonschema::options()
            .with_draft(Draft::Draft4)
            .with_registry(schemas)
            .build(&json!({ "$ref": format!("{DOCUMENT}#{}", escaped(pointer)) }))
            .map_err(|error| SpecError::unusable(pointer, &error))?;
        Ok(Self { validator })
    }

    /// Returns where the JSON document `text` does not match the schema. The list is empty if it
    /// matches.
    ///
    /// An integer can have 128 bits. `1.0` is not an integer.
    ///
    /// # Errors
    /// If `text` is not exactly one JSON document.
    pub fn mismatches(&self, text: &str) -> Result<Vec<Mismatch>, serde_json::Error> {
        Ok(self.mismatches_in(&read_for_validation(text)?))
    }

    /// Like [`mismatches`](Self::mismatches), for a parsed value.
    ///
    /// `serde_json` parses an integer beyond 64 bits as a float, which is not an integer here. Parse
    /// the value with [`read_for_validation`] to avoid that.
    pub fn mismatches_in(&self, value: &Value) -> Vec<Mismatch> {
        self.each_mismatch_in(value).collect()
    }

    /// Like [`mismatches_in`](Self::mismatches_in), but returns one mismatch at a time.
    ///
    /// A long array can have as many mismatches as elements. Take only as many as you need.
    pub fn each_mismatch_in<'v>(&'v self, value: &'v Value) -> impl Iterator<Item = Mismatch> + 'v {
        self.validator.iter_errors(value).flat_map(|error| {
            let mut mismatches = Vec::new();
            collect(&error, &mut mismatches, 0);
            mismatches
        })
    }

    /// Returns whether the value conforms to the schema.
    pub fn is_valid(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }
}

/// Adds the mismatches of `error`. For a choice, adds those of its nearest branch.
///
/// "Matches neither of two branches" does not help. The intended branch is most likely the one that
/// fails deepest in the body. Among equally deep branches, it is the one that fails in the fewest
/// places.
fn collect(error: &ValidationError<'_>, mismatches: &mut Vec<Mismatch>, depth: usize) {
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
        // If the body has the wrong type for every branch, report the choice itself.
        Some(branch) if depth < 8 && !branch.iter().all(|inner| is_type_of(inner, error)) => {
            for inner in branch {
                collect(inner, mismatches, depth + 1);
            }
        }
        _ => mismatches.push(Mismatch {
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

/// Registers the schemas of a view, ready to be compiled.
pub(crate) fn registry(view: &Value) -> Result<Registry<'static>, SpecError> {
    Registry::new()
        .draft(Draft::Draft4)
        .add(DOCUMENT, Draft::Draft4.create_resource(prepare(view)))
        .and_then(jsonschema::RegistryBuilder::prepare)
        .map_err(|error| SpecError::unusable("", &error))
}

/// Escapes a pointer for use as a URI fragment.
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

/// About 2^127: the client and the checks read integers into 128 bits.
const LARGEST_INTEGER: f64 = 1.7e38;

/// Rewrites the view's schemas as JSON Schema draft 4, without examples and marks. Integers are limited
/// to 128 bits.
///
/// JSON Schema has no `nullable`. It becomes a second `type`. Only schemas are changed: a property
/// can be named `nullable`, and an example can have such a member.
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
        let prepared = match (kind.shape(name), value) {
            (Some(Shape::One(kind)), _) => prepare_node(value, kind),
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
    if kind == Kind::Schema && node.get("type").is_some_and(|kind| kind == "integer") {
        node.insert("minimum".to_owned(), json!(-LARGEST_INTEGER));
        node.insert("maximum".to_owned(), json!(LARGEST_INTEGER));
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
