//! Checks that operations, parameters, bodies and responses are complete and that the generator can
//! use them.

use std::collections::{BTreeMap, BTreeSet};

use nodeproof_openapi::grammar::{self, Kind};
use nodeproof_openapi::pointer;
use serde_json::{Map, Value};

use super::lint::Lint;

type Node = Map<String, Value>;

pub(super) fn check(lint: &mut Lint<'_>) {
    let document = lint.document();
    let mut ids = BTreeMap::new();
    let tags: BTreeSet<&str> = list(document.get("tags"))
        .filter_map(|tag| tag.get("name").and_then(Value::as_str))
        .collect();
    let mut nodes = Vec::new();
    grammar::visit(document, &mut |at, kind, node| {
        nodes.push((at.to_owned(), kind, node))
    });
    for (at, kind, node) in nodes {
        match kind {
            Kind::Operation => {
                operation(lint, &mut ids, &tags, &at, node);
                path_parameters(lint, document, &at, node);
                successes(lint, document, &at, node);
            }
            Kind::Parameter if !node.contains_key("$ref") => parameter(lint, &at, node),
            Kind::RequestBody if !node.contains_key("$ref") => {
                described(lint, &at, node, &["description"]);
                one_media_type(lint, &at, node);
            }
            Kind::Response if !node.contains_key("$ref") => one_media_type(lint, &at, node),
            Kind::MediaType => exemplified(lint, &at, node),
            Kind::Example if !node.contains_key("$ref") => {
                described(lint, &at, node, &["summary"]);
                if !node.contains_key("value") {
                    lint.report("missing-example", &at, "an example needs a `value`");
                }
            }
            _ => {}
        }
    }
    for path in document
        .get("paths")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        if !path.0.starts_with('/') {
            lint.report(
                "path-form",
                &pointer::join("/paths", path.0),
                "a path begins with `/`",
            );
        }
    }
}

fn operation<'d>(
    lint: &mut Lint<'_>,
    ids: &mut BTreeMap<&'d str, String>,
    tags: &BTreeSet<&str>,
    at: &str,
    node: &'d Node,
) {
    described(lint, at, node, &["summary", "description"]);
    match node.get("operationId").and_then(Value::as_str) {
        None => lint.report("operation-id", at, "an operation needs an `operationId`"),
        Some(id) => {
            let at = pointer::join(at, "operationId");
            let snake = id.starts_with(|c: char| c.is_ascii_lowercase())
                && id
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
            if !snake {
                let message = format!("`{id}` becomes the name of a method: use snake_case");
                lint.report("operation-id", &at, message);
            }
            if let Some(first) = ids.insert(id, at.clone()) {
                let message = format!("`{id}` is the operationId at #{first} already");
                lint.report("operation-id", &at, message);
            }
        }
    }
    for (position, tag) in list(node.get("tags")).enumerate() {
        if let Some(tag) = tag.as_str().filter(|tag| !tags.contains(tag)) {
            let at = pointer::join(&pointer::join(at, "tags"), &position.to_string());
            lint.report(
                "unknown-tag",
                &at,
                format!("`{tag}` is not in the list of tags"),
            );
        }
    }
    for ignored in ["callbacks", "servers"] {
        if node.contains_key(ignored) {
            let message = format!("the client generator ignores `{ignored}` of an operation");
            lint.report("generator", &pointer::join(at, ignored), message);
        }
    }
}

/// Checks that the path's placeholders and the path parameters are the same.
fn path_parameters(lint: &mut Lint<'_>, document: &Value, at: &str, node: &Node) {
    let Some(item_at) = pointer::parent(at) else {
        return;
    };
    let path = pointer::last(item_at).unwrap_or_default();
    let placeholders: BTreeSet<&str> = path
        .split('{')
        .skip(1)
        .filter_map(|part| part.split_once('}').map(|(name, _)| name))
        .collect();
    let shared = document
        .pointer(item_at)
        .and_then(|item| item.get("parameters"));
    let mut seen = BTreeSet::new();
    for (list_at, parameters) in [(item_at, shared), (at, node.get("parameters"))] {
        let mut seen_here = BTreeSet::new();
        for (position, parameter) in list(parameters).enumerate() {
            let at = pointer::join(&pointer::join(list_at, "parameters"), &position.to_string());
            let Some(parameter) = follow(document, parameter) else {
                continue;
            };
            let name = parameter
                .get("name")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let place = parameter
                .get("in")
                .and_then(Value::as_str)
                .unwrap_or_default();
            if !seen_here.insert((name, place)) {
                let message = format!("a second parameter `{name}` in `{place}`");
                lint.report("duplicate-parameter", &at, message);
            }
            if place == "path" {
                seen.insert(name);
                if !placeholders.contains(name) {
                    let message = format!("the path `{path}` has no `{{{name}}}`");
                    lint.report("path-parameter", &at, message);
                }
                if parameter.get("required") != Some(&Value::Bool(true)) {
                    let message = format!("the path parameter `{name}` must be `required: true`");
                    lint.report("path-parameter", &at, message);
                }
            }
        }
    }
    for name in placeholders.difference(&seen) {
        let message = format!("`{{{name}}}` of the path has no parameter `in: path`");
        lint.report("path-parameter", at, message);
    }
}

/// Checks the successful responses. The generator panics if there are two kinds of success, and a
/// caller needs at least one.
fn successes(lint: &mut Lint<'_>, document: &Value, at: &str, node: &Node) {
    let at = pointer::join(at, "responses");
    let Some(responses) = node.get("responses").and_then(Value::as_object) else {
        return;
    };
    let mut successes = Vec::new();
    for (status, response) in responses {
        let at = pointer::join(&at, status);
        let known = status == "default"
            || status.len() == 3
                && status.starts_with(|c| ('1'..='5').contains(&c))
                && (status[1..] == *"XX" || status[1..].bytes().all(|b| b.is_ascii_digit()));
        if !known {
            lint.report(
                "status-form",
                &at,
                format!("`{status}` is not a status, a class or `default`"),
            );
        }
        if status.starts_with('2') {
            successes.push((
                at,
                follow(document, response).and_then(|node| node.get("content")),
            ));
        }
    }
    if successes.is_empty() {
        lint.report(
            "success",
            &at,
            "an operation needs a response with a status of success",
        );
    }
    for (at, content) in successes.iter().skip(1) {
        if *content != successes[0].1 {
            let message = "two successes of different types make the client generator panic";
            lint.report("generator", at, message);
        }
    }
}

fn parameter(lint: &mut Lint<'_>, at: &str, node: &Node) {
    described(lint, at, node, &["description"]);
    if node.contains_key("content") || !node.contains_key("schema") {
        lint.report(
            "generator",
            at,
            "a parameter needs a `schema`, and no `content`",
        );
    }
    if node.get("in").and_then(Value::as_str) == Some("cookie") {
        lint.report("generator", at, "the client generator can't send cookies");
    }
    exemplified(lint, at, node);
}

fn one_media_type(lint: &mut Lint<'_>, at: &str, node: &Node) {
    let at = pointer::join(at, "content");
    let Some(content) = node.get("content").and_then(Value::as_object) else {
        return;
    };
    if content.len() > 1 {
        let message = "the client generator takes one media type a body";
        lint.report("generator", &at, message);
    }
}

fn exemplified(lint: &mut Lint<'_>, at: &str, node: &Node) {
    let one = node.contains_key("example");
    let several = node.get("examples").and_then(Value::as_object);
    if !one && several.is_none_or(Map::is_empty) {
        lint.report("missing-example", at, "an example is missing");
    }
    if one && several.is_some() {
        lint.report(
            "missing-example",
            at,
            "`example` and `examples` exclude each other",
        );
    }
}

/// Reports texts that are missing or empty.
fn described(lint: &mut Lint<'_>, at: &str, node: &Node, names: &[&str]) {
    for name in names {
        if node
            .get(*name)
            .and_then(Value::as_str)
            .is_none_or(|text| text.trim().is_empty())
        {
            lint.report("missing-description", at, format!("a {name} is missing"));
        }
    }
}

fn follow<'d>(document: &'d Value, mut node: &'d Value) -> Option<&'d Value> {
    for _ in 0..32 {
        let Some(target) = node.get("$ref").and_then(Value::as_str) else {
            return Some(node);
        };
        node = document.pointer(pointer::of_reference(target)?)?;
    }
    None
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}
