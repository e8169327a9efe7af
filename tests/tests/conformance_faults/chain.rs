//! Consecutive blocks, and the transactions in them.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use integration_tests::{
    careless::{Careless, careless},
    faults::{SeededFault, change_json, change_response, remove, set, stateful},
    proxy::Fault,
    seeded_faults,
};
use serde_json::{Value, json};

use crate::{
    blocks::{BLOCK, receipts, transactions},
    facts::Facts,
};

pub(crate) fn faults(facts: &Facts) -> Vec<SeededFault> {
    seeded_faults! {
        "a block's proof changes when the block is requested again", changes_after(1)
            => ["chain/repeat-read"];
        "a block's proof changes when the block is requested for the third time",
            changes_after(2)
            => ["chain/repeat-read"];
        "the latest block is on one of two servers only", on_one_of_two_servers(facts.latest)
            => ["chain/repeat-read"];
        "a receipt is dated a year after its block", receipt_at(facts.latest, |time| time + YEAR)
            => ["chain/receipt-signatures", "chain/receipt-times"];
        "a receipt is dated a year before the block that it is about", receipt_at(facts.latest, |time| time - YEAR)
            => ["chain/receipt-signatures", "chain/receipt-times"];
        "a block has another proof than the one that was hashed", {
            let middle = facts.middle;
            change_json(BLOCK, move |_, block| {
                if block["index"] == middle {
                    block["proof"] = json!(7);
                }
            })
        } => ["chain/altered-blocks", "chain/block-hashes"];
        "a block with a transaction has another status than the one that was hashed", change_json(BLOCK, |_, block| {
            if block["index"] == 8 {
                block["status"] = json!(5);
            }
        }) => ["chain/altered-blocks", "chain/block-hashes"];
        "stops at a negative index, and is started again",
            careless(|path, text| path == BLOCK && text.has("block_index", "-1"), Careless::Restarts)
            => ["http/responds"];
        "every tenth request returns status 500", fails_now_and_then() => ["http/no-retries"];
        "all blocks have the same previous_hash", change_json(BLOCK, |_, block| {
            block["previous_hash"] = json!("ab".repeat(32));
            set(block, "/text/previous_block_receipts", json!([]));
        }) => ["chain/distinct-blocks"];
        "block timestamps decrease", change_json(BLOCK, |_, block| {
            let index = block["index"].as_i64().unwrap_or_default();
            block["timestamp"] = json!(4_000_000_000_000_i64 - index);
        }) => ["chain/time-goes-on"];
        "previous_hash does not match the receipts", change_json(BLOCK, |_, block| {
            let hash = block["previous_hash"].as_str().unwrap_or_default();
            block["previous_hash"] = json!(hash.chars().rev().collect::<String>());
        }) => ["chain/receipt-links"];
        "a block contains a receipt twice", change_json(BLOCK, |_, block| {
            let list = block.pointer_mut("/text/previous_block_receipts");
            if let Some(list) = list.and_then(Value::as_array_mut) {
                list.extend(list.first().cloned());
            }
        }) => ["chain/block-hashes", "chain/one-vote-a-voter", "get-block/receipts-of-preceding-block"];
        "each third block names the voter of one receipt in another one, too", change_json(BLOCK, |_, block| {
            if block["index"].as_u64().is_some_and(|index| index % 3 == 0)
                && let [first, second, ..] = receipts(block)
            {
                second["data"]["wallet_address"] = first["data"]["wallet_address"].clone();
            }
        }) => ["chain/altered-blocks", "chain/block-hashes", "chain/one-vote-a-voter", "chain/voter-address"];
        "a receipt names a wallet that did not sign it", change_json(BLOCK, |_, block| {
            let other = format!("0x{}", "ab".repeat(20));
            receipts(block).iter_mut().take(1).for_each(|r| {
                set(r, "/data/wallet_address", json!(other));
            });
        }) => ["chain/block-hashes", "chain/voter-address"];
        "a vote is changed after signing", change_json(BLOCK, |_, block| {
            receipts(block).iter_mut().take(1).for_each(|r| set(r, "/data/vote", json!(5)));
        }) => ["chain/block-hashes", "chain/receipt-signatures"];
        "a receipt has the signature of another receipt", change_json(BLOCK, |_, block| {
            if let [first, second, ..] = receipts(block) {
                first["signature"] = second["signature"].clone();
            }
        }) => ["chain/block-hashes", "chain/receipt-signatures"];
        "a contract call in a block is also signed by a wallet that is not a signer", change_json(BLOCK, |_, block| {
            let calls = transactions(block).iter_mut();
            for call in calls.filter(|one| one.pointer("/transaction/specific_data/signers").is_some()) {
                let mut more = call["signatures"][0].clone();
                more["wallet_address"] = json!(format!("0x{}", "ab".repeat(20)));
                call["signatures"].as_array_mut().expect("a list").push(more);
            }
        }) => ["chain/block-hashes", "chain/transaction-form"];
        "a contract call in a block has each signature twice", change_json(BLOCK, |_, block| {
            for call in transactions(block) {
                let list = call["signatures"].as_array_mut();
                list.into_iter().for_each(|list| list.extend(list.clone()));
            }
        }) => ["chain/block-hashes", "chain/transaction-form"];
        "a transaction in a block has its fee as text", change_json(BLOCK, |_, block| {
            for call in transactions(block) {
                call["transaction"]["fee"] = json!(call["transaction"]["fee"].to_string());
            }
        }) => ["chain/block-hashes", "chain/transaction-form", "chain/transaction-signatures"];
        "a transaction in a block has a code of 39 digits", change_json(BLOCK, |_, block| {
            for call in transactions(block) {
                let code = call["transaction"]["trans_code"].as_str().unwrap_or_default();
                call["transaction"]["trans_code"] = json!(code.get(1..).unwrap_or_default());
            }
        }) => ["chain/block-hashes", "chain/transaction-form", "chain/transaction-signatures"];
        "one block in the middle of the chain is missing", without(facts.middle, StatusCode::BAD_REQUEST, r#"{"detail":"no"}"#)
            => ["chain/no-holes"];
        "one block in the middle of the chain is empty", without(facts.middle, StatusCode::OK, "{}") => ["chain/no-holes"];
        "one block in the middle of the chain is null", without(facts.middle, StatusCode::OK, "null") => ["chain/no-holes"];
        "one block in the middle of the chain is an error with status 200",
            without(facts.middle, StatusCode::OK, r#"{"detail":"Block not found"}"#) => ["chain/no-holes"];
        "transaction timestamps are in seconds", change_json(BLOCK, |_, block| {
            transactions(block).iter_mut().for_each(|t| {
                let time = t["transaction"]["timestamp"].as_i64().unwrap_or_default();
                set(t, "/transaction/timestamp", json!(time / 1000));
            });
        }) => ["chain/block-hashes", "chain/transaction-signatures", "chain/transaction-time-unit"];
        "transaction timestamps are strings", change_json(BLOCK, |_, block| {
            transactions(block).iter_mut().for_each(|t| {
                let time = t["transaction"]["timestamp"].to_string();
                set(t, "/transaction/timestamp", json!(time));
            });
        }) => ["chain/block-hashes", "chain/transaction-signatures", "chain/transaction-time-unit"];
        "transactions have no timestamp", change_json(BLOCK, |_, block| {
            transactions(block).iter_mut().for_each(|t| remove(t, "/transaction", "timestamp"));
        }) => ["chain/block-hashes", "chain/transaction-signatures"];
        "transaction timestamps have a fraction", change_json(BLOCK, |_, block| {
            transactions(block).iter_mut().for_each(|t| {
                set(t, "/transaction/timestamp", json!(1_767_225_601_001.5));
            });
        }) => ["chain/block-hashes", "chain/transaction-signatures", "chain/transaction-time-unit"];
        "a block contains a transaction twice", change_json(BLOCK, |_, block| {
            let list = block.pointer_mut("/text/transactions");
            if let Some(list) = list.and_then(Value::as_array_mut) {
                list.extend(list.first().cloned());
            }
        }) => ["chain/block-hashes", "chain/distinct-transactions"];
        "a later transaction replaces one in an older block", stateful(None, |older: &mut Option<Value>, request, response| {
            if request.path != BLOCK || response.status != StatusCode::OK { return response; }
            response.with_json(|block| {
                for transaction in transactions(block) {
                    match older.as_ref() {
                        Some(older) if older["transaction"]["trans_code"] != transaction["transaction"]["trans_code"] => {
                            *transaction = older.clone();
                            return;
                        }
                        Some(_) => {}
                        None => *older = Some(transaction.clone()),
                    }
                }
            })
        }) => ["chain/block-hashes", "chain/distinct-transactions"];
        "transactions in blocks have no signatures", change_json(BLOCK, |_, block| {
            transactions(block).iter_mut().for_each(|t| set(t, "/signatures", json!([])));
        }) => ["chain/block-hashes", "chain/transaction-signatures"];
    }
}

/// Refuses to return the block at this index.
fn without(index: u64, status: StatusCode, body: &'static str) -> Fault {
    let query = format!("block_index={index}");
    change_response(BLOCK, move |request, response| {
        if request.query == query {
            response.with_status(status).with_body(body)
        } else {
            response
        }
    })
}

/// A year in milliseconds.
const YEAR: i64 = 365 * 24 * 60 * 60 * 1000;

/// Changes the time of a receipt of a block.
fn receipt_at(block: u64, time: fn(i64) -> i64) -> Fault {
    change_json(BLOCK, move |_, document| {
        if document["index"] == block {
            receipts(document).iter_mut().take(1).for_each(|receipt| {
                let old = receipt["data"]["timestamp"].as_i64().unwrap_or_default();
                set(receipt, "/data/timestamp", json!(time(old)));
            });
        }
    })
}

/// Does not have a block in every second response.
fn on_one_of_two_servers(block: u64) -> Fault {
    let query = format!("block_index={block}");
    stateful(0, move |count: &mut u64, request, response| {
        *count += u64::from(request.query == query);
        match request.query == query && count.is_multiple_of(2) {
            true => response
                .with_status(StatusCode::BAD_REQUEST)
                .with_body(r#"{"detail":"no such block"}"#),
            false => response,
        }
    })
}

/// Changes `proof` of each block after this number of responses with it.
fn changes_after(unchanged: u64) -> Fault {
    stateful(BTreeMap::new(), move |requested, request, response| {
        let count = requested.entry(request.query.clone()).or_insert(0);
        *count += 1;
        if request.path == BLOCK && response.status == StatusCode::OK && *count > unchanged {
            response.with_json(|block| block["proof"] = json!(7_777))
        } else {
            response
        }
    })
}

/// Fails with 500 on every tenth request.
fn fails_now_and_then() -> Fault {
    stateful(0, |count: &mut u64, _, response| {
        *count += 1;
        match count.is_multiple_of(10) {
            true => response.with_status(StatusCode::INTERNAL_SERVER_ERROR),
            false => response,
        }
    })
}
