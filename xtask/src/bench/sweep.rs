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
use nodeproof_devnode::{BlockTime, Config};
use nodeproof_primitives::Network;
use tokio::{net::TcpListener, task::JoinSet};

use super::{
    BenchError,
    process::run,
    table::{Row, section},
};

/// The number of connections of both.
const CONNECTIONS: &str = "8";
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

/// Measures chains of these lengths, and appends the results to the text.
pub(super) async fn measure(
    binary: &Path,
    runs: u16,
    lengths: &[u64],
    text: &mut String,
) -> Result<(), BenchError> {
    let slow_chain = lengths.iter().filter(|length| **length <= SLOW_CHAIN).max();
    for blocks in lengths.iter().copied() {
        let config = Config::new(Network::Devnet)
            .with_port(0)
            .with_blocks(blocks);
        let node = nodeproof_devnode::spawn(config.with_block_time(BlockTime::Manual)).await?;
        let (slow_url, _server) = slow_copy(&node).await?;
        let title = format!("A sweep of {blocks} blocks, {CONNECTIONS} connections");
        let slow_title = format!("{title}, {} ms a response", RESPONSE_TIME.as_millis());
        let slow = (slow_chain == Some(&blocks)).then_some((slow_title, slow_url));
        for (title, url) in [(title, node.base_url().to_owned())]
            .into_iter()
            .chain(slow)
        {
            let binary = binary.to_owned();
            let work = move || in_turns(&binary, &url, blocks, runs);
            let rows = tokio::task::spawn_blocking(work).await??;
            text.push('\n');
            text.push_str(&section(&title, &rows));
        }
    }
    Ok(())
}

/// Serves the same node with slow responses, until the set is dropped.
async fn slow_copy(node: &nodeproof_devnode::Handle) -> Result<(String, JoinSet<()>), BenchError> {
    let wait = async |request: Request, next: Next| {
        tokio::time::sleep(RESPONSE_TIME).await;
        next.run(request).await
    };
    let router = nodeproof_devnode::router(Arc::clone(node.node()));
    let router = router.layer(middleware::from_fn(wait));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let mut server = JoinSet::new();
    server.spawn(async move { axum::serve(listener, router).await.unwrap_or_default() });
    Ok((url, server))
}

fn in_turns(binary: &Path, url: &str, blocks: u64, runs: u16) -> Result<Vec<Row>, BenchError> {
    // The time of a run without a sweep is subtracted from that of the others: only the sweeps are
    // compared.
    let nothing = one_sweep(binary, url, "1..=1", &[])?.0;
    let all = format!("1..={blocks}");
    let [mut plain, mut peaks] = [const { Vec::new() }; 2];
    let [mut signed, mut unsigned] = [const { (Vec::new(), Vec::new()) }; 2];
    for _ in 0..runs {
        for ((rates, ratios), options) in [(&mut signed, &[][..]), (&mut unsigned, &UNSIGNED)] {
            let (took, peak) = one_sweep(binary, url, &all, options)?;
            #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
            let rate = blocks as f64 / (took - nothing).max(0.0);
            let loop_rate = loop_rate(url, blocks)?;
            rates.push(rate);
            ratios.push(rate / loop_rate);
            plain.push(loop_rate);
            peaks.extend(peak);
        }
    }
    let is_target = plain.iter().all(|rate| *rate <= SATURATED);
    let ratio = Row::new("without signatures : plain loop", "x", unsigned.1);
    let mut rows = vec![
        Row::new("plain loop, blocks a second", "1/s", plain),
        Row::new("sweep without signatures", "1/s", unsigned.0),
        Row::new("sweep with signatures", "1/s", signed.0),
        if is_target {
            ratio.at_least(RATE)
        } else {
            ratio
        },
        Row::new("with signatures : plain loop", "x", signed.1),
    ];
    // Only Linux reports it.
    if !peaks.is_empty() {
        rows.push(Row::new("peak memory of the process", "MB", peaks).at_most(MEMORY));
    }
    Ok(rows)
}

/// Returns the time of a sweep in seconds, and its peak memory.
fn one_sweep(
    binary: &Path,
    url: &str,
    blocks: &str,
    more: &[&str],
) -> Result<(f64, Option<f64>), BenchError> {
    let folder = tempfile::tempdir()?;
    let state = folder.path().join("state.json");
    let state = state
        .to_str()
        .ok_or("the temporary folder's name is not text")?;
    let only = [
        "--only",
        "get-block/*",
        "--only",
        "chain/*",
        "--jobs",
        CONNECTIONS,
    ];
    let all = [&["--blocks", blocks, "--state", state], &only[..], more].concat();
    let ended = run(binary, url, &all)?;
    if !ended.report.sweep.is_some_and(|sweep| sweep.done) {
        return Err("a sweep was cut, so its time means nothing".into());
    }
    Ok((ended.seconds, ended.peak))
}

/// Returns the rate of the plain loop, in blocks per second. The loop runs in its own process.
fn loop_rate(url: &str, blocks: u64) -> Result<f64, BenchError> {
    let program = std::env::current_exe()?;
    let output = Command::new(program)
        .args(["bench", "--as-built", "--plain-loop", url])
        .args(["--sweep", &blocks.to_string()])
        .stderr(Stdio::inherit())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let seconds = text.trim().parse::<f64>();
    let seconds = seconds.map_err(|_| format!("the plain loop ended with {}", output.status))?;
    #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
    Ok(blocks as f64 / seconds)
}

/// Fetches blocks over as many connections as a sweep has. Returns the time in seconds.
pub(super) async fn plain_loop(url: &str, blocks: u64) -> Result<String, BenchError> {
    let base = url.parse()?;
    let http = transport::http_client(&base, &TransportOptions::default())?;
    let next = Arc::new(AtomicU64::new(1));
    let mut workers = JoinSet::new();
    let began = Instant::now();
    for _ in 0..CONNECTIONS.parse()? {
        let (http, next) = (http.clone(), Arc::clone(&next));
        let url = url.trim_end_matches('/').to_owned();
        workers.spawn(async move {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index > blocks {
                    return Ok::<_, reqwest::Error>(());
                }
                let request = http.get(format!("{url}/get-block?block_index={index}"));
                request.send().await?.bytes().await?;
            }
        });
    }
    while let Some(worker) = workers.join_next().await {
        worker??;
    }
    Ok(format!("{}\n", began.elapsed().as_secs_f64()))
}
