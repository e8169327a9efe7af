//! The cases. Each cites the IDs of the requirements that it tests.
//!
//! A case's ID is `<operation>/<behaviour>`. It never changes once it is released, because expectations,
//! baselines and users' filters refer to it.

mod baseline;
mod block_cases;
mod block_transactions;
mod call_sc;
mod case;
mod case_result;
mod cause;
mod chain;
mod chain_times;
mod check;
mod claim;
mod claim_aftermath;
mod claim_blocks;
mod claim_record;
mod correct_submissions;
mod docs;
mod effects;
mod equal_requests;
mod fixture;
mod get_balances;
mod get_block;
mod get_trustscore_wallets;
mod http;
mod limits;
mod list_forms;
mod new_blocks;
mod new_records;
mod probes;
mod refused_submissions;
mod refusing;
mod registry;
mod request_kind;
mod sc_state;
mod state_columns;
mod submit_transaction;
mod untested;

pub(crate) use baseline::BASELINE;
pub use case::Case;
pub(crate) use case::Example;
pub(crate) use case_result::CaseResult;
pub(crate) use cause::{Cause, When};
pub(crate) use fixture::FIXTURE;
pub(crate) use registry::DISCOVERY;
pub use registry::all;
pub use request_kind::RequestKind;
pub use untested::untested;
