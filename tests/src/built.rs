//! Programs of other packages.
//!
//! Cargo tells a test where its own package's programs are, and of no other's.

use std::{
    io,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::Value;

/// Has cargo build a package's program of the same name, and hands back where it is.
///
/// # Errors
/// When cargo can't be started, or doesn't build it.
pub fn program(name: &str) -> io::Result<PathBuf> {
    build(&["--workspace", "--bin", name])
}

/// Has cargo build an example, whose name is unique in the workspace, and returns its path.
///
/// # Errors
/// When cargo can't be started, or doesn't build it.
pub fn example(name: &str) -> io::Result<PathBuf> {
    // With the features of the whole workspace, as the tests are built.
    build(&["--workspace", "--example", name])
}

fn build(target: &[&str]) -> io::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--message-format", "json"])
        .args(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()?;
    String::from_utf8_lossy(&built.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|message| message.get("executable")?.as_str().map(PathBuf::from))
        .ok_or_else(|| io::Error::other(format!("{target:?} was not built: {}", built.status)))
}
