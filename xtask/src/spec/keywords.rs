//! Checks that every keyword belongs to OpenAPI 3.0.3, is in a valid place, and has a valid value.
//!
//! The client generator ignores unknown keywords. A misspelt `required` would silently make every
//! field optional.

use nodeproof_openapi::grammar::{Keyword, Kind, Shape};
use nodeproof_openapi::{pointer, view};
use serde_json::{Map, Value};

use super::lint::Lint;
use super::problem::suggestion;
use super::requirements::REQUIREMENT;

/// The extensions in use. The README.md in the folder of the spec explains them.
const EXTENSIONS: [&str; 4] = [view::OBSERVED, view::DOCUMENTED, "x-when", REQUIREMENT];

/// Keywords of OpenAPI 3.1 or of later JSON Schema drafts, which 3.0 does not have.
const LATER: &[&str] = &[
    "const",
    "$schema",
    "$id",
    "$defs",
    "$anchor",
    "$comment",
    "examples",
    "if",
    "then",
    "else",
    "prefixItems",
    "contains",
    "propertyNames",
    "patternProperties",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contentEncoding",
    "contentMediaType",
    "minContains",
    "maxContains",
    "webhooks",
    "jsonSchemaDialect",
    "identifier",
    "pathItems",
    "summary",
];

pub(super) fn check(lint: &mut Lint<'_>) {
    let document = lint.document();
    node(lint, document, Kind::Document, "");
    if let Some(version) = document.get("openapi").and_then(Value::as_str)
        && !version.starts_with("3.0.")
    {
        let message = format!("OpenAPI {version} is not what the client generator takes: 3.0.x");
        lint.report("openapi-version", "/openapi", message);
    }
}

fn node(lint: &mut Lint<'_>, value: &Value, kind: Kind, at: &str) {
    let Some(object) = value.as_object() else {
        let message = format!("{kind:?} must be an object, and is {}", name_of(value));
        return lint.report("wrong-type", at, message);
    };
    if object.contains_key("$ref") && kind.may_be_reference() {
        return reference(lint, object, at);
    }
    for (name, value) in object {
        let at = pointer::join(at, name);
        match kind.keyword(name) {
            Some(keyword) => content(lint, value, keyword.shape, name, &at),
            None => unknown(lint, kind, name, &at),
        }
    }
    for Keyword { name, required, .. } in kind.keywords() {
        if *required && !object.contains_key(*name) {
            lint.report(
                "missing-keyword",
                at,
                format!("{kind:?} must have `{name}`"),
            );
        }
    }
    marks(lint, object, kind, at);
}

fn reference(lint: &mut Lint<'_>, object: &Map<String, Value>, at: &str) {
    for name in object.keys().filter(|name| *name != "$ref") {
        let message = format!("`{name}` beside `$ref` is ignored: wrap the `$ref` in `allOf`");
        lint.report("ref-siblings", &pointer::join(at, name), message);
    }
    if !object.get("$ref").is_some_and(Value::is_string) {
        lint.report(
            "wrong-type",
            &pointer::join(at, "$ref"),
            "`$ref` must be a string",
        );
    }
}

fn unknown(lint: &mut Lint<'_>, kind: Kind, name: &str, at: &str) {
    if EXTENSIONS.contains(&name) {
        return;
    }
    if name.starts_with("x-") {
        let hint = suggestion(name, EXTENSIONS);
        let message = format!("unknown extension `{name}`{hint}");
        return lint.report("unknown-extension", at, message);
    }
    if LATER.contains(&name) {
        let message = format!("`{name}` in {kind:?} is of OpenAPI 3.1, and this is 3.0");
        return lint.report("later-keyword", at, message);
    }
    let hint = suggestion(name, kind.keywords().iter().map(|keyword| keyword.name));
    let message = format!("unknown keyword `{name}` in {kind:?}{hint}");
    lint.report("unknown-keyword", at, message);
}

/// Checks the value of a keyword.
fn content(lint: &mut Lint<'_>, value: &Value, shape: Shape, name: &str, at: &str) {
    let expected = match (shape, value) {
        (Shape::Text, Value::String(_)) | (Shape::Flag, Value::Bool(_)) => return,
        (Shape::Number, Value::Number(_)) | (Shape::DataList, Value::Array(_)) => return,
        (Shape::Data, _) | (Shape::OneOrFlag(_), Value::Bool(_)) => return,
        (Shape::Count, Value::Number(number)) if number.is_u64() => return,
        (Shape::Texts, Value::Array(items)) if items.iter().all(Value::is_string) => return,
        (Shape::Word(words), Value::String(word)) => {
            if !words.contains(&word.as_str()) {
                let hint = suggestion(word, words.iter().copied());
                let message = format!("`{word}` is not one of {}{hint}", words.join(", "));
                lint.report("unknown-word", at, message);
            }
            return;
        }
        (Shape::One(kind) | Shape::OneOrFlag(kind), _) => return node(lint, value, kind, at),
        (Shape::Many(kind), Value::Array(items)) => {
            for (position, item) in items.iter().enumerate() {
                node(lint, item, kind, &pointer::join(at, &position.to_string()));
            }
            return;
        }
        (Shape::Named(kind), Value::Object(items)) => {
            for (name, item) in items {
                let at = pointer::join(at, name);
                if kind != Kind::Schema && name.starts_with("x-") {
                    unknown(lint, kind, name, &at);
                } else {
                    node(lint, item, kind, &at);
                }
            }
            return;
        }
        (Shape::Word(_), Value::Array(_)) if name == "type" => {
            let message = "`type` takes one type in OpenAPI 3.0: use `nullable` for null";
            return lint.report("later-keyword", at, message);
        }
        (Shape::Flag, Value::Number(_)) if name.starts_with("exclusive") => {
            let message = format!("`{name}` is a boolean in OpenAPI 3.0, beside `minimum`");
            return lint.report("later-keyword", at, message);
        }
        (Shape::Text | Shape::Word(_), _) => "a string",
        (Shape::Flag, _) => "true or false",
        (Shape::Number, _) => "a number",
        (Shape::Count, _) => "an integer of at least 0",
        (Shape::Texts, _) => "a list of strings",
        (Shape::DataList | Shape::Many(_), _) => "a list",
        _ => "an object",
    };
    let message = format!("`{name}` must be {expected}, and is {}", name_of(value));
    lint.report("wrong-type", at, message);
}

/// Checks the marks of a node.
fn marks(lint: &mut Lint<'_>, object: &Map<String, Value>, kind: Kind, at: &str) {
    if let Some(mark) = object.get(view::OBSERVED) {
        let at = pointer::join(at, view::OBSERVED);
        match mark {
            Value::Bool(true) if can_vanish(kind) => {}
            Value::Bool(true) => {
                lint.report(
                    "mark-form",
                    &at,
                    format!("a view can't do without its {kind:?}"),
                );
            }
            Value::Array(names) if !names.is_empty() => {
                for name in names {
                    let known = name.as_str().is_some_and(|name| {
                        kind.keyword(name).is_some() && object.contains_key(name)
                    });
                    if !known {
                        let message = format!("{name} is not a keyword of this {kind:?}");
                        lint.report("mark-form", &at, message);
                    }
                }
            }
            _ => {
                let message = "`x-observed` must be true or a list of keywords beside it";
                lint.report("mark-form", &at, message);
            }
        }
    }
    if let Some(mark) = object.get(view::DOCUMENTED) {
        let at = pointer::join(at, view::DOCUMENTED);
        let Some(overlay) = mark.as_object().filter(|overlay| !overlay.is_empty()) else {
            let message = "`x-documented` must be an object with the keywords that hold instead";
            return lint.report("mark-form", &at, message);
        };
        for (name, value) in overlay {
            let at = pointer::join(&at, name);
            match kind.keyword(name) {
                Some(_) if object.get(name) == Some(value) => {
                    let message = format!("`{name}` is the same without `x-documented`");
                    lint.report("mark-form", &at, message);
                }
                Some(keyword) => content(lint, value, keyword.shape, name, &at),
                None => unknown(lint, kind, name, &at),
            }
        }
    }
    if object.contains_key("x-when") && !matches!(kind, Kind::Schema | Kind::Example) {
        let at = pointer::join(at, "x-when");
        let message = "`x-when` is allowed only in a schema or an example: it names the query to which the schema or example applies";
        lint.report("mark-form", &at, message);
    }
}

fn can_vanish(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::PathItem
            | Kind::Operation
            | Kind::Parameter
            | Kind::RequestBody
            | Kind::MediaType
            | Kind::Response
            | Kind::Example
            | Kind::Header
            | Kind::Schema
            | Kind::Tag
            | Kind::Server
            | Kind::SecurityScheme
    )
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
