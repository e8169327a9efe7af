//! The nodes of an OpenAPI 3.0.3 document: which members are parts of the description, and which are data.
//!
//! A property named `nullable`, or an example with such a member, is not a keyword. So every reader of
//! the description walks through it with these rules.

use serde_json::{Map, Value};

use crate::pointer;

/// The kind of a node, named as in the OpenAPI specification.
///
/// Only nodes are listed that can have an extension of ours, or that contain such nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
#[expect(
    missing_docs,
    reason = "the names are those of the OpenAPI specification"
)]
pub enum Kind {
    Document,
    Info,
    Server,
    ServerVariable,
    Tag,
    Components,
    PathItem,
    Operation,
    Parameter,
    RequestBody,
    MediaType,
    Response,
    Example,
    Header,
    Schema,
    SecurityScheme,
}

/// The form of a member that contains nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// A node of this kind. In a schema, a boolean can stand in its place.
    One(Kind),
    /// A list of nodes of this kind.
    Many(Kind),
    /// An object whose members are nodes of this kind, with names that the author chose.
    Named(Kind),
}

impl Kind {
    /// Returns the form of the member with this name, or `None` if it contains no nodes.
    pub fn shape(self, name: &str) -> Option<Shape> {
        use Kind::*;
        use Shape::{Many, Named, One};
        Some(match (self, name) {
            (Document, "info") => One(Info),
            (Document | PathItem | Operation, "servers") => Many(Server),
            (Server, "variables") => Named(ServerVariable),
            (Document, "tags") => Many(Tag),
            (Document, "paths") => Named(PathItem),
            (Document, "components") => One(Components),
            (Components, "schemas") => Named(Schema),
            (Components, "parameters") => Named(Parameter),
            (Components, "requestBodies") => Named(RequestBody),
            (Components, "securitySchemes") => Named(SecurityScheme),
            (Components | Operation, "responses") => Named(Response),
            (Components | Response, "headers") => Named(Header),
            (Components | Parameter | Header | MediaType, "examples") => Named(Example),
            (
                PathItem,
                "get" | "put" | "post" | "delete" | "options" | "head" | "patch" | "trace",
            ) => One(Operation),
            (PathItem | Operation, "parameters") => Many(Parameter),
            (Operation, "requestBody") => One(RequestBody),
            (Parameter | Header | RequestBody | Response, "content") => Named(MediaType),
            (Parameter | Header | MediaType, "schema") => One(Schema),
            (Schema, "allOf" | "oneOf" | "anyOf") => Many(Schema),
            (Schema, "not" | "items" | "additionalProperties") => One(Schema),
            (Schema, "properties") => Named(Schema),
            _ => return None,
        })
    }

    /// Returns whether a `$ref` can replace a node of this kind.
    pub fn may_be_reference(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Schema | Response | Parameter | Example | RequestBody | Header | SecurityScheme
        )
    }
}

/// The callback of [`visit`]. It receives a node's JSON pointer, its kind, and the node.
pub type Visitor<'f, 'v> = dyn FnMut(&str, Kind, &'v Map<String, Value>) + 'f;

/// Calls `visitor` for each node of the document, parents first.
///
/// Skips a value that should be a node but is not an object.
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
        let at = pointer::join(at, name);
        match (kind.shape(name), child) {
            (Some(Shape::One(kind)), _) => visit_node(child, kind, &at, visitor),
            (Some(Shape::Many(kind)), Value::Array(items)) => {
                for (position, item) in items.iter().enumerate() {
                    let at = pointer::join(&at, &position.to_string());
                    visit_node(item, kind, &at, visitor);
                }
            }
            (Some(Shape::Named(kind)), Value::Object(items)) => {
                for (name, item) in items {
                    visit_node(item, kind, &pointer::join(&at, name), visitor);
                }
            }
            _ => {}
        }
    }
}
