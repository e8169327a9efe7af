//! Faults in single responses, and the state that they need. Faults of the chain are in `chain`.

use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use axum::{
    body::Bytes,
    http::{StatusCode, Uri},
    response::Response,
};
use serde_json::{Value, json};

use super::response::detail;
use crate::InjectedFault;

/// The read of a block, counted from 1, from which on its content is different.
const CHANGES_FROM: u64 = 20;

/// A fault, with the state that it needs.
#[derive(Debug)]
pub(crate) struct Faulty {
    pub(crate) fault: InjectedFault,
    blocks_read: AtomicU64,
    first_responses: Mutex<HashMap<String, Bytes>>,
}

impl Faulty {
    pub(crate) fn new(fault: InjectedFault) -> Self {
        Self {
            fault,
            blocks_read: AtomicU64::new(0),
            first_responses: Mutex::default(),
        }
    }

    /// Returns the fault's response, if it replaces the node's. `request` counts all requests from 1.
    pub(super) fn instead(&self, request: u64, path: &str, query: &str) -> Option<Response> {
        use InjectedFault as F;
        let missing = match self.fault {
            F::NoSubmitEndpoint => path == "/submit-transaction",
            F::NoCallEndpoint => path == "/call-sc",
            F::NoDocs => path == "/docs",
            F::BlockHole if path == "/get-block" && query == "block_index=5" => {
                return Some(detail(StatusCode::BAD_REQUEST, "Block not found"));
            }
            F::EveryTenth500 if request.is_multiple_of(10) => {
                return Some(detail(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "Internal Server Error",
                ));
            }
            _ => false,
        };
        missing.then(|| detail(StatusCode::NOT_FOUND, "Not Found"))
    }

    /// Returns the request to process, if the fault changes it.
    pub(super) fn changed_uri(&self, uri: &Uri) -> Option<Uri> {
        let query = uri.query().unwrap_or_default();
        let query = match (self.fault, uri.path()) {
            (InjectedFault::TrustSwapped, "/get-trustscore-wallets") => query
                .replace("src_wallet_address", "other")
                .replace("dst_wallet_address", "src_wallet_address")
                .replace("other", "dst_wallet_address"),
            _ => return None,
        };
        format!("{}?{query}", uri.path()).parse().ok()
    }

    /// Returns the body of a response with status 200, changed by the fault.
    pub(super) fn body(&self, path: &str, query: &str, body: Bytes) -> Bytes {
        use InjectedFault as F;
        let altered = |alter: &dyn Fn(&mut Value)| match serde_json::from_slice(&body) {
            Ok(mut value) => {
                alter(&mut value);
                Bytes::from(value.to_string())
            }
            Err(_) => body.clone(),
        };
        match (self.fault, path) {
            (F::BlockRows, "/get-block") => altered(&|block| *block = row(block)),
            (F::BlockSeconds, "/get-block") => altered(&|block| {
                let time = block["timestamp"].as_i64().unwrap_or(0);
                block["timestamp"] = Value::from(time / 1000);
            }),
            (F::BlockChangesLater, "/get-block")
                if self.blocks_read.fetch_add(1, Ordering::Relaxed) + 1 >= CHANGES_FROM =>
            {
                altered(&|block| block["proof"] = Value::from(99))
            }
            (F::BalanceOffByOne, "/get-balances") if query.contains("TOKEN_IN_WALLET&") => {
                altered(&|response| {
                    if let Some(balance) = response["balance"].as_u64() {
                        response["balance"] = Value::from(balance + 1);
                    }
                })
            }
            (F::BalanceRounded, "/get-balances") => altered(&round),
            (F::BalanceStale, "/get-balances") => {
                let mut first = self
                    .first_responses
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                first.entry(query.to_owned()).or_insert(body).clone()
            }
            (F::ConstantCode, "/call-sc") => constant_code(&body).unwrap_or(body),
            (F::ParamsAltered, "/call-sc") => altered(&|built| {
                let params = &mut built["transaction"]["specific_data"]["params"];
                if let Some(remarks) = params["remarks"].as_str() {
                    params["remarks"] = Value::from(remarks.trim().to_uppercase());
                }
            }),
            _ => body,
        }
    }
}

/// Returns a built transaction with a constant code. Everything else stays the same.
fn constant_code(body: &Bytes) -> Option<Bytes> {
    const MEMBER: &str = "\"trans_code\":\"";
    let text = std::str::from_utf8(body).ok()?;
    let (before, after) = text.split_once(MEMBER)?;
    let (_, after) = after.split_once('"')?;
    let code = "c0de".repeat(10);
    Some(format!("{before}{MEMBER}{code}\"{after}").into())
}

/// Converts a block into a row of a table.
fn row(block: &Value) -> Value {
    json!({
        "block_index": block["index"],
        "hash": "00".repeat(32),
        "timestamp": block["timestamp"],
        "status": null,
        "proof": block["proof"],
        "previous_hash": block["previous_hash"],
        "creator_wallet": null,
        "expected_miner": block["expected_miner"],
        "committee": block["committee"].to_string(),
    })
}

/// Converts every number to a float and back.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the digits that it loses are the fault"
)]
fn round(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(exact) = number.as_u64() {
                *value = Value::from(exact as f64 as u64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(members) => members.values_mut().for_each(round),
        _ => {}
    }
}
