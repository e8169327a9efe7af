//! How long a program takes, and how much memory at its peak.

use std::{
    ffi::OsStr,
    io,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use tempfile::NamedTempFile;

use super::{Consumer, Hostile, Programs, Running};

/// What a program did, and what it took.
#[derive(Debug)]
pub struct Measured {
    /// Its exit status, and what it printed.
    pub output: Output,
    /// From its start to its end.
    pub took: Duration,
    /// The most memory that it had at a time, in bytes; none where the system does not tell.
    pub peak: Option<u64>,
}

/// Runs a consumer against a server, to its end, with some more arguments.
///
/// It is started by a process of its own that asks the system how much memory its children took,
/// which is exact, and has only this one child.
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
    let told = NamedTempFile::new()?;
    let mut command = Command::new(&programs.measuring);
    command
        .arg("measured")
        .arg(told.path())
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
    let text = std::fs::read_to_string(told.path())?;
    let mut told = text.split_whitespace().map(str::parse::<u64>);
    let mut next = || told.next().and_then(Result::ok);
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

/// Runs a program to its end, and writes to a file how many microseconds it took and, where the
/// system tells, how many bytes of memory; hands back its exit status.
///
/// # Errors
/// When it can't be started, or the file can't be written.
pub fn run_measured(file: &std::path::Path, command: &mut Command) -> io::Result<Option<i32>> {
    let began = Instant::now();
    let status = command.status()?;
    let took = began.elapsed().as_micros();
    let peak = peak_of_children().map_or(String::new(), |bytes| bytes.to_string());
    std::fs::write(file, format!("{took} {peak}"))?;
    Ok(status.code())
}

/// The most memory that a child of this process had, in bytes.
#[cfg(target_os = "linux")]
fn peak_of_children() -> Option<u64> {
    use nix::sys::resource::{UsageWho, getrusage};

    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    u64::try_from(usage.max_rss()).ok()?.checked_mul(1024)
}

/// Elsewhere the unit is another one, or nobody tells.
#[cfg(not(target_os = "linux"))]
fn peak_of_children() -> Option<u64> {
    None
}
