//! Makes claims about assets, and other contract calls, from start to end. Each is saved in a file, and is
//! paid only once, even if the program is interrupted.
//!
//! [`Claim::make`] hashes the documents and has a node build the transaction. If the transaction is
//! exactly the requested call, it is signed, saved in a file, and submitted. Then the function waits
//! until its record can be read:
//!
//! ```no_run
//! use nodeproof_claims::{Claim, ClaimOptions};
//! use nodeproof_client::{Client, Fee, Signer};
//! use std::path::Path;
//!
//! # async fn example(wallet: &dyn Signer) -> Result<(), Box<dyn std::error::Error>> {
//! let node = Client::new("http://localhost:8420")?;
//! let fee = Fee::new(1_500_000.into(), "TKN")?;
//! let contract = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc".parse()?;
//! let claim = Claim {
//!     documents: vec![Path::new("inspection.pdf").into()],
//!     remarks: "Weighed and sealed".to_owned(),
//!     ..Claim::new(contract, "asset 7", 99, fee)
//! };
//! let (file, options) = ("asset-7.claim.json", ClaimOptions::default());
//! let outcome = claim.make(&node, &[wallet], file, &options).await?;
//! println!("{}: {:?}", outcome.trans_code(), outcome.record());
//! # Ok(())
//! # }
//! ```
//!
//! [`Claim::make_all`] makes several claims, each saved in its own file in a folder. [`SavedCall`] makes
//! any other contract call, such as a transfer, in the same way.
//!
//! [`PreparedClaim`] shows what will be signed. [`SavedTransaction`] is the file. It is written and synced
//! before the transaction is sent. It never overwrites another file. When it is read back, it is checked
//! like a node's response. [`wait_for_claim`] reads records back.

mod batch;
mod blocking;
mod call_error;
mod claim;
mod complete;
mod document;
mod earlier;
mod error;
mod options;
mod prepared;
mod read_back;
mod record_search;
mod saved;
mod saved_call;

pub use call_error::SavedCallError;
pub use claim::Claim;
pub use complete::{ClaimOutcome, ClaimStatus};
pub use document::{Document, DocumentError, HashProgress};
pub use error::ClaimError;
/// The kinds of both errors, and the reasons of a refusal.
pub use nodeproof_client::{CallErrorKind, Refusal};
pub use options::{ClaimOptions, ClaimStep, OnStep};
pub use prepared::PreparedClaim;
pub use read_back::{Difference, ReadBack};
pub use record_search::wait_for_claim;
pub use saved::{SavedTransaction, SavedTransactionError, TransactionState};
pub use saved_call::{CallOutcome, CallStatus, SavedCall};
