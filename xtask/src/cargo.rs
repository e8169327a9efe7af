//! Starts cargo from a program that cargo itself has started.

use std::{env, process::Command};

/// Returns a command for the cargo that started this program, or else for the one in `PATH`.
#[must_use]
pub fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    forget_package(&mut cargo);
    cargo
}

/// Keeps the variables that describe the package of this program from a command that starts cargo.
///
/// The build script of ring depends on them. With those of another package, everything that uses ring would be
/// built again.
pub fn forget_package(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
}
