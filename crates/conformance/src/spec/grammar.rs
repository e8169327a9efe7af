//! Which keyword may stand where in an OpenAPI 3.0.3 document, and what it holds.
//!
//! One table serves two readers. Deriving a view has to know where a node of the document ends and
//! data begins: a property that is called `nullable`, or an example that holds a member of that
//! name, is not a keyword. The linter has to know every keyword, because the client generator
//! ignores silently what it does not know.

mod keywords;

use serde_json::{Map, Value};

use super::pointer;
use keywords::{
    COMPONENTS, CONTACT, DISCRIMINATOR, DOCUMENT, ENCODING, EXAMPLE, EXTERNAL_DOCS, HEADER, INFO,
    LICENSE, MEDIA_TYPE, OPERATION, PARAMETER, PATH_ITEM, REQUEST_BODY, RESPONSE, SCHEMA,
    SECURITY_SCHEME, SERVER, SERVER_VARIABLE, TAG, XML,
};

/// The kind of an object in an OpenAPI document, as the specification names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(
    missing_docs,
    reason = "the names are those of the OpenAPI specification"
)]
pub enum Kind {
    Document,
    Info,
    Contact,
    License,
    Server,
    ServerVariable,
    Components,
    PathItem,
    Operation,
    ExternalDocs,
    Parameter,
    RequestBody,
    MediaType,
    Encoding,
    Response,
    Example,
    Header,
    Tag,
    Schema,
    Discriminator,
    Xml,
    SecurityScheme,
}

/// What the value of a keyword is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// A string.
    Text,
    /// A boolean.
    Flag,
    /// A number.
    Number,
    /// An integer that is not negative.
    Count,
    /// One of these strings.
    Word(&'static [&'static str]),
    /// A list of strings.
    Texts,
    /// Anything; what is inside of it is data and not part of the description.
    Data,
    /// A list of data.
    DataList,
    /// A node of this kind.
    One(Kind),
    /// A node of this kind, or a boolean.
    OneOrFlag(Kind),
    /// A list of nodes of this kind.
    Many(Kind),
    /// An object whose members are nodes of this kind, under names of the author's choice.
    Named(Kind),
}

/// A keyword of a [`Kind`].
#[derive(Clone, Copy, Debug)]
pub struct Keyword {
    /// Its spelling.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// Whether the specification requires it.
    pub required: bool,
}

impl Kind {
    /// All keywords of this kind, extensions (`x-…`) and `$ref` excepted.
    pub fn keywords(self) -> &'static [Keyword] {
        match self {
            Self::Document => DOCUMENT,
            Self::Info => INFO,
            Self::Contact => CONTACT,
            Self::License => LICENSE,
            Self::Server => SERVER,
            Self::ServerVariable => SERVER_VARIABLE,
            Self::Components => COMPONENTS,
            Self::PathItem => PATH_ITEM,
            Self::Operation => OPERATION,
            Self::ExternalDocs => EXTERNAL_DOCS,
            Self::Parameter => PARAMETER,
            Self::RequestBody => REQUEST_BODY,
            Self::MediaType => MEDIA_TYPE,
            Self::Encoding => ENCODING,
            Self::Response => RESPONSE,
            Self::Example => EXAMPLE,
            Self::Header => HEADER,
            Self::Tag => TAG,
            Self::Schema => SCHEMA,
            Self::Discriminator => DISCRIMINATOR,
            Self::Xml => XML,
            Self::SecurityScheme => SECURITY_SCHEME,
        }
    }

    /// The keyword of this kind with this spelling.
    pub fn keyword(self, name: &str) -> Option<&'static Keyword> {
        self.keywords().iter().find(|keyword| keyword.name == name)
    }

    /// Whether a `$ref` may stand in the place of an object of this kind.
    pub fn may_be_reference(self) -> bool {
        matches!(
            self,
            Self::Schema
                | Self::Response
                | Self::Parameter
                | Self::Example
                | Self::RequestBody
                | Self::Header
                | Self::SecurityScheme
        )
    }

    /// The folder of `components` that holds objects of this kind.
    pub fn components_folder(self) -> Option<&'static str> {
        COMPONENTS.iter().find_map(|folder| match folder.shape {
            Shape::Named(kind) if kind == self => Some(folder.name),
            _ => None,
        })
    }
}

/// What [`visit`] calls: with a node's JSON pointer, its kind, and the node.
pub type Visitor<'f, 'v> = dyn FnMut(&str, Kind, &'v Map<String, Value>) + 'f;

/// Calls `visitor` for each node of the document, parents first, with the node's JSON pointer.
///
/// What stands where a node is expected and is no object is passed over; telling of it is the
/// linter's business.
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
