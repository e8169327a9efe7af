//! Blocks, receipts and transactions.

use axum::http::StatusCode;
use integration_tests::{
    faults::{SeededFault, change_json, change_response, set},
    seeded_faults,
};
use serde_json::{Value, json};

use super::rewrites::reversed;
use crate::{
    blocks::{BLOCK, receipts, transactions},
    facts::Facts,
    get_trustscore_wallets::with_updates,
};

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn variants(facts: &Facts) -> Vec<SeededFault> {
    seeded_faults! {
        "the members of receipt data are in reverse order", change_json(BLOCK, |_, block| {
            receipts(block).iter_mut().for_each(|r| r["data"] = reversed(&r["data"]));
        }) => [];
        "receipts have additional members", change_json(BLOCK, |_, block| {
            receipts(block).iter_mut().for_each(|r| r["seen_at"] = json!("here"));
        }) => ["chain/block-hashes"];
        "the members of blocks are in reverse order", change_json(BLOCK, |_, block| {
            let transactions = block["text"]["transactions"].take();
            *block = reversed(block);
            block["text"]["transactions"] = transactions;
        }) => [];
        "votes are in another order", change_json(BLOCK, |_, block| receipts(block).reverse()) => ["chain/block-hashes"];
        "transactions get their status after the block is hashed", change_json(BLOCK, |_, block| {
            for transaction in transactions(block) {
                transaction["status"] = json!(2);
            }
        }) => ["chain/block-hashes"];
        "blocks without transactions have another proof than the one that was hashed", change_json(BLOCK, |_, block| {
            if transactions(block).is_empty() {
                block["proof"] = json!(7);
            }
        }) => ["chain/block-hashes"];
        "blocks have no receipts", change_json(BLOCK, |_, block| {
            set(block, "/text/previous_block_receipts", json!([]));
        }) => ["chain/block-hashes"];
        "blocks have no transactions", change_json(BLOCK, |_, block| {
            set(block, "/text/transactions", json!([]));
        }) => ["chain/block-hashes"];
        "blocks list transactions by trans_code only", change_json(BLOCK, |_, block| {
            for transaction in transactions(block) {
                *transaction = transaction["transaction"]["trans_code"].take();
            }
        }) => ["chain/block-hashes"];
        "transactions in blocks have another shape", change_json(BLOCK, |_, block| {
            for transaction in transactions(block) {
                *transaction = json!({"id": transaction["transaction"]["trans_code"], "at": 12.5});
            }
        }) => ["chain/block-hashes"];
        "transactions in blocks are flattened", change_json(BLOCK, |_, block| {
            for transaction in transactions(block) {
                let mut flat = transaction["transaction"].take();
                flat["signatures"] = transaction["signatures"].take();
                *transaction = flat;
            }
        }) => ["chain/block-hashes"];
        "transactions in blocks have other types", change_json(BLOCK, |_, block| {
            for transaction in transactions(block) {
                set(transaction, "/transaction/type", json!(9));
                set(transaction, "/transaction/specific_data", json!({"any": [1]}));
            }
        }) => ["chain/block-hashes"];
        "a block updates scores", with_updates(facts, Some) => ["chain/block-hashes"];
        "the wallet that pays is not a signer, and has signed", change_json(BLOCK, |_, block| {
            for transaction in transactions(block) {
                let payer = json!(format!("0x{}", "ab".repeat(20)));
                if let Some(list) = transaction["signatures"].as_array_mut() {
                    list.push(json!({"wallet_address": payer, "msgsign": "5a".repeat(64)}));
                }
                transaction["transaction"]["fee_payer"] = payer;
            }
        }) => ["chain/block-hashes", "chain/transaction-signatures"];
        "hashes and signatures are in upper case", change_json(BLOCK, |_, block| {
            let upper = |value: &mut Value| {
                let text = value.as_str().unwrap_or_default().to_uppercase();
                *value = json!(text);
            };
            upper(&mut block["previous_hash"]);
            for receipt in receipts(block) {
                upper(&mut receipt["public_key"]);
                upper(&mut receipt["signature"]);
            }
        }) => ["chain/block-hashes"];
        "receipts are signed with another algorithm", change_json(BLOCK, |_, block| {
            for receipt in receipts(block) {
                receipt["signature"] = json!("3045".repeat(18));
                receipt["public_key"] = json!("02".repeat(33));
            }
        }) => ["chain/block-hashes", "chain/receipt-signatures"];
        "receipts are signed over another message", change_json(BLOCK, |_, block| {
            for receipt in receipts(block) {
                let text = receipt["signature"].as_str().unwrap_or_default();
                let other: String = text.chars().rev().collect();
                receipt["signature"] = json!(other);
            }
        }) => ["chain/block-hashes", "chain/receipt-signatures"];
        "addresses in receipts are not derived from the public keys", change_json(BLOCK, |_, block| {
            for receipt in receipts(block) {
                set(receipt, "/data/wallet_address", json!(format!("0x{}", "ab".repeat(20))));
            }
        }) => ["chain/block-hashes", "chain/one-vote-a-voter", "chain/voter-address"];
        "the block_hash of receipts is not the block's previous_hash", change_json(BLOCK, |_, block| {
            let hash = block["previous_hash"].as_str().unwrap_or_default();
            block["previous_hash"] = json!(hash.chars().rev().collect::<String>());
        }) => ["chain/receipt-links"];
        "the committee is empty", change_json(BLOCK, |_, block| block["committee"] = json!([])) => [];
        "status and proof have other values", change_json(BLOCK, |_, block| {
            block["status"] = json!(-3);
            block["proof"] = json!(0);
        }) => [];
        "the expected miner did not make the block", change_json(BLOCK, |_, block| {
            block["expected_miner"] = json!(format!("0x{}", "ab".repeat(20)));
        }) => [];
        "all blocks have the same timestamp", change_json(BLOCK, |_, block| {
            block["timestamp"] = json!(1_767_225_600_000_i64);
        }) => ["chain/receipt-times"];
        "block timestamps decrease", change_json(BLOCK, |_, block| {
            let index = block["index"].as_i64().unwrap_or_default();
            block["timestamp"] = json!(4_000_000_000_000_i64 - index);
        }) => ["chain/time-goes-on"];
        "old blocks are pruned", change_response(BLOCK, |request, response| {
            match request.query.as_str() {
                "block_index=0" | "block_index=1" | "block_index=2" => response
                    .with_status(StatusCode::NOT_FOUND)
                    .with_body(r#"{"detail":"pruned"}"#),
                _ => response,
            }
        }) => [];
        "block_index accepts the words latest and newest", change_response(BLOCK, |request, response| {
            match request.query.as_str() {
                "block_index=newest" | "block_index=latest" => response
                    .with_status(StatusCode::OK)
                    .with_body(r#"{"index": 3}"#),
                _ => response,
            }
        }) => [];
    }
}
