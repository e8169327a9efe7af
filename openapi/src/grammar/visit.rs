//! Walks through all nodes of a document.

use serde_json::{Map, Value};

use super::keyword::{Kind, Shape};
use crate::pointer;

/// The callback of [`visit`]. It receives a node's JSON pointer, its kind, and the node.
pub type Visitor<'f, 'v> = dyn FnMut(&str, Kind, &'v Map<String, Value>) + 'f;

/// Calls `visitor` for each node of the document, parents first.
///
/// Skips a value that should be a node but is not an object. The linter reports it.
///
/// ```
/// use nodeproof_openapi::grammar::{self, Kind};
///
/// let document = serde_json::json!({"paths": {"/docs": {"get": {"responses": {}}}}});
/// let mut operations = Vec::new();
/// grammar::visit(&document, &mut |at, kind, _node| {
///     if kind == Kind::Operation {
///         operations.push(at.to_owned());
///     }
/// });
/// assert_eq!(operations, ["/paths/~1docs/get"]);
/// ```
pub fn visit<'v>(document: &'v Value, visitor: &mut Visitor<'_, 'v>) {
    visit_node(document, Kind::Document, "", visitor);
}

fn visit_node<'v>(value: &'v Value, kind: Kind, at: &str, visitor: &mut Visitor<'_, 'v>) {
    let Some(object) = value.as_object() else {
        return;
    };
    visitor(at, kind, object);
    if object.contains_key("$ref") && kind.may_be_reference() {
        return;
    }
    for (name, child) in object {
        let Some(keyword) = kind.keyword(name) else {
            continue;
        };
        let at = pointer::join(at, name);
        match keyword.shape {
            Shape::One(kind) | Shape::OneOrFlag(kind) => visit_node(child, kind, &at, visitor),
            Shape::Many(kind) => {
                for (position, item) in child.as_array().into_iter().flatten().enumerate() {
                    visit_node(
                        item,
                        kind,
                        &pointer::join(&at, &position.to_string()),
                        visitor,
                    );
                }
            }
            Shape::Named(kind) => {
                for (name, item) in child.as_object().into_iter().flatten() {
                    if !name.starts_with("x-") || kind == Kind::Schema {
                        visit_node(item, kind, &pointer::join(&at, name), visitor);
                    }
                }
            }
            _ => {}
        }
    }
}
