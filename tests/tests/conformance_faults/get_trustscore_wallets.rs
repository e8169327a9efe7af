//! `GET /get-trustscore-wallets`: the trust of one wallet in another.

use std::{collections::BTreeMap, sync::Arc};

use axum::http::StatusCode;
use integration_tests::{
    faults::{SeededFault, change_json, change_response, respond_successfully_if, stateful},
    proxy::{Fault, RecordedRequest, Response},
    seeded_faults,
};
use serde_json::json;

use crate::blocks::BLOCK;

pub(crate) const TRUST: &str = "/get-trustscore-wallets";

pub(crate) fn faults() -> Vec<SeededFault> {
    seeded_faults! {
        "returns a score for unknown wallets", respond_successfully_if(TRUST,
            |request, _| asks_for(request, "0xfefe"), json!({"status": "SUCCESS", "trust_score": 7}))
            => ["get-trustscore-wallets/unknown-pair"];
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
