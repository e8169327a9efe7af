//! `GET /get-balances`: one balance, and lists of balances.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use integration_tests::{
    faults::{
        SeededFault, change_json, change_response, changing_value, first_response,
        respond_successfully_if, set, stateful,
    },
    seeded_faults,
};
use serde_json::{Value, json};

use crate::{
    balances::{BALANCES, asks_for, entries},
    facts::Facts,
};

#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn faults(facts: &Facts) -> Vec<SeededFault> {
    seeded_faults! {
        "a wallet that does not exist holds the first amount of a faucet", change_response(BALANCES, |request, response| {
            let is_unknown = request.query.contains(&"f".repeat(40)) && request.query.contains("TOKEN_IN_WALLET");
            match is_unknown && response.body == "{\"balance\":0}" {
                true => response.with_body("{\"balance\":1000}"),
                false => response,
            }
        }) => ["get-balances/nothing-held"];
        "a list contains an entry twice", change_json(BALANCES, |request, response| {
            if asks_for(request, "ALL_") && let Some(list) = response["balance"].as_array_mut() {
                list.extend(list.first().cloned());
            }
        }) => ["get-balances/agree"];
        "returns tokens for an unknown wallet", change_response(BALANCES, {
            let tokens = json!({"balance": [{"token_code": facts.token, "balance": 5}]}).to_string();
            move |request, response| {
                if asks_for(request, "ALL_TOKENS") && asks_for(request, "0xffff") {
                    response.with_body(tokens.clone())
                } else { response }
            }
        }) => ["get-balances/nothing-held"];
        "returns holders for an unknown token", change_response(BALANCES, |request, response| {
            if asks_for(request, "ALL_WALLETS") && asks_for(request, "NO-SUCH") {
                response.with_body(format!(r#"{{"balance":[{{"wallet":"0x{}","balance":5}}]}}"#,
                    "ab".repeat(20)))
            } else { response }
        }) => ["get-balances/nothing-held"];
        "entries in a list of holders name another token", change_json(BALANCES, |request, response| {
            if asks_for(request, "ALL_WALLETS") {
                entries(response).for_each(|entry| set(entry, "/token_code", json!("OTHER")));
            }
        }) => ["get-balances/agree"];
        "a list of holders omits a wallet whose own list is not requested", change_json(BALANCES, {
            let carol = facts.carol.clone();
            move |request, response| if asks_for(request, "ALL_WALLETS")
                && let Some(list) = response["balance"].as_array_mut() {
                list.retain(|entry| entry["wallet"] != carol);
            }
        }) => ["get-balances/agree"];
        "a list of holders is truncated", change_json(BALANCES, |request, response| {
            if asks_for(request, "ALL_WALLETS") && let Some(list) = response["balance"].as_array_mut() {
                list.truncate(3);
            }
        }) => ["get-balances/agree"];
        "a list of tokens omits its last entry", change_json(BALANCES, |request, response| {
            if asks_for(request, "ALL_TOKENS") && let Some(list) = response["balance"].as_array_mut() {
                list.pop();
            }
        }) => ["get-balances/agree"];
        "a list of tokens has only the token that the request names", change_json(BALANCES, |request, response| {
            let named = request.query.split('&').find_map(|part| part.strip_prefix("token_code="));
            if let (true, Some(named)) = (asks_for(request, "ALL_TOKENS"), named)
                && let Some(list) = response["balance"].as_array_mut()
            {
                list.retain(|entry| entry["token_code"] == named);
            }
        }) => ["http/equal-queries"];
        "lists of holders are empty", change_json(BALANCES, |request, response| if asks_for(request, "ALL_WALLETS") {
            response["balance"] = json!([]);
        }) => ["get-balances/agree"];
        "every wallet gets the token list of the first requested wallet", first_response(|request|
            request.path == BALANCES && asks_for(request, "ALL_TOKENS"))
            => ["get-balances/agree", "get-balances/nothing-held"];
        "balance and value differ", change_json(BALANCES, |request, response| {
            if asks_for(request, "balance_type=TOKEN_IN_WALLET") { response["value"] = json!(-1); }
        }) => ["get-balances/balance", "http/equal-queries"];
        "a balance is returned with status FAILURE", change_json(BALANCES, |request, response| {
            if asks_for(request, "balance_type=TOKEN_IN_WALLET") { response["status"] = json!("FAILURE"); }
        }) => ["get-balances/balance"];
        "returns a balance for a malformed wallet address", respond_successfully_if(BALANCES,
            |request, _| asks_for(request, "wallet_address=0x5a"), json!({"balance": 5}))
            => ["get-balances/wallet-address-malformed"];
        "an undocumented list in balance responses changes with every request",
            changing_value(BALANCES, "entries", |n| json!([n])) => ["get-balances/repeat-read"];
        "an unknown token has a balance", change_json(BALANCES, |request, response| {
            if asks_for(request, "NO-SUCH-TOKEN") { response["balance"] = json!(5); }
        }) => ["get-balances/nothing-held"];
        "a balance is rounded to a 64-bit float", change_json(BALANCES, |request, response| {
            if asks_for(request, "TOKEN_IN_WALLET") && let Some(exact) = response["balance"].as_u64() {
                #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation,
                    clippy::cast_sign_loss, reason = "the loss is the fault")]
                let rounded = exact as f64 as u64;
                response["balance"] = json!(rounded);
            }
        }) => ["get-balances/agree"];
        "one of several wallets has a wrong balance", change_json(BALANCES, {
            let carol = facts.carol.clone();
            move |request, response| {
                let single = asks_for(request, "TOKEN_IN_WALLET") && asks_for(request, &carol);
                if single && let Some(exact) = response["balance"].as_u64() {
                    response["balance"] = json!(exact + 1);
                }
            }
        }) => ["get-balances/agree"];
        "a request for a single balance returns status 500", change_response(BALANCES, |request, response| {
            if asks_for(request, "balance_type=TOKEN_IN_WALLET") {
                response.with_status(StatusCode::INTERNAL_SERVER_ERROR)
            } else { response }
        }) => ["get-balances/token-in-wallet"];
        "the balance of an unknown token is NaN", change_response(BALANCES, |request, response| {
            if asks_for(request, "token_code=NO-SUCH-TOKEN") {
                response.with_body(r#"{"balance": NaN}"#)
            } else { response }
        }) => ["http/json"];
        "something follows the balance of an unknown token", change_response(BALANCES, |request, response| {
            if asks_for(request, "token_code=NO-SUCH-TOKEN") {
                response.with_body(r#"{"balance": 0} {"balance": 0}"#)
            } else { response }
        }) => ["http/json"];
        "each wallet's first balance is 0", stateful(BTreeSet::new(), |known, request, response| {
            let is_first = asks_for(request, "TOKEN_IN_WALLET") && known.insert(request.query.clone());
            if is_first { response.with_json(|balance| balance["balance"] = json!(0)) } else { response }
        }) => ["get-balances/agree"];
        "a zero balance is null", change_json(BALANCES, |request, response| {
            if asks_for(request, "TOKEN_IN_WALLET") && response["balance"] == 0 {
                response["balance"] = Value::Null;
            }
        }) => ["get-balances/nothing-held"];
        "a request for a wallet's tokens returns status 500", change_response(BALANCES, |request, response| {
            if asks_for(request, "ALL_TOKENS_IN_WALLET") {
                response.with_status(StatusCode::INTERNAL_SERVER_ERROR)
            } else { response }
        }) => ["get-balances/all-tokens-in-wallet"];
        "a list of holders is a bare array", change_json(BALANCES, |request, response| {
            if asks_for(request, "ALL_WALLETS_FOR_TOKEN") { *response = response["balance"].take(); }
        }) => ["get-balances/all-wallets-for-token"];
        "balances in lists are strings", change_json(BALANCES, |request, response| {
            if asks_for(request, "ALL_") {
                entries(response).for_each(|entry| {
                    let amount = entry["balance"].to_string();
                    set(entry, "/balance", json!(amount));
                });
            }
        }) => ["get-balances/list-amounts"];
        "list responses contain only a status", change_json(BALANCES, |request, response| if asks_for(request, "ALL_") {
            *response = json!({"status": "SUCCESS"});
        }) => ["get-balances/agree", "get-balances/lists-carry-balances"];
        "a list of holders names no wallet", change_json(BALANCES, |_, response| {
            entries(response).for_each(|entry| {
                entry.as_object_mut().map(|entry| entry.remove("wallet"));
            });
        }) => ["get-balances/agree"];
        "a list of tokens has amounts alone", change_json(BALANCES, |request, response| if asks_for(request, "ALL_TOKENS") {
            let amounts: Vec<_> = entries(response).map(|entry| entry["balance"].take()).collect();
            response["balance"] = json!(amounts);
        }) => ["get-balances/agree"];
        "returns a balance for a request without balance_type", respond_successfully_if(BALANCES,
            |request, _| !asks_for(request, "balance_type"), json!({"balance": 1}))
            => ["get-balances/near"];
        "returns a balance for an unknown balance_type", respond_successfully_if(BALANCES,
            |request, _| asks_for(request, "EVERYTHING"), json!({"balance": 1}))
            => ["get-balances/balance-type-unknown"];
    }
}
