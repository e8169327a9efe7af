//! A sweep, compared with a plain loop that fetches the same blocks.
//!
//! Both are separate processes with equally many connections to the same node. They run one right
//! after the other, so a disturbance affects both. First the node responds as fast as it can, and
//! shares the machine with them. Then it responds slowly, like a distant or busy node. That shows
//! whether the sweep keeps its connections as busy as the loop does.

use std::{
    path::Path,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    extract::Request,
    middleware::{self, Next},
};
use nodeproof_client::transport::{self, TransportOptions};
use nodeproof_conformance::report::Report;
use nodeproof_devnode::{BlockTime, Config};
use nodeproof_primitives::Network;
use tokio::{net::TcpListener, task::JoinSet};

use super::{
    BenchError,
    process::{command, not_started, peak_memory, read_to_end},
    table::{Row, section},
};

/// The number of connections of both.
const CONNECTIONS: usize = 8;
/// A sweep must saturate a node that serves at most this many blocks per second.
const SATURATED: f64 = 10_000.0;
/// The minimum rate of a sweep without signatures that saturates a node, relative to the plain loop.
const RATE: f64 = 0.9;
/// The maximum memory, in megabytes.
const MEMORY: f64 = 64.0;
/// The response time of the slow node.
const RESPONSE_TIME: Duration = Duration::from_millis(2);
/// The longest chain for the sweep of the slow node. More blocks would show nothing new.
const SLOW_CHAIN: u64 = 10_000;
/// The options of a sweep without signatures.
const UNSIGNED: [&str; 2] = ["--skip", "chain/*signature*"];

/// The measurements for a chain of one length.
struct Measured {
    /// Blocks per second.
    signed: Vec<f64>,
    unsigned: Vec<f64>,
    plain: Vec<f64>,
    /// The sweep's rate, relative to the loop right after it.
    signed_ratio: Vec<f64>,
    unsigned_ratio: Vec<f64>,
    /// Empty if the system does not report it.
    peaks: Vec<f64>,
}

/// Measures chains of these lengths, and appends the results to the text.
pub(super) async fn measure(
    binary: &Path,
    runs: u16,
    lengths: &[u64],
    text: &mut String,
) -> Result<(), BenchError> {
    for blocks in lengths.iter().copied() {
        let config = Config::new(Network::Devnet)
            .with_port(0)
            .with_blocks(blocks)
            .with_block_time(BlockTime::Manual);
        let node = nodeproof_devnode::spawn(config).await;
        let node = node.map_err(|error| BenchError::Node(error.to_string()))?;
        let title = format!("A sweep of {blocks} blocks, {CONNECTIONS} connections");
        told(
            &title,
            one_length(binary, node.base_url(), blocks, runs).await?,
            text,
        );
        let longest = lengths.iter().filter(|length| **length <= SLOW_CHAIN).max();
        if longest == Some(&blocks) {
            let title = format!("{title}, {} ms a response", RESPONSE_TIME.as_millis());
            let slow = Slow::before(&node).await?;
            told(
                &title,
                one_length(binary, &slow.url, blocks, runs).await?,
                text,
            );
        }
    }
    Ok(())
}

/// The same node with slow responses.
struct Slow {
    url: String,
    server: JoinSet<()>,
}

impl Slow {
    async fn before(node: &nodeproof_devnode::Handle) -> Result<Self, BenchError> {
        let wait = async |request: Request, next: Next| {
            tokio::time::sleep(RESPONSE_TIME).await;
            next.run(request).await
        };
        let router =
            nodeproof_devnode::router(Arc::clone(node.node())).layer(middleware::from_fn(wait));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let mut server = JoinSet::new();
        server.spawn(async move {
            // It serves until it is dropped.
            let _ended = axum::serve(listener, router).await;
        });
        Ok(Self { url, server })
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        self.server.abort_all();
    }
}

async fn one_length(
    binary: &Path,
    url: &str,
    blocks: u64,
    runs: u16,
) -> Result<Measured, BenchError> {
    let (binary, url) = (binary.to_owned(), url.to_owned());
    let work = move || in_turns(&binary, &url, blocks, runs);
    let measured = tokio::task::spawn_blocking(work).await;
    measured.map_err(|error| BenchError::Run(error.to_string()))?
}

fn in_turns(binary: &Path, url: &str, blocks: u64, runs: u16) -> Result<Measured, BenchError> {
    let mut measured = Measured {
        signed: Vec::new(),
        unsigned: Vec::new(),
        plain: Vec::new(),
        signed_ratio: Vec::new(),
        unsigned_ratio: Vec::new(),
        peaks: Vec::new(),
    };
    // The time of a run without a sweep is subtracted from that of the others: only the sweeps are
    // compared.
    let nothing = one_sweep(binary, url, "1..=1", &[])?.0;
    let all = format!("1..={blocks}");
    let rate = |took: Duration| {
        #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
        let blocks = blocks as f64;
        blocks / took.saturating_sub(nothing).as_secs_f64()
    };
    for _ in 0..runs {
        let (took, peak) = one_sweep(binary, url, &all, &[])?;
        let (signed, plain) = (rate(took), loop_rate(url, blocks)?);
        measured.signed.push(signed);
        measured.signed_ratio.push(signed / plain);
        measured.peaks.extend(peak);
        measured.plain.push(plain);
        let (took, peak) = one_sweep(binary, url, &all, &UNSIGNED)?;
        let (unsigned, plain) = (rate(took), loop_rate(url, blocks)?);
        measured.unsigned.push(unsigned);
        measured.unsigned_ratio.push(unsigned / plain);
        measured.peaks.extend(peak);
        measured.plain.push(plain);
    }
    Ok(measured)
}

/// Returns the time of a sweep, from the start of its process to its end, and its peak memory.
fn one_sweep(
    binary: &Path,
    url: &str,
    blocks: &str,
    more: &[&str],
) -> Result<(Duration, Option<f64>), BenchError> {
    let folder = std::env::temp_dir().join(format!("bench-sweep-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let state = folder.join("state.json");
    let began = Instant::now();
    let mut child = command(binary, url)
        .args([
            "--blocks",
            blocks,
            "--only",
            "get-block/*",
            "--only",
            "chain/*",
        ])
        .args([
            "--jobs",
            &CONNECTIONS.to_string(),
            "--format",
            "json",
            "--state",
        ])
        .arg(&state)
        .args(more)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(not_started(binary))?;
    let mut peak = None;
    let mut text = Vec::new();
    if let Some(mut stdout) = child.stdout.take() {
        peak = read_to_end(&mut stdout, &mut text, || peak_memory(child.id()))?;
    }
    let status = child.wait()?;
    let took = began.elapsed();
    std::fs::remove_dir_all(&folder)?;
    if !status.success() {
        return Err(BenchError::Run(status.to_string()));
    }
    let report: Report = serde_json::from_slice(&text)?;
    if !report.sweep.is_some_and(|sweep| sweep.done) {
        return Err(BenchError::Run("a sweep that was cut".to_owned()));
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
    let peak = peak.map(|bytes| bytes as f64);
    Ok((took, peak))
}

/// Returns the rate of the plain loop, in blocks per second. The loop runs in its own process.
fn loop_rate(url: &str, blocks: u64) -> Result<f64, BenchError> {
    let program = std::env::current_exe()?;
    let output = Command::new(program)
        .args(["bench", "--as-built", "--plain-loop", url])
        .args(["--sweep", &blocks.to_string()])
        .stderr(Stdio::inherit())
        .output()?;
    let failed = || BenchError::Loop(format!("it ended with {}", output.status));
    let text = String::from_utf8_lossy(&output.stdout);
    let seconds: f64 = text.trim().parse().map_err(|_| failed())?;
    #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
    Ok(blocks as f64 / seconds)
}

/// Fetches blocks over as many connections as a sweep has. Returns the time in seconds.
pub(super) async fn plain_loop(url: &str, blocks: u64) -> Result<String, BenchError> {
    let failed = |error: &dyn std::error::Error| BenchError::Loop(error.to_string());
    let base = url
        .parse()
        .map_err(|error: nodeproof_client::BaseUrlError| failed(&error))?;
    let http = transport::http_client(&base, &TransportOptions::default())
        .map_err(|error| failed(&error))?;
    let next = Arc::new(AtomicU64::new(1));
    let mut workers = JoinSet::new();
    let began = Instant::now();
    for _ in 0..CONNECTIONS {
        let (http, next) = (http.clone(), Arc::clone(&next));
        let url = url.trim_end_matches('/').to_owned();
        workers.spawn(async move {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index > blocks {
                    return Ok(());
                }
                let request = http.get(format!("{url}/get-block?block_index={index}"));
                let response = request.send().await.map_err(|error| error.to_string())?;
                response.bytes().await.map_err(|error| error.to_string())?;
            }
        });
    }
    while let Some(worker) = workers.join_next().await {
        let worker: Result<(), String> = worker.map_err(|error| failed(&error))?;
        worker.map_err(BenchError::Loop)?;
    }
    Ok(format!("{}\n", began.elapsed().as_secs_f64()))
}

fn told(title: &str, measured: Measured, text: &mut String) {
    let fastest = measured.plain.iter().copied().fold(0.0, f64::max);
    let ratio = Row::new(
        "without signatures : plain loop",
        "x",
        measured.unsigned_ratio,
    );
    let mut rows = vec![
        Row::new("plain loop, blocks a second", "1/s", measured.plain),
        Row::new("sweep without signatures", "1/s", measured.unsigned),
        Row::new("sweep with signatures", "1/s", measured.signed),
        if fastest <= SATURATED {
            ratio.at_least(RATE)
        } else {
            ratio
        },
        Row::new("with signatures : plain loop", "x", measured.signed_ratio),
    ];
    // Only Linux reports it.
    if !measured.peaks.is_empty() {
        let megabytes = measured.peaks.iter().map(|bytes| bytes / 1e6).collect();
        rows.push(Row::new("peak memory of the process", "MB", megabytes).at_most(MEMORY));
    }
    text.push('\n');
    text.push_str(&section(title, &rows));
}
