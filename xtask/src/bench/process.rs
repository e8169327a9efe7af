//! The program under test as a process: its command line, and its memory.

use std::{
    fs,
    io::Read,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use nodeproof_conformance::report::Report;

use super::BenchError;

pub(super) fn command(binary: &Path, url: &str) -> Command {
    let mut command = Command::new(binary);
    command
        .args(["--base-url", url, "--network", "devnet"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

pub(super) fn not_started(binary: &Path) -> impl FnOnce(std::io::Error) -> BenchError + '_ {
    |error| format!("{} can't be started: {error}", binary.display()).into()
}

/// A process that ended with status 0.
pub(super) struct Ended {
    /// The time from its start to its end, in seconds.
    pub(super) seconds: f64,
    /// Its peak memory in megabytes, if the system reports it.
    pub(super) peak: Option<f64>,
    pub(super) report: Report,
}

/// Runs the program with these arguments until it ends.
///
/// The report is longer than a pipe's buffer, so the process still exists when the first part
/// arrives, and all the work is already done.
pub(super) fn run(binary: &Path, url: &str, arguments: &[&str]) -> Result<Ended, BenchError> {
    let mut command = command(binary, url);
    command
        .args(arguments)
        .args(["--format", "json"])
        .stdout(Stdio::piped());
    let began = Instant::now();
    let mut child = command.spawn().map_err(not_started(binary))?;
    let mut stdout = child.stdout.take().ok_or("a process without output")?;
    let (mut text, mut part, mut peak) = (Vec::new(), [0; 4096], None);
    loop {
        let read = stdout.read(&mut part)?;
        if read == 0 {
            break;
        }
        peak = peak.max(peak_memory(child.id()));
        text.extend_from_slice(&part[..read]);
    }
    let status = child.wait()?;
    let seconds = began.elapsed().as_secs_f64();
    if !status.success() {
        return Err(format!("a run ended with {status}, so its time means nothing").into());
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
    let peak = peak.map(|bytes| bytes as f64 / 1e6);
    Ok(Ended {
        seconds,
        peak,
        report: serde_json::from_slice(&text)?,
    })
}

/// Returns the peak memory of a running process, in bytes. Only Linux reports it.
pub(super) fn peak_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_memory_is_told_of_a_process_that_runs_and_of_no_other() {
        if cfg!(target_os = "linux") {
            assert!(peak_memory(std::process::id()).is_some_and(|bytes| bytes > 100_000));
        }
        assert_eq!(peak_memory(u32::MAX), None);
    }
}
