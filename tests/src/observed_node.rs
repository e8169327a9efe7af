//! A node with the response forms that were observed on a real node and differ from the
//! specification: rows for blocks, a committee as text, null for a zero balance, `data` for state.
//!
//! The bodies are invented. Only their forms are observed.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering},
};

use axum::{
    Json, Router,
    extract::Query,
    http::{StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::{get, post},
};
use nodeproof_primitives::TimestampMs;
use nodeproof_wallet::{SignatureEntry, verify_transaction};
use serde_json::{Map, Value, json, value::RawValue};

use crate::server::Server;

/// The miner of every block.
pub const MINER: &str = "0x6d2f9c80b1a34e57d0c9f8e7b6a5948372615041";
/// A wallet with a balance.
pub const HOLDER: &str = "0x91b7a3d05e62c48f70912ab3c4d5e6f708192a3b";
/// The only token.
pub const TOKEN: &str = "OBS";
/// The verification contract.
pub const CONTRACT: &str = "ct4c1d7e0a93b85f6210decade5ca1ab1e0ff1ce00";
/// The holder's balance. A float can't represent it exactly.
pub const HELD: u64 = 9_007_199_254_740_993;
/// The latest block.
pub const TIP: u64 = 6;

/// The listing: a page whose script shows the node's description.
const LISTING: &str = "<!DOCTYPE html><html><title>API</title><div id=\"swagger-ui\"></div>\
    <script>const ui = SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui' })</script></html>";

/// Returns the node's description of itself. It wrongly declares a required parameter as optional.
fn description() -> Value {
    let calls = [
        ("get", "/get-block", vec!["block_index"]),
        (
            "get",
            "/get-balances",
            vec!["balance_type", "token_code", "wallet_address"],
        ),
        (
            "get",
            "/sc-state",
            vec![
                "table_name",
                "contract_address",
                "unique_column",
                "unique_value",
            ],
        ),
        (
            "get",
            "/get-trustscore-wallets",
            vec!["src_wallet_address", "dst_wallet_address"],
        ),
        ("post", "/call-sc", Vec::new()),
        ("post", "/submit-transaction", Vec::new()),
    ];
    let mut paths = Map::new();
    for (method, path, names) in calls {
        let parameters: Vec<Value> = names
            .iter()
            .map(|name| {
                let optional = ["unique_column", "token_code", "wallet_address"].contains(name);
                json!({"name": name, "in": "query", "required": !optional})
            })
            .collect();
        paths.insert(
            path.to_owned(),
            json!({ method: { "parameters": parameters } }),
        );
    }
    json!({"openapi": "3.0.2", "info": {"title": "API", "version": "1"}, "paths": paths})
}

type Parameters = Query<Vec<(String, String)>>;

/// Starts the node on a free port.
///
/// # Errors
/// When no port is free.
pub async fn spawn() -> std::io::Result<Server> {
    let router = Router::new()
        .route("/get-block", get(block))
        .route("/get-balances", get(balances))
        .route("/sc-state", get(state))
        .route("/get-trustscore-wallets", get(trust))
        .route("/docs", get(|| async { Html(LISTING) }))
        .route("/openapi.json", get(|| async { Json(description()) }))
        .route("/call-sc", post(call))
        .route("/submit-transaction", post(submit))
        .fallback(|| async { failure(StatusCode::NOT_FOUND, &json!("Not Found")) })
        .method_not_allowed_fallback(|| async {
            failure(StatusCode::METHOD_NOT_ALLOWED, &json!("Method Not Allowed"))
        });
    Server::spawn(router).await
}

fn failure(status: StatusCode, detail: &Value) -> Response {
    (status, Json(json!({ "detail": detail }))).into_response()
}

fn missing(place: &str, name: &str) -> Response {
    let fault =
        json!([{"loc": [place, name], "msg": "field required", "type": "value_error.missing"}]);
    failure(StatusCode::UNPROCESSABLE_ENTITY, &fault)
}

fn given<'q>(query: &'q Parameters, name: &str) -> Option<&'q str> {
    query
        .iter()
        .find(|(given, _)| given == name)
        .map(|(_, value)| value.as_str())
}

fn hash(index: u64) -> String {
    format!(
        "{:064x}",
        u128::from(index) * 0x1234_5678_9abc_def1 + 0xfeed
    )
}

/// Returns one row of the table of blocks.
async fn block(query: Parameters) -> Response {
    let Some(text) = given(&query, "block_index") else {
        return missing("query", "block_index");
    };
    let Some(index) = text.parse().ok().filter(|index| (1..=TIP).contains(index)) else {
        return failure(StatusCode::BAD_REQUEST, &json!("Block not found"));
    };
    let previous = if index == 1 {
        "0".to_owned()
    } else {
        hash(index - 1)
    };
    Json(json!({
        "block_index": index,
        "timestamp": 1_795_000_000_000_u64 + index * 10_000,
        "proof": 42,
        "status": null,
        "previous_hash": previous,
        "hash": hash(index),
        "creator_wallet": null,
        "expected_miner": MINER,
        "committee": format!("[\"{MINER}\", \"{HOLDER}\"]"),
    }))
    .into_response()
}

async fn balances(query: Parameters) -> Response {
    let (wallet, token) = (given(&query, "wallet_address"), given(&query, "token_code"));
    let holds = |wallet: Option<&str>| wallet == Some(HOLDER);
    let balance = match given(&query, "balance_type") {
        Some("TOKEN_IN_WALLET") if holds(wallet) && token == Some(TOKEN) => json!(HELD),
        Some("TOKEN_IN_WALLET") => Value::Null,
        Some("ALL_TOKENS_IN_WALLET") if holds(wallet) => {
            json!([{"token_code": TOKEN, "balance": HELD}])
        }
        Some("ALL_TOKENS_IN_WALLET") => json!([]),
        Some("ALL_WALLETS_FOR_TOKEN") if token == Some(TOKEN) => json!([
            {"wallet": CONTRACT, "token_code": TOKEN, "balance": 12},
            {"wallet": HOLDER, "token_code": TOKEN, "balance": HELD},
        ]),
        Some("ALL_WALLETS_FOR_TOKEN") => json!([]),
        _ => return missing("query", "balance_type"),
    };
    Json(json!({ "balance": balance })).into_response()
}

async fn state(query: Parameters) -> Response {
    for name in [
        "table_name",
        "contract_address",
        "unique_column",
        "unique_value",
    ] {
        if given(&query, name).is_none() {
            return missing("query", name);
        }
    }
    let broken = |what: String| failure(StatusCode::INTERNAL_SERVER_ERROR, &json!(what));
    match (given(&query, "table_name"), given(&query, "unique_column")) {
        (Some("verification"), Some("asset_id")) => {}
        (Some("verification"), column) => {
            return broken(format!("no such column: {}", column.unwrap_or_default()));
        }
        (table, _) => return broken(format!("no such table: {}", table.unwrap_or_default())),
    }
    let data = if given(&query, "unique_value") == Some("observed-asset") {
        json!([
            CONTRACT,
            "observed-asset",
            "token",
            HOLDER,
            1,
            "[\"doc\"]",
            "[]",
            "seen",
            99
        ])
    } else {
        Value::Null
    };
    Json(json!({"status": "SUCCESS", "data": data})).into_response()
}

async fn trust(query: Parameters) -> Response {
    let pair = ["src_wallet_address", "dst_wallet_address"];
    for name in pair {
        if given(&query, name).is_none() {
            return missing("query", name);
        }
    }
    if pair
        .iter()
        .all(|name| matches!(given(&query, name), Some(MINER | HOLDER)))
    {
        Json(json!({"status": "SUCCESS", "trust_score": 1})).into_response()
    } else {
        failure(StatusCode::BAD_REQUEST, &json!("Trust score not available"))
    }
}

/// A placeholder for the params.
const PARAMS: &str = "the params";

async fn call(body: String) -> Response {
    let Ok(call) = serde_json::from_str::<Value>(&body) else {
        return missing("body", "");
    };
    for name in ["sc_address", "function_called", "signers", "params"] {
        if call.get(name).is_none() {
            return missing("body", name);
        }
    }
    // A wrong type is refused like a missing field.
    if !call["signers"].is_array() || !call["params"].is_object() {
        return missing("body", "signers");
    }
    // The node's clock is read in seconds.
    let now = TimestampMs::now().as_millis() / 1_000 * 1_000;
    let built = json!({
        "transaction": {
            "timestamp": now,
            "trans_code": code_of(now),
            "type": 3,
            "currency": TOKEN,
            "fee": 0.0,
            "descr": "",
            "valid": 1,
            "specific_data": {
                "address": call["sc_address"],
                "function": call["function_called"],
                "signers": call["signers"],
                "params": PARAMS,
            },
            "is_child_txn": false,
        },
        "signatures": [],
    });
    // Insert the params as they were sent, because a `Value` can't represent all of their numbers.
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(&body).unwrap_or_default();
    let params = members.get("params").map_or("null", |params| params.get());
    let built = built
        .to_string()
        .replacen(&format!("\"{PARAMS}\""), params, 1);
    let json = [(header::CONTENT_TYPE, "application/json")];
    (json, built).into_response()
}

/// Refuses every submission as the real node was seen to do: some with a verdict, the others with an
/// internal error.
async fn submit(body: String) -> Response {
    let broken = |what: &str| failure(StatusCode::INTERNAL_SERVER_ERROR, &json!(what));
    let Ok(submission) = serde_json::from_str::<Value>(&body) else {
        return broken("Expecting value: line 1 column 1 (char 0)");
    };
    for name in ["transaction", "signatures"] {
        if submission.get(name).is_none() {
            return broken(&format!("'{name}'"));
        }
    }
    let refused = |message: &str| {
        let response = json!({"valid": false, "msg": message, "new_transaction": true});
        Json(json!({"status": "SUCCESS", "response": response})).into_response()
    };
    if body.len() > 4096 {
        return refused("Transaction size exceeded");
    }
    let signers = &submission["transaction"]["specific_data"]["signers"];
    let signed = submission["signatures"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let wallets: Vec<&Value> = signed
        .iter()
        .map(|entry| &entry["wallet_address"])
        .collect();
    let all = signers
        .as_array()
        .is_some_and(|all| all.iter().all(|one| wallets.contains(&one)));
    let text = submission["transaction"].to_string();
    let entries: Vec<SignatureEntry> =
        serde_json::from_value(submission["signatures"].clone()).unwrap_or_default();
    if verify_transaction(&text, &entries).is_ok() {
        match submission["transaction"]["fee"].as_i64() {
            None => broken("unsupported operand type(s)"),
            Some(..1_000_000) => refused("Not enough fee. Min of 1 OBS is required"),
            Some(_) => refused("Fee validation failed"),
        }
    } else if all {
        broken("Signature verification failed")
    } else {
        refused("Transaction has invalid signatures")
    }
}

/// Returns a code that no other transaction has.
fn code_of(time: i64) -> String {
    static BUILT: AtomicU64 = AtomicU64::new(0);
    format!("{time:020x}{:020x}", BUILT.fetch_add(1, Ordering::Relaxed))
}
