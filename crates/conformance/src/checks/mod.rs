//! The oracles: checks that decide whether a response is right.

mod block_check;
mod block_hashes;
mod chain_memory;
mod evidence;
mod field;
mod field_check;
mod fields;
mod finding;
mod json_response;
mod pinned;
mod receipt_signatures;
mod refused;
mod same_content;
mod signed;
mod snapshot;
mod submission_reply;

pub(crate) use block_check::{BlockCheck, CheckScope, PreparedCheck, over_sample, whole_block};
pub(crate) use block_hashes::NamedHash;
pub(crate) use chain_memory::{CLOCKS_DIFFER, Fingerprint, Links, Memory, Place};
pub(crate) use evidence::Evidence;
pub(crate) use field::Field;
pub(crate) use field_check::{MAX_FINDINGS, NEVER_SEEN, check_field, compiled, sample_schema};
pub(crate) use fields::FIELDS;
pub(crate) use finding::{Examination, Finding, Findings};
pub(crate) use json_response::{
    NOTHING_EXAMINED, ObjectCheck, check_json_responses, check_objects, check_sample_responses,
    contents, objects,
};
pub(crate) use pinned::{PinKind, check_pinned};
pub(crate) use receipt_signatures::{MAX_RECEIPTS, verified, voter_key};
pub(crate) use refused::{WrongRequest, WrongRequests, controls, is_missing, refused};
pub(crate) use same_content::{changed, described, has_same_content, is_about_the_chain};
pub(crate) use signed::{signed_receipt, signed_transaction, verified_signers};
pub(crate) use snapshot::{check_snapshot, snapshot_path};
pub(crate) use submission_reply::{Reply, ReplyVerdict, judge};
