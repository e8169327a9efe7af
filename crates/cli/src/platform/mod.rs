//! What differs between operating systems: prompts on a terminal, and standard input.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use other::{close, ended, shown, typed, unbuffered_stdin};
#[cfg(unix)]
pub(crate) use unix::{close, ended, shown, typed, unbuffered_stdin};

/// What ended the program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ended {
    /// The user pressed Ctrl-C.
    Interrupted,
    /// Another program sent SIGTERM.
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Unix has this signal"))]
    Terminated,
}
