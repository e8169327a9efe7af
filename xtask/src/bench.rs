//! `cargo xtask bench`: measures whole programs, each next to a minimal baseline.
//!
//! They run against local nodes, in the release profile. No test asserts these numbers, because a
//! machine can be busy. Both sides of a ratio are measured in turns, so a disturbance affects both.
//! Functions have criterion benchmarks in their packages.

mod build;
mod devnode;
mod error;
mod process;
mod run;
mod sweep;
mod table;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use clap::{Args, ValueEnum};

pub use self::error::BenchError;
use self::{
    process::not_started,
    table::{Row, section},
};

/// A part of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// A run of the read tier: its time, its start, its memory.
    Run,
    /// The local node: its start, its memory.
    Devnode,
    /// Sweeps of three sizes, and of a slow node, compared with a plain loop over the same blocks.
    Sweep,
    /// Building a crate that uses the client.
    Build,
}

/// Measure the cost of a run, a sweep, the local node and a build.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// Measure only this part; may be given more than once.
    #[arg(long, value_enum, value_name = "PART")]
    pub only: Vec<Part>,

    /// How often each value is measured.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub runs: u16,

    /// Measure with this build of xtask instead of one in the release profile.
    #[arg(long)]
    pub as_built: bool,

    /// The nodeproof to measure [default: the one of the release profile, which is built
    /// first].
    #[arg(long, value_name = "FILE")]
    pub binary: Option<PathBuf>,

    /// The lengths of the chains to sweep, in blocks.
    #[arg(
        long,
        value_name = "N,N",
        value_delimiter = ',',
        default_value = "1000,10000,100000"
    )]
    pub sweep: Vec<u64>,

    /// Run only the plain loop that a sweep is compared with, over the blocks of one chain; the bench
    /// uses this itself.
    #[arg(long, value_name = "URL", hide = true)]
    pub plain_loop: Option<String>,
}

/// Runs the benchmark in the release profile. Returns the text to print. It is empty if another
/// process has already printed it.
///
/// # Errors
/// When something could not be measured at all. A missed target is not an error.
pub async fn run(args: &BenchArgs) -> Result<String, BenchError> {
    if let Some(url) = &args.plain_loop {
        let blocks = args.sweep.first().copied().unwrap_or_default();
        return sweep::plain_loop(url, blocks).await;
    }
    if cfg!(debug_assertions) && !args.as_built {
        // Measurements of unoptimised code are useless, so run a release build of this program.
        let (binary, arguments) = (build_release()?, std::env::args_os().skip(1));
        let status = Command::new(&binary)
            .args(arguments)
            .status()
            .map_err(not_started(&binary))?;
        return if status.success() {
            Ok(String::new())
        } else {
            Err(format!("the release build ended with {status}").into())
        };
    }
    let wanted = |part: Part| args.only.is_empty() || args.only.contains(&part);
    let runs = args.runs;
    let mut text = heading(runs);
    if wanted(Part::Run) {
        text.push('\n');
        text.push_str(&run::measure(&conformance_binary(args)?, runs).await?);
    }
    if wanted(Part::Sweep) {
        let binary = conformance_binary(args)?;
        sweep::measure(&binary, runs, &args.sweep, &mut text).await?;
    }
    let parts: [(Part, &str, Measure); 2] = [
        (Part::Devnode, "The local node", |runs| {
            devnode::measure(&std::env::current_exe()?, runs)
        }),
        (Part::Build, "Building", |runs| {
            let folder = tempfile::tempdir()?;
            build::measure(&workspace(), folder.path(), runs)
        }),
    ];
    for (_, title, measure) in parts.into_iter().filter(|(part, ..)| wanted(*part)) {
        let rows = tokio::task::spawn_blocking(move || measure(runs)).await??;
        text.push('\n');
        text.push_str(&section(title, &rows));
    }
    Ok(text)
}

/// Measures one part.
type Measure = fn(u16) -> Result<Vec<Row>, BenchError>;

fn heading(runs: u16) -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let profile = if cfg!(debug_assertions) {
        "development profile, for which the targets are not meant"
    } else {
        "release profile"
    };
    format!(
        "measured {runs} times on {cores} cores, {} {}, {profile}\n",
        std::env::consts::OS,
        std::env::consts::ARCH,
    )
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Builds this program and the one to measure. Returns the path of this one.
fn build_release() -> Result<PathBuf, BenchError> {
    let status = crate::cargo::cargo()
        .current_dir(workspace())
        .args([
            "build",
            "--release",
            "-p",
            "nodeproof-conformance",
            "-p",
            "xtask",
        ])
        .status()?;
    if !status.success() {
        return Err(format!("cargo build --release: {status}").into());
    }
    find_binary("xtask")
}

fn conformance_binary(args: &BenchArgs) -> Result<PathBuf, BenchError> {
    match &args.binary {
        Some(path) => Ok(path.clone()),
        None => find_binary("nodeproof"),
    }
}

/// Returns the path of a program in the release profile. Its folder is a sibling of this one's.
fn find_binary(name: &str) -> Result<PathBuf, BenchError> {
    let own = std::env::current_exe()?;
    let target = own.parent().and_then(Path::parent);
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = target
        .unwrap_or(Path::new("target"))
        .join("release")
        .join(name);
    if path.is_file() {
        Ok(path)
    } else {
        let (path, build) = (
            path.display(),
            "cargo build --release -p nodeproof-conformance -p xtask",
        );
        Err(format!("there is no {path}: build it first, with {build}").into())
    }
}
