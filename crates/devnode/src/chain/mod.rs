//! The chain: blocks with their receipts, balances, claims, and pending transactions.
//!
//! Nothing here depends on HTTP. The chain is determined by its seed and by the submissions, unless its
//! time is the machine's clock.

mod block;
mod committee;
mod contract_call;
mod genesis;
mod ledger;
mod pool;
mod saved;
mod state;
mod transaction;
mod trust;
mod verification;

pub(crate) use block::block_hash;
pub(crate) use committee::Committee;
pub(crate) use contract_call::ContractCall;
pub(crate) use genesis::{CLAIMED_ASSET, GenesisWallets, Start, create_chain, start_time};
pub(crate) use saved::SavedChain;
pub(crate) use state::{Chain, Verdict};
pub(crate) use transaction::{Submission, Transaction, TransactionRules};
pub(crate) use trust::TrustScores;
pub(crate) use verification::{Record, TABLE};

/// The token for fees. Its code exists only on this node.
pub(crate) const NATIVE_TOKEN: &str = "DEVN";
/// A token of which wallets and the token contract hold amounts that a float can't represent.
pub(crate) const VAULT: &str = "VAULT";

/// Base units in one native token.
pub(crate) const NATIVE_UNIT: u128 = 1_000_000;

/// The minimum fee of a transaction, in base units of the native token.
pub const MIN_FEE: u128 = NATIVE_UNIT;

/// Maximum length of a submission, in bytes of JSON. Observed on a real node.
pub(crate) const MAX_SUBMISSION_LENGTH: usize = 4096;
