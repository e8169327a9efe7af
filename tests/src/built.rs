//! Builds programs of other packages.
//!
//! Cargo gives a test the paths of its own package's programs only.

use std::{
    io,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::Value;

/// Builds a package's program of the same name with cargo, and returns its path.
///
/// # Errors
/// When cargo can't be started, or the build fails.
pub fn program(name: &str) -> io::Result<PathBuf> {
    build(&["--workspace", "--bin", name])
}

/// Builds an example with cargo, and returns its path. Its name must be unique in the workspace.
///
/// # Errors
/// When cargo can't be started, or the build fails.
pub fn example(name: &str) -> io::Result<PathBuf> {
    // Use the features of the whole workspace, as for the tests.
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
