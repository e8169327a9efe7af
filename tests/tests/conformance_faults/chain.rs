//! Consecutive blocks, and the transactions in them.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use axum::http::StatusCode;
use integration_tests::{
    broken,
    faults::{Behaviour, Broken, behaving, json_of, remove, response_of, set},
    proxy::{Asked, Fault, Response},
};
use serde_json::{Value, json};

use crate::{
    blocks::{BLOCK, receipts, transactions},
    facts::Facts,
};

pub(crate) fn faults(facts: &Facts) -> Vec<Broken> {
    broken! {
        "a block reads differently the second time", behaving(ChangesOnRepeat::default())
            => ["chain/repeat-read"];
        "every tenth request fails", behaving(FailsNowAndThen::default()) => ["http/no-retries"];
        "all blocks follow the same block", json_of(BLOCK, |_, block| {
            block["previous_hash"] = json!("ab".repeat(32));
            set(block, "/text/previous_block_receipts", json!([]));
        }) => ["chain/distinct-blocks"];
        "time goes back", json_of(BLOCK, |_, block| {
            let index = block["index"].as_i64().unwrap_or_default();
            block["timestamp"] = json!(1_800_000_000_000_i64 - index);
        }) => ["chain/time-goes-on"];
        "the previous hash is another one's", json_of(BLOCK, |_, block| {
            let hash = block["previous_hash"].as_str().unwrap_or_default();
            block["previous_hash"] = json!(hash.chars().rev().collect::<String>());
        }) => ["chain/receipt-links"];
        "a receipt stands there twice", json_of(BLOCK, |_, block| {
            let list = block.pointer_mut("/text/previous_block_receipts");
            if let Some(list) = list.and_then(Value::as_array_mut) {
                list.extend(list.first().cloned());
            }
        }) => ["chain/one-vote-a-voter"];
        "a vote is another wallet's", json_of(BLOCK, |_, block| {
            let other = format!("0x{}", "ab".repeat(20));
            receipts(block).iter_mut().take(1).for_each(|r| {
                set(r, "/data/wallet_address", json!(other));
            });
        }) => ["chain/voter-address"];
        "a vote was changed after it was signed", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().take(1).for_each(|r| set(r, "/data/vote", json!(5)));
        }) => ["chain/receipt-signatures"];
        "a signature is another receipt's", json_of(BLOCK, |_, block| {
            if let [first, second, ..] = receipts(block) {
                first["signature"] = second["signature"].clone();
            }
        }) => ["chain/receipt-signatures"];
        "one block in the middle is not there", as_refused(facts.middle) => ["chain/no-holes"];
        "transactions have seconds", json_of(BLOCK, |_, block| {
            transactions(block).iter_mut().for_each(|t| {
                let time = t["transaction"]["timestamp"].as_i64().unwrap_or_default();
                set(t, "/transaction/timestamp", json!(time / 1000));
            });
        }) => ["chain/transaction-signatures", "chain/transaction-time-unit"];
        "transactions' times are text", json_of(BLOCK, |_, block| {
            transactions(block).iter_mut().for_each(|t| {
                let time = t["transaction"]["timestamp"].to_string();
                set(t, "/transaction/timestamp", json!(time));
            });
        }) => ["chain/transaction-signatures", "chain/transaction-time-unit"];
        "transactions have no time", json_of(BLOCK, |_, block| {
            transactions(block).iter_mut().for_each(|t| remove(t, "/transaction", "timestamp"));
        }) => ["chain/transaction-signatures"];
        "transactions' times are fractional", json_of(BLOCK, |_, block| {
            transactions(block).iter_mut().for_each(|t| {
                set(t, "/transaction/timestamp", json!(1_767_225_601_001.5));
            });
        }) => ["chain/transaction-signatures", "chain/transaction-time-unit"];
        "a transaction is in its block twice", json_of(BLOCK, |_, block| {
            let list = block.pointer_mut("/text/transactions");
            if let Some(list) = list.and_then(Value::as_array_mut) {
                list.extend(list.first().cloned());
            }
        }) => ["chain/distinct-transactions"];
        "transactions in blocks are not signed", json_of(BLOCK, |_, block| {
            transactions(block).iter_mut().for_each(|t| set(t, "/signatures", json!([])));
        }) => ["chain/transaction-signatures"];
    }
}

/// Refuses to return the block at this index.
fn as_refused(index: u64) -> Fault {
    let query = format!("block_index={index}");
    response_of(BLOCK, move |asked, response| {
        if asked.query == query {
            response
                .with_status(StatusCode::BAD_REQUEST)
                .with_body(r#"{"detail":"no"}"#)
        } else {
            response
        }
    })
}

/// Changes `proof` of each block from the second request for that block on.
#[derive(Default)]
struct ChangesOnRepeat {
    requested: Mutex<BTreeSet<String>>,
}

impl Behaviour for ChangesOnRepeat {
    fn response(&self, asked: &Asked, response: Response) -> Response {
        let first = self
            .requested
            .lock()
            .is_ok_and(|mut requested| requested.insert(asked.query.clone()));
        if asked.path == BLOCK && response.status == StatusCode::OK && !first {
            response.with_json(|block| block["proof"] = json!(7_777))
        } else {
            response
        }
    }
}

/// Fails with 500 on every tenth request.
#[derive(Default)]
struct FailsNowAndThen(AtomicU64);

impl Behaviour for FailsNowAndThen {
    fn response(&self, _: &Asked, response: Response) -> Response {
        match self.0.fetch_add(1, Relaxed) % 10 {
            9 => response.with_status(StatusCode::INTERNAL_SERVER_ERROR),
            _ => response,
        }
    }
}
