//! Makes the client's generated part from `openapi/node.yaml`.
//!
//! Writes the operations and types that progenitor generates to `generated.rs` in `OUT_DIR`.
//! A spec that the generator can't take ends the build with a message that says what and where.

#[path = "build/rewrite.rs"]
mod rewrite;

use std::{env, error::Error, fs, panic, path::Path, process::ExitCode};

use openapiv3::{OpenAPI, ReferenceOr, Schema};
use progenitor::{GenerationSettings, Generator, HooksMode, InterfaceStyle, TypeImpl};
use serde_json::{Map, Value, json};

const SPEC: &str = "openapi/node.yaml";

/// Schemas for which a type stands that is written by hand.
///
/// Addresses, hashes and numbers are those of `nodeproof-primitives`: they take
/// neither a regular expression nor a string each. Answers are read by types
/// that tolerate what nodes of different versions leave out or write otherwise.
const REPLACED: &[(&str, &str)] = &[
    ("WalletAddress", "::nodeproof_primitives::WalletAddress"),
    ("ContractAddress", "::nodeproof_primitives::ContractAddress"),
    ("HolderAddress", "::nodeproof_primitives::HolderAddress"),
    ("Hash256", "::nodeproof_primitives::Hash256"),
    ("TransactionCode", "::nodeproof_primitives::TransactionCode"),
    ("HexText", "crate::HexText"),
    ("TimestampMs", "::nodeproof_primitives::TimestampMs"),
    ("Amount", "::nodeproof_primitives::Amount"),
    ("SpecificData", "::nodeproof_primitives::RawJson"),
    ("ContractParams", "::nodeproof_primitives::RawJson"),
    ("BlockAnswer", "crate::Block"),
    ("BalanceAnswer", "crate::BalanceAnswer"),
    ("ContractStateAnswer", "crate::ContractState"),
    ("TrustScoreAnswer", "crate::TrustScore"),
    ("ContractCallRequest", "crate::ContractCall"),
    ("RawTransaction", "crate::RawTransaction"),
    ("SignatureEntry", "crate::SignatureEntry"),
    ("SignedTransaction", "crate::SignedTransaction"),
    ("SubmitAnswer", "crate::SubmitAnswer"),
    ("BatchAnswer", "crate::BatchAnswer"),
    (INTEGER_PARAMETER, "crate::IntegerParameter"),
];

/// The name that integer query parameters get, so that they are of any size.
const INTEGER_PARAMETER: &str = "IntegerParameter";

type Failure = Box<dyn Error>;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/rewrite.rs");
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            for line in failure.to_string().lines() {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let spec: Value = yaml_serde::from_str(nodeproof_openapi::NODE_YAML)
        .map_err(|error| format!("{SPEC}: {error}"))?;
    let out = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: this runs under cargo")?;
    let out = Path::new(&out);
    fs::write(out.join("generated.rs"), generate(&for_generator(spec)?)?)?;
    Ok(())
}

/// The spec without what the generator can't take or doesn't need.
///
/// Failures are left out because two error types on one call are more than the
/// generator takes, and because a status without a type reaches the caller as
/// the whole response.
fn for_generator(mut spec: Value) -> Result<Value, Failure> {
    without_extensions(&mut spec);
    let paths = spec
        .get_mut("paths")
        .and_then(Value::as_object_mut)
        .ok_or_else(|| format!("{SPEC}: there is no object `paths`"))?;
    for (path, item) in paths {
        let methods = item
            .as_object_mut()
            .ok_or_else(|| format!("{SPEC}: paths.{path} is not an object"))?;
        for (method, operation) in methods {
            let Some(operation) = operation.as_object_mut() else {
                continue;
            };
            if let Some(responses) = operation.get_mut("responses") {
                successes_only(responses)
                    .map_err(|what| format!("{SPEC}: paths.{path}.{method}.responses {what}"))?;
            }
            if let Some(parameters) = operation.get_mut("parameters") {
                integers_of_any_size(parameters);
                only_single_values(parameters)
                    .map_err(|what| format!("{SPEC}: paths.{path}.{method}.parameters {what}"))?;
            }
        }
    }
    let schemas = spec
        .get_mut("components")
        .and_then(|components| components.get_mut("schemas"))
        .and_then(Value::as_object_mut)
        .ok_or_else(|| format!("{SPEC}: there is no object `components.schemas`"))?;
    for (name, _) in REPLACED {
        if *name != INTEGER_PARAMETER && !schemas.contains_key(*name) {
            let message = "is gone, but build.rs has a type to stand for it: restore it, or change \
                           the list REPLACED";
            return Err(format!("{SPEC}: components.schemas.{name} {message}").into());
        }
    }
    schemas.insert(INTEGER_PARAMETER.to_owned(), json!({ "type": "integer" }));
    Ok(spec)
}

/// Takes out `x-…` members, but not those of examples, which are data.
fn without_extensions(node: &mut Value) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(without_extensions),
        Value::Object(members) => {
            members.retain(|name, _| !name.starts_with("x-"));
            for (name, member) in members {
                if !matches!(name.as_str(), "example" | "examples" | "default" | "enum") {
                    without_extensions(member);
                }
            }
        }
        _ => {}
    }
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

fn integers_of_any_size(parameters: &mut Value) {
    let parameters = parameters
        .as_array_mut()
        .map(Vec::as_mut_slice)
        .unwrap_or_default();
    for parameter in parameters {
        let in_query = parameter.get("in").is_some_and(|place| place == "query");
        if let Some(schema) = parameter.get_mut("schema").filter(|_| in_query)
            && schema.get("type").is_some_and(|kind| kind == "integer")
        {
            *schema = json!({ "$ref": format!("#/components/schemas/{INTEGER_PARAMETER}") });
        }
    }
}

/// All parameters of a call are written at once, each with one value.
fn only_single_values(parameters: &Value) -> Result<(), String> {
    for parameter in parameters.as_array().into_iter().flatten() {
        let kind = parameter.pointer("/schema/type").and_then(Value::as_str);
        if let Some(kind @ ("array" | "object")) = kind {
            let name = parameter.get("name").unwrap_or(&Value::Null);
            return Err(format!(
                "{name} is an {kind}, for which build/rewrite.rs has no way into a query yet"
            ));
        }
    }
    Ok(())
}

fn generate(spec: &Value) -> Result<String, Failure> {
    match attempt(spec) {
        Ok(code) => rewrite::rewritten(&code).map_err(|failure| {
            let to_do = "build/rewrite.rs has to be made to fit";
            format!("the generator's output is not what is expected: {failure}; {to_do}").into()
        }),
        Err(failure) => {
            let places = culprits(spec);
            let places = if places.is_empty() {
                String::new()
            } else {
                format!(" ({places})")
            };
            Err(format!("{SPEC}: the generator can't take it{places}: {failure}").into())
        }
    }
}

/// Runs the generator, which panics at some of what it can't take.
fn attempt(spec: &Value) -> Result<String, Failure> {
    let document: OpenAPI = serde_json::from_value(spec.clone())?;
    let shown = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(|| generator().generate_tokens(&document));
    panic::set_hook(shown);
    match outcome {
        Ok(Ok(tokens)) => Ok(tokens.to_string()),
        Ok(Err(error)) => Err(error.to_string().into()),
        Err(panic) => {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(said.unwrap_or("it gave up without a reason").into())
        }
    }
}

fn generator() -> Generator {
    let mut settings = GenerationSettings::new();
    settings
        .with_interface(InterfaceStyle::Positional)
        .with_hooks(HooksMode::Expected);
    settings.with_inner_type("crate::transport::Inner".parse().unwrap_or_default());
    for (schema, stands_for_it) in REPLACED {
        let traits = [TypeImpl::Display, TypeImpl::FromStr];
        settings.with_replacement(schema, stands_for_it, traits.into_iter());
    }
    Generator::new(&settings)
}

/// Names the operations, or else the schemas, that the generator fails at.
fn culprits(spec: &Value) -> String {
    let mut bare = spec.clone();
    if let Some(paths) = bare.get_mut("paths") {
        *paths = Value::Object(Map::new());
    }
    let members = |pointer| {
        let group = spec.pointer(pointer).and_then(Value::as_object);
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
