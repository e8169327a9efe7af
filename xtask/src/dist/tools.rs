//! Running tools, and reading files, with errors that name them.

use std::{
    ffi::OsStr,
    fs,
    io::{self, BufRead as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::error::DistError;

pub(super) fn workspace() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

pub(super) fn cargo() -> Command {
    let mut cargo = crate::cargo::cargo();
    cargo.current_dir(workspace());
    cargo
}

/// Runs a command and returns what it prints.
pub(super) fn printed(command: &mut Command) -> Result<String, DistError> {
    let program = || {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        words
            .map(OsStr::to_string_lossy)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let name = program();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|source| DistError::Start {
            program: name.clone(),
            source,
        })?;
    for line in output.stderr.lines().map_while(Result::ok) {
        complain(&line);
    }
    if !output.status.success() {
        return Err(DistError::Failed {
            program: name,
            status: output.status,
        });
    }
    String::from_utf8(output.stdout)
        .map_err(|_| DistError::Unexpected(format!("{name} printed something that is not UTF-8")))
}

#[expect(
    clippy::print_stderr,
    reason = "a task prints the errors of its tools to stderr"
)]
fn complain(line: &str) {
    eprintln!("{line}");
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, DistError> {
    fs::read(path).map_err(at(path))
}

pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> DistError {
    move |source| DistError::File {
        path: path.to_owned(),
        source,
    }
}
