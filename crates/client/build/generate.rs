//! Generates the client's code from an OpenAPI document.

use std::{error::Error, panic};

use openapiv3::{OpenAPI, ReferenceOr, Schema};
use progenitor::{GenerationSettings, Generator, HooksMode, InterfaceStyle, TypeImpl};
use serde_json::{Map, Value, json};

use super::replaced::{EXACT_TEXT, replaced};

/// Schemas for exact integers: in a query string, and in a body.
const ADDED: [(&str, &str); 2] = [
    ("IntegerParameter", "crate::IntegerParameter"),
    ("Integer", "::nodeproof_primitives::Integer"),
];

/// The state that the generated client holds for its hooks.
const HOOK_STATE: &str = "crate::transport::HookState";

pub(crate) type Failure = Box<dyn Error>;

/// Returns the generated code.
///
/// # Errors
/// If the generator can't take the document. The message names the path or schema.
pub(crate) fn generate(document: Value) -> Result<String, Failure> {
    let document = prepared(document)?;
    attempt(&document).map_err(|failure| {
        let places = culprits(&document);
        let places = if places.is_empty() {
            String::new()
        } else {
            format!(" ({places})")
        };
        format!("the generator can't take it{places}: {failure}").into()
    })
}

/// Changes what the generator can't take, and removes what it doesn't need.
///
/// Failures are removed, because the generator takes only one error type for each operation. A
/// status without a type reaches the caller as the whole response.
fn prepared(mut document: Value) -> Result<Value, Failure> {
    without_extensions(&mut document);
    open_objects(&mut document);
    let paths = document
        .get_mut("paths")
        .and_then(Value::as_object_mut)
        .ok_or("there is no object `paths`")?;
    for (path, item) in paths {
        let members = item
            .as_object_mut()
            .ok_or_else(|| format!("paths.{path} is not an object"))?;
        for (name, member) in members {
            if name == "parameters" {
                integer_parameters(member.as_array_mut().into_iter().flatten());
            }
            let Some(operation) = member.as_object_mut() else {
                continue;
            };
            if let Some(responses) = operation.get_mut("responses") {
                successes_only(responses)
                    .map_err(|what| format!("paths.{path}.{name}.responses {what}"))?;
                exact_integers(responses);
            }
            if let Some(Value::Array(parameters)) = operation.get_mut("parameters") {
                integer_parameters(parameters);
            }
            if let Some(body) = operation.get_mut("requestBody") {
                one_media_type(body);
                exact_integers(body);
            }
        }
    }
    if let Some(Value::Object(parameters)) = document.pointer_mut("/components/parameters") {
        integer_parameters(parameters.values_mut());
    }
    if let Some(Value::Object(bodies)) = document.pointer_mut("/components/requestBodies") {
        bodies.values_mut().for_each(one_media_type);
    }
    for group in ["requestBodies", "responses"] {
        document["components"].get_mut(group).map(exact_integers);
    }
    let mut schemas = match document.pointer_mut("/components/schemas").map(Value::take) {
        Some(Value::Object(schemas)) => schemas,
        _ => return Err("there is no object `components.schemas`".into()),
    };
    for (name, _) in replaced() {
        if !schemas.contains_key(name) {
            let message = "is gone, but build/replaced.rs has a type that replaces it: restore it, \
                           or change the table there";
            return Err(format!("components.schemas.{name} {message}").into());
        }
    }
    for schema in schemas.values_mut() {
        exact_integers(schema);
        merge_objects(schema);
    }
    keep_texts(&mut schemas)?;
    for (name, _) in ADDED {
        schemas.insert(name.to_owned(), json!({ "type": "integer" }));
    }
    document["components"]["schemas"] = Value::Object(schemas);
    Ok(document)
}

/// Edits each object in a part of the document, except in examples and other data.
fn each_object(node: &mut Value, edit: &impl Fn(&mut Map<String, Value>)) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(|item| each_object(item, edit)),
        Value::Object(members) => {
            edit(members);
            for (name, member) in members {
                if !matches!(name.as_str(), "example" | "examples" | "default" | "enum") {
                    each_object(member, edit);
                }
            }
        }
        _ => {}
    }
}

/// Removes `x-…` members.
fn without_extensions(node: &mut Value) {
    each_object(node, &|members| {
        members.retain(|name, _| !name.starts_with("x-"));
    });
}

/// Writes into each object with named properties that it can have others, which OpenAPI states by default.
///
/// The generator would drop these. The description leaves the keyword out, because with it a generated
/// TypeScript client could not distinguish the branches of a choice by their properties.
fn open_objects(schema: &mut Value) {
    each_object(schema, &|members| {
        let is_object = members.get("type").is_some_and(|kind| kind == "object");
        if is_object && members.contains_key("properties") {
            let open = members.entry("additionalProperties");
            open.or_insert_with(|| json!({}));
        }
    });
}

fn successes_only(responses: &mut Value) -> Result<(), &'static str> {
    let responses = responses.as_object_mut().ok_or("is not an object")?;
    responses.retain(|status, _| status.starts_with('2'));
    if responses.is_empty() {
        Err("has no success (2xx)")
    } else {
        Ok(())
    }
}

fn integer_parameters<'p>(parameters: impl IntoIterator<Item = &'p mut Value>) {
    for parameter in parameters {
        if let Some(schema) = parameter.get_mut("schema")
            && schema.get("type").is_some_and(|kind| kind == "integer")
        {
            *schema = reference("IntegerParameter");
        }
    }
}

fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}

/// Makes the integers of all schemas in a part exact. The generator would take an `i64`.
fn exact_integers(schema: &mut Value) {
    each_object(schema, &|members| {
        if members.get("type").is_some_and(|kind| kind == "integer") {
            members.remove("type");
            members.insert("allOf".to_owned(), json!([reference("Integer")]));
        }
    });
}

/// Replaces a choice of objects without names by one object, in which every property is optional.
///
/// The generator would take an untagged type, which rounds integers beyond 64 bits.
fn merge_objects(schema: &mut Value) {
    let Some(branches) = schema.get("anyOf").and_then(Value::as_array) else {
        return;
    };
    let properties: Option<Vec<_>> = branches
        .iter()
        .map(|branch| branch.get("properties").and_then(Value::as_object))
        .collect();
    let Some(properties) = properties else {
        return;
    };
    let merged: Map<String, Value> = properties
        .into_iter()
        .flatten()
        .map(|(name, property)| (name.clone(), property.clone()))
        .collect();
    schema["properties"] = Value::Object(merged);
    schema["type"] = "object".into();
    schema["additionalProperties"] = json!({});
    if let Value::Object(members) = schema {
        members.remove("anyOf");
    }
}

/// Replaces properties whose text is signed by a type that keeps the text.
fn keep_texts(schemas: &mut Map<String, Value>) -> Result<(), Failure> {
    for (pointer, target) in EXACT_TEXT {
        let (schema, property) = pointer.split_once('.').unwrap_or_default();
        let property = schemas
            .get_mut(schema)
            .and_then(|schema| schema.get_mut("properties")?.get_mut(property))
            .ok_or_else(|| {
                format!(
                    "components.schemas.{pointer} is gone, but build/replaced.rs keeps its text"
                )
            })?;
        let name = format!("{target}Text");
        property["allOf"] = json!([reference(&name)]);
        schemas.insert(name, json!({ "type": "object" }));
    }
    Ok(())
}

/// Keeps one media type of a request body, preferably JSON. The generator takes only one.
fn one_media_type(body: &mut Value) {
    const JSON: &str = "application/json";
    if let Some(Value::Object(content)) = body.get_mut("content") {
        if content.contains_key(JSON) {
            content.retain(|media, _| media == JSON);
        } else {
            let mut first = true;
            content.retain(|_, _| std::mem::take(&mut first));
        }
    }
}

/// Runs the generator, which panics on some documents that it can't take.
fn attempt(document: &Value) -> Result<String, Failure> {
    let document: OpenAPI = serde_json::from_value(document.clone())?;
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(|| generator().generate_tokens(&document));
    panic::set_hook(hook);
    match outcome {
        Ok(Ok(tokens)) => Ok(tokens.to_string()),
        Ok(Err(error)) => Err(error.to_string().into()),
        Err(panic) => {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(message.unwrap_or("it panicked without a reason").into())
        }
    }
}

fn generator() -> Generator {
    let mut settings = GenerationSettings::new();
    settings
        .with_interface(InterfaceStyle::Positional)
        .with_hooks(HooksMode::Expected)
        .with_derive("PartialEq");
    settings.with_inner_type(HOOK_STATE.parse().unwrap_or_default());
    for (schema, replacement) in replaced().chain(ADDED) {
        let traits = [TypeImpl::Display, TypeImpl::FromStr];
        settings.with_replacement(schema, replacement, traits.into_iter());
    }
    for (_, target) in EXACT_TEXT {
        let replacement = format!("crate::ExactText<crate::generated::types::{target}>");
        settings.with_replacement(format!("{target}Text"), replacement, [].into_iter());
    }
    Generator::new(&settings)
}

/// Returns the paths on which the generator fails, or else the schemas.
fn culprits(document: &Value) -> String {
    let mut bare = document.clone();
    if let Some(paths) = bare.get_mut("paths") {
        *paths = Value::Object(Map::new());
    }
    let members = |pointer| {
        let group = document.pointer(pointer).and_then(Value::as_object);
        group.into_iter().flatten()
    };
    let mut places = Vec::new();
    if attempt(&bare).is_err() {
        for (name, schema) in members("/components/schemas") {
            if serde_json::from_value::<ReferenceOr<Schema>>(schema.clone()).is_err() {
                places.push(format!("components.schemas.{name}"));
            }
        }
        if places.is_empty() {
            places.push("components.schemas".to_owned());
        }
        return places.join(", ");
    }
    for (path, item) in members("/paths") {
        let mut part = bare.clone();
        if let Some(paths) = part.get_mut("paths").and_then(Value::as_object_mut) {
            paths.insert(path.clone(), item.clone());
        }
        if attempt(&part).is_err() {
            places.push(format!("paths.{path}"));
        }
    }
    places.join(", ")
}
