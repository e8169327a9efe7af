//! `node-conformance`: checks a node, given by base URL and network.

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
async fn main() {
    let status = execute(&Cli::parse().args, None).await;
    // What a node keeps busy must not keep the process: its deadline has come.
    std::process::exit(status.into());
}
