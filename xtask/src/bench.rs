//! `cargo xtask bench`: measures costs, each next to a minimal baseline.
//!
//! Everything is measured in one process, against local nodes, in the release profile. No test
//! asserts these numbers, because a machine can be busy. Both sides of a ratio are measured in turns,
//! so a disturbance affects both.

mod build;
mod call;
mod cpu;
mod decode;
mod error;
mod load;
mod process;
mod response_server;
mod signatures;
mod sweep;
mod table;

use std::{
    io::Read,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use clap::{Args, ValueEnum};
use nodeproof_client::transport::{self, TransportOptions};
use nodeproof_conformance::report::{ExchangeReport, Report};
use nodeproof_primitives::Network;
use tokio::runtime::Handle;

pub use self::error::BenchError;
use self::{
    process::{command, not_started, peak_memory, read_to_end},
    table::{Row, section},
};
use crate::conformance::start_local;

/// A part of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// A run of the read tier: its time, its start, its memory.
    Run,
    /// A request of the client, compared with bare reqwest and serde.
    Call,
    /// Reading a block, compared with a struct of strings.
    Decode,
    /// Verified signatures, compared with the curve alone.
    Signatures,
    /// The local node: requests per second, its start, its memory.
    Devnode,
    /// Sweeps of three sizes, and of a slow node, compared with a plain loop over the same blocks.
    Sweep,
    /// Building a crate that uses the client.
    Build,
}

/// Measure the cost of a run, a request, a block, a signature, the local node and a build.
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

/// The maximum time of a full run of the read tier, in milliseconds.
const RUN: f64 = 1_000.0;
/// The maximum time until the first request, in milliseconds.
const START: f64 = 50.0;
/// The maximum memory, in megabytes.
const MEMORY: f64 = 50.0;

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
            Err(BenchError::Run(status.to_string()))
        };
    }
    let wanted = |part: Part| args.only.is_empty() || args.only.contains(&part);
    let runs = args.runs;
    let mut text = heading(runs);
    let parts: [(Part, &str, Measure); 5] = [
        (
            Part::Call,
            "A call of the client",
            Box::new(move || {
                let node = load::NodeThread::start()?;
                let rows = call::measure(&node.target, runs);
                node.stop();
                rows
            }),
        ),
        (
            Part::Decode,
            "Reading a block",
            Box::new(move || decode::measure(runs)),
        ),
        (
            Part::Signatures,
            "Verifying",
            Box::new(move || signatures::measure(runs)),
        ),
        (
            Part::Devnode,
            "The local node",
            Box::new(move || load::measure(&std::env::current_exe()?, runs)),
        ),
        (
            Part::Build,
            "Building",
            Box::new(move || {
                let folder = tempfile::tempdir()?;
                build::measure(&workspace(), folder.path(), runs)
            }),
        ),
    ];
    if wanted(Part::Run) {
        text.push('\n');
        text.push_str(&conformance_run(args).await?);
    }
    if wanted(Part::Sweep) {
        let binary = conformance_binary(args)?;
        sweep::measure(&binary, runs, &args.sweep, &mut text).await?;
    }
    for (part, title, measure) in parts {
        if wanted(part) {
            let measured = tokio::task::spawn_blocking(measure).await;
            let rows = measured.map_err(|error| BenchError::Run(error.to_string()))??;
            text.push('\n');
            text.push_str(&section(title, &rows));
        }
    }
    Ok(text)
}

/// Measures one part.
type Measure = Box<dyn FnOnce() -> Result<Vec<Row>, BenchError> + Send>;

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
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
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
        return Err(BenchError::Run(format!("cargo build --release: {status}")));
    }
    find_binary("xtask")
}

fn conformance_binary(args: &BenchArgs) -> Result<PathBuf, BenchError> {
    match &args.binary {
        Some(path) => Ok(path.clone()),
        None => find_binary("nodeproof"),
    }
}

async fn conformance_run(args: &BenchArgs) -> Result<String, BenchError> {
    let binary = conformance_binary(args)?;
    let node = start_local()(Network::Devnet)
        .await
        .map_err(BenchError::Node)?;
    let url = node.base_url.clone();
    let runs = args.runs;
    let measured = tokio::task::spawn_blocking(move || measure(&binary, &url, runs)).await;
    let measured = measured.map_err(|error| BenchError::Run(error.to_string()))??;
    Ok(told(&measured))
}

/// The measurements, in seconds and bytes.
struct Measured {
    runs: Vec<f64>,
    loops: Vec<f64>,
    /// The ratio of each run to the loop right after it.
    ratios: Vec<f64>,
    starts: Vec<f64>,
    /// `None` if the system does not report it.
    peaks: Option<Vec<f64>>,
    report: Report,
}

fn measure(binary: &Path, url: &str, runs: u16) -> Result<Measured, BenchError> {
    // The first run is not counted. It warms up the node, the file cache and the dynamic linker.
    let (report, _) = full_run(binary, url)?;
    timed_run(binary, url)?;
    let mut measured = Measured {
        runs: Vec::new(),
        loops: Vec::new(),
        ratios: Vec::new(),
        starts: Vec::new(),
        peaks: Some(Vec::new()),
        report,
    };
    for _ in 0..runs {
        let run = timed_run(binary, url)?.as_secs_f64();
        let plain = plain_loop(url, &measured.report);
        let plain = Handle::current().block_on(plain)?.as_secs_f64();
        measured.runs.push(run);
        measured.loops.push(plain);
        measured.ratios.push(run / plain);
        measured.starts.push(start(binary)?.as_secs_f64());
        let (_, peak) = full_run(binary, url)?;
        match (peak, &mut measured.peaks) {
            #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
            (Some(peak), Some(peaks)) => peaks.push(peak as f64),
            _ => measured.peaks = None,
        }
    }
    Ok(measured)
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
        Err(BenchError::NoBinary(path.display().to_string()))
    }
}

/// Returns the time of a full run of the read tier, from the start of the process to its end.
fn timed_run(binary: &Path, url: &str) -> Result<Duration, BenchError> {
    let mut command = command(binary, url);
    command.arg("--quiet");
    let began = Instant::now();
    let status = command.status().map_err(not_started(binary))?;
    let took = began.elapsed();
    if status.success() {
        Ok(took)
    } else {
        Err(BenchError::Run(status.to_string()))
    }
}

/// Returns a full run's report, and its peak memory if the system reports it.
///
/// The report is longer than a pipe's buffer, so the process still exists when the first part
/// arrives, and all the work is already done.
fn full_run(binary: &Path, url: &str) -> Result<(Report, Option<u64>), BenchError> {
    let mut command = command(binary, url);
    let mut child = command
        .args(["--format", "json"])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(not_started(binary))?;
    let mut text = Vec::new();
    let mut peak = None;
    if let Some(mut stdout) = child.stdout.take() {
        peak = read_to_end(&mut stdout, &mut text, || peak_memory(child.id()))?;
    }
    let status = child.wait()?;
    if !status.success() {
        return Err(BenchError::Run(status.to_string()));
    }
    Ok((serde_json::from_slice(&text)?, peak))
}

/// Returns the time from the start of the process to its first request.
fn start(binary: &Path) -> Result<Duration, BenchError> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let url = format!("http://{}", listener.local_addr()?);
    let came = std::thread::spawn(move || -> std::io::Result<Option<Instant>> {
        let (mut stream, _) = listener.accept()?;
        let read = stream.read(&mut [0; 1024])?;
        Ok((read > 0).then(Instant::now))
    });
    let mut command = command(binary, &url);
    // A process that sends no request ends by its own deadline. Then no request is accepted.
    command.args(["--quiet", "--deadline", "10"]);
    let began = Instant::now();
    let mut child = command.spawn().map_err(not_started(binary))?;
    while !came.is_finished() {
        if child.try_wait()?.is_some() && !came.is_finished() {
            return Err(BenchError::NoRequest);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill()?;
    child.wait()?;
    let came = came.join().map_err(|_| BenchError::NoRequest)??;
    came.map(|came| came.duration_since(began))
        .ok_or(BenchError::NoRequest)
}

/// Returns the time of a plain loop that sends as many requests, of the same kinds, one after the
/// other over one connection.
async fn plain_loop(url: &str, report: &Report) -> Result<Duration, BenchError> {
    let failed = |error: &dyn std::error::Error| BenchError::Loop(error.to_string());
    let base = url
        .parse()
        .map_err(|error: nodeproof_client::BaseUrlError| failed(&error))?;
    let http = transport::http_client(&base, &TransportOptions::default())
        .map_err(|error| failed(&error))?;
    let whole: Vec<&ExchangeReport> = report
        .exchanges
        .iter()
        // The report contains only an excerpt of these, so they can't be sent again.
        .filter(|exchange| {
            !exchange.url.ends_with('…')
                && exchange
                    .request_body
                    .as_ref()
                    .is_none_or(|body| !body.ends_with('…'))
        })
        .collect();
    if whole.is_empty() {
        return Err(BenchError::Loop("the report names no request".to_owned()));
    }
    let count = usize::try_from(report.requests).unwrap_or(usize::MAX);
    let began = Instant::now();
    for exchange in whole.into_iter().cycle().take(count) {
        let request = match &exchange.request_body {
            Some(body) => http
                .post(&exchange.url)
                .header("Content-Type", "application/json")
                .body(body.clone()),
            None => http.get(&exchange.url),
        };
        let response = request.send().await.map_err(|error| failed(&error))?;
        response.bytes().await.map_err(|error| failed(&error))?;
    }
    Ok(began.elapsed())
}

fn told(measured: &Measured) -> String {
    let millis = |values: &[f64]| values.iter().map(|value| value * 1e3).collect::<Vec<_>>();
    let mut rows = vec![
        Row::new(
            "full run, process included, warm",
            "ms",
            millis(&measured.runs),
        )
        .at_most(RUN),
        Row::new(
            "start of the process to its first request",
            "ms",
            millis(&measured.starts),
        )
        .at_most(START),
    ];
    // Only Linux reports it.
    if let Some(peaks) = &measured.peaks {
        let megabytes = peaks.iter().map(|bytes| bytes / 1e6).collect();
        rows.push(Row::new("peak memory of the process", "MB", megabytes).at_most(MEMORY));
    }
    let plain = "plain loop, as many requests, same client";
    rows.push(Row::new(plain, "ms", millis(&measured.loops)));
    rows.push(Row::new(
        "full run : plain loop",
        "x",
        measured.ratios.clone(),
    ));
    let title = format!(
        "A run: the read tier, {} requests, {} jobs",
        measured.report.requests,
        nodeproof_conformance::RunLimits::default().jobs,
    );
    section(&title, &rows)
}
