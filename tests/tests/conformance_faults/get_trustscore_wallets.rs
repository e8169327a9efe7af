//! `GET /get-trustscore-wallets`: the trust of one wallet in another.

use std::{collections::BTreeMap, sync::Arc};

use axum::http::StatusCode;
use integration_tests::{
    faults::{SeededFault, change_json, change_response, respond_successfully_if, stateful},
    proxy::{Fault, RecordedRequest, Response},
    seeded_faults,
};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use crate::{blocks::BLOCK, facts::Facts};

pub(crate) const TRUST: &str = "/get-trustscore-wallets";

pub(crate) fn faults(facts: &Facts) -> Vec<SeededFault> {
    seeded_faults! {
        "returns a score for unknown wallets", respond_successfully_if(TRUST,
            |request, _| asks_for(request, "0xfefe"), json!({"status": "SUCCESS", "trust_score": 7}))
            => ["get-trustscore-wallets/unknown-pair"];
        "a score has one key for both directions", with_updates(facts, |_| Some(3))
            => ["chain/block-hashes", "get-trustscore-wallets/repeat-read"];
        "a score of 0 is not found", with_updates(facts, |score| (score != 0).then_some(score))
            => ["chain/block-hashes", "get-trustscore-wallets/repeat-read"];
        "a score is returned with status FAILURE", change_json(TRUST, |_, a| a["status"] = json!("FAILURE"))
            => ["get-trustscore-wallets/status-success"];
        "a cache keeps one score for each source", stateful(BTreeMap::new(), |scores: &mut BTreeMap<String, Response>, request, response| {
            let source = |part: &&str| part.starts_with("src_wallet_address=");
            let source = request.query.split('&').find(source).unwrap_or_default().to_owned();
            if request.path != TRUST || !request.query.contains("dst_") { return response }
            match response.status {
                StatusCode::OK => { scores.insert(source, response.clone()); response }
                _ => scores.get(&source).cloned().unwrap_or(response),
            }
        }) => ["get-trustscore-wallets/wallet-malformed", "get-trustscore-wallets/repeat-read"];
        "responses are truncated halfway through the JSON", change_response(TRUST, |_, response| {
            let half = response.body.slice(..response.body.len() / 2);
            response.with_body(half)
        }) => ["get-trustscore-wallets/responds"];
        "the endpoint is missing, and the chain has one wallet", without_endpoint_and_other_wallets()
            => ["get-trustscore-wallets/responds"];
        "returns a score for a request without a source", respond_successfully_if(TRUST,
            |request, _| !asks_for(request, "src_"), json!({"status": "SUCCESS", "trust_score": 1}))
            => ["get-trustscore-wallets/near"];
        "returns 0 for a request without a source", respond_successfully_if(TRUST,
            |request, _| !asks_for(request, "src_"), json!({"status": "SUCCESS", "trust_score": 0}))
            => ["http/missing-parameter"];
        "returns a score for a request without a destination", respond_successfully_if(TRUST,
            |request, _| !asks_for(request, "dst_"), json!({"status": "SUCCESS", "trust_score": 1}))
            => ["get-trustscore-wallets/near"];
        "returns a score for a malformed source", respond_successfully_if(TRUST,
            |request, _| asks_for(request, "src_wallet_address=0x5a&")
                || request.query.ends_with("src_wallet_address=0x5a"),
            json!({"status": "SUCCESS", "trust_score": 1}))
            => ["get-trustscore-wallets/wallet-malformed"];
        "returns a score for a malformed destination", respond_successfully_if(TRUST,
            |request, _| asks_for(request, "dst_wallet_address=0x5a&")
                || request.query.ends_with("dst_wallet_address=0x5a"),
            json!({"status": "SUCCESS", "trust_score": 1}))
            => ["get-trustscore-wallets/wallet-malformed"];
    }
}

/// Removes the endpoint, and all wallets but one from the blocks.
fn without_endpoint_and_other_wallets() -> Fault {
    let no_endpoint = change_response(TRUST, |_, response| {
        let body = json!({"detail": "Not Found"}).to_string();
        response.with_status(StatusCode::NOT_FOUND).with_body(body)
    });
    let one_wallet = change_json(BLOCK, |_, block| {
        let wallet = format!("0x{}", "5a".repeat(20));
        block["creator_wallet"] = json!(wallet);
        block["expected_miner"] = json!(wallet);
        block["committee"] = json!([wallet]);
        block["text"] = json!({"transactions": [], "previous_block_receipts": []});
    });
    Arc::new(move |request, response| one_wallet(request, no_endpoint(request, response)))
}

fn asks_for(request: &RecordedRequest, text: &str) -> bool {
    request.query.contains(text)
}

/// Lists updates of scores between two wallets in a block: 0 in one direction, and 3 in the other one. The scores are what
/// is made of them.
pub(crate) fn with_updates(
    facts: &Facts,
    shown: impl Fn(i64) -> Option<i64> + Send + Sync + 'static,
) -> Fault {
    let (alice, bob) = (facts.alice.clone(), facts.bob.clone());
    Arc::new(move |request: &RecordedRequest, response: Response| {
        if request.path == BLOCK && response.status == StatusCode::OK {
            return response.with_json(|block| {
                let is_it = block["index"] == 2;
                if let Some(Value::Array(list)) = block.pointer_mut("/text/transactions")
                    && is_it
                {
                    list.extend([update(&alice, &bob, 0), update(&bob, &alice, 3)]);
                }
            });
        }
        let query = percent_decode_str(&request.query).decode_utf8_lossy();
        let from_to = |from: &str, to: &str| {
            query.contains(&format!("src_wallet_address={from}"))
                && query.contains(&format!("dst_wallet_address={to}"))
        };
        let score = match (
            request.path == TRUST,
            from_to(&alice, &bob),
            from_to(&bob, &alice),
        ) {
            (true, true, _) => 0,
            (true, _, true) => 3,
            _ => return response,
        };
        match shown(score) {
            Some(score) => {
                response.with_body(format!(r#"{{"status":"SUCCESS","trust_score":{score}}}"#))
            }
            None => response
                .with_status(StatusCode::BAD_REQUEST)
                .with_body(r#"{"detail":"Trust score not available"}"#),
        }
    })
}

fn update(from: &str, to: &str, score: i64) -> Value {
    let data = json!({"address1": from, "address2": to, "new_score": score});
    let signature = json!({"wallet_address": from, "msgsign": "5a".repeat(64)});
    json!({
        "transaction": {
            "timestamp": 1_767_225_601_000_i64, "trans_code": format!("{:0>40}", score), "type": 6, "currency": "DEVN", "fee": 0,
            "descr": "", "valid": 1, "specific_data": data,
        },
        "signatures": [signature],
    })
}
