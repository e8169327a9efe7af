//! Transactions: raw ones from a node, signed ones for it, and a typed view of either.
//!
//! What is signed depends on the order of a transaction's members and on how its
//! numbers are written. So the text that a node built is what is kept, signed and
//! submitted; a typed view is read from it, and nothing is written back from that.

mod edit;
mod raw;
mod signature;
mod signed;
mod view;

pub use raw::RawTransaction;
pub use signature::SignatureEntry;
pub use signed::SignedTransaction;
pub use view::{ContractCallView, Transaction};
