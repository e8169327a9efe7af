//! What differs between operating systems: signals, and kinds of files.

mod end;
#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

pub(crate) use end::End;
#[cfg(not(unix))]
pub(crate) use other::{ends, hangups, is_pipe};
#[cfg(unix)]
pub(crate) use unix::{ends, hangups, is_pipe};
