//! Programs of other packages.
//!
//! Cargo gives a test the paths of its own package's programs only.

use std::{
    collections::BTreeMap,
    io,
    path::PathBuf,
    process::{Command, Stdio},
    sync::{LazyLock, Mutex, PoisonError},
};

use serde_json::Value;

/// Returns the path of a program of the workspace.
///
/// # Errors
/// When cargo can't be started, the build fails, or there is no such program.
pub fn program(name: &str) -> io::Result<PathBuf> {
    built("bin", name)
}

/// Returns the path of an example. Its name must be unique in the workspace.
///
/// # Errors
/// When cargo can't be started, the build fails, or there is no such example.
pub fn example(name: &str) -> io::Result<PathBuf> {
    built("example", name)
}

/// The paths of all programs and examples, by their kinds and names.
type Built = BTreeMap<(String, String), PathBuf>;

fn built(kind: &str, name: &str) -> io::Result<PathBuf> {
    static BUILT: LazyLock<Mutex<Option<Built>>> = LazyLock::new(Mutex::default);
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
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    // Cargo describes the test's package in these. The build script of ring depends on them, so with another
    // package, everything above it would be built again.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&*name);
        }
    }
    let output = command
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
