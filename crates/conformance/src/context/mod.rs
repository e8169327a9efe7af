//! The data that cases share. Each request is sent once, and each transaction is submitted once.

mod alteration;
mod baseline;
mod case_context;
mod claim;
mod claim_step;
mod claim_values;
mod correct_submission;
mod draft;
mod further_claim;
mod left_out;
mod probing;
mod redactor;
mod refusal;
mod samples;
mod settling;
mod shared_claim;
mod signing;
mod snapshot_store;
mod submissions;
mod submitter;
mod swept_claims;

pub(crate) use alteration::Alteration;
pub use baseline::{Baseline, BaselineError};
pub(crate) use case_context::Context;
pub(crate) use claim::{Claim, MAX_CLAIMS, Refused};
pub(crate) use correct_submission::EqualForm;
pub(crate) use draft::{Unsigned, unique, unlike};
pub(crate) use further_claim::FurtherClaim;
pub(crate) use probing::Probed;
pub(crate) use redactor::Redactor;
pub(crate) use refusal::Refusal;
pub(crate) use samples::{Responses, Samples};
pub(crate) use settling::Settled;
pub use signing::{SigningWallet, Submitting};
pub(crate) use snapshot_store::{Difference, SnapshotStore};
pub(crate) use swept_claims::{ClaimedAssets, DoneSweep, SweptAsset, SweptClaims, claimed_assets};
