//! Proof of the cases: a good node with one thing broken fails the cases that are about it.
//!
//! Every fault names the cases that have to fail, and no others may: a check that cries wolf is as
//! bad as one that sleeps.

#![expect(
    clippy::expect_used,
    reason = "a test that can't go on says so by failing"
)]

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use axum::http::{HeaderValue, StatusCode, header};
use integration_tests::{
    broken,
    faults::{Broken, answer_of, as_if_right, json_of, remove, set},
    matrix,
    proxy::{Answer, Asked, Fault, Proxy},
    watch::{check, ids},
};
use nodeproof_conformance::{Options, Tier, cases, report::Outcome};
use nodeproof_devnode::{BlockTime, Config};
use nodeproof_primitives::Network;
use serde_json::{Value, json};

async fn devnode() -> nodeproof_devnode::Handle {
    let mut config = Config::new(Network::Devnet);
    config.port = Some(0);
    config.block_time = BlockTime::Manual;
    nodeproof_devnode::spawn(config)
        .await
        .expect("a local node")
}

fn receipts(value: &mut Value) -> &mut [Value] {
    value
        .pointer_mut("/text/previous_block_receipts")
        .and_then(Value::as_array_mut)
        .map_or(&mut [], Vec::as_mut_slice)
}

/// Puts a member into each answer that is never the same.
fn dice(path: &'static str, name: &'static str, thrown: fn(u64) -> Value) -> Fault {
    let throws = std::sync::atomic::AtomicU64::new(0);
    Arc::new(move |asked: &Asked, answer: Answer| {
        if asked.path == path && answer.status == StatusCode::OK {
            let throw = throws.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            answer.with_json(|value| value[name] = thrown(throw))
        } else {
            answer
        }
    })
}

fn transactions(value: &mut Value) -> &mut [Value] {
    value
        .pointer_mut("/text/transactions")
        .and_then(Value::as_array_mut)
        .map_or(&mut [], Vec::as_mut_slice)
}

fn asks_for(asked: &Asked, part: &str) -> bool {
    asked.query.contains(part)
}

/// The entries of a list of balances.
fn entries(answer: &mut Value) -> impl Iterator<Item = &mut Value> {
    answer["balance"].as_array_mut().into_iter().flatten()
}

/// Changes the record that an answer of a local node has, in both members that have it.
fn rows_of(answer: &mut Value, change: impl Fn(Value) -> Value) {
    for name in ["value", "data"] {
        if answer[name].is_array() {
            answer[name] = change(answer[name].take());
        }
    }
}

/// The contract that has the claims of a local node's chain.
const VERIFICATION: &str = "contract_address=ct4067725761fa19365c94b555e18f5a911f649fa3";
/// A wallet of a local node that holds tokens, and is not asked what it holds.
const CAROL: &str = "0x148a5e93cb4204c2c2d236f9e0c2da4e79eaae8f";
/// The start of a record of a local node's chain; the rest says nothing here.
const WAREHOUSE: [&str; 9] = [
    "ct4067725761fa19365c94b555e18f5a911f649fa3",
    "warehouse-receipt-0001",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
];

const BLOCK: &str = "/get-block";
const BALANCES: &str = "/get-balances";
const STATE: &str = "/sc-state";
const TRUST: &str = "/get-trustscore-wallets";
const CALL: &str = "/call-sc";
const DOCUMENT: &str = "/openapi.json";

/// A listing that is made of the node's document.
const SWAGGER: &str = "<!DOCTYPE html><html><body><div id=\"swagger-ui\"></div>\
    <script>SwaggerUIBundle({ url: '/openapi.json' })</script></body></html>";

#[expect(clippy::too_many_lines, reason = "a table")]
fn faults() -> Vec<Broken> {
    broken! {
        "a block says another index", json_of(BLOCK, |_, block| {
            let index = block["index"].as_i64().unwrap_or_default();
            block["index"] = json!(index + 1);
            receipts(block).iter_mut().for_each(|r| set(r, "/data/block_index", json!(index)));
        }) => ["chain/receipt-signatures", "get-block/index-echo"];
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
        "the previous hash is short", json_of(BLOCK, |_, block| block["previous_hash"] = json!("0"))
            => ["chain/distinct-blocks", "get-block/previous-hash", "get-block/snapshot"];
        "receipts have no data", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().for_each(|receipt| remove(receipt, "", "data"));
        }) => ["get-block/receipt-data", "get-block/snapshot"];
        "a receipt's hash is no hash", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().for_each(|r| set(r, "/data/block_hash", json!("xyz")));
        }) => ["chain/receipt-signatures", "get-block/receipt-block-hash", "get-block/snapshot"];
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
        }) => ["chain/receipt-signatures", "get-block/receipt-timestamp", "get-block/snapshot"];
        "a public key is no hexadecimal", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().for_each(|r| set(r, "/public_key", json!("-----BEGIN")));
        }) => ["get-block/receipt-public-key", "get-block/snapshot"];
        "a signature is missing", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().for_each(|r| remove(r, "", "signature"));
        }) => ["get-block/receipt-signature", "get-block/snapshot"];
        "receipts are about another block", json_of(BLOCK, |_, block| {
            let index = block["index"].as_i64().unwrap_or_default();
            receipts(block).iter_mut().for_each(|r| set(r, "/data/block_index", json!(index)));
        }) => ["chain/receipt-signatures", "get-block/receipts-of-preceding-block"];
        "a receipt's block index is text", json_of(BLOCK, |_, block| {
            receipts(block).iter_mut().for_each(|r| {
                let text = r["data"]["block_index"].to_string();
                set(r, "/data/block_index", json!(text));
            });
        }) => ["chain/receipt-signatures", "get-block/receipt-block-index", "get-block/snapshot"];
        "blocks are not said to be JSON", answer_of(BLOCK, |_, mut answer| {
            let text = HeaderValue::from_static("text/plain");
            answer.headers.insert(header::CONTENT_TYPE, text);
            answer
        }) => ["get-block/answers"];
        "blocks have a member twice", answer_of(BLOCK, |_, answer| {
            let text = String::from_utf8_lossy(&answer.body).replacen('{', "{\"proof\":1,", 1);
            if answer.status == StatusCode::OK { answer.with_body(text) } else { answer }
        }) => ["get-block/answers"];
        "an unknown block is answered with a known one", as_if_right(BLOCK,
            |asked, answer| asked.query.len() > 20 && answer.status != StatusCode::OK,
            json!({"index": 1, "previous_hash": "0"}))
            => ["get-block/unknown-index"];
        "a block without an index is asked for, and answered", as_if_right(BLOCK,
            |asked, _| asked.query.is_empty(), json!({"index": 1}))
            => ["get-block/block-index-required"];
        "a block with a word for an index is answered", as_if_right(BLOCK,
            |asked, _| asked.query.contains("newest"), json!({"index": 1}))
            => ["get-block/block-index-malformed"];
        "blocks are rows", json_of(BLOCK, |_, block| {
            let committee = block["committee"].to_string();
            *block = json!({"block_index": block["index"], "timestamp": block["timestamp"],
                "proof": 1, "status": null, "previous_hash": block["previous_hash"],
                "creator_wallet": null, "expected_miner": block["expected_miner"],
                "committee": committee});
        }) => ["get-block/committee", "get-block/creator-wallet", "get-block/index",
            "get-block/shape", "get-block/snapshot", "get-block/status", "get-block/text"];

        "a block reads differently the second time", Arc::new({
            let seen = std::sync::Mutex::new(std::collections::BTreeSet::new());
            move |asked: &Asked, answer: Answer| {
                let first = seen.lock().is_ok_and(|mut seen| seen.insert(asked.query.clone()));
                if asked.path == BLOCK && answer.status == StatusCode::OK && !first {
                    answer.with_json(|block| block["proof"] = json!(7_777))
                } else { answer }
            }
        }) => ["chain/repeat-read"];
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
        "a call's integers are rounded as floats are", json_of(CALL, |_, answer| {
            let place = "/transaction/specific_data/params/deletable_after";
            set(answer, place, json!(9_007_199_254_740_992_u64));
        }) => ["call-sc/deep-and-large-params", "call-sc/params"];
        "a call's text loses what is not ASCII", json_of(CALL, |_, answer| {
            let place = "/transaction/specific_data/params/remarks";
            if let Some(Value::String(text)) = answer.pointer_mut(place) {
                text.retain(|character| character.is_ascii());
            }
        }) => ["call-sc/params"];

        "one block in the middle is another one", answer_of(BLOCK, |asked, answer| {
            if asked.query == "block_index=10" {
                answer.with_json(|block| block["index"] = json!(9))
            } else { answer }
        }) => ["get-block/index-echo"];
        "one block in the middle is not there", answer_of(BLOCK, |asked, answer| {
            if asked.query == "block_index=10" {
                answer.with_status(StatusCode::BAD_REQUEST).with_body(r#"{"detail":"no"}"#)
            } else { answer }
        }) => ["chain/no-holes"];
        "no index is the newest block's", Arc::new({
            let newest = std::sync::Mutex::new(None);
            move |asked: &Asked, answer: Answer| {
                let mut newest = newest.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                match (asked.path == BLOCK, asked.query.as_str(), &*newest) {
                    (true, "block_index=12", None) => *newest = Some(answer.body.clone()),
                    (true, "block_index=0", Some(newest)) => {
                        return answer.with_status(StatusCode::OK).with_body(newest.clone());
                    }
                    _ => {}
                }
                answer
            }
        }) => ["get-block/index-zero"];
        "an index is cut to 32 bits", as_if_right(BLOCK,
            |asked, _| asked.query == "block_index=4294967308",
            json!({"index": 12, "previous_hash": "0"})) => ["get-block/unknown-index"];
        "a negative index has a block", as_if_right(BLOCK,
            |asked, _| asked.query.contains("-1"), json!({"index": -1, "previous_hash": "0"}))
            => ["get-block/unknown-index"];
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
        }) => ["chain/transaction-signatures", "chain/transaction-time-unit"];
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
        "a list has an entry twice", json_of(BALANCES, |asked, answer| {
            if asks_for(asked, "ALL_") && let Some(list) = answer["balance"].as_array_mut() {
                list.extend(list.first().cloned());
            }
        }) => ["get-balances/lists-agree"];
        "a wallet that nobody has holds another's tokens", answer_of(BALANCES, |asked, answer| {
            if asks_for(asked, "ALL_TOKENS") && asks_for(asked, "0xffff") {
                answer.with_body(r#"{"balance":[{"token_code":"DEVN","balance":5}]}"#)
            } else { answer }
        }) => ["get-balances/nothing-held"];
        "a token that does not exist has another's holders", answer_of(BALANCES, |asked, answer| {
            if asks_for(asked, "ALL_WALLETS") && asks_for(asked, "NO-SUCH") {
                answer.with_body(format!(r#"{{"balance":[{{"wallet":"0x{}","balance":5}}]}}"#,
                    "ab".repeat(20)))
            } else { answer }
        }) => ["get-balances/nothing-held"];
        "a list of holders names another token", json_of(BALANCES, |asked, answer| {
            if asks_for(asked, "ALL_WALLETS") {
                entries(answer).for_each(|entry| set(entry, "/token_code", json!("OTHER")));
            }
        }) => ["get-balances/lists-agree"];
        "a list of holders lacks one that has no list of its own", json_of(BALANCES,
            |asked, answer| if asks_for(asked, "ALL_WALLETS")
                && let Some(list) = answer["balance"].as_array_mut() {
            list.retain(|entry| entry["wallet"] != CAROL);
        }) => ["get-balances/lists-agree"];
        "a list of holders is cut short", json_of(BALANCES, |asked, answer| {
            if asks_for(asked, "ALL_WALLETS") && let Some(list) = answer["balance"].as_array_mut() {
                list.truncate(3);
            }
        }) => ["get-balances/lists-agree"];
        "a list of tokens lacks the last", json_of(BALANCES, |asked, answer| {
            if asks_for(asked, "ALL_TOKENS") && let Some(list) = answer["balance"].as_array_mut() {
                list.pop();
            }
        }) => ["get-balances/lists-agree"];
        "the lists are empty", json_of(BALANCES, |asked, answer| if asks_for(asked, "ALL_WALLETS") {
            answer["balance"] = json!([]);
        }) => ["get-balances/lists-agree"];
        "the lists of all wallets are one wallet's", Arc::new({
            let first: std::sync::OnceLock<axum::body::Bytes> = std::sync::OnceLock::new();
            move |asked: &Asked, answer: Answer| {
                if asked.path == BALANCES && asks_for(asked, "ALL_TOKENS")
                    && answer.status == StatusCode::OK {
                    let body = first.get_or_init(|| answer.body.clone()).clone();
                    answer.with_body(body)
                } else { answer }
            }
        }) => ["get-balances/lists-agree", "get-balances/nothing-held"];
        "balance and value differ", json_of(BALANCES, |asked, answer| {
            if asks_for(asked, "balance_type=TOKEN_IN_WALLET") { answer["value"] = json!(-1); }
        }) => ["get-balances/balance", "get-balances/decodes"];
        "a balance comes with a failure", json_of(BALANCES, |asked, answer| {
            if asks_for(asked, "balance_type=TOKEN_IN_WALLET") { answer["status"] = json!("FAILURE"); }
        }) => ["get-balances/decodes"];
        "what is no wallet is answered", as_if_right(BALANCES,
            |asked, _| asks_for(asked, "wallet_address=0x5a"), json!({"balance": 5}))
            => ["get-balances/wallet-address-malformed"];
        "state is another one each time", dice(STATE, "entries", |n| json!([n])) => ["sc-state/repeat-read"];
        "a balance comes with a list thrown with dice", dice(BALANCES, "entries", |n| json!([n]))
            => ["get-balances/repeat-read"];
        "a call with text for its params is built", as_if_right(CALL,
            |asked, answer| answer.status != StatusCode::OK && contains(asked, "\"params\":\""),
            json!({"transaction": {}})) => ["call-sc/params-mistyped"];
        "a call without a body is built", as_if_right(CALL,
            |asked, _| asked.method == "POST" && asked.body.is_empty(), json!({"transaction": {}}))
            => ["call-sc/body-empty"];
        "what is no contract has a record", as_if_right(STATE,
            |asked, _| asks_for(asked, "ct5a&") || asked.query.ends_with("ct5a"),
            json!({"value": ["a"]}))
            => ["sc-state/contract-address-malformed"];
        "a call with text for its signers is built", as_if_right(CALL,
            |asked, answer| answer.status != StatusCode::OK && contains(asked, "\"signers\":\""),
            json!({"transaction": {}})) => ["call-sc/signers-mistyped"];
        "an unknown token is held", json_of(BALANCES, |asked, answer| {
            if asks_for(asked, "NO-SUCH-TOKEN") { answer["balance"] = json!(5); }
        }) => ["get-balances/nothing-held"];
        "an unknown contract has a record", as_if_right(STATE,
            |asked, _| !asks_for(asked, VERIFICATION) && asks_for(asked, "contract_address=ct")
                && !asks_for(asked, "ct5a"), json!({"value": ["a"]}))
            => ["sc-state/unknown-contract"];
        "every contract has the records of one", Arc::new({
            let known = std::sync::Mutex::new(None);
            move |asked: &Asked, answer: Answer| {
                let mut known = known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let record = "unique_column=asset_id&unique_value=warehouse-receipt-0001";
                if asked.path != STATE || !asks_for(asked, "table_name=verification&") {
                    return answer;
                }
                if asks_for(asked, VERIFICATION) && asks_for(asked, record) {
                    known.get_or_insert_with(|| answer.body.clone());
                }
                let other = asks_for(asked, "contract_address=ct") && !asks_for(asked, "ct5a");
                match (&*known, !asks_for(asked, VERIFICATION) && other) {
                    (Some(body), true) => {
                        let body = body.clone();
                        answer.with_status(StatusCode::OK).with_body(body)
                    }
                    _ => answer,
                }
            }
        }) => ["sc-state/unknown-contract"];
        "no claim can be read", json_of(STATE, |_, answer| {
            answer["value"] = Value::Null;
            answer["data"] = Value::Null;
        }) => ["sc-state/claim-readable"];
        "wallets that nobody has trust each other", as_if_right(TRUST,
            |asked, _| asks_for(asked, "0xfefe"), json!({"status": "SUCCESS", "trust_score": 7}))
            => ["get-trustscore-wallets/unknown-pair"];
        "a score is thrown with dice", Arc::new({
            let throws = std::sync::atomic::AtomicI64::new(100);
            move |asked: &Asked, answer: Answer| {
                if asked.path == TRUST && answer.status == StatusCode::OK {
                    let throw = throws.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    answer.with_json(|score| score["trust_score"] = json!(throw))
                } else { answer }
            }
        }) => ["get-trustscore-wallets/repeat-read"];
        "a built call is not valid", json_of(CALL, |_, answer| {
            set(answer, "/transaction/valid", json!(0));
        }) => ["call-sc/valid"];
        "a built call's time is text", json_of(CALL, |_, answer| {
            let time = answer.pointer("/transaction/timestamp").map(Value::to_string);
            set(answer, "/transaction/timestamp", json!(time));
        }) => ["call-sc/snapshot", "call-sc/submittable", "call-sc/timestamp-unit"];
        "a built call has no time", json_of(CALL, |_, answer| {
            remove(answer, "/transaction", "timestamp");
        }) => ["call-sc/snapshot", "call-sc/submittable", "call-sc/timestamp-unit"];
        "a built call has seconds", json_of(CALL, |_, answer| {
            set(answer, "/transaction/timestamp", json!(1_795_207_551));
        }) => ["call-sc/timestamp-unit"];
        "the first call that was built is built for ever", Arc::new({
            let first: std::sync::OnceLock<axum::body::Bytes> = std::sync::OnceLock::new();
            move |asked: &Asked, answer: Answer| {
                if asked.path == CALL && answer.status == StatusCode::OK {
                    let body = first.get_or_init(|| answer.body.clone()).clone();
                    answer.with_body(body)
                } else { answer }
            }
        }) => ["call-sc/deep-and-large-params", "call-sc/params", "call-sc/signers"];
        "building a call costs a fee", Arc::new({
            let calls = std::sync::atomic::AtomicU64::new(0);
            move |asked: &Asked, answer: Answer| {
                use std::sync::atomic::Ordering::SeqCst;
                if asked.path == CALL && answer.status == StatusCode::OK {
                    calls.fetch_add(1, SeqCst);
                }
                if asked.path == BALANCES && asks_for(asked, "ALL_TOKENS") {
                    let paid = calls.load(SeqCst);
                    return answer.with_json(|held| held["fees_paid"] = json!(paid));
                }
                answer
            }
        }) => ["call-sc/changes-nothing"];
        "a call that is built makes its claim at once", Arc::new({
            let claimed = std::sync::Mutex::new(std::collections::BTreeSet::new());
            move |asked: &Asked, answer: Answer| {
                let mut claimed = claimed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                if asked.path == CALL && answer.status == StatusCode::OK {
                    let call: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
                    claimed.extend(call["params"]["asset_id"].as_str().map(str::to_owned));
                }
                let is_claimed = |asset: &String| asks_for(asked, &format!("unique_value={asset}"));
                match claimed.iter().find(|asset| asked.path == STATE && is_claimed(asset)) {
                    Some(asset) => answer.with_json(|state| state["value"] = json!([[asset]])),
                    None => answer,
                }
            }
        }) => ["call-sc/changes-nothing"];

        "a balance is text", json_of(BALANCES, |asked, answer| if asks_for(asked, "TOKEN_IN_WALLET")
            && answer["balance"].is_number() {
            answer["balance"] = json!(answer["balance"].to_string());
        }) => ["get-balances/balance", "get-balances/decodes", "get-balances/nothing-held",
            "get-balances/snapshot"];
        "a balance is rounded as a float is", json_of(BALANCES, |asked, answer| {
            if asks_for(asked, "TOKEN_IN_WALLET") && let Some(exact) = answer["balance"].as_u64() {
                #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation,
                    clippy::cast_sign_loss, reason = "the loss is the fault")]
                let rounded = exact as f64 as u64;
                answer["balance"] = json!(rounded);
            }
        }) => ["get-balances/wallet-address"];
        "one balance of one wallet is not answered", answer_of(BALANCES, |asked, answer| {
            if asks_for(asked, "balance_type=TOKEN_IN_WALLET") {
                answer.with_status(StatusCode::INTERNAL_SERVER_ERROR)
            } else { answer }
        }) => ["get-balances/token-in-wallet"];
        "nothing held is null", json_of(BALANCES, |asked, answer| {
            if asks_for(asked, "TOKEN_IN_WALLET") && answer["balance"] == 0 {
                answer["balance"] = Value::Null;
            }
        }) => ["get-balances/nothing-held"];
        "every wallet has the same balance", json_of(BALANCES, |asked, answer| {
            if asks_for(asked, "balance_type=TOKEN_IN_WALLET") { answer["balance"] = json!(77); }
        }) => ["get-balances/nothing-held", "get-balances/token-code",
            "get-balances/wallet-address"];
        "the list of a wallet is not answered", answer_of(BALANCES, |asked, answer| {
            if asks_for(asked, "ALL_TOKENS_IN_WALLET") {
                answer.with_status(StatusCode::INTERNAL_SERVER_ERROR)
            } else { answer }
        }) => ["get-balances/all-tokens-in-wallet"];
        "the list of holders is no object", json_of(BALANCES, |asked, answer| {
            if asks_for(asked, "ALL_WALLETS_FOR_TOKEN") { *answer = answer["balance"].take(); }
        }) => ["get-balances/all-wallets-for-token"];
        "the lists carry nothing", json_of(BALANCES, |asked, answer| if asks_for(asked, "ALL_") {
            *answer = json!({"status": "SUCCESS"});
        }) => ["get-balances/lists-carry-balances"];
        "no kind of balance is asked for, and one is answered", as_if_right(BALANCES,
            |asked, _| !asks_for(asked, "balance_type"), json!({"balance": 1}))
            => ["get-balances/balance-type-required"];
        "an unknown kind of balance is answered", as_if_right(BALANCES,
            |asked, _| asks_for(asked, "EVERYTHING"), json!({"balance": 1}))
            => ["get-balances/balance-type-unknown"];

        "state is an array", json_of(STATE, |_, answer| *answer = answer["value"].take())
            => ["sc-state/answers"];
        "state has no value", json_of(STATE, |_, answer| remove(answer, "", "value"))
            => ["sc-state/value"];
        "state is not there at all", json_of(STATE, |_, answer| *answer = json!({"status": "SUCCESS"}))
            => ["sc-state/claim-readable", "sc-state/value"];
        "state is about another asset", json_of(STATE, |_, answer| {
            for name in ["value", "data"] {
                set(answer, &format!("/{name}/1"), json!("another-asset"));
            }
        }) => ["sc-state/unique-value-echo"];
        "an unknown asset has a record", as_if_right(STATE,
            |asked, _| asks_for(asked, "unique_value=WAREHOUSE"), json!({"value": ["a"]}))
            => ["sc-state/unknown-value"];
        "an asset is found by the start of its name", as_if_right(STATE,
            |asked, _| asked.query.ends_with("unique_value=warehouse-receipt-000"),
            json!({"value": WAREHOUSE})) => ["sc-state/unknown-value"];
        "an asset is found in letters of any case", as_if_right(STATE,
            |asked, _| asks_for(asked, "unique_value=WAREHOUSE-RECEIPT-0001"),
            json!({"value": WAREHOUSE})) => ["sc-state/unknown-value"];
        "an asset is found in any column", as_if_right(STATE,
            |asked, _| asks_for(asked, "unique_column=asset_type"), json!({"value": WAREHOUSE}))
            => ["sc-state/unknown-column"];
        "a record comes with that of another asset", json_of(STATE, |_, answer| {
            rows_of(answer, |row| {
                let mut other = row.clone();
                set(&mut other, "/1", json!("another-asset"));
                json!([row, other])
            });
        }) => ["sc-state/unique-value-echo"];
        "a record of another asset has ours in its remarks", json_of(STATE, |_, answer| {
            rows_of(answer, |mut row| {
                let asset = row[1].take();
                set(&mut row, "/1", json!("another-asset"));
                set(&mut row, "/7", asset);
                row
            });
        }) => ["sc-state/unique-value-echo"];
        "a record comes with the whole table", json_of(STATE, |_, answer| {
            rows_of(answer, |row| json!(["the table", vec!["x"; 9], row]));
        }) => ["sc-state/unique-value-echo"];
        "value and data have different records", json_of(STATE, |_, answer| {
            set(answer, "/data/1", json!("another-asset"));
        }) => ["sc-state/unique-value-echo"];
        "a record has other remarks than its claim", json_of(STATE, |_, answer| {
            rows_of(answer, |mut row| { set(&mut row, "/7", json!("Weighed")); row });
        }) => ["sc-state/record-matches-claim"];
        "a record has another outcome than its claim", json_of(STATE, |_, answer| {
            rows_of(answer, |mut row| { set(&mut row, "/4", json!(2)); row });
        }) => ["sc-state/record-matches-claim"];
        "a record's outcome is text", json_of(STATE, |_, answer| {
            rows_of(answer, |mut row| { set(&mut row, "/4", json!("1")); row });
        }) => ["sc-state/record-matches-claim"];
        "a record's type is null", json_of(STATE, |_, answer| {
            rows_of(answer, |mut row| { set(&mut row, "/2", Value::Null); row });
        }) => ["sc-state/record-matches-claim"];
        "a record lacks its links", json_of(STATE, |_, answer| {
            rows_of(answer, |mut row| { set(&mut row, "/6", json!("[]")); row });
        }) => ["sc-state/record-matches-claim"];
        "a record has another hash", json_of(STATE, |_, answer| {
            rows_of(answer, |mut row| { set(&mut row, "/5", json!(["ab".repeat(32)])); row });
        }) => ["sc-state/record-matches-claim"];
        "a record may be deleted earlier", json_of(STATE, |_, answer| {
            rows_of(answer, |mut row| { set(&mut row, "/8", json!(1)); row });
        }) => ["sc-state/record-matches-claim"];
        "a record is another verifier's", json_of(STATE, |_, answer| {
            let other = format!("0x{}", "ab".repeat(20));
            rows_of(answer, |mut row| { set(&mut row, "/3", json!(other)); row });
        }) => ["sc-state/record-matches-claim"];
        "a record as an object has another outcome", json_of(STATE, |_, answer| {
            rows_of(answer, |row| { json!({"asset_id": row[1], "asset_type": row[2],
                "verifier_address": row[3], "outcome": 7, "doc_hash_list": row[5],
                "doc_link_list": row[6], "remarks": row[7], "deletable_after": row[8]}) });
        }) => ["sc-state/record-matches-claim"];
        "a record has nothing but its asset", json_of(STATE, |_, answer| {
            rows_of(answer, |row| json!({"asset_id": row[1]}));
        }) => ["sc-state/record-matches-claim"];
        "an unknown table has a record", as_if_right(STATE,
            |asked, _| asks_for(asked, "no_such_table"), json!({"value": ["a"]}))
            => ["sc-state/unknown-table"];
        "an unknown column has a record", as_if_right(STATE,
            |asked, _| asks_for(asked, "unique_column=") && !asks_for(asked, "asset_id"),
            json!({"value": ["a"]}))
            => ["sc-state/unknown-column"];
        "no table is named, and a record answered", as_if_right(STATE,
            |asked, _| !asks_for(asked, "table_name") , json!({"value": ["a"]}))
            => ["sc-state/table-name-required"];
        "no contract is named, and a record answered", as_if_right(STATE,
            |asked, _| !asks_for(asked, "contract_address"), json!({"value": ["a"]}))
            => ["sc-state/contract-address-required"];
        "no column is named, and a record answered", as_if_right(STATE,
            |asked, _| !asks_for(asked, "unique_column"), json!({"value": ["a"]}))
            => ["sc-state/unique-column-required"];
        "no value is named, and a record answered", as_if_right(STATE,
            |asked, _| !asks_for(asked, "unique_value"), json!({"value": ["a"]}))
            => ["sc-state/unique-value-required"];

        "a score is text", json_of(TRUST, |_, answer| answer["trust_score"] = json!("1"))
            => ["get-trustscore-wallets/trust-score", "get-trustscore-wallets/decodes",
                "get-trustscore-wallets/snapshot"];
        "a score has no status", json_of(TRUST, |_, answer| remove(answer, "", "status"))
            => ["get-trustscore-wallets/status", "get-trustscore-wallets/snapshot"];
        "a score comes with a failure", json_of(TRUST, |_, a| a["status"] = json!("FAILURE"))
            => ["get-trustscore-wallets/status-success"];
        "scores break off", answer_of(TRUST, |_, answer| {
            let half = answer.body.slice(..answer.body.len() / 2);
            answer.with_body(half)
        }) => ["get-trustscore-wallets/answers"];
        "no source is named, and a score answered", as_if_right(TRUST,
            |asked, _| !asks_for(asked, "src_"), json!({"status": "SUCCESS", "trust_score": 1}))
            => ["get-trustscore-wallets/src-required"];
        "no destination is named, and a score answered", as_if_right(TRUST,
            |asked, _| !asks_for(asked, "dst_"), json!({"status": "SUCCESS", "trust_score": 1}))
            => ["get-trustscore-wallets/dst-required"];
        "a malformed source has a score", as_if_right(TRUST,
            |asked, _| asks_for(asked, "src_wallet_address=0x5a&")
                || asked.query.ends_with("src_wallet_address=0x5a"),
            json!({"status": "SUCCESS", "trust_score": 1}))
            => ["get-trustscore-wallets/src-malformed"];
        "a malformed destination has a score", as_if_right(TRUST,
            |asked, _| asks_for(asked, "dst_wallet_address=0x5a&")
                || asked.query.ends_with("dst_wallet_address=0x5a"),
            json!({"status": "SUCCESS", "trust_score": 1}))
            => ["get-trustscore-wallets/dst-malformed"];

        "the listing is not there", answer_of("/docs", |_, answer| {
            answer.with_status(StatusCode::NOT_FOUND)
        }) => ["docs/answers"];
        "the listing is JSON", answer_of("/docs", |_, mut answer| {
            let json = HeaderValue::from_static("application/json");
            answer.headers.insert(header::CONTENT_TYPE, json);
            answer.with_body("{}")
        }) => ["docs/lists-calls", "docs/page"];
        "the listing is on another server", answer_of("/docs", |_, answer| {
            moved(answer, "http://localhost:9/docs/")
        }) => ["docs/answers"];
        "the listing moves for ever", answer_of("/docs", |_, answer| moved(answer, "/docs"))
            => ["docs/answers"];
        "the listing lists nothing", answer_of("/docs", |_, answer| answer.with_body(
            "<!DOCTYPE html><html><title>Calls</title>get-blocks</html>",
        )) => ["docs/lists-calls", "docs/page"];
        "the listing lists one call", answer_of("/docs", |_, answer| answer.with_body(
            "<!DOCTYPE html><html><title>Calls</title>get-block</html>",
        )) => ["docs/lists-calls"];
        "the listing says that it was not found", answer_of("/docs", |_, answer| answer.with_body(
            "<!DOCTYPE html><html><title>404</title><h1>404 Not Found</h1></html>",
        )) => ["docs/lists-calls", "docs/page"];
        "neither the listing nor its document has a call", Arc::new(|asked: &Asked, answer: Answer| {
            match asked.path.as_str() {
                "/docs" => answer.with_body(SWAGGER),
                DOCUMENT => answer.with_json(|document| remove(document, "/paths", CALL)),
                _ => answer,
            }
        }) => ["docs/lists-calls", "docs/openapi-document"];
        "the listing's document is not there", Arc::new(|asked: &Asked, answer: Answer| {
            match asked.path.as_str() {
                "/docs" => answer.with_body(SWAGGER),
                DOCUMENT => answer.with_status(StatusCode::NOT_FOUND),
                _ => answer,
            }
        }) => ["docs/lists-calls"];
        "the node's document has a call less", json_of(DOCUMENT, |_, document| {
            remove(document, "/paths", TRUST);
        }) => ["docs/openapi-document"];
        "the node's document lacks a parameter", json_of(DOCUMENT, |_, document| {
            set(document, "/paths/~1sc-state/get/parameters/0", json!({}));
        }) => ["docs/openapi-document"];
        "the node's document lets a parameter be left out", json_of(DOCUMENT, |_, document| {
            set(document, "/paths/~1get-block/get/parameters/0/required", json!(false));
        }) => ["docs/openapi-document"];

        "a call is not built", answer_of(CALL, |_, answer| {
            answer.with_status(StatusCode::INTERNAL_SERVER_ERROR)
        }) => ["call-sc/answers"];
        "a call is built for another contract", json_of(CALL, |_, answer| {
            let other = format!("ct{}", "1".repeat(40));
            set(answer, "/transaction/specific_data/address", json!(other));
        }) => ["call-sc/sc-address"];
        "another function is called", json_of(CALL, |_, answer| {
            set(answer, "/transaction/specific_data/function", json!("transfer"));
        }) => ["call-sc/function-called"];
        "a signer is added", json_of(CALL, |_, answer| {
            let signers = answer.pointer_mut("/transaction/specific_data/signers");
            if let Some(signers) = signers.and_then(Value::as_array_mut) {
                signers.push(json!(format!("0x{}", "1".repeat(40))));
            }
        }) => ["call-sc/signers"];
        "the remarks are changed", json_of(CALL, |_, answer| {
            set(answer, "/transaction/specific_data/params/remarks", json!("never  submitted"));
        }) => ["call-sc/deep-and-large-params", "call-sc/params"];
        "a call's large integers become floats", text_of(CALL,
            "123456789012345678901234567890", "1.2345678901234568e+29")
            => ["call-sc/deep-and-large-params"];
        "a call's integers beyond 64 bits are cut", text_of(CALL,
            "18446744073709551616", "18446744073709551615")
            => ["call-sc/deep-and-large-params"];
        "a call's decimals are of single precision", text_of(CALL,
            "1234567.123456789", "1234567.125") => ["call-sc/deep-and-large-params"];
        "a call's small decimals are nothing", text_of(CALL, "1e-7", "0.0")
            => ["call-sc/deep-and-large-params"];
        "a call's texts are made safe for HTML", text_of(CALL, "<b>&amp;&", "&lt;b&gt;&amp;amp;&amp;")
            => ["call-sc/deep-and-large-params"];
        "a call's texts are decoded as those of a query", text_of(CALL, "41%20+", "41  ")
            => ["call-sc/deep-and-large-params"];
        "a call's digits become numbers", text_of(CALL, "\"12345\"", "12345")
            => ["call-sc/deep-and-large-params"];
        "a call's lists are cut", text_of(CALL, ",61,62,63", "")
            => ["call-sc/deep-and-large-params"];
        "a call's names are trimmed and folded", text_of(CALL, "\" Upper Key \"", "\"upper key\"")
            => ["call-sc/deep-and-large-params"];
        "a call's names are cut", text_of(CALL, "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk", "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk")
            => ["call-sc/deep-and-large-params"];
        "a call's members without a value are left out", text_of(CALL, "\"none\":null,", "")
            => ["call-sc/deep-and-large-params"];
        "a call's asset is trimmed", text_of(CALL, "\"  Conformance-Check-Deep of", "\"Conformance-Check-Deep of")
            => ["call-sc/deep-and-large-params"];
        "a call's params are cut where they are deep", text_of(CALL, "\"bottom\"", "null")
            => ["call-sc/deep-and-large-params"];
        "a call's params lose the last of many members", text_of(CALL, ",\"member_199\":199", "")
            => ["call-sc/deep-and-large-params"];
        "a GET builds a call", as_if_right(CALL, |asked, _| asked.method == "GET",
            json!({"transaction": {"type": 3}, "signatures": []})) => ["call-sc/get-refused"];
        "a call is a transfer", json_of(CALL, |_, answer| {
            set(answer, "/transaction/type", json!(5));
        }) => ["call-sc/type"];
        "a raw transaction is signed already", json_of(CALL, |_, answer| {
            let wallet = format!("0x{}", "1".repeat(40));
            answer["signatures"] = json!([{"wallet_address": wallet, "msgsign": "00"}]);
        }) => ["call-sc/unsigned"];
        "a raw transaction has no code", json_of(CALL, |_, answer| {
            remove(answer, "/transaction", "trans_code");
        }) => ["call-sc/snapshot", "call-sc/submittable"];
        "a raw transaction is something else", json_of(CALL, |_, answer| {
            *answer = json!({"job": 17});
        }) => ["call-sc/decodes", "call-sc/sc-address", "call-sc/function-called",
            "call-sc/signers", "call-sc/params", "call-sc/deep-and-large-params", "call-sc/type",
            "call-sc/snapshot", "call-sc/submittable"];
        "a call without a contract is built", as_if_right(CALL,
            |asked, answer| answer.status != StatusCode::OK && !contains(asked, "sc_address"),
            json!({"transaction": {}})) => ["call-sc/body-empty", "call-sc/get-refused", "call-sc/sc-address-required"];
        "a call without a function is built", as_if_right(CALL,
            |asked, answer| answer.status != StatusCode::OK && !contains(asked, "function_called"),
            json!({"transaction": {}}))
            => ["call-sc/body-empty", "call-sc/function-called-required", "call-sc/body-not-json",
                "call-sc/get-refused"];
        "a call without signers is built", as_if_right(CALL,
            |asked, answer| answer.status != StatusCode::OK && !contains(asked, "signers")
                && contains(asked, "params"),
            json!({"transaction": {}})) => ["call-sc/signers-required"];
        "a call without params is built", as_if_right(CALL,
            |asked, answer| answer.status != StatusCode::OK && !contains(asked, "params")
                && contains(asked, "signers"),
            json!({"transaction": {}})) => ["call-sc/params-required"];
        "half a document is taken for a call", as_if_right(CALL,
            |asked, _| asked.method == "POST" && asked.body.len() < 20, json!({"transaction": {}}))
            => ["call-sc/body-empty", "call-sc/body-not-json"];
    }
}

/// Replaces a text in the answers to successful requests for a path.
fn text_of(path: &'static str, from: &'static str, to: &'static str) -> Fault {
    Arc::new(move |asked, answer| {
        if asked.path == path && answer.status == StatusCode::OK {
            let text = String::from_utf8_lossy(&answer.body).replace(from, to);
            answer.with_body(text)
        } else {
            answer
        }
    })
}

/// A redirect.
fn moved(answer: Answer, to: &'static str) -> Answer {
    let mut answer = answer
        .with_status(StatusCode::TEMPORARY_REDIRECT)
        .with_body("");
    answer
        .headers
        .insert(header::LOCATION, HeaderValue::from_static(to));
    answer
}

fn contains(asked: &Asked, part: &str) -> bool {
    String::from_utf8_lossy(&asked.body).contains(part)
}

/// The cases that fail, warn or inform behind a proxy with this fault.
async fn caught(node: &nodeproof_devnode::Handle, fault: Fault) -> Vec<String> {
    let proxy = Proxy::spawn(node.base_url(), fault).await.expect("a proxy");
    let report = check(&proxy.server.base_url(), &Options::default()).await;
    let mut caught: Vec<String> = [Outcome::Fail, Outcome::Warn, Outcome::Info]
        .iter()
        .flat_map(|outcome| ids(&report, *outcome))
        .map(ToOwned::to_owned)
        .collect();
    caught.sort();
    assert!(report.exit_code <= 1, "{:?}", report.reason);
    caught
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_fails_the_cases_about_it_and_no_others() {
    let node = devnode().await;
    let mut wrong = Vec::new();
    for broken in faults() {
        let mut expected: Vec<_> = broken.caught_by.iter().map(ToString::to_string).collect();
        expected.sort();
        let caught = caught(&node, broken.fault).await;
        if caught != expected {
            wrong.push(format!(
                "{}: caught by {caught:?}, not {expected:?}",
                broken.name
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn every_case_is_failed_by_some_fault() {
    let proven: Vec<_> = faults()
        .iter()
        .flat_map(|broken| broken.caught_by)
        .copied()
        .collect();
    let unproven: Vec<_> = cases::all()
        .iter()
        // The others are broken, and proven, with submissions of their own.
        .filter(|case| case.tier == Tier::Read)
        .map(|case| case.id)
        .filter(|id| !proven.contains(id))
        .collect();
    assert!(
        unproven.is_empty(),
        "no fault makes these fail: {unproven:?}"
    );
}

#[test]
fn the_fault_matrix_in_the_docs_is_fresh() {
    let fresh = matrix::keep_fresh(&[("read", matrix::render(&faults()))]);
    assert_eq!(fresh, Ok(()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_node_fails_no_case_at_any_number_of_jobs() {
    let node = devnode().await;
    for jobs in [1, 4, 16].into_iter().cycle().take(60) {
        let mut options = Options::default();
        options.jobs = jobs;
        let report = check(node.base_url(), &options).await;
        assert_eq!(
            ids(&report, Outcome::Pass).len(),
            cases::all()
                .iter()
                .filter(|case| case.tier == Tier::Read)
                .count(),
            "{:?}",
            report.cases
        );
        assert_eq!(report.exit_code, 0);
    }
}

/// Each fault's name, and what it is.
type Variant = (&'static str, Fault);

/// Refusals of a local node, told with status 200.
fn refusals_with_200(body: &'static str) -> Fault {
    Arc::new(move |_, answer| {
        if matches!(answer.status.as_u16(), 400 | 404 | 405 | 422) {
            let mut answer = answer.with_status(StatusCode::OK).with_body(body);
            let json = HeaderValue::from_static("application/json");
            answer.headers.insert(header::CONTENT_TYPE, json);
            answer
        } else {
            answer
        }
    })
}

/// Renames the members of the entries of balance lists.
fn renamed(names: &'static [(&'static str, &'static str)]) -> Fault {
    Arc::new(move |asked, answer| {
        if asked.path != BALANCES || !asks_for(asked, "ALL_") {
            return answer;
        }
        answer.with_json(|answer| {
            entries(answer).for_each(|entry| {
                for (from, to) in names {
                    if let Some(members) = entry.as_object_mut()
                        && let Some(value) = members.shift_remove(*from)
                    {
                        members.insert((*to).to_owned(), value);
                    }
                }
            });
        })
    })
}

/// An object with its members sorted.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut names: Vec<_> = members.keys().collect();
            names.sort();
            let member = |name: &String| (name.clone(), sorted(&members[name]));
            Value::Object(names.into_iter().map(member).collect())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

/// Refuses calls whose body this is true of.
fn builds_unless(refused: fn(&str) -> bool) -> Fault {
    Arc::new(move |asked, answer| {
        let body = String::from_utf8_lossy(&asked.body);
        if asked.path == CALL && asked.method == "POST" && refused(&body) {
            answer
                .with_status(StatusCode::UNPROCESSABLE_ENTITY)
                .with_body(r#"{"detail":"more than is built"}"#)
        } else {
            answer
        }
    })
}

/// With every third question for balances a block is made, in which one wallet pays another.
fn balances_that_move() -> Fault {
    const ALICE: &str = "0x030447bb3f8cd2c001c88cb160464493881e085a";
    const BOB: &str = "0x38285bb39a5a310136f59be7b20ed056ea9c1d67";
    let questions = std::sync::atomic::AtomicU64::new(0);
    let twelfth = std::sync::OnceLock::new();
    Arc::new(move |asked, answer| {
        use std::sync::atomic::Ordering::SeqCst;
        if asked.path == BLOCK {
            let index: u64 = asked.query.replace("block_index=", "").parse().unwrap_or(0);
            if index == 12 {
                twelfth.get_or_init(|| answer.body.clone());
            }
            let made = 13..=12 + questions.load(SeqCst) / 3;
            return match twelfth.get() {
                Some(body) if made.contains(&index) => answer
                    .with_status(StatusCode::OK)
                    .with_body(body.clone())
                    .with_json(|block| block["index"] = json!(index)),
                _ => answer,
            };
        }
        if asked.path != BALANCES || answer.status != StatusCode::OK {
            return answer;
        }
        let paid = (questions.fetch_add(1, SeqCst) + 1) / 3;
        answer.with_json(|answer| {
            let of = |wallet: &str, held: &mut Value| {
                if let Some(had) = held.as_u64() {
                    match wallet {
                        ALICE => *held = json!(had - paid),
                        BOB => *held = json!(had + paid),
                        _ => {}
                    }
                }
            };
            let alone = [ALICE, BOB]
                .into_iter()
                .find(|wallet| asks_for(asked, wallet));
            if let (Some(wallet), true) = (alone, answer["balance"] != 0) {
                of(wallet, &mut answer["balance"]);
            }
            entries(answer).for_each(|entry| {
                let wallet = entry["wallet"]
                    .as_str()
                    .or(alone)
                    .unwrap_or_default()
                    .to_owned();
                of(&wallet, &mut entry["balance"]);
            });
        })
    })
}

/// Says that it is busy to what is more than so many requests in a tenth of a second.
fn bounded_rate(most: usize) -> Fault {
    let answered = std::sync::Mutex::new(Vec::<std::time::Instant>::new());
    Arc::new(move |_, answer| {
        let mut answered = answered
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        answered.retain(|at| at.elapsed().as_millis() < 100);
        if answered.len() >= most {
            return answer
                .with_status(StatusCode::TOO_MANY_REQUESTS)
                .with_body(r#"{"error":"Rate limit exceeded"}"#);
        }
        answered.push(std::time::Instant::now());
        answer
    })
}

/// What a node may do that keeps the contract, though a local node does it otherwise.
fn left_open() -> Vec<Variant> {
    vec![
        (
            "holders are wallet_address",
            renamed(&[("wallet", "wallet_address")]),
        ),
        (
            "entries of lists have other names",
            renamed(&[
                ("wallet", "address"),
                ("token_code", "token"),
                ("balance", "amount"),
            ]),
        ),
        (
            "receipts' data is sorted",
            json_of(BLOCK, |_, block| {
                receipts(block)
                    .iter_mut()
                    .for_each(|r| r["data"] = sorted(&r["data"]));
            }),
        ),
        (
            "blocks are sorted",
            json_of(BLOCK, |_, block| {
                let transactions = block["text"]["transactions"].take();
                *block = sorted(block);
                block["text"]["transactions"] = transactions;
            }),
        ),
        (
            "refusals have a detail",
            refusals_with_200(r#"{"detail":"no"}"#),
        ),
        (
            "refusals are a failure",
            refusals_with_200(r#"{"status":"FAILURE","message":"no"}"#),
        ),
        (
            "long remarks are not taken",
            builds_unless(|body| body.contains("long long long")),
        ),
        (
            "long calls are not taken",
            builds_unless(|body| body.len() > 1024),
        ),
        (
            "one wallet signs",
            builds_unless(|body| {
                let call: Value = serde_json::from_str(body).unwrap_or_default();
                call["signers"]
                    .as_array()
                    .is_some_and(|signers| signers.len() > 1)
            }),
        ),
        (
            "a record is an object",
            json_of(STATE, |_, answer| {
                rows_of(answer, |row| {
                    json!([{"address": row[0], "asset_id": row[1], "asset_type": row[2],
                        "verifier_address": row[3], "outcome": row[4],
                        "doc_hash_list": row[5], "doc_link_list": row[6], "remarks": row[7],
                        "deletable_after": row[8]}])
                });
            }),
        ),
        (
            "state is JSON text",
            json_of(STATE, |_, answer| {
                for name in ["value", "data"] {
                    answer[name] = json!(answer[name].to_string());
                }
            }),
        ),
        ("balances move", balances_that_move()),
        ("answers say how long they took", members_that_vary()),
        ("few requests are taken in a second", bounded_rate(2)),
    ]
}

/// Each answer says something about itself, which nobody describes.
fn members_that_vary() -> Fault {
    let count = AtomicU64::new(0);
    Arc::new(move |asked, answer| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        if asked.method != "GET" || answer.status != StatusCode::OK || asked.path == "/docs" {
            return answer;
        }
        answer.with_json(|value| {
            if let Some(members) = value.as_object_mut() {
                members.insert("took_us".to_owned(), json!(number));
                members.insert("request_id".to_owned(), json!(format!("r-{number}")));
            }
        })
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_contract_leaves_open_is_no_departure() {
    let node = devnode().await;
    let mut wrong = Vec::new();
    for (name, fault) in left_open() {
        let caught = caught(&node, fault).await;
        if !caught.is_empty() {
            wrong.push(format!("{name}: {caught:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Of a chain that is not read as a whole, what is missing is read before a record is said to be wrong.
#[tokio::test(flavor = "multi_thread")]
async fn a_record_is_held_against_a_claim_far_below_the_newest_block() {
    let mut config = Config::new(Network::Devnet);
    config.port = Some(0);
    config.block_time = BlockTime::Manual;
    config.blocks = 40;
    let node = nodeproof_devnode::spawn(config)
        .await
        .expect("a local node");
    let right: Fault = Arc::new(|_, answer| answer);
    assert_eq!(caught(&node, right).await, [""; 0]);
    let wrong = json_of(STATE, |_, answer| {
        rows_of(answer, |mut row| {
            set(&mut row, "/7", json!("Weighed"));
            row
        });
    });
    assert_eq!(
        caught(&node, wrong).await,
        ["sc-state/record-matches-claim"]
    );
}

/// Six calls, and twelve requests for each: what a node that everybody uses is asked.
#[tokio::test]
async fn reading_takes_no_more_than_twelve_requests_a_call() {
    let node = devnode().await;
    let proxy = Proxy::honest(node.base_url()).await.expect("a proxy");
    let report = check(&proxy.server.base_url(), &Options::default()).await;
    assert_eq!(report.exit_code, 0);
    let asked = proxy.asked();
    let all: Vec<_> = asked
        .iter()
        .map(|a| format!("{} {}?{}", a.method, a.path, a.query))
        .collect();
    assert!(all.len() <= 72, "{}:\n{}", all.len(), all.join("\n"));
}

/// What is more than is read is neither a departure nor a good answer.
#[tokio::test(flavor = "multi_thread")]
async fn blocks_that_are_more_than_is_read_leave_no_verdict() {
    let node = devnode().await;
    let deep = answer_of(BLOCK, |_, answer| {
        let nested = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let text = String::from_utf8_lossy(&answer.body).replacen('{', "{\"x\":NESTED,", 1);
        answer.with_body(text.replace("NESTED", &nested))
    });
    let many = answer_of(BLOCK, |_, answer| {
        let text = String::from_utf8_lossy(&answer.body).replacen('{', "{\"x\":[MANY0],", 1);
        answer.with_body(text.replace("MANY", &"0,".repeat(600_000)))
    });
    for fault in [deep, many] {
        let proxy = Proxy::spawn(node.base_url(), fault).await.expect("a proxy");
        let report = check(&proxy.server.base_url(), &Options::default()).await;
        assert_eq!(report.exit_code, 3, "{:?}", report.reason);
        assert_eq!(ids(&report, Outcome::Fail), [""; 0]);
        assert!(
            report
                .reason
                .is_some_and(|reason| reason.contains("more than is read"))
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listing_may_move_within_the_node_and_be_made_of_its_document() {
    let node = devnode().await;
    for place in ["/docs/", "docs/", "/docs/?from=docs"] {
        let fault: Fault = Arc::new(move |asked, answer| match asked.path.as_str() {
            "/docs" => moved(answer, place),
            "/docs/" => {
                let mut answer = answer.with_body(SWAGGER);
                let page = HeaderValue::from_static("application/xhtml+xml");
                answer.headers.insert(header::CONTENT_TYPE, page);
                answer
            }
            _ => answer,
        });
        assert_eq!(caught(&node, fault).await, [""; 0], "{place}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_only_scripts_show_is_no_departure() {
    let node = devnode().await;
    for page in [
        "<html><script src='app.js'></script></html>",
        "<html><script>show({ url: '/v2/swagger.json' })</script></html>",
    ] {
        let fault: Fault = Arc::new(move |asked, answer| match asked.path.as_str() {
            "/docs" => answer.with_body(page),
            DOCUMENT => answer.with_status(StatusCode::NOT_FOUND),
            _ => answer,
        });
        let proxy = Proxy::spawn(node.base_url(), fault).await.expect("a proxy");
        let report = check(&proxy.server.base_url(), &Options::default()).await;
        assert_eq!(
            ids(&report, Outcome::Inconclusive),
            ["docs/lists-calls", "docs/openapi-document"]
        );
    }
}
