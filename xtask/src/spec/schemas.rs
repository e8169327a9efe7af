//! Checks that schemas are valid JSON Schema in both views, and that `required` names properties.
//!
//! A public linter sees neither the documented view nor what `x-documented` puts in a schema.

use nodeproof_openapi::grammar::{self, Kind};
use nodeproof_openapi::pointer;
use serde_json::{Map, Value};

use super::lint::{Lint, written};
use super::problem::suggestion;

pub(super) fn check(lint: &mut Lint<'_>) {
    let rules = jsonschema::draft4::meta::validator();
    for view in [lint.full.clone(), lint.documented.clone()] {
        let mut outermost = String::new();
        let mut problems = Vec::new();
        grammar::visit(&view, &mut |at, kind, node| {
            if kind != Kind::Schema {
                return;
            }
            required(at, node, &mut problems);
            let holder = pointer::parent(at).unwrap_or_default();
            let named = holder == "/components/schemas" || holder.ends_with("/properties");
            if named && !node.contains_key("$ref") && !node.contains_key("description") {
                let message = "a description is missing".to_owned();
                problems.push(("missing-description", at.to_owned(), message));
            }
            // The rules of JSON Schema include the schemas inside a schema.
            if outermost.is_empty() || !at.starts_with(&outermost) {
                outermost = format!("{at}/");
                let schema = Value::Object(node.clone());
                for error in rules.iter_errors(&schema) {
                    let at = format!("{at}{}", error.instance_path());
                    problems.push(("invalid-schema", at, format!("not a valid schema: {error}")));
                }
            }
        });
        for (rule, at, message) in problems {
            lint.report(rule, &written(&view, &at), message);
        }
    }
}

/// Checks that `required` names existing properties.
fn required(
    at: &str,
    node: &Map<String, Value>,
    problems: &mut Vec<(&'static str, String, String)>,
) {
    let properties = node.get("properties").and_then(Value::as_object);
    let names = node.get("required").and_then(Value::as_array);
    for (position, name) in names.into_iter().flatten().enumerate() {
        let Some(name) = name.as_str() else { continue };
        if !properties.is_some_and(|properties| properties.contains_key(name)) {
            let known = properties.into_iter().flatten();
            let hint = suggestion(name, known.map(|(name, _)| name.as_str()));
            let at = pointer::join(&pointer::join(at, "required"), &position.to_string());
            let message = format!("`{name}` is required, and no property{hint}");
            problems.push(("required-property", at, message));
        }
    }
}
