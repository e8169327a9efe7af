//! A signed transaction in a file, saved before it is sent.

mod compare;
mod error;
mod file;
mod index;
mod search;
mod submission;
#[cfg(test)]
mod tests;
mod transaction;

pub use error::SavedTransactionError;
pub(crate) use file::{Placement, claim_name};
pub(crate) use search::{SavedClaims, claim_of};
pub(crate) use transaction::KnownBlock;
pub use transaction::{SavedTransaction, TransactionState};
