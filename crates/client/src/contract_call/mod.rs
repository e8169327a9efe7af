//! Contract calls: build, check, sign, submit.
//!
//! [`Client::call`] does all steps for a [`ContractFunction`], such as a [`Transfer`](crate::Transfer). The steps are:
//!
//! 1. [`Client::build_call`] requests the transaction and returns a [`CheckedTransaction`]:
//!    exactly the requested call at the chosen [`Fee`]. It is the only type that can be signed.
//! 2. [`CheckedTransaction::sign`] signs it with any [`Signer`](nodeproof_primitives::Signer).
//! 3. [`Client::submit`] submits it, and may send the *same* transaction again.
//!
//! # The life of a transaction
//!
//! 1. **Built.** `/call-sc` returns a transaction with a code and a time. The node does not store it.
//! 2. **Signed.** Its text no longer changes. Anyone who has it can submit it, to any node.
//! 3. **Accepted.** The node has validated it and keeps it for a block. This holds for this node only.
//!    Submitting the same transaction again is safe: nodes were seen to recognise its code.
//! 4. **In a block.** [`Client::wait_for_inclusion`] returns the block. Nodes were seen to make a block
//!    about every 10 seconds, and to give transactions in a valid block the status 1.
//! 5. **Effective.** The function runs when the block is made. It can fail then: nodes were seen to
//!    accept a second claim about an asset and to drop it in the block. Read the state to check, for
//!    example with [`Client::verification`] or [`Client::token_balance`].
//!
//! The specification does not state how long a node keeps an accepted transaction, whether it can
//! drop one, or whether a late one is still valid. It does not state whether the fee is lost if the
//! function fails, what values of `status` other than 1 mean, or when a block is final. So a
//! transaction that is in no block after a while may still be included later. Do not replace it by
//! another one unless paying twice is acceptable.
//!
//! [`Client::call`]: crate::Client::call
//! [`Client::wait_for_inclusion`]: crate::Client::wait_for_inclusion
//! [`Client::verification`]: crate::Client::verification
//! [`Client::token_balance`]: crate::Client::token_balance
//! [`Client::build_call`]: crate::Client::build_call
//! [`Client::submit`]: crate::Client::submit

mod built_call;
mod call;
mod checked;
mod fee;
mod function;
mod networks;
#[cfg(test)]
#[path = "tests/sample.rs"]
mod sample;
mod submission;
mod timely;

pub use built_call::{BuiltCallMismatch, check_unique_members, shown_apart};
pub use call::{AcceptedCall, CallOptions};
pub use checked::{CheckedTransaction, MAX_SUBMISSION_LENGTH};
pub use fee::Fee;
pub use function::ContractFunction;
pub use networks::check_networks;
pub use submission::{SubmitPolicy, Submitted};
pub use timely::Clock;
