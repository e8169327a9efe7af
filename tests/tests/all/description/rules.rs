//! What only this project knows about `node.yaml`.
//!
//! These are its marks, its two views, its requirements, and what the client generator drops without an error.

use std::collections::BTreeSet;

use integration_tests::cited::{REQUIREMENT, cited};
use nodeproof_openapi::{
    Basis, Spec, View,
    grammar::{self, Kind},
    pointer, requirement, requirements, view,
};
use openapiv3::OpenAPI;
use serde_json::{Map, Value, json};

/// Contains the query to which a schema or an example applies.
const WHEN: &str = "x-when";
/// Words about real nodes.
const OBSERVATIONS: [&str; 4] = [" seen ", " observed ", " some nodes ", " nodes were "];

/// Returns all problems of a description, each with the JSON pointer of its place.
pub(crate) fn problems(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let spec = Spec::from_value(document.clone()).unwrap();
    for (name, view) in [
        (View::Full, document),
        (View::Documented, spec.documented()),
    ] {
        match serde_json::from_value::<OpenAPI>(view.clone()) {
            Ok(read) => ignored(view, &serde_json::to_value(read).unwrap(), "", &mut found),
            Err(error) => found.push(format!("the client generator can't read it: {error}")),
        }
        grammar::visit(view, &mut |at, kind, node| {
            found.extend(openness(kind, node).map(|problem| format!("{at}: {problem}")));
        });
        let schemas = view["components"]["schemas"].as_object().unwrap();
        let faulty = schemas.keys().map(|schema| spec.validator(name, schema));
        found.extend(faulty.filter_map(|schema| Some(schema.err()?.to_string())));
    }
    grammar::visit(document, &mut |at, kind, node| {
        marks(&spec, at, kind, node, &mut found);
        found.extend(generator(kind, node).map(|problem| format!("{at}: {problem}")));
    });
    documented(spec.documented(), &mut found);
    examples(spec.documented().clone(), &mut found);
    // Schemas are open. Without this, a field with a misspelt name would count as an unknown field.
    examples(closed(document), &mut found);
    found
}

/// Finds members that are lost when the generator's types read and write the description.
///
/// These types drop a member that they do not know. A misspelt `required` would make every field optional.
fn ignored(written: &Value, read: &Value, at: &str, found: &mut Vec<String>) {
    match (written, read) {
        (Value::Object(members), _) => {
            for (name, value) in members.iter().filter(|(name, _)| !name.starts_with("x-")) {
                let at = pointer::join(at, name);
                match read.get(name) {
                    Some(read) => ignored(value, read, &at, found),
                    None if is_default(value) => {}
                    None => found.push(format!("{at}: the client generator ignores it")),
                }
            }
        }
        (Value::Array(items), Value::Array(read)) => {
            for (position, (item, read)) in items.iter().zip(read).enumerate() {
                ignored(item, read, &pointer::join(at, &position.to_string()), found);
            }
        }
        _ => {}
    }
}

/// Returns whether a member with this value means the same as none. The generator's types do not write these.
fn is_default(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => !flag,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// Checks the form of the marks of a part.
fn marks(spec: &Spec, at: &str, kind: Kind, node: &Map<String, Value>, found: &mut Vec<String>) {
    let has = |name: &Value| name.as_str().is_some_and(|name| node.contains_key(name));
    let differs = |(name, value): (&String, &Value)| node.get(name) != Some(value);
    let is_possible = |(name, value): (&String, &Value)| {
        let operations = spec.operations(View::Full);
        let mut parameters = operations.iter().flat_map(|one| one.parameters());
        parameters.any(|parameter| {
            let schema = spec.validator(View::Full, &parameter.schema);
            parameter.location == "query"
                && parameter.name == name
                && schema.is_ok_and(|schema| schema.is_valid(value))
        })
    };
    for (name, value) in node.iter().filter(|(name, _)| name.starts_with("x-")) {
        let problem = match (name.as_str(), value) {
            (view::OBSERVED, Value::Bool(true))
                if !matches!(kind, Kind::Document | Kind::Info | Kind::Components) =>
            {
                continue;
            }
            (view::OBSERVED, Value::Array(names)) if !names.is_empty() && names.iter().all(has) => {
                continue;
            }
            (view::OBSERVED, _) => "must be true or a list of keywords beside it",
            (view::DOCUMENTED, Value::Object(overlay))
                if !overlay.is_empty() && overlay.iter().all(differs) =>
            {
                continue;
            }
            (view::DOCUMENTED, _) => "must have the keywords that differ in the specification",
            (WHEN, Value::Object(query))
                if matches!(kind, Kind::Schema | Kind::Example)
                    && !query.is_empty()
                    && query.iter().all(is_possible) =>
            {
                continue;
            }
            (WHEN, _) => {
                "must have query parameters with possible values, in a schema or an example"
            }
            (REQUIREMENT, _) => {
                let ids = cited(node);
                if !ids.is_empty() && ids.into_iter().all(|id| requirement(id).is_some()) {
                    continue;
                }
                "must be an ID in specification.md, or a list of IDs"
            }
            _ => "is an unknown extension",
        };
        found.push(format!("{at}/{name}: {problem}, and is {value}"));
    }
}

/// Returns what the client generator would drop or change without an error.
fn generator(kind: Kind, node: &Map<String, Value>) -> Option<&'static str> {
    let has = |name: &str| node.contains_key(name);
    let media_types = node
        .get("content")
        .and_then(Value::as_object)
        .map_or(0, Map::len);
    Some(match kind {
        _ if has("$ref") => return None,
        Kind::Operation if has("callbacks") || has("servers") => {
            "`callbacks` and `servers` of an operation are ignored"
        }
        Kind::Parameter if has("content") || !has("schema") => {
            "a parameter needs a `schema`, and no `content`"
        }
        Kind::Parameter if node.get("in").is_some_and(|place| place == "cookie") => {
            "the client can't send cookies"
        }
        Kind::RequestBody | Kind::Response if media_types > 1 => {
            "the client takes one media type for a body"
        }
        Kind::Schema if has("not") => "the client generator can't take `not`",
        _ => return None,
    })
}

/// Returns what is wrong with how an object states that it can have other fields.
///
/// OpenAPI allows other fields by default. The client's build step writes that out for its generator.
fn openness(kind: Kind, node: &Map<String, Value>) -> Option<&'static str> {
    let names_fields = node.contains_key("properties");
    let is_object = node.get("type").is_some_and(|kind| kind == "object");
    match node.get("additionalProperties") {
        _ if kind != Kind::Schema => None,
        Some(Value::Bool(_)) => {
            Some("unknown fields are lost or rejected: remove `additionalProperties`")
        }
        Some(_) if names_fields => {
            Some("TypeScript clients can't narrow a choice with it: remove `additionalProperties`")
        }
        None if is_object && !names_fields => {
            Some("TypeScript clients take it for an empty object: write `additionalProperties: {}`")
        }
        _ => None,
    }
}

/// Checks the documented view: each part cites requirements, and nothing in it is about real nodes.
fn documented(view: &Value, found: &mut Vec<String>) {
    let is_documented =
        |id: &&str| requirement(id).is_some_and(|known| known.basis != Basis::Observed);
    let mut all_cited = BTreeSet::new();
    grammar::visit(view, &mut |at, kind, node| {
        let is_field = || pointer::parent(at).is_some_and(|parent| parent.ends_with("/properties"));
        let needs_requirement = match kind {
            Kind::Operation => true,
            Kind::Parameter | Kind::Response => !node.contains_key("$ref"),
            Kind::Schema => is_field(),
            _ => false,
        };
        let ids = cited(node);
        if (needs_requirement || !ids.is_empty()) && !ids.iter().any(is_documented) {
            found.push(format!(
                "{at}: a documented part that cites no documented requirement: is it `x-observed`?"
            ));
        }
        all_cited.extend(ids);
        if node.get("nullable") == Some(&Value::Bool(true)) {
            found.push(format!(
                "{at}: the specification shows no null: is `nullable` `x-observed`?"
            ));
        }
        let properties = node.get("properties").and_then(Value::as_object);
        let names = node.get("required").and_then(Value::as_array);
        for name in names.into_iter().flatten().filter_map(Value::as_str) {
            if !properties.is_some_and(|properties| properties.contains_key(name)) {
                found.push(format!("{at}: `{name}` is required, and not a property"));
            }
        }
        // The introduction explains the marks.
        for member in ["summary", "description"]
            .into_iter()
            .filter(|_| kind != Kind::Info)
        {
            let text = node.get(member).and_then(Value::as_str).unwrap_or_default();
            let words: String = text
                .to_lowercase()
                .replace(|letter: char| !letter.is_alphanumeric(), " ");
            if let Some(word) = OBSERVATIONS
                .into_iter()
                .find(|word| format!(" {words} ").contains(word))
            {
                found.push(format!(
                    "{at}/{member}: `{}` is about real nodes: put it after `Observed:` at the end of the \
                     paragraph, or mark the part with `x-observed`",
                    word.trim()
                ));
            }
        }
    });
    let documented = requirements()
        .iter()
        .filter(|one| one.basis == Basis::Documented);
    for one in documented.filter(|one| !all_cited.contains(one.id)) {
        found.push(format!("no documented part cites {}: {}", one.id, one.text));
    }
    let text = view.to_string();
    for (folder, components) in view["components"].as_object().unwrap() {
        // A security scheme is referred to by its name.
        let components = components
            .as_object()
            .filter(|_| folder != "securitySchemes");
        for name in components.into_iter().flat_map(Map::keys) {
            let at = format!("/components/{folder}/{name}");
            if !text.contains(&format!("\"#{at}\"")) {
                found.push(format!(
                    "{at}: only observed parts refer to it: is it `x-observed`?"
                ));
            }
        }
    }
}

/// Returns the document with every object closed that names its fields.
fn closed(document: &Value) -> Value {
    let mut objects = Vec::new();
    grammar::visit(document, &mut |at, kind, node| {
        if kind == Kind::Schema && node.contains_key("properties") {
            objects.push(at.to_owned());
        }
    });
    let mut closed = document.clone();
    for at in objects {
        closed.pointer_mut(&at).unwrap()["additionalProperties"] = false.into();
    }
    closed
}

/// Finds examples in a document that do not match their schemas.
fn examples(document: Value, found: &mut Vec<String>) {
    let spec = Spec::from_value(document).unwrap();
    let target = |node: &Value| {
        let target = node.get("$ref").and_then(Value::as_str);
        match target.and_then(pointer::of_reference) {
            Some(target) => spec.full().pointer(target).cloned(),
            None => Some(node.clone()),
        }
    };
    grammar::visit(spec.full(), &mut |at, kind, node| {
        let schema = match kind {
            Kind::Schema => at.to_owned(),
            Kind::Parameter | Kind::Header | Kind::MediaType => pointer::join(at, "schema"),
            _ => return,
        };
        let single = node.get("example").map(|example| json!({"value": example}));
        let named = node.get("examples").and_then(Value::as_object);
        let named = named
            .into_iter()
            .flatten()
            .map(|(name, node)| (name.as_str(), target(node)));
        for (name, example) in [("", single)].into_iter().chain(named) {
            let Some(example) = example else { continue };
            // An example can be for one query, and so for one branch of the schema.
            let query = example.get(WHEN).and_then(Value::as_object);
            let query: Vec<_> = query.into_iter().flatten().collect();
            let query: Vec<_> = query
                .iter()
                .filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
                .collect();
            let branch = spec
                .branch(View::Full, &schema, &query)
                .unwrap_or_else(|| schema.clone());
            // What can't be compiled is a problem of its own.
            let Ok(validator) = spec.validator(View::Full, &branch) else {
                continue;
            };
            for mismatch in validator.mismatches_in(&example["value"]) {
                found.push(format!(
                    "{at}, example {name}: {} at {:?}. Is it only observed, or misspelt?",
                    mismatch.message, mismatch.instance
                ));
            }
        }
    });
}
