//! `cargo xtask hostile`: runs the programs against hostile servers and measures the results.
//!
//! The servers are those of the end-to-end tests, in the program `hostile`. This task builds that
//! program and the programs to measure in the release profile, as they are installed.

use std::{
    env::consts::EXE_SUFFIX,
    error::Error,
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

/// Builds the programs, and runs `hostile` to measure them.
///
/// # Errors
/// When a program can't be built or started.
pub fn run(args: &HostileArgs) -> Result<ExitCode, Box<dyn Error>> {
    let built = crate::cargo::cargo()
        .args(["build", "--release", "--package", "nodeproof-conformance"])
        .args(["--package", "nodeproof-cli"])
        .args(["--package", "integration-tests", "--bins"])
        .status()?;
    if !built.success() {
        return Err(format!("the programs were not built: cargo ended with {built}").into());
    }
    // This program is in the folder of its profile. The folder `release` is a sibling.
    let own = std::env::current_exe()?;
    let target = own.parent().and_then(Path::parent);
    let release = target
        .ok_or("the folder of the built programs is not known")?
        .join("release");
    let program = |name: &str| release.join(format!("{name}{EXE_SUFFIX}"));
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
    Ok(match table.status()?.success() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
