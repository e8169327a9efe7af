//! Makes what `/docs` shows out of the description of the contract: the same
//! document as JSON, and a plain list of its calls.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

use serde_json::Value;

const SPEC: &str = "openapi/node.yaml";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={SPEC}");
    println!("cargo::rerun-if-changed=build.rs");
    let spec: Value = serde_norway::from_str(&fs::read_to_string(SPEC)?)?;
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("openapi.json"), spec.to_string())?;
    fs::write(Path::new(&out).join("calls.html"), calls(&spec)?)?;
    Ok(())
}

/// A list item a call, for a reader without scripts and for a program that looks for them.
fn calls(spec: &Value) -> Result<String, Box<dyn Error>> {
    const METHODS: [&str; 8] = [
        "get", "put", "post", "delete", "options", "head", "patch", "trace",
    ];
    let mut list = String::new();
    let paths = spec["paths"].as_object().ok_or("the spec has no paths")?;
    for (path, item) in paths {
        let operations = item.as_object().ok_or("a path is no object")?;
        for (method, operation) in operations {
            if METHODS.contains(&method.as_str()) {
                let method = method.to_uppercase();
                let summary = escaped(operation["summary"].as_str().unwrap_or_default());
                let path = escaped(path);
                writeln!(list, "<li><code>{method} {path}</code> {summary}</li>")?;
            }
        }
    }
    Ok(list)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
