//! `cargo xtask hostile`: what comes of hostile servers, measured.
//!
//! The servers are those of the end-to-end tests, in the program `hostile`. Here that program and the
//! ones that are measured are built as they are installed, in the release profile.

use std::{
    path::Path,
    process::{Command, ExitCode},
};

use clap::Args;

/// Hold the programs against every hostile server, and print the table.
#[derive(Clone, Debug, Args)]
pub struct HostileArgs {
    /// Write the table to docs/hostile-nodes.md, too.
    #[arg(long)]
    pub write: bool,

    /// Only the servers with these names; may be given more than once.
    #[arg(long, value_name = "NAME", conflicts_with = "write")]
    pub only: Vec<String>,
}

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostileError {
    /// A program can't be started.
    #[error("{program} can't be started")]
    Start {
        /// The program.
        program: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The programs can't be built.
    #[error("the programs were not built: cargo ended with {0}")]
    Build(std::process::ExitStatus),
    /// Where the programs are is not known.
    #[error("the folder of the built programs is not known")]
    Folder,
}

/// Builds the programs, and has the one that knows the servers measure them.
///
/// # Errors
/// When a program can't be built or started.
pub fn run(args: &HostileArgs) -> Result<ExitCode, HostileError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(&cargo);
    build
        .args(["build", "--release", "--package", "nodeproof-conformance"])
        .args(["--package", "nodeproof-cli"])
        .args(["--package", "integration-tests", "--bins"]);
    let built = status(&mut build)?;
    if !built.success() {
        return Err(HostileError::Build(built));
    }
    // This program lies in a folder of its own profile, beside that of the other.
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
