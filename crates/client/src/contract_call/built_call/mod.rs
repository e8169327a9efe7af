//! The check that a built transaction is the requested call.
//!
//! A signature is worth whatever the wallet holds, and a node wrote the text that is signed. So
//! nothing is signed until that text is found to be the requested call and nothing else: each member
//! has the requested value or the one form that it can have, and there is no other member. A
//! [`CheckedTransaction`](super::CheckedTransaction) can only be made by passing this check.

mod check;
mod clock;
mod compare;
mod error;
mod json;
mod place;
#[cfg(test)]
mod tests;

pub use check::check_unique_members;
pub(super) use check::{check_built, check_final, check_signable, check_signed};
pub(super) use clock::{MAX_DISTANCE, distance};
pub use error::{BuiltCallMismatch, shown_apart};
