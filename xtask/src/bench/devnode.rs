//! The local node: the time until it responds, and its memory.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use super::{
    BenchError,
    process::{not_started, peak_memory},
    table::Row,
};

/// Returns the time until a node with that many blocks is ready, in seconds, and its peak memory, in
/// bytes.
fn process(binary: &Path, blocks: u64) -> Result<(f64, Option<u64>), BenchError> {
    let began = Instant::now();
    let mut child = Command::new(binary)
        .args(["devnode", "--port", "0", "--block-time", "manual"])
        .args(["--blocks", &blocks.to_string()])
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
    let starts = (0..rounds).map(|_| Ok(process(binary, 12)?.0 * 1e3));
    let starts = starts.collect::<Result<_, BenchError>>()?;
    let mut rows =
        vec![Row::new("start to first response, 12 blocks", "ms", starts).at_most(100.0)];
    for blocks in SIZES {
        let (took, peak) = process(binary, blocks)?;
        let what = format!("{blocks} blocks: made in");
        rows.push(Row::new(what, "s", vec![took]));
        if let Some(peak) = peak {
            #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
            rows.push(Row::new("  peak memory", "MB", vec![peak as f64 / 1e6]));
        }
    }
    Ok(rows)
}
