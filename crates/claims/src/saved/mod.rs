//! A signed transaction in a file, saved before it is sent.

mod error;
mod file;
mod pending;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;
mod transaction;

pub use error::SavedTransactionError;
pub(crate) use file::Placement;
pub use pending::PendingTransactions;
pub use transaction::{SavedTransaction, TransactionState};
