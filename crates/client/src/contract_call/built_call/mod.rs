//! The check that a built transaction is the requested call.
//!
//! A signature can cost everything in the wallet, and a node wrote the text that is signed. So
//! nothing is signed before this check: the text is the requested call and nothing else. Each member
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
