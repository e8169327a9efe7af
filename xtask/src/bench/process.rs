//! The program under test as a process: its command line, and its memory.

use std::{
    fs,
    io::Read,
    path::Path,
    process::{Command, Stdio},
};

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
    |source| BenchError::Start {
        binary: binary.to_owned(),
        source,
    }
}

/// Reads a report while its process runs, and measures the process's memory meanwhile.
pub(super) fn read_to_end(
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
