//! Balances and their lists.

use integration_tests::{
    faults::{SeededFault, change_json, change_response, stateful},
    proxy::{Fault, RecordedRequest, Response},
    seeded_faults,
};
use serde_json::{Value, json};

use super::{
    behaviours::{balances_that_move, renamed},
    rewrites::{response_of, with_status},
};
use crate::{
    balances::{BALANCES, asks_for, entries},
    facts::Facts,
};

pub(super) fn variants(facts: &Facts) -> Vec<SeededFault> {
    seeded_faults! {
        "list entries name the holder wallet_address", renamed(&[("wallet", "wallet_address")]) => [];
        "list entries have other member names", renamed(&[
            ("wallet", "address"), ("token_code", "token"), ("balance", "amount"),
        ]) => [];
        "the balance is in value", change_json(BALANCES, |_, response| {
            *response = json!({"value": response["balance"].take()});
        }) => [];
        "the balance is in both balance and value", change_json(BALANCES, |_, response| {
            response["value"] = response["balance"].clone();
        }) => [];
        "lists of balances are objects", lists(|list| {
            let entry = |entry: &Value| {
                let key = entry["wallet"].as_str().or(entry["token_code"].as_str());
                (key.unwrap_or_default().to_owned(), entry["balance"].clone())
            };
            Value::Object(list.iter().map(entry).collect())
        }) => [];
        "lists of balances are arrays of pairs", lists(|list| {
            let entry = |entry: &Value| {
                let key = entry["wallet"].as_str().or(entry["token_code"].as_str());
                json!([key, entry["balance"]])
            };
            list.iter().map(entry).collect()
        }) => [];
        "lists of balances are wrapped in a page object", lists(|list| json!({"page": 1, "items": list})) => [];
        "a balance is split into several list entries", change_json(BALANCES, |_, response| {
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
        "list entries are in another order each time", stateful(0, |count, request, response| {
            *count += 1;
            let turns = *count;
            if request.path != BALANCES { return response; }
            response.with_json(|response| {
                if let Some(list) = response["balance"].as_array_mut().filter(|list| !list.is_empty()) {
                    let turns = turns % list.len();
                    list.rotate_left(turns);
                }
            })
        }) => [];
        "list entries are in another order", change_json(BALANCES, |_, response| {
            if let Some(list) = response["balance"].as_array_mut() {
                list.reverse();
            }
        }) => [];
        "lists omit zero balances", change_json(BALANCES, |_, response| {
            if let Some(list) = response["balance"].as_array_mut() {
                list.retain(|entry| entry["balance"] != 0);
            }
        }) => [];
        "an unknown token returns status 404", of_unknown(|response| {
            response_of(response, 404, "application/json", r#"{"detail":"unknown token"}"#)
        }) => [];
        "an unknown token returns an error object with status 200", of_unknown(|response| {
            response_of(response, 200, "application/json", r#"{"error":"unknown token"}"#)
        }) => [];
        "balance responses have HTTP status 202", change_response(BALANCES, |_, response| {
            if response.status.is_success() { with_status(response, 202) } else { response }
        }) => ["http/success-status"];
        "balances change during the run as new blocks arrive", balances_that_move(facts) => [];
    }
}

/// Changes the lists of balances.
fn lists(change: fn(&[Value]) -> Value) -> Fault {
    change_json(BALANCES, move |_, response| {
        if let Some(list) = response["balance"].as_array() {
            response["balance"] = change(list);
        }
    })
}

/// Changes the responses about a token that does not exist.
fn of_unknown(change: fn(Response) -> Response) -> Fault {
    change_response(BALANCES, move |request: &RecordedRequest, response| {
        if asks_for(request, "NO-SUCH-TOKEN") {
            change(response)
        } else {
            response
        }
    })
}
