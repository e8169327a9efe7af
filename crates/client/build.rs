//! Generates a part of the client from `openapi/node.yaml`.
//!
//! Writes the operations and types that progenitor generates to `generated.rs` in `OUT_DIR`.
//! A document that the generator can't take stops the build with a message that names the fault
//! and its place.

#[path = "build/generate.rs"]
mod generate;
#[path = "build/replaced.rs"]
mod replaced;

use std::{env, error::Error, fs, path::Path, process::ExitCode};

const SPEC: &str = "openapi/node.yaml";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            for line in failure.to_string().lines() {
                println!("cargo::error={SPEC}: {line}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let code = generate::generate(yaml_serde::from_str(nodeproof_openapi::NODE_YAML)?)?;
    let out = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: run this with cargo")?;
    fs::write(Path::new(&out).join("generated.rs"), code)?;
    Ok(())
}
