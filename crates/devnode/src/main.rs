//! A local node as a command.

use std::process::ExitCode;

use clap::Parser;
use nodeproof_devnode::cli::{DevnodeArgs, exit_with};

/// Runs a local node for development and tests, in memory. With --start-time, its blocks follow from its
/// options.
#[derive(Parser)]
#[command(name = "devnode", version)]
struct Command {
    #[command(flatten)]
    args: DevnodeArgs,
}

#[tokio::main]
async fn main() -> ExitCode {
    let command = Command::try_parse().unwrap_or_else(|error| exit_with(&error));
    nodeproof_devnode::cli::run(command.args).await
}
