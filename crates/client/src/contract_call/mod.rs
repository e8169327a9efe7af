//! Contract calls: build, check, sign, submit.
//!
//! 1. [`Client::build_checked_call`] has the node build a call and returns a [`CheckedTransaction`],
//!    which is the only type that can be signed: it is exactly the requested call at the chosen
//!    [`Fee`].
//! 2. [`CheckedTransaction::sign`] signs it with any [`Signer`](nodeproof_primitives::Signer).
//! 3. [`Client::submit_until_answered`] submits it, and may send the *same* transaction again.
//!
//! [`Client::build_checked_call`]: crate::Client::build_checked_call
//! [`Client::submit_until_answered`]: crate::Client::submit_until_answered

mod build;
mod built_call;
mod checked;
mod fee;
#[cfg(test)]
mod sample;
mod submission;
mod timely;

pub use build::BuildCallError;
pub use built_call::{BuiltCallMismatch, check_unique_members, shown_apart};
pub use checked::{CheckedTransaction, SignError};
pub use fee::{Fee, FeeError};
pub use submission::{SubmitError, SubmitPolicy, Submitted};
pub use timely::Clock;
