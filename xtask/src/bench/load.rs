//! The local node: the time until it responds, its requests per second on one core, and its memory.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Instant,
};

use nodeproof_devnode::{BlockTime, Config};
use nodeproof_primitives::{Network, WalletAddress};
use tokio::{runtime::Builder, sync::oneshot};

use super::{
    BenchError,
    call::Target,
    process::{not_started, peak_memory},
    table::Row,
};
use crate::platform::thread_time;

/// A node that runs on one thread and measures that thread's processor time.
pub(super) struct NodeThread {
    stop: oneshot::Sender<()>,
    thread: thread::JoinHandle<f64>,
    pub(super) target: Target,
}

impl NodeThread {
    pub(super) fn start() -> Result<Self, BenchError> {
        let (ready, is_ready) = mpsc::channel::<Result<Target, BenchError>>();
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            let Ok(runtime) = Builder::new_current_thread().enable_all().build() else {
                return 0.0;
            };
            runtime.block_on(async move {
                let mut config = Config::new(Network::Devnet);
                config.port = Some(0);
                config.block_time = BlockTime::Manual;
                let handle = match nodeproof_devnode::spawn(config).await {
                    Ok(handle) => handle,
                    Err(error) => {
                        let _gone = ready.send(Err(error.into()));
                        return 0.0;
                    }
                };
                let wallet = handle
                    .wallet("alice")
                    .map(nodeproof_devnode::TestWallet::address);
                let target = Target {
                    url: handle.base_url().to_string(),
                    wallet: wallet.unwrap_or(WalletAddress::from_bytes([0; 20])),
                    token: handle.native_token().to_string(),
                    block: handle.height().saturating_sub(2),
                };
                let began = thread_time();
                let _gone = ready.send(Ok(target));
                let _told = stopped.await;
                (thread_time() - began).as_secs_f64()
            })
        });
        let target = is_ready.recv()??;
        Ok(Self {
            stop,
            thread,
            target,
        })
    }

    /// Stops the node. Returns the processor time that it used to respond, in seconds.
    pub(super) fn stop(self) -> f64 {
        let _ended = self.stop.send(());
        self.thread.join().unwrap_or(f64::NAN)
    }
}

/// The number of requests in a round.
const REQUESTS: usize = 4_000;

/// Returns the requests per second of the node's own processor time.
fn rate() -> Result<f64, BenchError> {
    let node = NodeThread::start()?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let client = nodeproof_client::Client::new(node.target.url.as_str())?;
    runtime.block_on(async {
        for _ in 0..REQUESTS {
            client.block(node.target.block).await?;
        }
        Ok::<_, BenchError>(())
    })?;
    #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
    Ok(REQUESTS as f64 / node.stop())
}

/// Returns the time until a node with that many blocks is ready, in seconds, and its peak memory, in
/// bytes.
fn process(binary: &Path, blocks: u64) -> Result<(f64, Option<u64>), BenchError> {
    let began = Instant::now();
    let mut child = Command::new(binary)
        .args([
            "devnode",
            "--port",
            "0",
            "--block-time",
            "manual",
            "--blocks",
        ])
        .arg(blocks.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(not_started(binary))?;
    let mut lines = child.stdout.take().map(|out| BufReader::new(out).lines());
    let says_where = lines
        .as_mut()
        .into_iter()
        .flatten()
        .map_while(Result::ok)
        .any(|line| line.starts_with("base URL"));
    let took = began.elapsed().as_secs_f64();
    let peak = peak_memory(child.id());
    child.kill()?;
    child.wait()?;
    if says_where {
        Ok((took, peak))
    } else {
        Err("the local node ended before it responded".into())
    }
}

/// The sizes for which the memory is shown, in blocks.
const SIZES: [u64; 3] = [1_000, 10_000, 100_000];

pub(super) fn measure(binary: &Path, rounds: u16) -> Result<Vec<Row>, BenchError> {
    let mut rates = Vec::new();
    let mut starts = Vec::new();
    for _ in 0..rounds {
        rates.push(rate()?);
        starts.push(process(binary, 12)?.0 * 1e3);
    }
    let mut rows = vec![
        Row::new("blocks served per second of one core", "1/s", rates),
        Row::new("start to first response, 12 blocks", "ms", starts).at_most(100.0),
    ];
    for blocks in SIZES {
        let (took, peak) = process(binary, blocks)?;
        rows.push(Row::new(
            format!("{blocks} blocks: made in"),
            "s",
            vec![took],
        ));
        if let Some(peak) = peak {
            #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
            rows.push(Row::new("  peak memory", "MB", vec![peak as f64 / 1e6]));
        }
    }
    Ok(rows)
}
