//! `cargo xtask bench`: how fast a run is, how soon it begins, and how much memory it takes.
//!
//! All is measured in one go, against a node of our own. No test asserts these figures: a machine is
//! busy now and then. The time of a run is told as a ratio as well, to what a plain loop needs for
//! as many requests to the same node, as what disturbs the one disturbs the other.

mod sweep;

use std::{
    fmt::Write as _,
    fs,
    io::Read,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use clap::Args;
use node_client::transport::{self, TransportOptions};
use node_conformance::report::{ExchangeReport, Report};
use node_primitives::Network;
use tokio::runtime::Handle;

use crate::conformance::start_local;

/// Measure how fast `node-conformance` is, how soon it begins, and how much memory it takes.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// How often each thing is measured.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub runs: u16,

    /// The program that is measured [default: target/release/node-conformance, else that of the
    /// development build].
    #[arg(long, value_name = "FILE")]
    pub binary: Option<PathBuf>,

    /// How many blocks the chains have that are swept; 0 for none.
    #[arg(
        long,
        value_name = "N,N",
        value_delimiter = ',',
        default_value = "1000,10000,100000"
    )]
    pub sweep: Vec<u64>,

    /// Only the plain loop that a sweep is held against, over the blocks of one chain; the bench
    /// calls itself with it.
    #[arg(long, value_name = "URL", hide = true)]
    pub plain_loop: Option<String>,
}

/// Why something could not be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// There is no program to measure.
    #[error(
        "there is no node-conformance in {0}: build it first, with cargo build --release -p node-conformance"
    )]
    NoBinary(String),
    /// The local node did not start.
    #[error("the local node did not start: {0}")]
    Node(String),
    /// The program can't be started.
    #[error("{} can't be started", binary.display())]
    Start {
        /// The program.
        binary: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A run did not end with exit status 0.
    #[error("a run against the local node ended with {0}, so its time tells nothing")]
    Run(String),
    /// The report can't be read.
    #[error("the run's report can't be read")]
    Report(#[from] serde_json::Error),
    /// A request of the plain loop failed.
    #[error("the plain loop could not ask the local node: {0}")]
    Loop(String),
    /// No request came.
    #[error("node-conformance ended before it sent a request")]
    NoRequest,
    /// A program, a socket or a file failed on the way.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// The most that a full run of the read tier may take.
const RUN: Duration = Duration::from_secs(1);
/// The most until the first request.
const START: Duration = Duration::from_millis(50);
/// The most memory, in bytes.
const MEMORY: u64 = 50_000_000;

/// Measures everything, and hands back the text that tells it.
///
/// # Errors
/// When something could not be measured at all. A target that is missed is no error.
pub async fn run(args: &BenchArgs) -> Result<String, BenchError> {
    if let Some(url) = &args.plain_loop {
        let blocks = args.sweep.first().copied().unwrap_or_default();
        return sweep::plain_loop(url, blocks).await;
    }
    let binary = match &args.binary {
        Some(path) => path.clone(),
        None => find_binary()?,
    };
    let node = start_local()(Network::Devnet)
        .await
        .map_err(BenchError::Node)?;
    let url = node.base_url.clone();
    let runs = args.runs;
    let measured = {
        let (binary, url) = (binary.clone(), url.clone());
        tokio::task::spawn_blocking(move || measure(&binary, &url, runs)).await
    };
    let measured = measured.map_err(|error| BenchError::Run(error.to_string()))??;
    drop(node);
    let mut text = told(&binary, runs, &measured);
    let lengths: Vec<_> = args
        .sweep
        .iter()
        .copied()
        .filter(|blocks| *blocks > 0)
        .collect();
    sweep::measure(&binary, runs, &lengths, &mut text).await?;
    Ok(text)
}

/// What was measured, in seconds and bytes.
struct Measured {
    runs: Vec<f64>,
    loops: Vec<f64>,
    /// Each run to the loop right behind it.
    ratios: Vec<f64>,
    starts: Vec<f64>,
    /// None where the system does not tell.
    peaks: Option<Vec<f64>>,
    report: Report,
}

fn measure(binary: &Path, url: &str, runs: u16) -> Result<Measured, BenchError> {
    // The first one warms up the node, the file cache and the dynamic linker, and is not counted.
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

/// The program of the release profile, or else that of the development build.
fn find_binary() -> Result<PathBuf, BenchError> {
    let target = std::env::current_exe()?;
    // This program lies in a folder of its own profile.
    let target = target.parent().and_then(Path::parent);
    let target = target.unwrap_or(Path::new("target")).to_owned();
    let name = format!("node-conformance{}", std::env::consts::EXE_SUFFIX);
    ["release", "debug"]
        .map(|profile| target.join(profile).join(&name))
        .into_iter()
        .find(|path| path.is_file())
        .ok_or_else(|| BenchError::NoBinary(target.display().to_string()))
}

fn not_started(binary: &Path) -> impl FnOnce(std::io::Error) -> BenchError + '_ {
    |source| BenchError::Start {
        binary: binary.to_owned(),
        source,
    }
}

fn command(binary: &Path, url: &str) -> Command {
    let mut command = Command::new(binary);
    command
        .args(["--base-url", url, "--network", "devnet"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// How long a full run of the read tier takes, from the start of the process to its end.
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

/// A full run's report, and its peak memory where the system tells it.
///
/// The report is longer than a pipe holds, so the process is still there when it begins to come, and
/// all of the work is behind it.
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

/// Reads a report while its process is there, and looks at the process' memory meanwhile.
fn read_to_end(
    stdout: &mut impl Read,
    text: &mut Vec<u8>,
    memory: impl Fn() -> Option<u64>,
) -> std::io::Result<Option<u64>> {
    let mut part = vec![0; 4096];
    let mut peak = None;
    loop {
        let read = stdout.read(&mut part)?;
        if read == 0 {
            return Ok(peak);
        }
        peak = peak.max(memory());
        text.extend_from_slice(&part[..read]);
    }
}

/// The most memory that a running process has had, in bytes; Linux tells it.
fn peak_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// How long it takes from the start of the process until its first request has come.
fn start(binary: &Path) -> Result<Duration, BenchError> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let url = format!("http://{}", listener.local_addr()?);
    let came = std::thread::spawn(move || -> std::io::Result<Option<Instant>> {
        let (mut stream, _) = listener.accept()?;
        let read = stream.read(&mut [0; 1024])?;
        Ok((read > 0).then(Instant::now))
    });
    let mut command = command(binary, &url);
    // A process that never asks ends by its own deadline; then nothing would be accepted.
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

/// How long a plain loop needs for as many requests, of the same kinds, one after the other over
/// one connection.
async fn plain_loop(url: &str, report: &Report) -> Result<Duration, BenchError> {
    let failed = |error: &dyn std::error::Error| BenchError::Loop(error.to_string());
    let base = url
        .parse()
        .map_err(|error: node_client::BaseUrlError| failed(&error))?;
    let http = transport::http_client(&base, &TransportOptions::default())
        .map_err(|error| failed(&error))?;
    let whole: Vec<&ExchangeReport> = report
        .exchanges
        .iter()
        // What the report has only an excerpt of can't be sent again.
        .filter(|asked| {
            !asked.url.ends_with('…')
                && asked
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
    for asked in whole.into_iter().cycle().take(count) {
        let request = match &asked.request_body {
            Some(body) => http
                .post(&asked.url)
                .header("Content-Type", "application/json")
                .body(body.clone()),
            None => http.get(&asked.url),
        };
        let answer = request.send().await.map_err(|error| failed(&error))?;
        answer.bytes().await.map_err(|error| failed(&error))?;
    }
    Ok(began.elapsed())
}

/// The least, the median and the most.
fn spread(values: &[f64]) -> (f64, f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = match sorted.len() {
        0 => return (f64::NAN, f64::NAN, f64::NAN),
        odd if odd % 2 == 1 => sorted[odd / 2],
        even => f64::midpoint(sorted[even / 2 - 1], sorted[even / 2]),
    };
    (sorted[0], median, sorted[sorted.len() - 1])
}

/// A line of the table; the median is held against the target.
fn line(text: &mut String, what: &str, unit: &str, values: &[f64], target: Option<f64>) {
    let (least, median, most) = spread(values);
    let (target, verdict) = match target {
        None => (String::new(), ""),
        Some(target) if median <= target => (format!("≤ {target:.0}"), "ok"),
        Some(target) => (format!("≤ {target:.0}"), "miss"),
    };
    let row = format!(
        "{what:<44} {unit:<3} {least:>9.1} {median:>9.1} {most:>9.1}  {target:<8} {verdict}"
    );
    let _ = writeln!(text, "{}", row.trim_end());
}

fn told(binary: &Path, runs: u16, measured: &Measured) -> String {
    let profile = binary
        .parent()
        .and_then(Path::file_name)
        .and_then(|name| name.to_str());
    let profile = match profile {
        Some("release") => "release profile",
        Some("debug") => "development profile; the targets are meant for the release profile",
        _ => "profile unknown",
    };
    let of_ours = if cfg!(debug_assertions) {
        "development"
    } else {
        "release"
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let millis = |values: &[f64]| values.iter().map(|value| value * 1e3).collect::<Vec<_>>();
    let mut text = format!(
        "node-conformance, {profile}; local node, {of_ours} profile; measured {runs} times on {cores} cores, {} {}\n\
         a run: the read tier, {} requests, {} jobs\n\n{:<44} {:<3} {:>9} {:>9} {:>9}  {}\n",
        std::env::consts::OS,
        std::env::consts::ARCH,
        measured.report.requests,
        node_conformance::Options::default().jobs,
        "",
        "",
        "min",
        "median",
        "max",
        "target",
    );
    let millis_of = |duration: Duration| duration.as_secs_f64() * 1e3;
    line(
        &mut text,
        "full run, process included, warm",
        "ms",
        &millis(&measured.runs),
        Some(millis_of(RUN)),
    );
    line(
        &mut text,
        "start of the process to its first request",
        "ms",
        &millis(&measured.starts),
        Some(millis_of(START)),
    );
    match &measured.peaks {
        #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
        Some(peaks) => {
            let megabytes: Vec<_> = peaks.iter().map(|bytes| bytes / 1e6).collect();
            let target = Some(MEMORY as f64 / 1e6);
            line(
                &mut text,
                "peak memory of the process",
                "MB",
                &megabytes,
                target,
            );
        }
        None => text.push_str(
            "peak memory of the process: left out, as only Linux tells it here, in /proc\n",
        ),
    }
    let what = "plain loop, as many requests, same client";
    line(&mut text, what, "ms", &millis(&measured.loops), None);
    line(
        &mut text,
        "full run : plain loop",
        "x",
        &measured.ratios,
        None,
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_held_against_the_target() {
        assert_eq!(spread(&[3.0, 1.0, 2.0]), (1.0, 2.0, 3.0));
        assert_eq!(spread(&[4.0, 1.0]), (1.0, 2.5, 4.0));
        let mut text = String::new();
        line(&mut text, "a", "ms", &[1.0, 2.0, 90.0], Some(2.0));
        line(&mut text, "b", "ms", &[1.0, 3.0, 3.0], Some(2.0));
        line(&mut text, "c", "x", &[1.0], None);
        let ends: Vec<_> = text.lines().map(|line| line.rsplit(' ').next()).collect();
        assert_eq!(ends, [Some("ok"), Some("miss"), Some("1.0")]);
    }

    #[test]
    fn peak_memory_is_told_of_a_process_that_runs_and_of_no_other() {
        if cfg!(target_os = "linux") {
            assert!(peak_memory(std::process::id()).is_some_and(|bytes| bytes > 100_000));
        }
        assert_eq!(peak_memory(u32::MAX), None);
    }
}
