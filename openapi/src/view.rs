//! Derives the documented view from the spec as written.
//!
//! Any node of the document can have one of three marks:
//!
//! * `x-observed: true`: the node is not in the specification. The documented view leaves it out,
//!   and everything that refers to it.
//! * `x-observed: [keyword, …]`: only these keywords of the node are not in the specification.
//! * `x-documented: {…}`: in the documented view, these keywords replace those of the node.
//!
//! In a description, the word `Observed:` marks the rest of its paragraph in the same way.
//!
//! A `oneOf` or `anyOf` with one remaining branch becomes that branch. A removed property is no
//! longer required.
//!
//! ```
//! use nodeproof_openapi::view;
//! use serde_json::json;
//!
//! let schemas = json!({"A": {"type": "string"}, "B": {"x-observed": true}});
//! let document = json!({"paths": {}, "components": {"schemas": schemas}});
//! let documented = view::documented(&document);
//! assert_eq!(documented["components"]["schemas"], json!({"A": {"type": "string"}}));
//! ```

use serde_json::{Map, Value};

use crate::{
    grammar::{Kind, Shape},
    pointer,
};

/// Marks what was only observed on real nodes.
pub const OBSERVED: &str = "x-observed";
/// Marks keywords that apply only in the documented view.
pub const DOCUMENTED: &str = "x-documented";
/// Begins the part of a description that is only about real nodes, up to the end of the paragraph.
pub const OBSERVED_TEXT: &str = "Observed:";

/// Returns the document without the parts that were only observed.
pub fn documented(document: &Value) -> Value {
    Derivation { document }
        .node(document, Kind::Document)
        .unwrap_or(Value::Null)
}

/// Returns a description without the parts that are only about real nodes.
fn documented_text(text: &str) -> String {
    let documented = |paragraph: &str| {
        let (kept, _) = paragraph.split_once(OBSERVED_TEXT)?;
        Some(kept.trim_end().to_owned())
    };
    let paragraphs = text.split("\n\n");
    let kept = paragraphs.map(|paragraph| documented(paragraph).unwrap_or(paragraph.to_owned()));
    let kept: Vec<_> = kept.filter(|paragraph| !paragraph.is_empty()).collect();
    kept.join("\n\n")
}

struct Derivation<'d> {
    document: &'d Value,
}

impl Derivation<'_> {
    /// Returns the node as it is in the view, or `None` if the view leaves it out.
    fn node(&self, value: &Value, kind: Kind) -> Option<Value> {
        let Some(written) = value.as_object() else {
            return Some(value.clone());
        };
        if self.vanishes(written, kind, 0) {
            return None;
        }
        let (mut node, shrunk) = self.members(&marked(written), kind);
        if kind == Kind::Schema {
            settle_required(&mut node, written);
            for choice in shrunk {
                collapse(&mut node, &choice);
            }
        }
        Some(Value::Object(node))
    }

    /// Returns whether the node or its reference's target is marked as observed.
    fn vanishes(&self, node: &Map<String, Value>, kind: Kind, hops: usize) -> bool {
        if node.get(OBSERVED) == Some(&Value::Bool(true)) {
            return true;
        }
        // A cycle of references must end, too.
        if hops > 32 || !kind.may_be_reference() {
            return false;
        }
        node.get("$ref")
            .and_then(Value::as_str)
            .and_then(pointer::of_reference)
            .and_then(|target| self.document.pointer(target))
            .and_then(Value::as_object)
            .is_some_and(|target| self.vanishes(target, kind, hops + 1))
    }

    /// Returns the node's members in the view, and the choices that have only one branch left.
    fn members(&self, node: &Map<String, Value>, kind: Kind) -> (Map<String, Value>, Vec<String>) {
        let mut kept = Map::new();
        let mut shrunk = Vec::new();
        for (name, value) in node {
            let derived = match (kind.shape(name), value) {
                (Some(Shape::One(kind)), _) => self.node(value, kind),
                (Some(Shape::Many(kind)), Value::Array(items)) => {
                    let left = self.items(items, kind);
                    if left.len() == 1
                        && items.len() > 1
                        && matches!(name.as_str(), "oneOf" | "anyOf")
                    {
                        shrunk.push(name.clone());
                    }
                    (!left.is_empty() || items.is_empty()).then_some(Value::Array(left))
                }
                (Some(Shape::Named(of)), Value::Object(items)) => {
                    let left = self.named(items, of);
                    let stays = !left.is_empty() || items.is_empty() || is_required(kind, name);
                    stays.then_some(Value::Object(left))
                }
                _ => Some(value.clone()),
            };
            if let Some(derived) = derived {
                kept.insert(name.clone(), derived);
            }
        }
        (kept, shrunk)
    }

    fn items(&self, items: &[Value], kind: Kind) -> Vec<Value> {
        let items = items.iter();
        items.filter_map(|item| self.node(item, kind)).collect()
    }

    fn named(&self, items: &Map<String, Value>, kind: Kind) -> Map<String, Value> {
        let items = items.iter();
        items
            .filter_map(|(name, item)| Some((name.clone(), self.node(item, kind)?)))
            .collect()
    }
}

/// Applies the node's own marks to its keywords.
fn marked(written: &Map<String, Value>) -> Map<String, Value> {
    let mut node = written.clone();
    if let Some(Value::Array(keywords)) = node.shift_remove(OBSERVED) {
        for keyword in keywords.iter().filter_map(Value::as_str) {
            node.shift_remove(keyword);
        }
    }
    if let Some(Value::Object(overlay)) = node.shift_remove(DOCUMENTED) {
        node.extend(overlay);
    }
    if let Some(Value::String(text)) = node.get_mut("description") {
        *text = documented_text(text);
    }
    node
}

/// Returns whether OpenAPI requires the member, even if it is empty.
fn is_required(kind: Kind, name: &str) -> bool {
    matches!(
        (kind, name),
        (Kind::Document, "paths") | (Kind::Operation, "responses") | (Kind::RequestBody, "content")
    )
}

/// Removes from `required` the properties that are not in the view.
///
/// A name that never was a property stays: it is a mistake in the spec.
fn settle_required(node: &mut Map<String, Value>, written: &Map<String, Value>) {
    let has = |node: &Map<String, Value>, name: &str| {
        node.get("properties")
            .is_some_and(|properties| properties.get(name).is_some())
    };
    let Some(Value::Array(required)) = node.get("required") else {
        return;
    };
    let left: Vec<Value> = required
        .iter()
        .filter(|name| {
            name.as_str()
                .is_none_or(|name| has(node, name) || !has(written, name))
        })
        .cloned()
        .collect();
    if left.is_empty() {
        node.shift_remove("required");
    } else {
        node.insert("required".to_owned(), Value::Array(left));
    }
}

/// Replaces a choice with its one remaining branch.
fn collapse(node: &mut Map<String, Value>, choice: &str) {
    let Some(Value::Array(branches)) = node.shift_remove(choice) else {
        return;
    };
    let inline = branches
        .first()
        .and_then(Value::as_object)
        .filter(|branch| {
            !branch.contains_key("$ref")
                && branch
                    .keys()
                    .all(|keyword| is_annotation(keyword) || !node.contains_key(keyword))
        });
    match inline {
        Some(branch) => {
            for (keyword, value) in branch.clone() {
                node.entry(keyword).or_insert(value);
            }
        }
        // A reference can't have siblings. A keyword that both have must apply twice.
        None => match node.get_mut("allOf") {
            Some(Value::Array(all)) => all.extend(branches),
            _ => {
                node.insert("allOf".to_owned(), Value::Array(branches));
            }
        },
    }
}

fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "title" | "description" | "example" | "externalDocs"
    ) || keyword.starts_with("x-")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn documented_schemas(schemas: Value) -> Value {
        let document = json!({ "paths": {}, "components": { "schemas": schemas } });
        documented(&document)
            .pointer("/components/schemas")
            .cloned()
            .unwrap_or_default()
    }

    #[test]
    fn marked_nodes_vanish_with_what_refers_to_them() {
        let schemas = documented_schemas(json!({
            "Seen": { "x-observed": true, "type": "string" },
            "Alias": { "$ref": "#/components/schemas/Seen" },
            "Shown": {
                "required": ["a", "b", "c"],
                "properties": {
                    "a": { "$ref": "#/components/schemas/Alias" },
                    "b": { "type": "integer" },
                    "c": { "x-observed": true },
                },
            },
        }));
        let shown = json!({ "required": ["b"], "properties": { "b": { "type": "integer" } } });
        assert_eq!(schemas, json!({ "Shown": shown }));
    }

    #[test]
    fn listed_keywords_vanish_and_documented_ones_hold() {
        let schemas = documented_schemas(json!({
            "It": {
                "type": "object",
                "nullable": true,
                "x-observed": ["nullable"],
                "properties": { "a": {}, "b": {} },
                "required": ["a"],
                "x-documented": { "required": ["a", "b"] },
            },
        }));
        let it = json!({
            "type": "object", "properties": { "a": {}, "b": {} }, "required": ["a", "b"],
        });
        assert_eq!(schemas, json!({ "It": it }));
    }

    #[test]
    fn a_choice_with_one_branch_left_becomes_that_branch() {
        let schemas = documented_schemas(json!({
            "Inline": {
                "description": "kept",
                "oneOf": [{ "type": "string", "title": "x" }, { "x-observed": true, "type": "array" }],
            },
            "Shared": {
                "anyOf": [{ "$ref": "#/components/schemas/Inline" }, { "x-observed": true }],
            },
            "Conflicting": {
                "type": "object",
                "anyOf": [{ "type": "object", "minProperties": 1 }, { "x-observed": true }],
            },
            "Whole": { "oneOf": [{ "type": "string" }, { "type": "integer" }] },
        }));
        let expected = json!({
            "Inline": { "description": "kept", "type": "string", "title": "x" },
            "Shared": { "allOf": [{ "$ref": "#/components/schemas/Inline" }] },
            "Conflicting": {
                "type": "object", "allOf": [{ "type": "object", "minProperties": 1 }],
            },
            "Whole": { "oneOf": [{ "type": "string" }, { "type": "integer" }] },
        });
        assert_eq!(schemas, expected);
    }

    #[test]
    fn data_and_names_are_not_taken_for_marks() {
        let schema = json!({
            "properties": {
                "x-observed": { "type": "boolean" },
                "nullable": { "type": "boolean" },
                "oneOf": { "type": "array", "items": {} },
            },
            "required": ["x-observed", "nullable"],
            "example": { "x-observed": true, "nullable": { "x-documented": {} } },
            "enum": [{ "x-observed": true }],
        });
        assert_eq!(
            documented_schemas(json!({ "It": schema })),
            json!({ "It": schema })
        );
    }

    #[test]
    fn references_in_a_circle_come_to_an_end() {
        let schemas = json!({
            "A": { "$ref": "#/components/schemas/B" }, "B": { "$ref": "#/components/schemas/A" },
        });
        assert_eq!(documented_schemas(schemas.clone()), schemas);
    }
}
