//! Programs of other packages.
//!
//! Cargo gives a test the paths of its own package's programs only.

use std::{
    collections::BTreeMap,
    io,
    path::PathBuf,
    process::Stdio,
    sync::{Mutex, PoisonError},
};

use serde_json::Value;

/// Returns the path of a program of the workspace.
///
/// # Errors
/// When cargo can't be started, the build fails, or no program has this name.
pub fn program(name: &str) -> io::Result<PathBuf> {
    built("bin", name)
}

/// Returns the path of an example. Its name must be unique in the workspace.
///
/// # Errors
/// When cargo can't be started, the build fails, or no example has this name.
pub fn example(name: &str) -> io::Result<PathBuf> {
    built("example", name)
}

/// The paths of all programs and examples, by their kinds and names.
type Built = BTreeMap<(String, String), PathBuf>;

fn built(kind: &str, name: &str) -> io::Result<PathBuf> {
    static BUILT: Mutex<Option<Built>> = Mutex::new(None);
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let built = match &mut *built {
        Some(built) => built,
        none => none.insert(build()?),
    };
    let path = built.get(&(kind.to_owned(), name.to_owned()));
    path.cloned()
        .ok_or_else(|| io::Error::other(format!("{kind} {name} was not built")))
}

/// Builds all programs and examples. `cargo test --workspace` has built the same ones: with the features of the
/// whole workspace, with those of the examples' dependencies, and in the profile of the tests.
fn build() -> io::Result<Built> {
    let output = xtask::cargo::cargo()
        .args(["build", "--quiet", "--message-format", "json"])
        .args(["--profile", "test"])
        .args(["--workspace", "--bins", "--examples"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("cargo build: {}", output.status)));
    }
    let built = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| {
            let message: Value = serde_json::from_str(line).ok()?;
            let target = message.get("target")?;
            let kind = target.get("kind")?.get(0)?.as_str()?.to_owned();
            let name = target.get("name")?.as_str()?.to_owned();
            let path = message.get("executable")?.as_str()?.into();
            Some(((kind, name), path))
        })
        .collect();
    Ok(built)
}
