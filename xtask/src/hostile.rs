//! `cargo xtask hostile`: runs the programs against hostile servers and measures the results.
//!
//! The servers are those of the end-to-end tests, in the program `hostile`. This task builds that
//! program and the programs to measure in the release profile, as they are installed.

use std::{
    path::Path,
    process::{Command, ExitCode},
};

use clap::Args;

/// Run the programs against every hostile server, and print the table.
#[derive(Clone, Debug, Args)]
pub struct HostileArgs {
    /// Also write the table to docs/generated/hostile-nodes.md.
    #[arg(long)]
    pub write: bool,

    /// Only the servers with these names; may be given more than once.
    #[arg(long, value_name = "NAME", conflicts_with = "write")]
    pub only: Vec<String>,
}

/// The reason why nothing could be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostileError {
    /// A program can't be started.
    #[error("{program} can't be started")]
    Start {
        /// The program.
        program: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The programs can't be built.
    #[error("the programs were not built: cargo ended with {0}")]
    Build(std::process::ExitStatus),
    /// The folder of the built programs is unknown.
    #[error("the folder of the built programs is not known")]
    Folder,
}

/// Builds the programs, and runs `hostile` to measure them.
///
/// # Errors
/// When a program can't be built or started.
pub fn run(args: &HostileArgs) -> Result<ExitCode, HostileError> {
    let mut build = crate::cargo::cargo();
    build
        .args(["build", "--release", "--package", "nodeproof-conformance"])
        .args(["--package", "nodeproof-cli"])
        .args(["--package", "integration-tests", "--bins"]);
    let built = status(&mut build)?;
    if !built.success() {
        return Err(HostileError::Build(built));
    }
    // This program is in the folder of its profile. The folder `release` is a sibling.
    let own = std::env::current_exe().map_err(|_| HostileError::Folder)?;
    let target = own.parent().and_then(Path::parent);
    let release = target.ok_or(HostileError::Folder)?.join("release");
    let program = |name: &str| release.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let mut table = Command::new(program("hostile"));
    table
        .args(["table", "--conformance"])
        .arg(program("nodeproof"))
        .arg("--nodectl")
        .arg(program("nodectl"));
    for name in &args.only {
        table.args(["--only", name]);
    }
    if args.write {
        table.arg("--write");
    }
    let done = status(&mut table)?;
    Ok(match done.success() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

fn status(command: &mut Command) -> Result<std::process::ExitStatus, HostileError> {
    command.status().map_err(|source| HostileError::Start {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
    })
}
