//! `nodeproof`: checks a node, given its base URL and network.

use clap::Parser;
use nodeproof_conformance::cli::{
    Nodeproof, can_not_start, execute, exit_with, remove_stale_reports,
};

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap_or_else(|error| can_not_start(&error));
    runtime.block_on(async {
        let cli = Nodeproof::try_parse().unwrap_or_else(|error| {
            if error.use_stderr() {
                remove_stale_reports(std::env::args_os());
            }
            exit_with(&error)
        });
        let status = execute(&cli.args, None).await;
        // Exit at once: tasks that still wait for the node must not keep the process running.
        std::process::exit(status.into());
    })
}
