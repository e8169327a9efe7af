//! Contract state, trust scores and the listing.

use std::sync::Arc;

use axum::http::StatusCode;
use integration_tests::{
    broken,
    faults::{Broken, answer_of, json_of, remove},
    proxy::{Answer, Fault},
};
use serde_json::{Value, json};

use super::rewrites::{told, with_header};
use crate::{
    listing::DOCUMENT,
    records::{STATE, rows_of},
};

const TRUST: &str = "/get-trustscore-wallets";

pub(super) fn variants() -> Vec<Broken> {
    broken! {
        "a record is an object", records(|row| named(&row, false)) => [];
        "a record's members are in reverse order", records(|row| named(&row, true)) => [];
        "records are a list of objects", records(|row| json!([named(&row, false)])) => [];
        "records are a list of rows", records(|row| json!([row])) => [];
        "records are rows of an object", records(|row| json!({"rows": [row], "count": 1})) => [];
        "a record has more members", records(|row| {
            let mut record = named(&row, false);
            record["block"] = json!(5);
            record
        }) => [];
        "a record's lists are lists", records(|mut row| {
            for place in [5, 6] {
                let text = row[place].as_str().unwrap_or("[]").to_owned();
                row[place] = serde_json::from_str(&text).unwrap_or_default();
            }
            row
        }) => [];
        "a record is JSON text", json_of(STATE, |_, answer| {
            for name in ["value", "data"] {
                answer[name] = json!(answer[name].to_string());
            }
        }) => [];
        "a record is in value alone", json_of(STATE, |_, answer| {
            remove(answer, "", "data");
            remove(answer, "", "status");
        }) => [];
        "a record is in data alone", json_of(STATE, |_, answer| remove(answer, "", "value"))
            => ["sc-state/value"];
        "no record is an empty list", json_of(STATE, |_, answer| {
            if answer["value"].is_null() {
                *answer = json!({"value": []});
            }
        }) => [];
        "no record is not found", answer_of(STATE, |_, answer| {
            let found: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            if found["value"].is_null() {
                told(answer, 404, "application/json", r#"{"detail":"no record"}"#)
            } else { answer }
        }) => [];
        "an unknown pair has the score 0", unknown_pairs(r#"{"status":"SUCCESS","trust_score":0}"#, 200)
            => [];
        "an unknown pair is not found", unknown_pairs(r#"{"detail":"no score"}"#, 404) => [];
        "an unknown pair has null", unknown_pairs(r#"{"status":"FAILURE","trust_score":null}"#, 200)
            => [];
        "scores are negative", json_of(TRUST, |_, answer| answer["trust_score"] = json!(-5)) => [];
        "scores are large", json_of(TRUST, |_, answer| {
            answer["trust_score"] = json!(9_007_199_254_740_993_i64);
        }) => [];
        "there is no OpenAPI document", answer_of(DOCUMENT, |_, answer| {
            answer.with_status(StatusCode::NOT_FOUND)
        }) => [];
        "the listing is a page of its own", answer_of("/docs", |_, answer| {
            answer.with_body(
                "<!DOCTYPE html><title>API</title><form><p>get-block get-balances sc-state \
                 get-trustscore-wallets call-sc submit-transaction</p></form>",
            )
        }) => [];
        "the listing is a text", answer_of("/docs", |_, answer| {
            with_header(answer, "content-type", "text/plain")
        }) => ["docs/page"];
    }
}

/// Changes the record in both members that contain it.
fn records(change: fn(Value) -> Value) -> Fault {
    json_of(STATE, move |_, answer| rows_of(answer, change))
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

/// Sends this response for each pair of wallets without a score.
fn unknown_pairs(body: &'static str, status: u16) -> Fault {
    Arc::new(move |asked, answer: Answer| {
        if asked.path == TRUST && answer.status == StatusCode::BAD_REQUEST {
            told(answer, status, "application/json", body)
        } else {
            answer
        }
    })
}
