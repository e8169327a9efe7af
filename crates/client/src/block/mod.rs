//! Blocks, in whatever form a node returns them.

mod committee;
mod mismatch;
mod model;
mod read;
mod receipt;
mod text;
mod transaction;

pub use mismatch::{Mismatch, MismatchKind};
pub use model::{Block, PreviousHash};
pub use receipt::Receipt;
pub use transaction::BlockTransaction;

#[cfg(test)]
mod tests;
