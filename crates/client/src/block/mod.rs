//! Blocks, in whatever form a node returns them.

mod committee;
mod departure;
mod model;
mod read;
mod receipt;
mod text;
mod transaction;

pub use departure::{Departure, DepartureKind};
pub use model::{Block, PreviousHash};
pub use receipt::Receipt;
pub use transaction::BlockTransaction;

#[cfg(test)]
mod tests;
