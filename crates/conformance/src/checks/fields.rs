//! The documented fields of all responses, each with its requirements.

use super::field::Field;
use crate::api::Sample;

/// Creates one row of the table.
const fn field(
    id: &'static str,
    sample: Sample,
    path: &'static [&'static str],
    requirements: &'static [&'static str],
) -> Field {
    Field {
        id,
        sample,
        path,
        requirements,
    }
}

const RECEIPTS: &str = "previous_block_receipts";

/// The documented fields. Each is one case.
pub(crate) static FIELDS: &[Field] = &[
    field("get-block/index", Sample::Blocks, &["index"], &["BLOCK-2"]),
    field(
        "get-block/timestamp",
        Sample::Blocks,
        &["timestamp"],
        &["BLOCK-3", "FORM-1"],
    ),
    field("get-block/proof", Sample::Blocks, &["proof"], &["BLOCK-4"]),
    field(
        "get-block/status",
        Sample::Blocks,
        &["status"],
        &["BLOCK-5"],
    ),
    field("get-block/text", Sample::Blocks, &["text"], &["BLOCK-6"]),
    field(
        "get-block/transactions",
        Sample::Blocks,
        &["text", "transactions"],
        &["BLOCK-7"],
    ),
    field(
        "get-block/previous-block-receipts",
        Sample::Blocks,
        &["text", RECEIPTS],
        &["BLOCK-8"],
    ),
    field(
        "get-block/creator-wallet",
        Sample::Blocks,
        &["creator_wallet"],
        &["BLOCK-9", "FORM-2"],
    ),
    field(
        "get-block/expected-miner",
        Sample::Blocks,
        &["expected_miner"],
        &["BLOCK-10", "FORM-2"],
    ),
    field(
        "get-block/committee",
        Sample::Blocks,
        &["committee"],
        &["BLOCK-11", "FORM-2"],
    ),
    field(
        "get-block/previous-hash",
        Sample::Blocks,
        &["previous_hash"],
        &["BLOCK-12", "FORM-4"],
    ),
    field(
        "get-block/receipt-data",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "data"],
        &["BLOCK-8", "RECEIPT-1"],
    ),
    field(
        "get-block/receipt-block-index",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "data", "block_index"],
        &["RECEIPT-1"],
    ),
    field(
        "get-block/receipt-block-hash",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "data", "block_hash"],
        &["RECEIPT-2", "FORM-4"],
    ),
    field(
        "get-block/receipt-vote",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "data", "vote"],
        &["RECEIPT-3"],
    ),
    field(
        "get-block/receipt-timestamp",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "data", "timestamp"],
        &["RECEIPT-4", "FORM-1"],
    ),
    field(
        "get-block/receipt-wallet-address",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "data", "wallet_address"],
        &["RECEIPT-5", "FORM-2"],
    ),
    field(
        "get-block/receipt-public-key",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "public_key"],
        &["RECEIPT-6", "FORM-6"],
    ),
    field(
        "get-block/receipt-signature",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "signature"],
        &["RECEIPT-7", "FORM-6"],
    ),
    field(
        "get-trustscore-wallets/status",
        Sample::TrustScore,
        &["status"],
        &["TRUST-2"],
    ),
    field(
        "get-trustscore-wallets/trust-score",
        Sample::TrustScore,
        &["trust_score"],
        &["TRUST-3"],
    ),
    field(
        "submit-transaction/status",
        Sample::Refusals,
        &["status"],
        &["SUBMIT-4"],
    ),
    field(
        "submit-transaction/response",
        Sample::Refusals,
        &["response"],
        &["SUBMIT-5"],
    ),
    field(
        "submit-transaction/valid",
        Sample::Refusals,
        &["response", "valid"],
        &["SUBMIT-5"],
    ),
    field(
        "submit-transaction/msg",
        Sample::Refusals,
        &["response", "msg"],
        &["SUBMIT-6"],
    ),
    field(
        "submit-transaction/new-transaction",
        Sample::Refusals,
        &["response", "new_transaction"],
        &["SUBMIT-7"],
    ),
];
