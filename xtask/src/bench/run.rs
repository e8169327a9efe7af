//! A run of the read tier, compared with a plain loop that sends as many requests.

use std::{
    io::Read,
    net::TcpListener,
    path::Path,
    time::{Duration, Instant},
};

use nodeproof_client::transport::{self, TransportOptions};
use nodeproof_conformance::report::Report;
use nodeproof_primitives::Network;
use tokio::runtime::Handle;

use super::{
    BenchError,
    process::{command, not_started, run},
    table::{Row, section},
};
use crate::conformance::start_local;

pub(super) async fn measure(binary: &Path, runs: u16) -> Result<String, BenchError> {
    let node = start_local()(Network::Devnet).await?;
    let (binary, url) = (binary.to_owned(), node.base_url.clone());
    tokio::task::spawn_blocking(move || in_turns(&binary, &url, runs)).await?
}

fn in_turns(binary: &Path, url: &str, runs: u16) -> Result<String, BenchError> {
    // The first run is not counted. It warms up the node, the file cache and the dynamic linker.
    let report = run(binary, url, &[])?.report;
    let [mut times, mut loops, mut ratios, mut starts, mut peaks] = [const { Vec::new() }; 5];
    for _ in 0..runs {
        let ended = run(binary, url, &[])?;
        let plain = Handle::current()
            .block_on(plain_loop(&report))?
            .as_secs_f64();
        times.push(ended.seconds * 1e3);
        loops.push(plain * 1e3);
        ratios.push(ended.seconds / plain);
        starts.push(start(binary)?.as_secs_f64() * 1e3);
        peaks.extend(ended.peak);
    }
    let mut rows = vec![
        Row::new("full run, process included, warm", "ms", times).at_most(1_000.0),
        Row::new("start of the process to its first request", "ms", starts).at_most(50.0),
    ];
    // Only Linux reports it.
    if !peaks.is_empty() {
        rows.push(Row::new("peak memory of the process", "MB", peaks).at_most(50.0));
    }
    rows.push(Row::new(
        "plain loop, as many requests, same client",
        "ms",
        loops,
    ));
    rows.push(Row::new("full run : plain loop", "x", ratios));
    let jobs = nodeproof_conformance::RunLimits::default().jobs;
    let title = format!(
        "A run: the read tier, {} requests, {jobs} jobs",
        report.requests
    );
    Ok(section(&title, &rows))
}

/// Returns the time from the start of the process to its first request.
fn start(binary: &Path) -> Result<Duration, BenchError> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let mut command = command(binary, &format!("http://{}", listener.local_addr()?));
    let first_request = std::thread::spawn(move || -> std::io::Result<Option<Instant>> {
        let (mut stream, _) = listener.accept()?;
        let read = stream.read(&mut [0; 1024])?;
        Ok((read > 0).then(Instant::now))
    });
    // A process that sends no request ends by its own deadline. Then no request is accepted.
    command.args(["--quiet", "--deadline", "10"]);
    let no_request = "nodeproof ended before it sent a request";
    let began = Instant::now();
    let mut child = command.spawn().map_err(not_started(binary))?;
    while !first_request.is_finished() {
        if child.try_wait()?.is_some() && !first_request.is_finished() {
            return Err(no_request.into());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill()?;
    child.wait()?;
    let arrived = first_request.join().map_err(|_| no_request)??;
    Ok(arrived.ok_or(no_request)?.duration_since(began))
}

/// Returns the time of a plain loop that sends as many requests, of the same kinds, one after the
/// other over one connection.
async fn plain_loop(report: &Report) -> Result<Duration, BenchError> {
    let base = report.target.base_url.parse()?;
    let http = transport::http_client(&base, &TransportOptions::default())?;
    // The report contains only an excerpt of long ones, so they can't be sent again.
    let cut = |text: &str| text.ends_with('…');
    let whole = report.exchanges.iter().filter(|exchange| {
        !cut(&exchange.url) && !exchange.request_body.as_deref().is_some_and(cut)
    });
    let whole: Vec<_> = whole.collect();
    if whole.is_empty() {
        return Err("the report names no request".into());
    }
    let count = usize::try_from(report.requests)?;
    let began = Instant::now();
    for exchange in whole.into_iter().cycle().take(count) {
        let request = match &exchange.request_body {
            Some(body) => http
                .post(&exchange.url)
                .header("Content-Type", "application/json")
                .body(body.clone()),
            None => http.get(&exchange.url),
        };
        request.send().await?.bytes().await?;
    }
    Ok(began.elapsed())
}
