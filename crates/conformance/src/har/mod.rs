//! The exchanges of a run as an HTTP Archive (HAR 1.2): written by a run, and read from any program's file.

mod claims;
mod entry;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use read::{Recording, read};
pub(crate) use write::{Exchanges, file};
