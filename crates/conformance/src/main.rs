//! `node-conformance`: checks a node, given by base URL and network.

use std::process::ExitCode;

use clap::Parser;
use node_conformance::cli::{ConformanceArgs, execute};

#[derive(Debug, Parser)]
#[command(
    name = "node-conformance",
    version,
    about = "Check whether a node keeps the contract"
)]
struct Cli {
    #[command(flatten)]
    args: ConformanceArgs,
}

#[tokio::main]
async fn main() -> ExitCode {
    ExitCode::from(execute(&Cli::parse().args, None).await)
}
