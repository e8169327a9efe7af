//! Reports what the client generator drops or changes without an error.

use nodeproof_openapi::grammar::{self, Kind};
use nodeproof_openapi::pointer;
use serde_json::{Map, Value};

use super::lint::Lint;

pub(super) fn check(lint: &mut Lint<'_>) {
    let mut problems = Vec::new();
    grammar::visit(lint.document(), &mut |at, kind, node| {
        if node.contains_key("$ref") {
            return;
        }
        let has = |name: &str| node.contains_key(name);
        let found = match kind {
            Kind::Operation if has("callbacks") || has("servers") => {
                "`callbacks` and `servers` of an operation are ignored"
            }
            Kind::Parameter if has("content") || !has("schema") => {
                "a parameter needs a `schema`, and no `content`"
            }
            Kind::Parameter if node.get("in").is_some_and(|place| place == "cookie") => {
                "the client can't send cookies"
            }
            Kind::RequestBody | Kind::Response if media_types(node) > 1 => {
                "the client takes one media type for a body"
            }
            Kind::Schema if has("not") => "the client generator can't take `not`",
            Kind::Schema if !keeps_unknown_fields(node) => {
                "unknown fields get lost, or are refused: write `additionalProperties: {}`"
            }
            _ => "",
        };
        if !found.is_empty() {
            problems.push((at.to_owned(), found));
        }
        problems.extend(tagged_branches(at, kind, node));
    });
    for (at, message) in problems {
        lint.report("generator", &at, message);
    }
}

fn media_types(node: &Map<String, Value>) -> usize {
    node.get("content")
        .and_then(Value::as_object)
        .map_or(0, Map::len)
}

fn keeps_unknown_fields(schema: &Map<String, Value>) -> bool {
    match schema.get("additionalProperties") {
        None => !schema.contains_key("properties"),
        Some(open) => !open.is_boolean(),
    }
}

/// Returns inline branches of a choice that become externally tagged variants, which read other JSON
/// than the schema describes.
fn tagged_branches(at: &str, kind: Kind, node: &Map<String, Value>) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    for choice in ["oneOf", "anyOf"]
        .into_iter()
        .filter(|_| kind == Kind::Schema)
    {
        let branches = node.get(choice).and_then(Value::as_array);
        for (position, branch) in branches.into_iter().flatten().enumerate() {
            let properties = branch.get("properties").and_then(Value::as_object);
            let single = properties.is_some_and(|properties| properties.len() == 1);
            if single && branch.get("additionalProperties").is_none() {
                let at = pointer::join(&pointer::join(at, choice), &position.to_string());
                let message = "an inline branch with one property becomes an externally tagged \
                               variant: give it `additionalProperties: {}`, or a name of its own";
                found.push((at, message));
            }
        }
    }
    found
}
