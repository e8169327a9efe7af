//! The operations of a view, and which schema describes which answer.

use serde_json::{Map, Value};

use super::pointer;
use super::view::OBSERVED;

/// Methods under which an operation can stand in a path.
pub(super) const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// One call that a node offers.
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
    /// Its name.
    pub name: &'s str,
    /// Where it stands: `query`, `path`, `header` or `cookie`.
    pub location: &'s str,
    /// Whether it has to be given.
    pub required: bool,
    /// What it means.
    pub description: &'s str,
    /// An example of its value.
    pub example: Option<&'s Value>,
    /// The place of its schema in the view.
    pub schema: String,
    /// Whether it is only observed. Never so in the documented view.
    pub observed: bool,
}

/// All operations of a view, in the order in which they are written.
pub(super) fn operations(view: &Value) -> Vec<Operation<'_>> {
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
    /// One line on what it does.
    pub fn summary(&self) -> &'s str {
        text(self.node, "summary")
    }

    /// What it does, in CommonMark.
    pub fn description(&self) -> &'s str {
        text(self.node, "description")
    }

    /// Whether the whole operation is only observed. Never so in the documented view.
    pub fn is_observed(&self) -> bool {
        is_observed(self.node) || is_observed(self.path_item)
    }

    /// Its parameters, in the order in which they are written.
    pub fn parameters(&self) -> Vec<Parameter<'s>> {
        let path_pointer = pointer::parent(&self.pointer).unwrap_or_default();
        let mut parameters = Vec::new();
        for (node, at) in [
            (self.path_item, path_pointer),
            (self.node, self.pointer.as_str()),
        ] {
            let list = node.get("parameters").and_then(Value::as_array);
            for (position, value) in list.into_iter().flatten().enumerate() {
                let at = pointer::join(&pointer::join(at, "parameters"), &position.to_string());
                let Some((at, value)) = resolve(self.view, &at, value) else {
                    continue;
                };
                let Some(node) = value.as_object() else {
                    continue;
                };
                parameters.push(Parameter {
                    name: text(node, "name"),
                    location: text(node, "in"),
                    required: node.get("required") == Some(&Value::Bool(true)),
                    description: text(node, "description"),
                    example: node
                        .get("example")
                        .or_else(|| first_example(self.view, node)),
                    schema: pointer::join(&at, "schema"),
                    observed: is_observed(node),
                });
            }
        }
        parameters
    }

    /// The statuses whose answers are described, as written: `200`, `default`.
    pub fn statuses(&self) -> impl Iterator<Item = &'s str> {
        members(self.node.get("responses")).map(|(status, _)| status)
    }

    /// The media types of the answer with this status, each with the place of its schema.
    ///
    /// A status that is not described is looked up as a class (`4XX`) and as `default`.
    pub fn response_contents(&self, status: u16) -> Vec<(&'s str, String)> {
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

    /// The media types of the request body, each with the place of its schema.
    pub fn request_contents(&self) -> Vec<(&'s str, String)> {
        match self.node.get("requestBody") {
            Some(body) => self.contents(&pointer::join(&self.pointer, "requestBody"), body),
            None => Vec::new(),
        }
    }

    /// The place of the schema of the JSON answer with this status to this query.
    ///
    /// Where the schema is a choice whose branches say, in `x-when`, which query they answer, it is
    /// the branch of this query. `None` where the answer is not described, or not as JSON.
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

/// The place of the branch of the schema at `at` whose `x-when` holds for the query.
pub(super) fn branch_for(view: &Value, at: &str, query: &[(&str, &str)]) -> Option<String> {
    branch_within(view, at, query, 0)
}

fn branch_within(view: &Value, at: &str, query: &[(&str, &str)], depth: usize) -> Option<String> {
    let (at, schema) = resolve(view, at, view.pointer(at)?)?;
    if answers(schema, query) {
        return Some(at);
    }
    // Schemas may hold themselves; what answers a query stands near the top.
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

/// Whether the schema's `x-when` holds for the query.
fn answers(schema: &Value, query: &[(&str, &str)]) -> bool {
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

/// Follows references until there is none; `None` where they lead nowhere or in a circle.
pub(super) fn resolve<'v>(
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

fn first_example<'s>(view: &'s Value, node: &'s Map<String, Value>) -> Option<&'s Value> {
    let (_, example) = members(node.get("examples")).next()?;
    resolve(view, "", example)?.1.get("value")
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
