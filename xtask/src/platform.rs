//! What differs between operating systems: processor time, and groups of processes.

use std::{io, process::Command, time::Duration};

/// Returns the processor time that this thread has used.
#[cfg(unix)]
pub(crate) fn thread_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanos)
}

/// Returns the elapsed time, because this system does not report processor time.
#[cfg(not(unix))]
pub(crate) fn thread_time() -> Duration {
    use std::{sync::OnceLock, time::Instant};
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed()
}

/// Lets a command start in a process group of its own.
#[cfg(unix)]
pub(crate) fn start_in_own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Does nothing, because this system has no process groups.
#[cfg(not(unix))]
pub(crate) fn start_in_own_group(_: &mut Command) {}

/// Kills all processes of a group.
#[cfg(unix)]
pub(crate) fn kill_group(id: u32) -> io::Result<()> {
    let group = format!("-{id}");
    Command::new("kill")
        .args(["-KILL", "--", &group])
        .status()?;
    Ok(())
}

/// Does nothing. The caller kills the process itself.
#[cfg(not(unix))]
pub(crate) fn kill_group(_: u32) -> io::Result<()> {
    Ok(())
}
