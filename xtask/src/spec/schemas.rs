//! Checks that schemas are consistent, and that generated code keeps their meaning.

use std::collections::BTreeSet;

use nodeproof_openapi::grammar::{self, Kind};
use nodeproof_openapi::{Spec, View, pointer, view};
use serde_json::{Map, Value, json};

use super::lint::Lint;
use super::problem::suggestion;

type Node = Map<String, Value>;

/// Formats, each with its type.
const FORMATS: &[(&str, &str)] = &[
    ("int32", "integer"),
    ("int64", "integer"),
    ("float", "number"),
    ("double", "number"),
    ("byte", "string"),
    ("binary", "string"),
    ("date", "string"),
    ("date-time", "string"),
    ("password", "string"),
    ("uuid", "string"),
    ("uri", "string"),
    ("email", "string"),
    ("hostname", "string"),
    ("ipv4", "string"),
    ("ipv6", "string"),
];

/// Keywords that apply only to values of one type.
const OF_TYPE: &[(&str, &[&str])] = &[
    ("string", &["pattern", "minLength", "maxLength"]),
    ("array", &["items", "minItems", "maxItems", "uniqueItems"]),
    (
        "object",
        &[
            "properties",
            "required",
            "additionalProperties",
            "minProperties",
            "maxProperties",
        ],
    ),
    (
        "number",
        &[
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
        ],
    ),
];

pub(super) fn check(lint: &mut Lint<'_>) {
    let document = lint.document();
    let (mut schemas, mut conditional) = (Vec::new(), Vec::new());
    grammar::visit(document, &mut |at, kind, node| {
        if node.contains_key("x-when") {
            conditional.push((at.to_owned(), node));
        }
        if kind == Kind::Schema && !node.contains_key("$ref") {
            schemas.push((at.to_owned(), node));
        }
    });
    for (at, node) in conditional {
        when(lint, &at, node);
    }
    for (at, node) in schemas {
        required(lint, &at, node);
        form(lint, &at, node);
        values(lint, &at, node);
        types(lint, &at, node);
        generated(lint, &at, node);
        described(lint, &at, node);
    }
}

/// Checks that `required` names existing properties.
fn required(lint: &mut Lint<'_>, at: &str, node: &Node) {
    let documented = node
        .get(view::DOCUMENTED)
        .and_then(|overlay| overlay.get("required"));
    let places = [
        ("required", node.get("required")),
        ("x-documented/required", documented),
    ];
    for (place, names) in places {
        let Some(names) = names.and_then(Value::as_array) else {
            continue;
        };
        let at = format!("{at}/{place}");
        let mut seen = BTreeSet::new();
        let properties = node.get("properties").and_then(Value::as_object);
        for (position, name) in names.iter().enumerate() {
            let Some(name) = name.as_str() else { continue };
            let at = pointer::join(&at, &position.to_string());
            if !properties.is_some_and(|properties| properties.contains_key(name)) {
                let known = properties
                    .into_iter()
                    .flatten()
                    .map(|(name, _)| name.as_str());
                let hint = suggestion(name, known);
                let message = format!("`{name}` is required, and no property{hint}");
                lint.report("required-property", &at, message);
            }
            if !seen.insert(name) {
                lint.report(
                    "required-property",
                    &at,
                    format!("`{name}` is listed twice"),
                );
            }
        }
        if names.is_empty() {
            lint.report(
                "required-property",
                &at,
                "an empty `required` is not valid: leave it out",
            );
        }
    }
}

/// Checks that `format` is known and `pattern` can be compiled.
fn form(lint: &mut Lint<'_>, at: &str, node: &Node) {
    if let Some(format) = node.get("format").and_then(Value::as_str) {
        let at = pointer::join(at, "format");
        match FORMATS.iter().find(|(name, _)| *name == format) {
            None => {
                let hint = suggestion(format, FORMATS.iter().map(|(name, _)| *name));
                lint.report(
                    "unknown-format",
                    &at,
                    format!("unknown format `{format}`{hint}"),
                );
            }
            Some((_, of)) if node.get("type").and_then(Value::as_str) != Some(of) => {
                lint.report(
                    "unknown-format",
                    &at,
                    format!("`{format}` is a format of {of}"),
                );
            }
            Some(_) => {}
        }
    }
    let overlay = node
        .get(view::DOCUMENTED)
        .and_then(|overlay| overlay.get("pattern"));
    for (place, pattern) in [
        ("pattern", node.get("pattern")),
        ("x-documented/pattern", overlay),
    ] {
        let Some(pattern) = pattern.and_then(Value::as_str) else {
            continue;
        };
        let schema = json!({ "pattern": pattern });
        if jsonschema::options()
            .with_draft(jsonschema::Draft::Draft4)
            .build(&schema)
            .is_err()
        {
            let message = format!("`{pattern}` is not a regular expression");
            lint.report("invalid-pattern", &format!("{at}/{place}"), message);
        }
    }
}

/// Checks that the values of `enum` are distinct and of the right type, and that `default` is valid.
fn values(lint: &mut Lint<'_>, at: &str, node: &Node) {
    if let Some(values) = node.get("enum").and_then(Value::as_array) {
        let at = pointer::join(at, "enum");
        if values.is_empty() {
            lint.report("enum", &at, "an empty `enum` allows nothing");
        }
        let of_type = node.get("type").and_then(Value::as_str);
        for (position, value) in values.iter().enumerate() {
            let at = pointer::join(&at, &position.to_string());
            if values[..position].contains(value) {
                lint.report("enum", &at, format!("{value} is listed twice"));
            }
            if of_type.is_some_and(|of| !is_of_type(value, of)) {
                lint.report("enum", &at, format!("{value} is not of the schema's type"));
            }
        }
    }
    let Some(default) = node.get("default") else {
        return;
    };
    let fits = alone(node).and_then(|spec| spec.validator(View::Full, "It").ok());
    if fits.is_some_and(|validator| !validator.is_valid(default)) {
        let message = format!("the default {default} is not valid here");
        lint.report("default", &pointer::join(at, "default"), message);
    }
}

/// Returns the schema as a separate spec, if it needs no other schema.
fn alone(node: &Node) -> Option<Spec> {
    let schemas = json!({ "It": node });
    Spec::from_value(json!({ "paths": {}, "components": { "schemas": schemas } })).ok()
}

fn is_of_type(value: &Value, of: &str) -> bool {
    match of {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

/// Checks that keywords fit the `type` next to them.
fn types(lint: &mut Lint<'_>, at: &str, node: &Node) {
    let of_type = node.get("type").and_then(Value::as_str);
    for (of, keywords) in OF_TYPE {
        let fits = of_type == Some(of) || (*of == "number" && of_type == Some("integer"));
        for keyword in keywords
            .iter()
            .filter(|keyword| !fits && node.contains_key(**keyword))
        {
            let message = format!("`{keyword}` applies only to values of type {of}");
            lint.report(
                "keyword-of-other-type",
                &pointer::join(at, keyword),
                message,
            );
        }
    }
    if of_type.is_none() && node.contains_key("nullable") {
        let message = "`nullable` means nothing without a `type` beside it";
        lint.report(
            "keyword-of-other-type",
            &pointer::join(at, "nullable"),
            message,
        );
    }
    if of_type == Some("array") && !node.contains_key("items") {
        lint.report("missing-keyword", at, "an array must have `items`");
    }
}

/// Reports what the client generator drops or changes.
fn generated(lint: &mut Lint<'_>, at: &str, node: &Node) {
    if node.contains_key("not") {
        let message = "the client generator can't take `not`";
        lint.report("generator", &pointer::join(at, "not"), message);
    }
    let open = node.get("additionalProperties");
    if open.is_some_and(Value::is_boolean) || (node.contains_key("properties") && open.is_none()) {
        let message = "unknown fields get lost, or are refused: write `additionalProperties: {}`";
        lint.report("unknown-fields", at, message);
    }
    for choice in ["oneOf", "anyOf"] {
        let Some(branches) = node.get(choice).and_then(Value::as_array) else {
            continue;
        };
        for (position, branch) in branches.iter().enumerate() {
            let single = branch
                .get("properties")
                .and_then(Value::as_object)
                .is_some_and(|p| p.len() == 1);
            let open = branch.get("additionalProperties").is_some();
            if single && !open {
                let at = pointer::join(&pointer::join(at, choice), &position.to_string());
                let message = "an inline branch with one property becomes an externally tagged \
                               variant: give it `additionalProperties: {}`, or a name of its own";
                lint.report("generator", &at, message);
            }
        }
        if branches.len() < 2 {
            let message = format!("`{choice}` needs at least two branches: use `allOf` for one");
            lint.report("generator", &pointer::join(at, choice), message);
        }
    }
}

/// Checks that components and properties have descriptions.
fn described(lint: &mut Lint<'_>, at: &str, node: &Node) {
    let holder = pointer::parent(at).unwrap_or_default();
    let named = holder == "/components/schemas" || holder.ends_with("/properties");
    let silent = node
        .get("description")
        .and_then(Value::as_str)
        .is_none_or(|text| text.trim().is_empty());
    if named && silent {
        lint.report("missing-description", at, "a description is missing");
    }
}

/// Checks that `x-when` contains query parameters and values that they can have.
fn when(lint: &mut Lint<'_>, at: &str, node: &Node) {
    let Some(when) = node.get("x-when") else {
        return;
    };
    let at = pointer::join(at, "x-when");
    let Some(when) = when.as_object().filter(|when| !when.is_empty()) else {
        return lint.report(
            "mark-form",
            &at,
            "`x-when` must be an object of query parameters",
        );
    };
    let Ok(spec) = Spec::from_value(lint.document().clone()) else {
        return;
    };
    for (name, value) in when {
        let at = pointer::join(&at, name);
        let operations = spec.operations(View::Full);
        let parameter = operations
            .iter()
            .flat_map(|operation| operation.parameters())
            .find(|parameter| parameter.location == "query" && parameter.name == name);
        let Some(parameter) = parameter else {
            lint.report(
                "mark-form",
                &at,
                format!("no operation has a query parameter `{name}`"),
            );
            continue;
        };
        let possible = spec.validator(View::Full, &parameter.schema);
        if possible.is_ok_and(|validator| !validator.is_valid(value)) {
            lint.report("mark-form", &at, format!("`{name}` can't be {value}"));
        }
    }
}
