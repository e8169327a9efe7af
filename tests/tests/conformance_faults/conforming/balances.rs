//! Balances and their lists.

use integration_tests::{
    broken,
    faults::{Broken, behaving, json_of, response_of},
    proxy::{Asked, Fault, Response},
};
use serde_json::{Value, json};

use super::{
    behaviours::{BalancesThatMove, renamed},
    rewrites::{told, with_status},
};
use crate::{
    balances::{BALANCES, asks_for, entries},
    facts::Facts,
};

pub(super) fn variants(facts: &Facts) -> Vec<Broken> {
    broken! {
        "holders are wallet_address", renamed(&[("wallet", "wallet_address")]) => [];
        "entries of lists have other names", renamed(&[
            ("wallet", "address"), ("token_code", "token"), ("balance", "amount"),
        ]) => [];
        "the balance is in value", json_of(BALANCES, |_, response| {
            *response = json!({"value": response["balance"].take()});
        }) => [];
        "the balance is in both members", json_of(BALANCES, |_, response| {
            response["value"] = response["balance"].clone();
        }) => [];
        "lists are maps", lists(|list| {
            let entry = |entry: &Value| {
                let key = entry["wallet"].as_str().or(entry["token_code"].as_str());
                (key.unwrap_or_default().to_owned(), entry["balance"].clone())
            };
            Value::Object(list.iter().map(entry).collect())
        }) => [];
        "lists are pairs", lists(|list| {
            let entry = |entry: &Value| json!([entry["token_code"], entry["balance"]]);
            list.iter().map(entry).collect()
        }) => [];
        "lists are objects with a list", lists(|list| json!({"page": 1, "items": list})) => [];
        "lists have several entries for a holding", json_of(BALANCES, |_, response| {
            let parts: Vec<Value> = entries(response).flat_map(|entry| {
                let held = entry["balance"].as_i64().unwrap_or_default();
                let mut rest = entry.clone();
                rest["balance"] = json!(held - held / 3);
                let mut third = entry.clone();
                third["balance"] = json!(held / 3);
                [rest, third]
            }).collect();
            if response["balance"].is_array() {
                response["balance"] = json!(parts);
            }
        }) => [];
        "lists are in another order", json_of(BALANCES, |_, response| {
            if let Some(list) = response["balance"].as_array_mut() {
                list.reverse();
            }
        }) => [];
        "lists leave out what is 0", json_of(BALANCES, |_, response| {
            if let Some(list) = response["balance"].as_array_mut() {
                list.retain(|entry| entry["balance"] != 0);
            }
        }) => [];
        "what nobody holds is not found", of_unknown(|response| {
            told(response, 404, "application/json", r#"{"detail":"unknown token"}"#)
        }) => [];
        "what nobody holds is an error with status 200", of_unknown(|response| {
            told(response, 200, "application/json", r#"{"error":"unknown token"}"#)
        }) => [];
        "a balance has status 202", response_of(BALANCES, |_, response| {
            if response.status.is_success() { with_status(response, 202) } else { response }
        }) => ["http/success-status"];
        "balances move", behaving(BalancesThatMove::new(facts)) => [];
    }
}

/// Changes the lists of balances.
fn lists(change: fn(&[Value]) -> Value) -> Fault {
    json_of(BALANCES, move |_, response| {
        if let Some(list) = response["balance"].as_array() {
            response["balance"] = change(list);
        }
    })
}

/// Changes the responses about a token that does not exist.
fn of_unknown(change: fn(Response) -> Response) -> Fault {
    response_of(BALANCES, move |asked: &Asked, response| {
        if asks_for(asked, "NO-SUCH-TOKEN") {
            change(response)
        } else {
            response
        }
    })
}
