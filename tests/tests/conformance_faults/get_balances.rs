//! `GET /get-balances`: one balance, and lists of balances.

use axum::http::StatusCode;
use integration_tests::{
    broken,
    faults::{Broken, Dice, FirstResponse, as_if_right, behaving, json_of, response_of, set},
};
use serde_json::{Value, json};

use crate::{
    balances::{BALANCES, asks_for, entries},
    facts::Facts,
};

#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn faults(facts: &Facts) -> Vec<Broken> {
    broken! {
        "a list has an entry twice", json_of(BALANCES, |asked, response| {
            if asks_for(asked, "ALL_") && let Some(list) = response["balance"].as_array_mut() {
                list.extend(list.first().cloned());
            }
        }) => ["get-balances/lists-agree"];
        "an unknown wallet holds another's tokens", response_of(BALANCES, {
            let tokens = json!({"balance": [{"token_code": facts.token, "balance": 5}]}).to_string();
            move |asked, response| {
                if asks_for(asked, "ALL_TOKENS") && asks_for(asked, "0xffff") {
                    response.with_body(tokens.clone())
                } else { response }
            }
        }) => ["get-balances/nothing-held"];
        "a token that does not exist has another's holders", response_of(BALANCES, |asked, response| {
            if asks_for(asked, "ALL_WALLETS") && asks_for(asked, "NO-SUCH") {
                response.with_body(format!(r#"{{"balance":[{{"wallet":"0x{}","balance":5}}]}}"#,
                    "ab".repeat(20)))
            } else { response }
        }) => ["get-balances/nothing-held"];
        "a list of holders names another token", json_of(BALANCES, |asked, response| {
            if asks_for(asked, "ALL_WALLETS") {
                entries(response).for_each(|entry| set(entry, "/token_code", json!("OTHER")));
            }
        }) => ["get-balances/lists-agree"];
        "a list of holders lacks one that has no list of its own", json_of(BALANCES, {
            let carol = facts.carol.clone();
            move |asked, response| if asks_for(asked, "ALL_WALLETS")
                && let Some(list) = response["balance"].as_array_mut() {
                list.retain(|entry| entry["wallet"] != carol);
            }
        }) => ["get-balances/lists-agree"];
        "a list of holders is cut short", json_of(BALANCES, |asked, response| {
            if asks_for(asked, "ALL_WALLETS") && let Some(list) = response["balance"].as_array_mut() {
                list.truncate(3);
            }
        }) => ["get-balances/lists-agree"];
        "a list of tokens lacks the last", json_of(BALANCES, |asked, response| {
            if asks_for(asked, "ALL_TOKENS") && let Some(list) = response["balance"].as_array_mut() {
                list.pop();
            }
        }) => ["get-balances/lists-agree"];
        "the lists are empty", json_of(BALANCES, |asked, response| if asks_for(asked, "ALL_WALLETS") {
            response["balance"] = json!([]);
        }) => ["get-balances/lists-agree"];
        "the lists of all wallets are one wallet's", behaving(FirstResponse::new(|asked|
            asked.path == BALANCES && asks_for(asked, "ALL_TOKENS")))
            => ["get-balances/lists-agree", "get-balances/nothing-held"];
        "balance and value differ", json_of(BALANCES, |asked, response| {
            if asks_for(asked, "balance_type=TOKEN_IN_WALLET") { response["value"] = json!(-1); }
        }) => ["get-balances/balance", "get-balances/decodes"];
        "a balance comes with a failure", json_of(BALANCES, |asked, response| {
            if asks_for(asked, "balance_type=TOKEN_IN_WALLET") { response["status"] = json!("FAILURE"); }
        }) => ["get-balances/decodes"];
        "what is not a wallet is answered", as_if_right(BALANCES,
            |asked, _| asks_for(asked, "wallet_address=0x5a"), json!({"balance": 5}))
            => ["get-balances/wallet-address-malformed"];
        "a balance comes with a list thrown with dice",
            behaving(Dice::new(BALANCES, "entries", |n| json!([n]))) => ["get-balances/repeat-read"];
        "an unknown token is held", json_of(BALANCES, |asked, response| {
            if asks_for(asked, "NO-SUCH-TOKEN") { response["balance"] = json!(5); }
        }) => ["get-balances/nothing-held"];
        "a balance is text", json_of(BALANCES, |asked, response| if asks_for(asked, "TOKEN_IN_WALLET")
            && response["balance"].is_number() {
            response["balance"] = json!(response["balance"].to_string());
        }) => ["get-balances/balance", "get-balances/decodes", "get-balances/nothing-held",
            "get-balances/snapshot"];
        "a balance is rounded as a float is", json_of(BALANCES, |asked, response| {
            if asks_for(asked, "TOKEN_IN_WALLET") && let Some(exact) = response["balance"].as_u64() {
                #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation,
                    clippy::cast_sign_loss, reason = "the loss is the fault")]
                let rounded = exact as f64 as u64;
                response["balance"] = json!(rounded);
            }
        }) => ["get-balances/wallet-address"];
        "one balance of one wallet is not answered", response_of(BALANCES, |asked, response| {
            if asks_for(asked, "balance_type=TOKEN_IN_WALLET") {
                response.with_status(StatusCode::INTERNAL_SERVER_ERROR)
            } else { response }
        }) => ["get-balances/token-in-wallet"];
        "nothing held is null", json_of(BALANCES, |asked, response| {
            if asks_for(asked, "TOKEN_IN_WALLET") && response["balance"] == 0 {
                response["balance"] = Value::Null;
            }
        }) => ["get-balances/nothing-held"];
        "every wallet has the same balance", json_of(BALANCES, |asked, response| {
            if asks_for(asked, "balance_type=TOKEN_IN_WALLET") { response["balance"] = json!(77); }
        }) => ["get-balances/nothing-held", "get-balances/token-code",
            "get-balances/wallet-address"];
        "the list of a wallet is not answered", response_of(BALANCES, |asked, response| {
            if asks_for(asked, "ALL_TOKENS_IN_WALLET") {
                response.with_status(StatusCode::INTERNAL_SERVER_ERROR)
            } else { response }
        }) => ["get-balances/all-tokens-in-wallet"];
        "the list of holders is not an object", json_of(BALANCES, |asked, response| {
            if asks_for(asked, "ALL_WALLETS_FOR_TOKEN") { *response = response["balance"].take(); }
        }) => ["get-balances/all-wallets-for-token"];
        "the lists carry nothing", json_of(BALANCES, |asked, response| if asks_for(asked, "ALL_") {
            *response = json!({"status": "SUCCESS"});
        }) => ["get-balances/lists-carry-balances"];
        "no kind of balance is asked for, and one is answered", as_if_right(BALANCES,
            |asked, _| !asks_for(asked, "balance_type"), json!({"balance": 1}))
            => ["get-balances/balance-type-required"];
        "an unknown kind of balance is answered", as_if_right(BALANCES,
            |asked, _| asks_for(asked, "EVERYTHING"), json!({"balance": 1}))
            => ["get-balances/balance-type-unknown"];
    }
}
