//! Transactions: raw ones from a node, signed ones, and a typed view of both.
//!
//! The signature depends on the order of a transaction's members and on the form of its numbers. So
//! the text that a node built is stored, signed and submitted unchanged. A typed view is only for
//! reading. Nothing is written back from it.

mod edit;
mod raw;
mod signed;
mod typed;

pub use raw::RawTransaction;
pub use signed::SignedTransaction;
