//! `cargo xtask`: the tasks of this workspace.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use nodeproof_conformance::cli::ConformanceArgs;
use nodeproof_devnode::cli::DevnodeArgs;
use xtask::{conformance, directions, hostile};

#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "Tasks of this workspace"
)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Check whether a node conforms to the specification; without a URL, a local node is started
    /// and checked
    Conformance(Box<ConformanceArgs>),
    /// Run a local node
    Devnode(DevnodeArgs),
    /// Check which crate depends on which, and which file imports which
    Directions,
    /// Run the programs against every hostile server, and print the results with time and memory
    Hostile(hostile::HostileArgs),
}

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| {
        let conformance = || {
            std::env::args_os()
                .nth(1)
                .is_some_and(|task| task == "conformance")
        };
        if error.use_stderr() && conformance() {
            nodeproof_conformance::cli::remove_stale_reports(std::env::args_os());
        }
        nodeproof_conformance::cli::exit_with(&error)
    });
    match cli.task {
        Task::Conformance(args) => {
            let local = conformance::start_local();
            let status = nodeproof_conformance::cli::execute(&args, Some(local)).await;
            // A node that keeps tasks busy must not delay the end of the process.
            std::process::exit(status.into());
        }
        Task::Devnode(args) => nodeproof_devnode::cli::run(args).await,
        Task::Directions => match directions::check() {
            Ok(problems) if problems.is_empty() => ExitCode::SUCCESS,
            Ok(problems) => {
                problems.iter().for_each(|problem| complain(problem));
                ExitCode::FAILURE
            }
            Err(error) => {
                complain(&error);
                ExitCode::from(2)
            }
        },
        Task::Hostile(args) => hostile::run(&args).unwrap_or_else(|error| {
            complain(&error.to_string());
            ExitCode::from(2)
        }),
    }
}

#[expect(clippy::print_stderr, reason = "a task prints its errors to stderr")]
fn complain(text: &str) {
    eprintln!("error: {text}");
}
