//! The meaning of the API's requests and responses.

mod balance_list;
mod block_response;
mod built_call;
mod claim_in_block;
mod first_difference;
mod index_search;
mod inner_json;
mod members;
mod nonexistent;
mod probe;
mod requests;
mod responses;
mod sample;
mod shape;
mod stored_rows;
mod stored_value;
mod tier;
mod transaction;
mod transaction_in_block;
mod units;

pub(crate) use balance_list::{List, Pair, held, held_by_wallet, listed_amounts, requested};
pub(crate) use block_response::{BlockResponse, ResponseKind, says_no_block};
pub(crate) use built_call::{builds_nothing, find};
pub(crate) use claim_in_block::{ClaimInBlock, claims_in_block};
pub(crate) use first_difference::{FirstDifference, member};
pub(crate) use index_search::IndexSearch;
pub(crate) use inner_json::inner_json;
pub(crate) use members::{BlockMembers, Member, Members, ReceiptMembers, Unread};
pub(crate) use nonexistent::{
    BUILT, NO_INDEX, UNKNOWN_ASSET, UNKNOWN_CONTRACT, UNKNOWN_TABLE, is_nonexistent, nobody,
};
pub(crate) use probe::{PROBED_PATHS, ProbeData, controls, probe_values, probes};
pub(crate) use requests::{
    NO_PATH, OWN_DOCUMENT, block_request, contract_state_request, is_address, requested_index,
    token_balance_request, token_holders_request, trust_request, wallet_balances_request,
    wallet_members,
};
pub(crate) use responses::{
    accepts, has_record, is_block, is_empty, is_gateway_error, is_json, is_missing_endpoint,
    is_new, is_not_found, is_nothing, is_refusal, is_row_form, is_valid, message, reported_index,
    times_in_batch,
};
pub(crate) use sample::Sample;
pub(crate) use shape::{json_type, shape_of};
pub(crate) use stored_rows::{Row, known_rows, mentions, rows};
pub(crate) use stored_value::{carried, member_named, stored};
pub use tier::Tier;
pub(crate) use transaction::Transaction;
pub(crate) use transaction_in_block::{
    InBlock, find_in_block, in_block, is_listed_as_failed, listed_codes, listed_signatures,
    listed_transactions, lists_as_failed, lists_no_transaction, lists_transactions, made_transfers,
    submitted_code, times_in_block,
};
pub(crate) use units::MILLISECONDS;
