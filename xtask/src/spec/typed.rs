//! Checks that the client generator can read every node, and that it ignores none of its members.
//!
//! The generator's types silently drop a member that they do not know. A misspelt `required` would
//! make every field optional. So each node is read into its type and written again.

use std::collections::{BTreeMap, BTreeSet};

use nodeproof_openapi::grammar::{self, Kind};
use nodeproof_openapi::{pointer, view};
use openapiv3::{
    Components, Example, Header, Info, MediaType, OpenAPI, Operation, Parameter, PathItem,
    RequestBody, Response, Schema, SecurityScheme, Server, ServerVariable, Tag,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::lint::{Lint, written};
use super::problem::suggestion;

pub(super) fn check(lint: &mut Lint<'_>) {
    for view in [lint.full.clone(), lint.documented.clone()] {
        let mut nodes = Vec::new();
        grammar::visit(&view, &mut |at, kind, node| {
            nodes.push((at.to_owned(), kind, node));
        });
        let mut known: BTreeMap<Kind, BTreeSet<String>> = BTreeMap::new();
        let mut ignored = Vec::new();
        let mut unreadable: Vec<String> = Vec::new();
        // The cause is the innermost node that can't be read. Children come after their parents.
        for (at, kind, node) in nodes.iter().rev() {
            if node.contains_key("$ref") && kind.may_be_reference() {
                siblings(lint, &view, at, node);
                continue;
            }
            match read_and_written(*kind, node) {
                Ok(kept) => {
                    for (name, value) in node.iter().filter(|(name, _)| !name.starts_with("x-")) {
                        if kept.get(name).is_some() {
                            known.entry(*kind).or_default().insert(name.clone());
                        } else if !is_default(value) {
                            ignored.push((pointer::join(at, name), *kind, name));
                        }
                    }
                }
                Err(error) => {
                    let inside = format!("{at}/");
                    if !unreadable.iter().any(|inner| inner.starts_with(&inside)) {
                        let message =
                            format!("the client generator can't read this {kind:?}: {error}");
                        lint.report("unreadable", &written(&view, at), message);
                    }
                    unreadable.push(at.clone());
                }
            }
        }
        for (at, kind, name) in ignored {
            let known = known.get(&kind).into_iter().flatten();
            let hint = suggestion(name, known.map(String::as_str));
            let message = format!(
                "`{name}` is not a keyword of {kind:?} in OpenAPI 3.0, and is ignored{hint}"
            );
            lint.report("unknown-keyword", &written(&view, &at), message);
        }
    }
}

fn siblings(lint: &mut Lint<'_>, view: &Value, at: &str, node: &Map<String, Value>) {
    for name in node
        .keys()
        .filter(|name| !["$ref", view::SOURCE].contains(&name.as_str()))
    {
        let message = format!("`{name}` beside `$ref` is ignored: wrap the `$ref` in `allOf`");
        lint.report(
            "ref-siblings",
            &written(view, &pointer::join(at, name)),
            message,
        );
    }
}

/// Returns the node after it was read into the generator's type and written again.
fn read_and_written(kind: Kind, node: &Map<String, Value>) -> Result<Value, serde_json::Error> {
    fn through<T: DeserializeOwned + Serialize>(node: Value) -> Result<Value, serde_json::Error> {
        serde_json::to_value(serde_json::from_value::<T>(node)?)
    }
    let read = match kind {
        Kind::Document => through::<OpenAPI>,
        Kind::Info => through::<Info>,
        Kind::Server => through::<Server>,
        Kind::ServerVariable => through::<ServerVariable>,
        Kind::Tag => through::<Tag>,
        Kind::Components => through::<Components>,
        Kind::PathItem => through::<PathItem>,
        Kind::Operation => through::<Operation>,
        Kind::Parameter => through::<Parameter>,
        Kind::RequestBody => through::<RequestBody>,
        Kind::MediaType => through::<MediaType>,
        Kind::Response => through::<Response>,
        Kind::Example => through::<Example>,
        Kind::Header => through::<Header>,
        Kind::SecurityScheme => through::<SecurityScheme>,
        _ => through::<Schema>,
    };
    read(Value::Object(node.clone()))
}

/// Returns whether a member with this value means the same as none. Types do not write these.
fn is_default(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => !flag,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}
