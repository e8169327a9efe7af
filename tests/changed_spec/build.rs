//! Generates a client from `node.yaml` with additions, exactly as the client's own build does.

#[path = "../../crates/client/build/generate.rs"]
mod generate;
#[path = "../../crates/client/build/replaced.rs"]
mod replaced;

use std::{env, error::Error, fs, path::Path};

use serde_json::{Value, map::Entry};

const ADDITIONS: &str = "additions.yaml";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={ADDITIONS}");
    println!("cargo::rerun-if-changed=../../crates/client/build");
    let mut document: Value = yaml_serde::from_str(nodeproof_openapi::NODE_YAML)?;
    merge(
        &mut document,
        yaml_serde::from_str(&fs::read_to_string(ADDITIONS)?)?,
    )?;
    let out = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: run this with cargo")?;
    let code = generate::generate(document)?;
    fs::write(Path::new(&out).join("generated.rs"), code)?;
    Ok(())
}

/// Adds members to objects, and elements to lists.
fn merge(document: &mut Value, additions: Value) -> Result<(), String> {
    match (document, additions) {
        (Value::Object(members), Value::Object(additions)) => {
            for (name, addition) in additions {
                match members.entry(name) {
                    Entry::Vacant(place) => {
                        place.insert(addition);
                    }
                    Entry::Occupied(mut member) => merge(member.get_mut(), addition)?,
                }
            }
            Ok(())
        }
        (Value::Array(elements), Value::Array(additions)) => {
            elements.extend(additions);
            Ok(())
        }
        (document, addition) => Err(format!("{document} would be replaced by {addition}")),
    }
}
