//! The documented fields of every answer, each with its row of the contract.

use super::field::Field;
use crate::api::Sample;

/// Shorthand for one row.
const fn field(
    id: &'static str,
    sample: Sample,
    path: &'static [&'static str],
    requirement: &'static str,
) -> Field {
    Field {
        id,
        sample,
        path,
        requirement,
    }
}

const RECEIPTS: &str = "previous_block_receipts";

/// One case a field.
pub(crate) static FIELDS: &[Field] = &[
    field(
        "get-block/index",
        Sample::Blocks,
        &["index"],
        "Block: index | integer | block index",
    ),
    field(
        "get-block/timestamp",
        Sample::Blocks,
        &["timestamp"],
        "Block: timestamp | integer | milliseconds",
    ),
    field(
        "get-block/proof",
        Sample::Blocks,
        &["proof"],
        "Block: proof | integer",
    ),
    field(
        "get-block/status",
        Sample::Blocks,
        &["status"],
        "Block: status | integer",
    ),
    field(
        "get-block/text",
        Sample::Blocks,
        &["text"],
        "Block: text | object | contains `transactions` and `previous_block_receipts`",
    ),
    field(
        "get-block/transactions",
        Sample::Blocks,
        &["text", "transactions"],
        "Block: text.transactions | array | transactions in the block; empty array possible",
    ),
    field(
        "get-block/previous-block-receipts",
        Sample::Blocks,
        &["text", RECEIPTS],
        "Block: text.previous_block_receipts | array of Receipt | votes on the preceding block",
    ),
    field(
        "get-block/creator-wallet",
        Sample::Blocks,
        &["creator_wallet"],
        "Block: creator_wallet | string | wallet address",
    ),
    field(
        "get-block/expected-miner",
        Sample::Blocks,
        &["expected_miner"],
        "Block: expected_miner | string | wallet address",
    ),
    field(
        "get-block/committee",
        Sample::Blocks,
        &["committee"],
        "Block: committee | array of string | wallet addresses of the committee",
    ),
    field(
        "get-block/previous-hash",
        Sample::Blocks,
        &["previous_hash"],
        "Block: previous_hash | string | 64 hex characters",
    ),
    field(
        "get-block/receipt-data",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "data"],
        "Receipt (element of `previous_block_receipts`): data.block_index, data.block_hash, …",
    ),
    field(
        "get-block/receipt-block-index",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "data", "block_index"],
        "Receipt: data.block_index | integer | index of the block voted on",
    ),
    field(
        "get-block/receipt-block-hash",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "data", "block_hash"],
        "Receipt: data.block_hash | string | 64 hex characters",
    ),
    field(
        "get-block/receipt-vote",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "data", "vote"],
        "Receipt: data.vote | integer | observed values 1 and 9; meaning not shown",
    ),
    field(
        "get-block/receipt-timestamp",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "data", "timestamp"],
        "Receipt: data.timestamp | integer | milliseconds",
    ),
    field(
        "get-block/receipt-wallet-address",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "data", "wallet_address"],
        "Receipt: data.wallet_address | string | voter's wallet address",
    ),
    field(
        "get-block/receipt-public-key",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "public_key"],
        "Receipt: public_key | string | hexadecimal, `<PUBLIC_KEY>`",
    ),
    field(
        "get-block/receipt-signature",
        Sample::Blocks,
        &["text", RECEIPTS, "*", "signature"],
        "Receipt: signature | string | hexadecimal, `<SIGNATURE>`",
    ),
    field(
        "get-trustscore-wallets/status",
        Sample::TrustScore,
        &["status"],
        "Trust score result: status | string (`SUCCESS`)",
    ),
    field(
        "get-trustscore-wallets/trust-score",
        Sample::TrustScore,
        &["trust_score"],
        "Trust score result: trust_score | integer",
    ),
    field(
        "submit-transaction/status",
        Sample::Refusals,
        &["status"],
        "Response body: status | string | `SUCCESS` on success",
    ),
    field(
        "submit-transaction/response",
        Sample::Refusals,
        &["response"],
        "Response body: response.valid, response.msg, response.new_transaction",
    ),
    field(
        "submit-transaction/valid",
        Sample::Refusals,
        &["response", "valid"],
        "Response body: response.valid | boolean | result of validation",
    ),
    field(
        "submit-transaction/msg",
        Sample::Refusals,
        &["response", "msg"],
        "Response body: response.msg | string | validation message",
    ),
    field(
        "submit-transaction/new-transaction",
        Sample::Refusals,
        &["response", "new_transaction"],
        "Response body: response.new_transaction | boolean | whether the transaction was new to \
         the node",
    ),
];
