//! A signed transaction in a file, saved before it is sent.

mod error;
mod file;
#[cfg(test)]
mod sample;
mod search;
#[cfg(test)]
mod tests;
mod transaction;

pub use error::SavedTransactionError;
pub(crate) use file::{Placement, digest_name};
pub use search::SavedClaims;
pub(crate) use search::claim_of;
pub use transaction::{SavedTransaction, TransactionState};
