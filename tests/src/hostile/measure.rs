//! Measures the time and the peak memory of a program.

use std::{
    ffi::OsStr,
    io,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use tempfile::NamedTempFile;

use super::{Consumer, Hostile, Programs, Running};

/// The results and the costs of a program.
#[derive(Debug)]
pub struct Measured {
    /// Its exit status and its output.
    pub output: Output,
    /// The time from its start to its end.
    pub took: Duration,
    /// Its peak memory, in bytes, or `None` if the system does not report it.
    pub peak: Option<u64>,
}

/// Runs a consumer against a server, to its end, with additional arguments.
///
/// A separate process starts it and reads the peak memory of its children. The value is
/// exact, because the consumer is the only child.
///
/// # Errors
/// When a program can't be started.
pub fn measure(
    programs: &Programs,
    consumer: Consumer,
    hostile: &Hostile,
    server: &Running,
    more: &[&OsStr],
) -> io::Result<Measured> {
    let mut measured = programs.command(consumer, hostile, server);
    measured.args(more);
    let result = NamedTempFile::new()?;
    let mut command = Command::new(&programs.measuring);
    command
        .arg("measured")
        .arg(result.path())
        .arg(measured.get_program())
        .args(measured.get_args())
        .stdin(Stdio::null());
    for (name, value) in measured.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = command.output()?;
    let text = std::fs::read_to_string(result.path())?;
    let mut result = text.split_whitespace().map(str::parse::<u64>);
    let mut next = || result.next().and_then(Result::ok);
    let (Some(took), peak) = (next(), next()) else {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(io::Error::other(said));
    };
    Ok(Measured {
        output,
        took: Duration::from_micros(took),
        peak,
    })
}

/// Runs a program to its end. Writes its time in microseconds to a file, and its peak memory in bytes
/// if the system reports it. Returns the exit status.
///
/// # Errors
/// When the program can't be started, or the file can't be written.
pub fn run_measured(file: &std::path::Path, command: &mut Command) -> io::Result<Option<i32>> {
    let began = Instant::now();
    let status = command.status()?;
    let took = began.elapsed().as_micros();
    let peak = peak_of_children().map_or(String::new(), |bytes| bytes.to_string());
    std::fs::write(file, format!("{took} {peak}"))?;
    Ok(status.code())
}

/// Returns the peak memory of a child of this process, in bytes.
#[cfg(target_os = "linux")]
fn peak_of_children() -> Option<u64> {
    use nix::sys::resource::{UsageWho, getrusage};

    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    u64::try_from(usage.max_rss()).ok()?.checked_mul(1024)
}

/// Returns `None`: other systems use another unit or do not report it.
#[cfg(not(target_os = "linux"))]
fn peak_of_children() -> Option<u64> {
    None
}
