//! Generates a client from `node.yaml` with more paths, exactly as the client's own build does.

#[path = "../../crates/client/build/generate.rs"]
mod generate;
#[path = "../../crates/client/build/replaced.rs"]
mod replaced;

use std::{env, error::Error, fs, path::Path};

use serde_json::{Map, Value};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=added_paths.yaml");
    println!("cargo::rerun-if-changed=../../crates/client/build");
    let mut document: Value = yaml_serde::from_str(nodeproof_openapi::NODE_YAML)?;
    let added: Map<String, Value> = yaml_serde::from_str(&fs::read_to_string("added_paths.yaml")?)?;
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    paths.ok_or("the spec has no paths")?.extend(added);
    let out = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: run this with cargo")?;
    let code = generate::generate(document)?;
    fs::write(Path::new(&out).join("generated.rs"), code)?;
    Ok(())
}
