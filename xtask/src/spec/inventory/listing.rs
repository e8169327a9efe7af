//! Walking a view, and listing what it says.

use nodeproof_openapi::grammar::Kind;
use nodeproof_openapi::pointer;
use serde_json::Value;

use super::super::lint::source_of;
use super::facts::{bare, facts, json, list, members, name_of, schema_place, words};

/// One fact of a view.
pub(super) struct Entry {
    /// What it is about: method, path, place and field.
    pub(super) key: String,
    /// What holds for it.
    pub(super) facts: String,
    /// Where in the spec as written the facts come from.
    pub(super) pointer: String,
    /// Where in the spec as written it is used, if it is shared.
    pub(super) used: String,
}

/// All facts of a view, in its order.
pub(super) fn entries(view: &Value) -> Vec<Entry> {
    let mut listing = Listing {
        view,
        entries: Vec::new(),
        open: Vec::new(),
    };
    for server in list(view.get("servers")) {
        listing.server(server);
    }
    listing.add("SECURITY".to_owned(), json(view.get("security")), view);
    for (path, item) in members(view.get("paths")) {
        for (method, operation) in members(Some(item)) {
            if Kind::PathItem.keyword(method).is_some() && operation.is_object() {
                listing.operation(
                    &format!("{} {path}", method.to_uppercase()),
                    item,
                    operation,
                );
            }
        }
    }
    listing.entries
}

struct Listing<'v> {
    view: &'v Value,
    entries: Vec<Entry>,
    /// Names of the components that are being listed, so that a circle ends.
    open: Vec<&'v str>,
}

impl<'v> Listing<'v> {
    fn add(&mut self, key: String, facts: String, node: &Value) {
        self.add_shared(key, facts, node, node);
    }

    fn add_shared(&mut self, key: String, facts: String, node: &Value, place: &Value) {
        let of = |node| source_of(node).unwrap_or_default().to_owned();
        self.entries.push(Entry {
            key,
            facts,
            pointer: of(node),
            used: of(place),
        });
    }

    fn server(&mut self, server: &'v Value) {
        let url = server
            .get("url")
            .and_then(Value::as_str)
            .unwrap_or_default();
        self.add(format!("SERVER {url} url"), "text".to_owned(), server);
        for (name, variable) in members(server.get("variables")) {
            let possible = match variable.get("enum") {
                Some(values) => format!("enum={}", words(Some(values))),
                None => "any".to_owned(),
            };
            let facts = format!("{possible} default={}", json(variable.get("default")));
            self.add(format!("SERVER {url} {name}"), facts, variable);
        }
    }

    fn operation(&mut self, key: &str, item: &'v Value, operation: &'v Value) {
        let id = operation
            .get("operationId")
            .and_then(Value::as_str)
            .unwrap_or("none");
        let security = operation
            .get("security")
            .map(|s| format!(" security={}", json(Some(s))));
        let facts = format!("operationId {id}{}", security.unwrap_or_default());
        self.add(key.to_owned(), facts, operation);
        for parameter in list(item.get("parameters")).chain(list(operation.get("parameters"))) {
            if let Some((parameter, _)) = self.follow(parameter) {
                self.parameter(key, parameter);
            }
        }
        if let Some((body, _)) = operation
            .get("requestBody")
            .and_then(|body| self.follow(body))
        {
            let required = body.get("required") == Some(&Value::Bool(true));
            self.contents(&format!("{key} body"), body, required);
        }
        for (status, response) in members(operation.get("responses")) {
            let Some((response, _)) = self.follow(response) else {
                continue;
            };
            let key = format!("{key} {status}");
            for (name, header) in members(response.get("headers")) {
                if let Some((header, _)) = self.follow(header) {
                    let required = header.get("required") == Some(&Value::Bool(true));
                    self.field(&format!("{key} header:{name}"), header, required, "");
                }
            }
            self.contents(&key, response, false);
        }
    }

    fn parameter(&mut self, key: &str, parameter: &'v Value) {
        let text = |name| {
            parameter
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let place = if text("in") == "query" {
            "?"
        } else {
            text("in")
        };
        let required = parameter.get("required") == Some(&Value::Bool(true));
        let mut manner = String::new();
        for name in [
            "style",
            "explode",
            "allowReserved",
            "allowEmptyValue",
            "deprecated",
        ] {
            if let Some(value) = parameter.get(name) {
                manner.push_str(&format!("{name}={value} "));
            }
        }
        let key = format!("{key} {place} {}", text("name"));
        match parameter.get("schema") {
            Some(_) => self.field(&key, parameter, required, &manner),
            None => self.add(key, manner, parameter),
        }
    }

    /// Lists the schema of what holds one, a parameter or a media type.
    fn field(&mut self, key: &str, holder: &'v Value, required: bool, manner: &str) {
        match holder.get("schema") {
            Some(schema) => self.schema(key, schema, required, manner, holder),
            None => self.add(key.to_owned(), format!("{manner}any"), holder),
        }
    }

    fn contents(&mut self, key: &str, holder: &'v Value, required: bool) {
        let mut any = false;
        for (media, content) in members(holder.get("content")) {
            any = true;
            self.field(&format!("{key} $"), content, required, &format!("{media} "));
        }
        if !any {
            self.add(format!("{key} $"), "nothing".to_owned(), holder);
        }
    }

    /// Lists a schema and what is inside of it. `place` is the node to point at where the schema
    /// itself is a shared one.
    fn schema(
        &mut self,
        key: &str,
        schema: &'v Value,
        required: bool,
        manner: &str,
        place: &'v Value,
    ) {
        let mut parts = Vec::new();
        let opened = self.open.len();
        self.parts(schema, &mut parts, 0);
        if self.open[opened..]
            .iter()
            .any(|name| self.open[..opened].contains(name))
        {
            self.add(
                key.to_owned(),
                format!("{manner}again {}", self.open[opened]),
                place,
            );
            self.open.truncate(opened);
            return;
        }
        let facts = format!(
            "{manner}{}{}",
            facts(&parts),
            if required { " required" } else { "" }
        );
        let blamed = schema_place(schema, &parts, place);
        self.add_shared(key.to_owned(), facts, blamed, place);
        let (base, dot) = match key.strip_suffix(" $") {
            Some(base) => (format!("{base} "), ""),
            None => (key.to_owned(), "."),
        };
        for part in &parts {
            for (name, property) in members(part.get("properties")) {
                let required = parts.iter().any(|part| {
                    list(part.get("required")).any(|required| required.as_str() == Some(name))
                });
                self.schema(
                    &format!("{base}{dot}{name}"),
                    property,
                    required,
                    "",
                    property,
                );
            }
            if let Some(items) = part.get("items") {
                self.schema(&format!("{base}[]"), items, false, "", items);
            }
            if let Some(more) = part.get("additionalProperties") {
                let open = more == &Value::Bool(true) || bare(more);
                if !open {
                    self.schema(&format!("{base}{dot}*"), more, false, "", part);
                }
            }
            for choice in ["oneOf", "anyOf"] {
                for (position, branch) in list(part.get(choice)).enumerate() {
                    let key = format!("{base}<{}>", name_of(branch, position));
                    self.schema(&key, branch, false, "", branch);
                }
            }
        }
        self.open.truncate(opened);
    }

    /// The node, and the nodes that it says must hold too.
    fn parts(&mut self, schema: &'v Value, parts: &mut Vec<&'v Value>, depth: usize) {
        let Some((node, names)) = self.follow(schema) else {
            return;
        };
        self.open.extend(names);
        parts.push(node);
        if depth < 32 {
            for branch in list(node.get("allOf")) {
                self.parts(branch, parts, depth + 1);
            }
        }
    }

    /// The node that references lead to, and the names of the components on the way.
    fn follow(&self, mut node: &'v Value) -> Option<(&'v Value, Vec<&'v str>)> {
        let mut names = Vec::new();
        while let Some(target) = node.get("$ref").and_then(Value::as_str) {
            let target = pointer::of_reference(target)?;
            node = self.view.pointer(target)?;
            if names.contains(&target) {
                return None;
            }
            names.push(target);
        }
        Some((node, names))
    }
}
