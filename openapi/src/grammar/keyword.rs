//! The kinds of objects in an OpenAPI document, and the form of their keywords.

/// The kind of an object in an OpenAPI document, named as in the specification.
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

/// The form of a keyword's value.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// A string.
    Text,
    /// A boolean.
    Flag,
    /// A number.
    Number,
    /// A non-negative integer.
    Count,
    /// One of these strings.
    Word(&'static [&'static str]),
    /// A list of strings.
    Texts,
    /// Any value. It is data, and not part of the description.
    Data,
    /// A list of data.
    DataList,
    /// A node of this kind.
    One(Kind),
    /// A node of this kind, or a boolean.
    OneOrFlag(Kind),
    /// A list of nodes of this kind.
    Many(Kind),
    /// An object whose members are nodes of this kind, with names that the author chose.
    Named(Kind),
}

/// A keyword of a [`Kind`].
#[derive(Clone, Copy, Debug)]
pub struct Keyword {
    /// The keyword's name.
    pub name: &'static str,
    /// The form of its value.
    pub shape: Shape,
    /// Whether the specification requires it.
    pub required: bool,
}
