//! What differs between operating systems: signals, and the processor time of this process.

mod end;
#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

pub(crate) use end::End;
#[cfg(not(unix))]
pub(crate) use other::{ends, hangups, processor_time};
#[cfg(unix)]
pub(crate) use unix::{ends, hangups, processor_time};
