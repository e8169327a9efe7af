//! The keywords of OpenAPI 3.0.3, object by object, in the order of its specification.

use super::keyword::{
    Keyword, Kind,
    Shape::{
        self, Count, Data, DataList, Flag, Many, Named, Number, One, OneOrFlag, Text, Texts, Word,
    },
};

const fn must(name: &'static str, shape: Shape) -> Keyword {
    Keyword {
        name,
        shape,
        required: true,
    }
}

const fn may(name: &'static str, shape: Shape) -> Keyword {
    Keyword {
        name,
        shape,
        required: false,
    }
}

pub(super) const DOCUMENT: &[Keyword] = &[
    must("openapi", Text),
    must("info", One(Kind::Info)),
    may("servers", Many(Kind::Server)),
    must("paths", Named(Kind::PathItem)),
    may("components", One(Kind::Components)),
    may("security", DataList),
    may("tags", Many(Kind::Tag)),
    may("externalDocs", One(Kind::ExternalDocs)),
];
pub(super) const INFO: &[Keyword] = &[
    must("title", Text),
    must("version", Text),
    may("description", Text),
    may("termsOfService", Text),
    may("contact", One(Kind::Contact)),
    may("license", One(Kind::License)),
];
pub(super) const CONTACT: &[Keyword] = &[may("name", Text), may("url", Text), may("email", Text)];
pub(super) const LICENSE: &[Keyword] = &[must("name", Text), may("url", Text)];
pub(super) const SERVER: &[Keyword] = &[
    must("url", Text),
    may("description", Text),
    may("variables", Named(Kind::ServerVariable)),
];
pub(super) const SERVER_VARIABLE: &[Keyword] = &[
    must("default", Text),
    may("enum", Texts),
    may("description", Text),
];
pub(super) const COMPONENTS: &[Keyword] = &[
    may("schemas", Named(Kind::Schema)),
    may("responses", Named(Kind::Response)),
    may("parameters", Named(Kind::Parameter)),
    may("examples", Named(Kind::Example)),
    may("requestBodies", Named(Kind::RequestBody)),
    may("headers", Named(Kind::Header)),
    may("securitySchemes", Named(Kind::SecurityScheme)),
    may("links", Data),
    may("callbacks", Data),
];
pub(super) const PATH_ITEM: &[Keyword] = &[
    may("summary", Text),
    may("description", Text),
    may("get", One(Kind::Operation)),
    may("put", One(Kind::Operation)),
    may("post", One(Kind::Operation)),
    may("delete", One(Kind::Operation)),
    may("options", One(Kind::Operation)),
    may("head", One(Kind::Operation)),
    may("patch", One(Kind::Operation)),
    may("trace", One(Kind::Operation)),
    may("servers", Many(Kind::Server)),
    may("parameters", Many(Kind::Parameter)),
];
pub(super) const OPERATION: &[Keyword] = &[
    may("tags", Texts),
    may("summary", Text),
    may("description", Text),
    may("externalDocs", One(Kind::ExternalDocs)),
    may("operationId", Text),
    may("parameters", Many(Kind::Parameter)),
    may("requestBody", One(Kind::RequestBody)),
    must("responses", Named(Kind::Response)),
    may("callbacks", Data),
    may("deprecated", Flag),
    may("security", DataList),
    may("servers", Many(Kind::Server)),
];
pub(super) const EXTERNAL_DOCS: &[Keyword] = &[must("url", Text), may("description", Text)];
pub(super) const PARAMETER: &[Keyword] = &[
    must("name", Text),
    must("in", Word(&["query", "header", "path", "cookie"])),
    may("description", Text),
    may("required", Flag),
    may("deprecated", Flag),
    may("allowEmptyValue", Flag),
    may("style", Word(STYLES)),
    may("explode", Flag),
    may("allowReserved", Flag),
    may("schema", One(Kind::Schema)),
    may("example", Data),
    may("examples", Named(Kind::Example)),
    may("content", Named(Kind::MediaType)),
];
const STYLES: &[&str] = &[
    "matrix",
    "label",
    "form",
    "simple",
    "spaceDelimited",
    "pipeDelimited",
    "deepObject",
];
pub(super) const HEADER: &[Keyword] = &[
    may("description", Text),
    may("required", Flag),
    may("deprecated", Flag),
    may("allowEmptyValue", Flag),
    may("style", Word(&["simple"])),
    may("explode", Flag),
    may("allowReserved", Flag),
    may("schema", One(Kind::Schema)),
    may("example", Data),
    may("examples", Named(Kind::Example)),
    may("content", Named(Kind::MediaType)),
];
pub(super) const REQUEST_BODY: &[Keyword] = &[
    must("content", Named(Kind::MediaType)),
    may("description", Text),
    may("required", Flag),
];
pub(super) const MEDIA_TYPE: &[Keyword] = &[
    may("schema", One(Kind::Schema)),
    may("example", Data),
    may("examples", Named(Kind::Example)),
    may("encoding", Named(Kind::Encoding)),
];
pub(super) const ENCODING: &[Keyword] = &[
    may("contentType", Text),
    may("headers", Named(Kind::Header)),
    may("style", Text),
    may("explode", Flag),
    may("allowReserved", Flag),
];
pub(super) const RESPONSE: &[Keyword] = &[
    must("description", Text),
    may("headers", Named(Kind::Header)),
    may("content", Named(Kind::MediaType)),
    may("links", Data),
];
pub(super) const EXAMPLE: &[Keyword] = &[
    may("summary", Text),
    may("description", Text),
    may("value", Data),
    may("externalValue", Text),
];
pub(super) const TAG: &[Keyword] = &[
    must("name", Text),
    may("description", Text),
    may("externalDocs", One(Kind::ExternalDocs)),
];
const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];
pub(super) const SCHEMA: &[Keyword] = &[
    may("title", Text),
    may("description", Text),
    may("type", Word(TYPES)),
    may("format", Text),
    may("default", Data),
    may("example", Data),
    may("enum", DataList),
    may("multipleOf", Number),
    may("maximum", Number),
    may("exclusiveMaximum", Flag),
    may("minimum", Number),
    may("exclusiveMinimum", Flag),
    may("maxLength", Count),
    may("minLength", Count),
    may("pattern", Text),
    may("maxItems", Count),
    may("minItems", Count),
    may("uniqueItems", Flag),
    may("maxProperties", Count),
    may("minProperties", Count),
    may("required", Texts),
    may("allOf", Many(Kind::Schema)),
    may("oneOf", Many(Kind::Schema)),
    may("anyOf", Many(Kind::Schema)),
    may("not", One(Kind::Schema)),
    may("items", One(Kind::Schema)),
    may("properties", Named(Kind::Schema)),
    may("additionalProperties", OneOrFlag(Kind::Schema)),
    may("nullable", Flag),
    may("discriminator", One(Kind::Discriminator)),
    may("readOnly", Flag),
    may("writeOnly", Flag),
    may("xml", One(Kind::Xml)),
    may("externalDocs", One(Kind::ExternalDocs)),
    may("deprecated", Flag),
];
pub(super) const DISCRIMINATOR: &[Keyword] = &[must("propertyName", Text), may("mapping", Data)];
pub(super) const XML: &[Keyword] = &[
    may("name", Text),
    may("namespace", Text),
    may("prefix", Text),
    may("attribute", Flag),
    may("wrapped", Flag),
];
pub(super) const SECURITY_SCHEME: &[Keyword] = &[
    must("type", Word(&["apiKey", "http", "oauth2", "openIdConnect"])),
    may("description", Text),
    may("name", Text),
    may("in", Word(&["query", "header", "cookie"])),
    may("scheme", Text),
    may("bearerFormat", Text),
    may("flows", Data),
    may("openIdConnectUrl", Text),
];
