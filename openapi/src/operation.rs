//! The operations of a view, and the schemas of their responses.

use serde_json::{Map, Value};

use crate::{pointer, view::OBSERVED};

/// The keywords of a path item that hold an operation.
const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// An endpoint: a method and a path.
///
/// ```
/// use nodeproof_openapi::{NODE_JSON, Spec, View};
///
/// let spec = Spec::from_json(NODE_JSON)?;
/// let operation = spec.operation(View::Documented, "get_block").ok_or("no get_block")?;
/// assert_eq!((operation.method.as_str(), operation.path), ("GET", "/get-block"));
/// assert_eq!(operation.parameters()[0].name, "block_index");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Operation<'s> {
    view: &'s Value,
    node: &'s Map<String, Value>,
    path_item: &'s Map<String, Value>,
    /// The method, in upper case.
    pub method: String,
    /// The path below the base URL, such as `/get-block`.
    pub path: &'s str,
    /// The `operationId`, such as `get_block`.
    pub id: &'s str,
    /// The operation's place in the view.
    pub pointer: String,
}

/// A parameter of an operation.
#[derive(Clone, Debug)]
pub struct Parameter<'s> {
    /// The parameter's name.
    pub name: &'s str,
    /// The part of the request that contains it: `query`, `path`, `header` or `cookie`.
    pub location: &'s str,
    /// Whether a request must have it.
    pub required: bool,
    /// The place of its schema in the view, as a JSON pointer.
    pub schema: String,
    /// Whether it is only observed. Always false in the documented view.
    pub observed: bool,
}

/// Returns all operations of a view, in the order of the document.
pub(crate) fn operations(view: &Value) -> Vec<Operation<'_>> {
    let mut operations = Vec::new();
    for (path, item) in members(view.get("paths")) {
        let Some(path_item) = item.as_object() else {
            continue;
        };
        let at = pointer::join("/paths", path);
        for (method, node) in path_item {
            let Some(node) = node.as_object() else {
                continue;
            };
            if METHODS.contains(&method.as_str()) {
                operations.push(Operation {
                    view,
                    node,
                    path_item,
                    method: method.to_ascii_uppercase(),
                    path,
                    id: text(node, "operationId"),
                    pointer: pointer::join(&at, method),
                });
            }
        }
    }
    operations
}

impl<'s> Operation<'s> {
    /// Returns whether the whole operation is only observed. Always false in the documented view.
    pub fn is_observed(&self) -> bool {
        is_observed(self.node) || is_observed(self.path_item)
    }

    /// Returns its parameters, in the order of the document.
    pub fn parameters(&self) -> Vec<Parameter<'s>> {
        let path_pointer = pointer::parent(&self.pointer).unwrap_or_default();
        let mut parameters = Vec::new();
        for (node, at) in [
            (self.path_item, path_pointer),
            (self.node, self.pointer.as_str()),
        ] {
            let at = pointer::join(at, "parameters");
            let list = node.get("parameters").and_then(Value::as_array);
            for (position, value) in list.into_iter().flatten().enumerate() {
                let at = pointer::join(&at, &position.to_string());
                let resolved = resolve(self.view, &at, value);
                let Some((at, Value::Object(node))) = resolved else {
                    continue;
                };
                parameters.push(Parameter {
                    name: text(node, "name"),
                    location: text(node, "in"),
                    required: node.get("required") == Some(&Value::Bool(true)),
                    schema: pointer::join(&at, "schema"),
                    observed: is_observed(node),
                });
            }
        }
        parameters
    }

    /// Returns the media types of the response with this status, each with its schema's place.
    ///
    /// A status without its own description falls back to its class (`4XX`), then to `default`.
    fn response_contents(&self, status: u16) -> Vec<(&'s str, String)> {
        let responses = self.node.get("responses").and_then(Value::as_object);
        let names = [
            status.to_string(),
            format!("{}XX", status / 100),
            "default".to_owned(),
        ];
        let found = names.iter().find_map(|name| responses?.get_key_value(name));
        let Some((name, response)) = found else {
            return Vec::new();
        };
        let at = pointer::join(&pointer::join(&self.pointer, "responses"), name);
        self.contents(&at, response)
    }

    /// Returns the media types of the request body, each with its schema's place.
    pub fn request_contents(&self) -> Vec<(&'s str, String)> {
        match self.node.get("requestBody") {
            Some(body) => self.contents(&pointer::join(&self.pointer, "requestBody"), body),
            None => Vec::new(),
        }
    }

    /// Returns the place of the schema for the JSON response with this status to this query.
    ///
    /// Each branch of a choice can state in `x-when` to which query it applies. The result is then
    /// the branch for this query. Returns `None` if no JSON response is described.
    pub fn response_schema(&self, status: u16, query: &[(&str, &str)]) -> Option<String> {
        let contents = self.response_contents(status);
        let (_, at) = contents
            .into_iter()
            .find(|(media, _)| *media == "application/json")?;
        Some(branch_for(self.view, &at, query).unwrap_or(at))
    }

    fn contents(&self, at: &str, value: &'s Value) -> Vec<(&'s str, String)> {
        let Some((at, value)) = resolve(self.view, at, value) else {
            return Vec::new();
        };
        let at = pointer::join(&at, "content");
        members(value.get("content"))
            .filter(|(_, media)| media.get("schema").is_some())
            .map(|(name, _)| (name, pointer::join(&pointer::join(&at, name), "schema")))
            .collect()
    }
}

/// Returns the place of the branch of the schema at `at` whose `x-when` matches the query.
pub(crate) fn branch_for(view: &Value, at: &str, query: &[(&str, &str)]) -> Option<String> {
    branch_within(view, at, query, 0)
}

fn branch_within(view: &Value, at: &str, query: &[(&str, &str)], depth: usize) -> Option<String> {
    let (at, schema) = resolve(view, at, view.pointer(at)?)?;
    if matches_query(schema, query) {
        return Some(at);
    }
    // Schemas can be recursive. A branch with `x-when` is near the top.
    if depth > 8 {
        return None;
    }
    ["oneOf", "anyOf", "allOf"].iter().find_map(|choice| {
        let branches = schema.get(choice)?.as_array()?;
        (0..branches.len()).find_map(|position| {
            let at = pointer::join(&pointer::join(&at, choice), &position.to_string());
            branch_within(view, &at, query, depth + 1)
        })
    })
}

/// Returns whether the schema's `x-when` matches the query.
fn matches_query(schema: &Value, query: &[(&str, &str)]) -> bool {
    schema
        .get("x-when")
        .and_then(Value::as_object)
        .is_some_and(|when| {
            when.iter().all(|(name, expected)| {
                query
                    .iter()
                    .any(|(given, value)| given == name && Some(*value) == expected.as_str())
            })
        })
}

/// Follows references to their target. Returns `None` if it is missing, or if they form a cycle.
pub(crate) fn resolve<'v>(
    view: &'v Value,
    at: &str,
    value: &'v Value,
) -> Option<(String, &'v Value)> {
    let (mut at, mut value) = (at.to_owned(), value);
    for _ in 0..32 {
        let Some(reference) = value.get("$ref").and_then(Value::as_str) else {
            return Some((at, value));
        };
        at = pointer::of_reference(reference)?.to_owned();
        value = view.pointer(&at)?;
    }
    None
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    value
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}

fn text<'s>(node: &'s Map<String, Value>, name: &str) -> &'s str {
    node.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn is_observed(node: &Map<String, Value>) -> bool {
    node.get(OBSERVED) == Some(&Value::Bool(true))
}
