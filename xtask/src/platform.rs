//! What differs between operating systems: groups of processes.

use std::{io, process::Command};

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
