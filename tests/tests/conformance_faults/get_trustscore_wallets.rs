//! `GET /get-trustscore-wallets`: the trust of one wallet in another.

use integration_tests::{
    broken,
    faults::{Broken, Dice, as_if_right, behaving, json_of, remove, response_of},
    proxy::Asked,
};
use serde_json::json;

const TRUST: &str = "/get-trustscore-wallets";

pub(crate) fn faults() -> Vec<Broken> {
    broken! {
        "wallets that nobody has trust each other", as_if_right(TRUST,
            |asked, _| asks_for(asked, "0xfefe"), json!({"status": "SUCCESS", "trust_score": 7}))
            => ["get-trustscore-wallets/unknown-pair"];
        "a score is thrown with dice", behaving(Dice::new(TRUST, "trust_score", |n| json!(100 + n)))
            => ["get-trustscore-wallets/repeat-read"];
        "a score is text", json_of(TRUST, |_, response| response["trust_score"] = json!("1"))
            => ["get-trustscore-wallets/trust-score", "get-trustscore-wallets/decodes",
                "get-trustscore-wallets/snapshot"];
        "a score has no status", json_of(TRUST, |_, response| remove(response, "", "status"))
            => ["get-trustscore-wallets/status", "get-trustscore-wallets/snapshot"];
        "a score comes with a failure", json_of(TRUST, |_, a| a["status"] = json!("FAILURE"))
            => ["get-trustscore-wallets/status-success"];
        "scores break off", response_of(TRUST, |_, response| {
            let half = response.body.slice(..response.body.len() / 2);
            response.with_body(half)
        }) => ["get-trustscore-wallets/responds"];
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
    }
}

fn asks_for(asked: &Asked, text: &str) -> bool {
    asked.query.contains(text)
}
