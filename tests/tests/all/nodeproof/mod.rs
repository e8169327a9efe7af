//! The program `nodeproof` as users run it: formats, `--watch`, `diff`, and findings about signatures.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]

#[cfg(unix)]
mod alerting;
#[cfg(unix)]
mod ci;
mod diff;
mod echoes;
mod formats;
mod https;
mod ingress;
mod judge;
mod junit;
#[cfg(unix)]
mod monitor;
#[cfg(unix)]
mod monitored_nodes;
#[cfg(unix)]
mod monitoring;
#[cfg(unix)]
mod packaging;
mod pages;
mod recheck;
mod sharing;
mod signatures;
mod sweeps;
mod unwritable;
mod watching;
#[cfg(target_os = "linux")]
mod without_locks;

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::LazyLock,
};

use integration_tests::{built::program, restart};
use nodeproof_devnode::{BlockTime, Config, Handle, InjectedFault};
use serde_json::Value;

/// The programs, built once.
static NODEPROOF: LazyLock<PathBuf> = LazyLock::new(|| program("nodeproof").expect("the program"));
static NODECTL: LazyLock<PathBuf> = LazyLock::new(|| program("nodectl").expect("the program"));

/// Starts a local node that makes no blocks by itself.
async fn node(fault: Option<InjectedFault>) -> Handle {
    let mut config = Config::for_tests().with_block_time(BlockTime::Manual);
    if let Some(fault) = fault {
        config = config.with_fault(fault);
    }
    restart::start(config).await
}

/// Returns the command of a run against a node.
fn run(base_url: &str) -> Command {
    let mut command = Command::new(&*NODEPROOF);
    command.args(["--network", "devnet", "--base-url", base_url]);
    command
}

/// Runs a command, and returns its exit status, standard output and standard error.
fn ran(command: &mut Command) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (
        status.code().expect("an exit status"),
        text(stdout),
        text(stderr),
    )
}

/// Runs a command as `ran` does, in one of several tasks. The others go on meanwhile.
fn waiting(command: &mut Command) -> (i32, String, String) {
    tokio::task::block_in_place(|| ran(command))
}

/// Returns the report of the first node in a `report.json`.
fn node_report(path: &Path) -> Value {
    json(path)["nodes"][0].take()
}

fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}
