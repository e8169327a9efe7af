//! The cases: each tests one sentence of the contract, and quotes it.
//!
//! A case's ID is `<operation>/<behaviour>` and stays what it is once released: expectations,
//! baselines and other people's filters name it.

mod balance_lists;
mod baseline;
mod block_transactions;
mod call_sc;
mod case;
mod case_result;
mod chain;
mod claim;
mod claim_aftermath;
mod claim_record;
mod docs;
mod fixture;
mod get_balances;
mod get_block;
mod get_trustscore_wallets;
mod inconclusive;
mod registry;
mod sc_state;
mod stored_record;
mod submit_transaction;

pub(crate) use baseline::BASELINE;
pub use case::Case;
pub(crate) use case_result::CaseResult;
pub(crate) use fixture::FIXTURE;
pub use registry::all;
