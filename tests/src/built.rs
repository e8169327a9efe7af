//! Builds programs of other packages.
//!
//! Cargo gives a test the paths of its own package's programs only.

use std::{
    collections::BTreeMap,
    io,
    path::PathBuf,
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

use serde_json::Value;

/// Builds a package's program of the same name with cargo, and returns its path.
///
/// # Errors
/// When cargo can't be started, or the build fails.
pub fn program(name: &str) -> io::Result<PathBuf> {
    build("--bin", name)
}

/// Builds an example with cargo, and returns its path. Its name must be unique in the workspace.
///
/// # Errors
/// When cargo can't be started, or the build fails.
pub fn example(name: &str) -> io::Result<PathBuf> {
    build("--example", name)
}

/// The programs that were built in this process, by the arguments for cargo. Cargo takes seconds to find out
/// that nothing has changed.
static BUILT: Mutex<BTreeMap<[String; 2], PathBuf>> = Mutex::new(BTreeMap::new());

fn build(kind: &str, name: &str) -> io::Result<PathBuf> {
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let key = [kind.to_owned(), name.to_owned()];
    if let Some(path) = built.get(&key) {
        return Ok(path.clone());
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Use the features of the whole workspace and the profile of the tests, whose build has these programs.
    let output = Command::new(cargo)
        .args(["build", "--quiet", "--message-format", "json"])
        .args(["--profile", "test"])
        .args(["--workspace", kind, name])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()?;
    let path = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|message| message.get("executable")?.as_str().map(PathBuf::from))
        .ok_or_else(|| io::Error::other(format!("{name} was not built: {}", output.status)))?;
    built.insert(key, path.clone());
    Ok(path)
}
