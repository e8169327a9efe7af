//! What differs between operating systems: prompts on a terminal, and standard input.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use other::{close, shown, typed, unbuffered_stdin};
#[cfg(unix)]
pub(crate) use unix::{close, shown, typed, unbuffered_stdin};
