//! What differs between operating systems: signals.

mod end;
#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

pub(crate) use end::End;
#[cfg(not(unix))]
pub(crate) use other::{ends, hangups};
#[cfg(unix)]
pub(crate) use unix::{ends, hangups};
