//! `nodeproof`: checks a node, given its base URL and network.

use clap::Parser;
use nodeproof_conformance::cli::{ConformanceArgs, execute, exit_with, remove_stale_reports};

#[derive(Debug, Parser)]
#[command(
    name = "nodeproof",
    version,
    about = "Check whether a node conforms to the API contract"
)]
struct Cli {
    #[command(flatten)]
    args: ConformanceArgs,
}

#[tokio::main]
async fn main() {
    let cli = Cli::try_parse().unwrap_or_else(|error| {
        if error.use_stderr() {
            remove_stale_reports(std::env::args_os());
        }
        exit_with(&error)
    });
    let status = execute(&cli.args, None).await;
    // Exit at once: tasks that still wait for the node must not keep the process running.
    std::process::exit(status.into());
}
