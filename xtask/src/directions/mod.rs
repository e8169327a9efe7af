//! `cargo xtask directions`: checks the dependencies between crates and the imports inside them.
//!
//! Between crates, the check reads `cargo metadata`. Inside a crate, it parses every file and resolves
//! the paths in it. A file of a lower layer must not use a file of a higher one. No two files may use
//! each other, directly or through others. `rules` contains the tables.

mod collect;
mod files;
mod graph;
mod metadata;
mod packages;
mod resolve;
mod rules;
mod task;
mod tokens;
mod tree;

#[cfg(test)]
mod tests;

pub use task::{DirectionsArgs, check};
