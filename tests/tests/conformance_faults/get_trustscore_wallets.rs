//! `GET /get-trustscore-wallets`: the trust of one wallet in another.

use integration_tests::{
    faults::{
        ChangingValue, SeededFault, change_json, change_response, remove, respond_successfully_if,
        stateful,
    },
    proxy::RecordedRequest,
    seeded_faults,
};
use serde_json::json;

const TRUST: &str = "/get-trustscore-wallets";

pub(crate) fn faults() -> Vec<SeededFault> {
    seeded_faults! {
        "returns a score for unknown wallets", respond_successfully_if(TRUST,
            |request, _| asks_for(request, "0xfefe"), json!({"status": "SUCCESS", "trust_score": 7}))
            => ["get-trustscore-wallets/unknown-pair"];
        "a score changes with every request", stateful(ChangingValue::new(TRUST, "trust_score", |n| json!(100 + n)))
            => ["get-trustscore-wallets/repeat-read"];
        "a score is a string", change_json(TRUST, |_, response| response["trust_score"] = json!("1"))
            => ["get-trustscore-wallets/trust-score", "get-trustscore-wallets/decodes",
                "get-trustscore-wallets/snapshot"];
        "a score has no status", change_json(TRUST, |_, response| remove(response, "", "status"))
            => ["get-trustscore-wallets/status", "get-trustscore-wallets/snapshot"];
        "a score is returned with status FAILURE", change_json(TRUST, |_, a| a["status"] = json!("FAILURE"))
            => ["get-trustscore-wallets/status-success"];
        "responses are truncated halfway through the JSON", change_response(TRUST, |_, response| {
            let half = response.body.slice(..response.body.len() / 2);
            response.with_body(half)
        }) => ["get-trustscore-wallets/responds"];
        "returns a score for a request without a source", respond_successfully_if(TRUST,
            |request, _| !asks_for(request, "src_"), json!({"status": "SUCCESS", "trust_score": 1}))
            => ["get-trustscore-wallets/src-required"];
        "returns 0 for a request without a source", respond_successfully_if(TRUST,
            |request, _| !asks_for(request, "src_"), json!({"status": "SUCCESS", "trust_score": 0}))
            => ["http/missing-parameter"];
        "returns a score for a request without a destination", respond_successfully_if(TRUST,
            |request, _| !asks_for(request, "dst_"), json!({"status": "SUCCESS", "trust_score": 1}))
            => ["get-trustscore-wallets/dst-required"];
        "returns a score for a malformed source", respond_successfully_if(TRUST,
            |request, _| asks_for(request, "src_wallet_address=0x5a&")
                || request.query.ends_with("src_wallet_address=0x5a"),
            json!({"status": "SUCCESS", "trust_score": 1}))
            => ["get-trustscore-wallets/src-malformed"];
        "returns a score for a malformed destination", respond_successfully_if(TRUST,
            |request, _| asks_for(request, "dst_wallet_address=0x5a&")
                || request.query.ends_with("dst_wallet_address=0x5a"),
            json!({"status": "SUCCESS", "trust_score": 1}))
            => ["get-trustscore-wallets/dst-malformed"];
    }
}

fn asks_for(request: &RecordedRequest, text: &str) -> bool {
    request.query.contains(text)
}
