//! `GET /get-block`: one block.

use std::sync::OnceLock;

use axum::{
    body::Bytes,
    http::{HeaderValue, StatusCode, header},
};
use integration_tests::{
    broken,
    faults::{Behaviour, Broken, as_if_right, behaving, json_of, remove, response_of, set},
    proxy::{Asked, Fault, Response},
};
use serde_json::{Value, json};

use crate::{
    blocks::{BLOCK, receipts},
    facts::Facts,
};

#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn faults(facts: &Facts) -> Vec<Broken> {
    broken! {
        "a block says another index", json_of(BLOCK, |_, block| {
            let index = block["index"].as_i64().unwrap_or_default();
            block["index"] = json!(index + 1);
            receipts(block).iter_mut().for_each(|r| set(r, "/data/block_index", json!(index)));
        }) => ["chain/signature-algorithm", "get-block/index-echo"];
        "index is text", json_of(BLOCK, |_, block| {
            block["index"] = json!(block["index"].to_string());
        }) => ["get-block/index", "get-block/decodes", "get-block/snapshot"];
        "timestamp is missing", json_of(BLOCK, |_, block| remove(block, "", "timestamp"))
            => ["get-block/timestamp", "get-block/decodes", "get-block/snapshot"];
        "timestamps are seconds", json_of(BLOCK, |_, block| {
            block["timestamp"] = json!(block["timestamp"].as_i64().unwrap_or_default() / 1000);
        }) => ["get-block/timestamp-unit"];
        "proof is null", json_of(BLOCK, |_, block| block["proof"] = Value::Null)
            => ["get-block/proof", "get-block/snapshot"];
        "status is a word", json_of(BLOCK, |_, block| block["status"] = json!("valid"))
            => ["get-block/status", "get-block/snapshot"];
        "transactions are missing", json_of(BLOCK, |_, block| remove(block, "/text", "transactions"))
            => ["get-block/transactions", "get-block/snapshot"];
        "transactions are an object", json_of(BLOCK, |_, block| {
            set(block, "/text/transactions", json!({}));
        }) => ["get-block/transactions", "get-block/snapshot"];
        "receipts are null", json_of(BLOCK, |_, block| {
            set(block, "/text/previous_block_receipts", Value::Null);
        }) => ["get-block/previous-block-receipts", "get-block/snapshot"];
        "a receipt is null", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().take(1).for_each(|receipt| *receipt = Value::Null);
        }) => ["get-block/previous-block-receipts", "get-block/snapshot"];
        "a receipt is a list", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().take(1).for_each(|receipt| *receipt = json!([]));
        }) => ["get-block/previous-block-receipts", "get-block/snapshot"];
        "the creator is in upper case", json_of(BLOCK, |_, block| {
            let upper = block["creator_wallet"].as_str().unwrap_or_default().to_uppercase();
            block["creator_wallet"] = json!(upper.replace("0X", "0x"));
        }) => ["get-block/creator-wallet", "get-block/snapshot"];
        "the expected miner is a contract", json_of(BLOCK, |_, block| {
            let miner = block["expected_miner"].as_str().unwrap_or_default().replace("0x", "ct");
            block["expected_miner"] = json!(miner);
        }) => ["get-block/expected-miner", "get-block/snapshot"];
        "the committee is text", json_of(BLOCK, |_, block| {
            block["committee"] = json!(block["committee"].to_string());
        }) => ["get-block/committee", "get-block/snapshot"];
        "one committee member has a short address", json_of(BLOCK, |_, block| {
            set(block, "/committee/0", json!("0x12"));
        }) => ["get-block/committee", "get-block/snapshot"];
        "a wallet is in the committee twice", json_of(BLOCK, |_, block| {
            if let Some(committee) = block["committee"].as_array_mut() {
                committee.extend(committee.first().cloned());
            }
        }) => ["get-block/committee-distinct"];
        "the previous hash is short", json_of(BLOCK, |_, block| block["previous_hash"] = json!("0"))
            => ["chain/distinct-blocks", "get-block/previous-hash", "get-block/snapshot"];
        "receipts have no data", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().for_each(|receipt| remove(receipt, "", "data"));
        }) => ["get-block/receipt-data", "get-block/snapshot"];
        "a receipt's hash is not a hash", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().for_each(|r| set(r, "/data/block_hash", json!("xyz")));
        }) => ["chain/signature-algorithm", "get-block/receipt-block-hash", "get-block/snapshot"];
        "a vote is a word", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().take(1).for_each(|r| set(r, "/data/vote", json!("yes")));
        }) => ["chain/receipt-signatures", "get-block/receipt-vote", "get-block/snapshot"];
        "a voter's address is missing", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().for_each(|r| remove(r, "/data", "wallet_address"));
        }) => ["get-block/receipt-wallet-address", "get-block/snapshot"];
        "a receipt's time is a date", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().for_each(|r| {
                set(r, "/data/timestamp", json!("2026-01-01T00:00:00Z"));
            });
        }) => ["chain/signature-algorithm", "get-block/receipt-timestamp", "get-block/snapshot"];
        "a public key is not hexadecimal", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().for_each(|r| set(r, "/public_key", json!("-----BEGIN")));
        }) => ["get-block/receipt-public-key", "get-block/snapshot"];
        "a signature is missing", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().for_each(|r| remove(r, "", "signature"));
        }) => ["get-block/receipt-signature", "get-block/snapshot"];
        "receipts are about another block", json_of(BLOCK, |_, block| {
            let index = block["index"].as_i64().unwrap_or_default();
            receipts(block).iter_mut().for_each(|r| set(r, "/data/block_index", json!(index)));
        }) => ["chain/signature-algorithm", "get-block/receipts-of-preceding-block"];
        "a receipt's block index is text", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().for_each(|r| {
                let text = r["data"]["block_index"].to_string();
                set(r, "/data/block_index", json!(text));
            });
        }) => ["chain/signature-algorithm", "get-block/receipt-block-index", "get-block/snapshot"];
        "blocks are not said to be JSON", response_of(BLOCK, |_, mut response| {
            let text = HeaderValue::from_static("text/plain");
            response.headers.insert(header::CONTENT_TYPE, text);
            response
        }) => ["http/content-type"];
        "blocks have no content type", response_of(BLOCK, |_, mut response| {
            response.headers.remove(header::CONTENT_TYPE);
            response
        }) => ["http/content-type"];
        "blocks have status 206", response_of(BLOCK, |_, response| {
            match response.status {
                StatusCode::OK => response.with_status(StatusCode::PARTIAL_CONTENT),
                _ => response,
            }
        }) => ["http/success-status"];
        "blocks have a member twice", response_of(BLOCK, |_, response| {
            let text = String::from_utf8_lossy(&response.body).replacen('{', "{\"proof\":1,", 1);
            if response.status == StatusCode::OK { response.with_body(text) } else { response }
        }) => ["get-block/responds"];
        "an unknown block is answered with a known one", as_if_right(BLOCK,
            |asked, response| asked.query.len() > 20 && !asked.query.contains("no-index")
                && response.status != StatusCode::OK,
            json!({"index": 1, "previous_hash": "0"}))
            => ["get-block/unknown-index"];
        "a block without an index is asked for, and answered", as_if_right(BLOCK,
            |asked, _| asked.query.is_empty(), json!({"index": 1}))
            => ["get-block/block-index-required"];
        "a block with a word for an index is answered", as_if_right(BLOCK,
            |asked, _| asked.query.contains("no-index"), json!({"index": 1}))
            => ["get-block/block-index-malformed"];
        "blocks are rows", json_of(BLOCK, |_, block| {
            let committee = block["committee"].to_string();
            *block = json!({"block_index": block["index"], "timestamp": block["timestamp"],
                "proof": 1, "status": null, "previous_hash": block["previous_hash"],
                "creator_wallet": null, "expected_miner": block["expected_miner"],
                "committee": committee});
        }) => ["get-block/committee", "get-block/creator-wallet", "get-block/index",
            "get-block/shape", "get-block/snapshot", "get-block/status", "get-block/text"];
        "one block in the middle is another one", at_block(facts.middle, |block| {
            block["index"] = json!(block["index"].as_u64().unwrap_or_default() - 1);
        }) => ["get-block/index-echo"];
        "no index is the latest block's", behaving(LatestBlockAtZero::new(facts.latest))
            => ["get-block/index-zero"];
        "an index is cut to 32 bits", as_if_right(BLOCK, {
            let wrapped = format!("block_index={}", (1_u64 << 32) + facts.latest);
            move |asked, _| asked.query == wrapped
        }, json!({"index": facts.latest, "previous_hash": "0"})) => ["get-block/unknown-index"];
        "a negative index has a block", as_if_right(BLOCK,
            |asked, _| asked.query.contains("-1"), json!({"index": -1, "previous_hash": "0"}))
            => ["get-block/unknown-index"];
    }
}

/// Changes the block at this index.
fn at_block(index: u64, change: fn(&mut Value)) -> Fault {
    let query = format!("block_index={index}");
    json_of(BLOCK, move |asked, block| {
        if asked.query == query {
            change(block);
        }
    })
}

/// Returns the latest block in response to requests for block 0.
struct LatestBlockAtZero {
    latest: String,
    body: OnceLock<Bytes>,
}

impl LatestBlockAtZero {
    fn new(latest: u64) -> Self {
        Self {
            latest: format!("block_index={latest}"),
            body: OnceLock::new(),
        }
    }
}

impl Behaviour for LatestBlockAtZero {
    fn response(&self, asked: &Asked, response: Response) -> Response {
        if asked.path == BLOCK && asked.query == self.latest {
            self.body.get_or_init(|| response.body.clone());
        }
        match self.body.get() {
            Some(latest) if asked.path == BLOCK && asked.query == "block_index=0" => response
                .with_status(StatusCode::OK)
                .with_body(latest.clone()),
            _ => response,
        }
    }
}
