//! Contract state, trust scores and the listing.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use axum::http::StatusCode;
use integration_tests::{
    faults::{SeededFault, change_json, change_response, remove},
    proxy::{Fault, Response},
    seeded_faults,
};
use serde_json::{Value, json};

use super::rewrites::{response_of, with_header};
use crate::{
    listing::DOCUMENT,
    records::{STATE, rows_of},
};

const TRUST: &str = "/get-trustscore-wallets";

pub(super) fn variants() -> Vec<SeededFault> {
    seeded_faults! {
        "a record is an object", records(|row| named(&row, false)) => [];
        "a record's members are in reverse order", records(|row| named(&row, true)) => [];
        "records are a list of objects", records(|row| json!([named(&row, false)])) => [];
        "records are a list of rows", records(|row| json!([row])) => [];
        "records are rows in a wrapping object", records(|row| json!({"rows": [row], "count": 1})) => [];
        "a record has additional members", records(|row| {
            let mut record = named(&row, false);
            record["block"] = json!(5);
            record
        }) => [];
        "a record has a tenth column", records(longer) => [];
        "a record's lists are JSON arrays", records(|mut row| {
            for place in [5, 6] {
                let text = row[place].as_str().unwrap_or("[]").to_owned();
                row[place] = serde_json::from_str(&text).unwrap_or_default();
            }
            row
        }) => [];
        "a record is a JSON string", change_json(STATE, |_, response| {
            for name in ["value", "data"] {
                response[name] = json!(response[name].to_string());
            }
        }) => [];
        "the record is only in value", change_json(STATE, |_, response| {
            remove(response, "", "data");
            remove(response, "", "status");
        }) => [];
        "the record is only in data", change_json(STATE, |_, response| remove(response, "", "value"))
            => ["sc-state/value"];
        "a missing record is an empty list", change_json(STATE, |_, response| {
            if response["value"].is_null() {
                *response = json!({"value": []});
            }
        }) => [];
        "a missing record is a page without rows", missing(json!({"columns": ["asset_id"], "rows": []})) => [];
        "a missing record is a page that counts none", missing(json!({"total": 0, "items": []})) => [];
        "a missing record is not found, in an object", missing(json!({"found": false, "record": null})) => [];
        "responses with records have an ID of their own", numbered() => [];
        "a missing record returns status 404", change_response(STATE, |_, response| {
            let found: Value = serde_json::from_slice(&response.body).unwrap_or_default();
            if found["value"].is_null() {
                response_of(response, 404, "application/json", r#"{"detail":"no record"}"#)
            } else { response }
        }) => [];
        "an unknown pair has the score 0", unknown_pairs(r#"{"status":"SUCCESS","trust_score":0}"#, 200)
            => [];
        "an unknown pair returns status 404", unknown_pairs(r#"{"detail":"no score"}"#, 404) => [];
        "an unknown pair is refused with status 200",
            unknown_pairs(r#"{"status":"FAILURE","error":"no score"}"#, 200) => [];
        "an unknown pair has a null score", unknown_pairs(r#"{"status":"FAILURE","trust_score":null}"#, 200)
            => [];
        "scores are negative", change_json(TRUST, |_, response| response["trust_score"] = json!(-5)) => [];
        "scores are large", change_json(TRUST, |_, response| {
            response["trust_score"] = json!(9_007_199_254_740_993_i64);
        }) => [];
        "there is no OpenAPI document", change_response(DOCUMENT, |_, response| {
            response.with_status(StatusCode::NOT_FOUND)
        }) => [];
        "the OpenAPI document lists only balance_type for balances", change_json(DOCUMENT, |_, document| {
            let parameters = document["paths"]["/get-balances"]["get"]["parameters"].as_array_mut();
            parameters.expect("its parameters").retain(|one| one["name"] == "balance_type");
        }) => [];
        "the listing is a static HTML page", change_response("/docs", |_, response| {
            response.with_body(
                "<!DOCTYPE html><title>API</title><form><p>get-block get-balances sc-state \
                 get-trustscore-wallets call-sc submit-transaction</p></form>",
            )
        }) => [];
        "the listing has Content-Type text/plain", change_response("/docs", |_, response| {
            with_header(response, "content-type", "text/plain")
        }) => ["docs/page"];
    }
}

/// Changes the record in both members that contain it.
fn records(change: fn(Value) -> Value) -> Fault {
    change_json(STATE, move |_, response| rows_of(response, change))
}

/// Returns a row with another column at its end.
pub(super) fn longer(row: Value) -> Value {
    let known = row.as_array().into_iter().flatten();
    known.cloned().chain([json!(5)]).collect()
}

/// Returns a row as an object with the names of its columns.
pub(super) fn named(row: &Value, reverse: bool) -> Value {
    let columns = nodeproof_client::VerificationRecord::COLUMNS;
    let mut members: Vec<_> = columns
        .iter()
        .enumerate()
        .map(|(place, name)| ((*name).to_owned(), row[place].clone()))
        .collect();
    if reverse {
        members.reverse();
    }
    Value::Object(members.into_iter().collect())
}

/// Returns this value in place of null.
fn missing(value: Value) -> Fault {
    change_json(STATE, move |_, response| {
        if response["value"].is_null() {
            *response = json!({"value": value});
        }
    })
}

/// Gives each response about a record another member with a number that no other has.
fn numbered() -> Fault {
    let count = AtomicU32::new(0);
    change_json(STATE, move |_, response| {
        response["requestId"] = json!(count.fetch_add(1, Ordering::Relaxed));
    })
}

/// Sends this response for each pair of wallets without a score.
fn unknown_pairs(body: &'static str, status: u16) -> Fault {
    Arc::new(move |request, response: Response| {
        if request.path == TRUST && response.status == StatusCode::BAD_REQUEST {
            response_of(response, status, "application/json", body)
        } else {
            response
        }
    })
}
