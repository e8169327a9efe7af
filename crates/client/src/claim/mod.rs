//! A claim in one call, and each of its steps alone.
//!
//! [`Client::claim`] takes the hashes of documents, has a node build the transaction, signs it if
//! it is exactly what was asked for, keeps it in a file, submits it, and waits until its record can
//! be read:
//!
//! ```no_run
//! use nodeproof_client::{Client, claim::{Claim, ClaimOptions, Fee}, nodeproof_primitives::Signer};
//! use std::path::Path;
//!
//! # async fn example(wallet: &dyn Signer) -> Result<(), Box<dyn std::error::Error>> {
//! let node = Client::new("http://localhost:8420")?;
//! let fee = Fee::new(1_500_000.into(), "TKN")?;
//! let claim = Claim::new("ctcc8321d6375c494d043fdd0260f21bc0ec51dacc".parse()?, "asset 7", 99, fee)
//!     .document(Path::new("inspection.pdf"))
//!     .remarks("Weighed and sealed");
//! let options = ClaimOptions::default().keep("asset-7.claim.json");
//! let outcome = node.claim(&claim, &[wallet], &options).await?;
//! println!("{}: {:?}", outcome.trans_code(), outcome.record());
//! # Ok(())
//! # }
//! ```
//!
//! The steps, for who needs them one by one:
//!
//! 1. [`Document::hash`] or [`document_hash`], then [`Claim::call`] for the call to ask for;
//! 2. [`Client::build_call`](crate::Client::build_call), then [`CheckedTransaction::check`], which
//!    is the only way to a text that may be signed, and
//!    [`Client::check_timely`](crate::Client::check_timely) for its time;
//! 3. [`CheckedTransaction::sign`] with whatever is a [`Signer`](nodeproof_primitives::Signer);
//! 4. [`Kept::create`], so that a crash can't make a second claim of one, after
//!    [`Kept::pending_in`] has told whether another one of the asset may still be recorded;
//! 5. [`Client::submit_until_answered`], which may send the *same* transaction more than once;
//! 6. [`Client::look_for_claim`] and [`Client::wait_for_claim`].
//!
//! Steps 2 to 5 are of any contract call, and not only of a claim.
//!
//! [`Client::claim`]: crate::Client::claim
//! [`Client::submit_until_answered`]: crate::Client::submit_until_answered
//! [`Client::look_for_claim`]: crate::Client::look_for_claim
//! [`Client::wait_for_claim`]: crate::Client::wait_for_claim

mod checked;
mod document;
mod echo;
mod error;
mod fee;
mod flow;
mod kept;
mod options;
mod read_back;
#[cfg(test)]
mod sample;
mod submitting;
mod terms;
mod timely;

pub use checked::{CheckedTransaction, SignError};
pub use document::{Document, DocumentError, HashProgress, document_hash};
pub use echo::{EchoError, check_unique_members};
pub use error::ClaimError;
pub use fee::{Fee, FeeError};
pub use flow::ClaimOutcome;
pub use kept::{Kept, KeptError, KeptState, Pending};
pub use options::{ClaimOptions, ClaimStep};
pub use read_back::{Difference, ReadBack};
pub use submitting::{SubmitError, SubmitPolicy, Submitted};
pub use terms::Claim;
