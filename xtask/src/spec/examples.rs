//! Checks that every example is valid in the full view, and in the documented view unless it is marked.

use nodeproof_openapi::grammar::{self, Kind};
use nodeproof_openapi::{Spec, View, pointer, view};
use serde_json::{Map, Value};

use super::lint::{Lint, source_of};

pub(super) fn check(lint: &mut Lint<'_>) {
    let full = lint.full.clone();
    let documented = lint.documented.clone();
    check_view(lint, full, |message| {
        format!("the example is not valid: {message}")
    });
    check_view(lint, documented, |message| {
        format!("the example is not valid in the documented view; is it only observed? {message}")
    });
    // Schemas are open, so a field with a misspelt name would count as an unknown field.
    let closed = view::full_with_sources(&closed(lint.document()));
    check_view(lint, closed, |message| {
        format!("the example has a field, or has it in a form, that no schema names: {message}")
    });
}

/// Returns the document with every object closed that names its fields.
fn closed(document: &Value) -> Value {
    let mut objects = Vec::new();
    grammar::visit(document, &mut |at, kind, node| {
        if kind == Kind::Schema && node.contains_key("properties") {
            objects.push(pointer::join(at, "additionalProperties"));
        }
    });
    let mut closed = document.clone();
    for at in objects {
        if let Some(open) = closed.pointer_mut(&at) {
            *open = Value::Bool(false);
        }
    }
    closed
}

/// An example, and its schema.
struct Claim {
    example: Value,
    written: String,
    schema: String,
    /// The query that the example responds to. It can select one branch of the schema.
    query: Vec<(String, String)>,
}

/// Reports examples that are not valid in a view. Each is reported only once for both views.
fn check_view(lint: &mut Lint<'_>, view: Value, describe: fn(&str) -> String) {
    let mut claims = Vec::new();
    grammar::visit(&view, &mut |at, kind, node| {
        claims_of(&view, at, kind, node, &mut claims)
    });
    let Ok(spec) = Spec::from_value(view) else {
        return;
    };
    for Claim {
        example,
        written,
        schema,
        query,
    } in &claims
    {
        let query: Vec<_> = query
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let schema = spec
            .branch(View::Full, schema, &query)
            .unwrap_or_else(|| schema.clone());
        // The rules about schemas and references report why a schema can't be compiled.
        let Ok(validator) = spec.validator(View::Full, &schema) else {
            continue;
        };
        for mismatch in validator.mismatches_in(example) {
            let at = format!("{written}{}", mismatch.instance);
            if !lint.has("invalid-example", &at) {
                lint.report("invalid-example", &at, describe(&mismatch.message));
            }
        }
    }
}

fn claims_of(
    view: &Value,
    at: &str,
    kind: Kind,
    node: &Map<String, Value>,
    claims: &mut Vec<Claim>,
) {
    let schema = match kind {
        Kind::Schema => at.to_owned(),
        Kind::Parameter | Kind::Header | Kind::MediaType if node.contains_key("schema") => {
            pointer::join(at, "schema")
        }
        _ => return,
    };
    let source = node.get(view::SOURCE).and_then(Value::as_str).unwrap_or(at);
    if let Some(example) = node.get("example") {
        let (example, written) = (example.clone(), pointer::join(source, "example"));
        claims.push(Claim {
            example,
            written,
            schema: schema.clone(),
            query: Vec::new(),
        });
    }
    for (_, example) in node
        .get("examples")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let target = example
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(pointer::of_reference);
        let example = match target {
            Some(target) => view.pointer(target),
            None => Some(example),
        };
        let Some((example, value)) = example.and_then(|node| Some((node, node.get("value")?)))
        else {
            continue;
        };
        let written = pointer::join(source_of(example).unwrap_or(source), "value");
        let (example, query) = (value.clone(), query_of(example));
        claims.push(Claim {
            example,
            written,
            schema: schema.clone(),
            query,
        });
    }
}

/// Returns the query that an example responds to, if it states one.
fn query_of(example: &Value) -> Vec<(String, String)> {
    let when = example.get("x-when").and_then(Value::as_object);
    when.into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
        .collect()
}
