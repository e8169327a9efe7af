//! `POST /call-sc`: the transaction of a contract call.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
};

use axum::http::StatusCode;
use integration_tests::{
    broken,
    faults::{
        Behaviour, Broken, FirstResponse, as_if_right, behaving, json_of, remove, response_of, set,
        text_of,
    },
    proxy::{Asked, Response},
};
use serde_json::{Value, json};

use crate::{
    balances::{BALANCES, asks_for},
    records::STATE,
};

const CALL: &str = "/call-sc";

#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn faults() -> Vec<Broken> {
    broken! {
        "every built transaction has the same code", json_of(CALL, |_, response| {
            set(response, "/transaction/trans_code", json!("c0de".repeat(10)));
        }) => ["call-sc/trans-code-distinct"];
        "a call's integers are rounded as floats are", json_of(CALL, |_, response| {
            let place = "/transaction/specific_data/params/deletable_after";
            set(response, place, json!(9_007_199_254_740_992_u64));
        }) => ["call-sc/deep-and-large-params", "call-sc/params"];
        "a call's text loses what is not ASCII", json_of(CALL, |_, response| {
            let place = "/transaction/specific_data/params/remarks";
            if let Some(Value::String(text)) = response.pointer_mut(place) {
                text.retain(|character| character.is_ascii());
            }
        }) => ["call-sc/params"];
        "a call with text for its params is built", as_if_right(CALL,
            |asked, response| response.status != StatusCode::OK && contains(asked, "\"params\":\""),
            json!({"transaction": {"type": 3}})) => ["call-sc/params-mistyped"];
        "a call without a body is built", as_if_right(CALL,
            |asked, _| asked.method == "POST" && asked.body.is_empty(), json!({"transaction": {"type": 3}}))
            => ["call-sc/body-empty"];
        "a call with text for its signers is built", as_if_right(CALL,
            |asked, response| response.status != StatusCode::OK && contains(asked, "\"signers\":\""),
            json!({"transaction": {"type": 3}})) => ["call-sc/signers-mistyped"];
        "a built call is not valid", json_of(CALL, |_, response| {
            set(response, "/transaction/valid", json!(0));
        }) => ["call-sc/valid"];
        "a built call's time is text", json_of(CALL, |_, response| {
            let time = response.pointer("/transaction/timestamp").map(Value::to_string);
            set(response, "/transaction/timestamp", json!(time));
        }) => ["call-sc/snapshot", "call-sc/submittable", "call-sc/timestamp-unit"];
        "a built call's time is that of an old one", json_of("/call-sc", |_, a| {
            set(a, "/transaction/timestamp", json!(1_600_000_000_000_i64));
        }) => ["call-sc/timestamp-current"];
        "a built call has no time", json_of(CALL, |_, response| {
            remove(response, "/transaction", "timestamp");
        }) => ["call-sc/snapshot", "call-sc/submittable"];
        "a built call has seconds", json_of(CALL, |_, response| {
            set(response, "/transaction/timestamp", json!(1_795_207_551));
        }) => ["call-sc/timestamp-unit"];
        "the first call that was built is built for ever",
            behaving(FirstResponse::new(|asked| asked.path == CALL))
            => ["call-sc/deep-and-large-params", "call-sc/params", "call-sc/signers",
                "call-sc/trans-code-distinct"];
        "building a call costs a fee", behaving(FeePerCall::default()) => ["call-sc/changes-nothing"];
        "a call that is built makes its claim at once", behaving(ClaimsAtOnce::default())
            => ["call-sc/changes-nothing"];
        "a call is not built", response_of(CALL, |_, response| {
            response.with_status(StatusCode::INTERNAL_SERVER_ERROR)
        }) => ["call-sc/responds"];
        "a call is built for another contract", json_of(CALL, |_, response| {
            let other = format!("ct{}", "1".repeat(40));
            set(response, "/transaction/specific_data/address", json!(other));
        }) => ["call-sc/sc-address"];
        "another function is called", json_of(CALL, |_, response| {
            set(response, "/transaction/specific_data/function", json!("transfer"));
        }) => ["call-sc/function-called"];
        "a signer is added", json_of(CALL, |_, response| {
            let signers = response.pointer_mut("/transaction/specific_data/signers");
            if let Some(signers) = signers.and_then(Value::as_array_mut) {
                signers.push(json!(format!("0x{}", "1".repeat(40))));
            }
        }) => ["call-sc/signers"];
        "the remarks are changed", json_of(CALL, |_, response| {
            set(response, "/transaction/specific_data/params/remarks", json!("never  submitted"));
        }) => ["call-sc/deep-and-large-params", "call-sc/params"];
        "a call's large integers become floats", text_of(CALL,
            "123456789012345678901234567890", "1.2345678901234568e+29")
            => ["call-sc/deep-and-large-params"];
        "a call's integers beyond 64 bits are cut", text_of(CALL,
            "18446744073709551616", "18446744073709551615")
            => ["call-sc/deep-and-large-params"];
        "a call's decimals are of single precision", text_of(CALL,
            "1234567.123456789", "1234567.125") => ["call-sc/deep-and-large-params"];
        "a call's small decimals are nothing", text_of(CALL, "1e-7", "0.0")
            => ["call-sc/deep-and-large-params"];
        "a call's texts are made safe for HTML", text_of(CALL, "<b>&amp;&", "&lt;b&gt;&amp;amp;&amp;")
            => ["call-sc/deep-and-large-params"];
        "a call's texts are decoded as those of a query", text_of(CALL, "41%20+", "41  ")
            => ["call-sc/deep-and-large-params"];
        "a call's digits become numbers", text_of(CALL, "\"12345\"", "12345")
            => ["call-sc/deep-and-large-params"];
        "a call's lists are cut", text_of(CALL, ",61,62,63", "")
            => ["call-sc/deep-and-large-params"];
        "a call's names are trimmed and folded", text_of(CALL, "\" Upper Key \"", "\"upper key\"")
            => ["call-sc/deep-and-large-params"];
        "a call's names are cut", text_of(CALL, "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk", "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk")
            => ["call-sc/deep-and-large-params"];
        "a call's members without a value are left out", text_of(CALL, "\"none\":null,", "")
            => ["call-sc/deep-and-large-params"];
        "a call's asset is trimmed", text_of(CALL, "\"  Conformance-Check-Deep of", "\"Conformance-Check-Deep of")
            => ["call-sc/deep-and-large-params"];
        "a call's params are cut where they are deep", text_of(CALL, "\"bottom\"", "null")
            => ["call-sc/deep-and-large-params"];
        "a call's params lose the last of many members", text_of(CALL, ",\"member_199\":199", "")
            => ["call-sc/deep-and-large-params"];
        "a GET builds a call", as_if_right(CALL, |asked, _| asked.method == "GET",
            json!({"transaction": {"type": 3}, "signatures": []})) => ["call-sc/get-refused"];
        "a call is a transfer", json_of(CALL, |_, response| {
            set(response, "/transaction/type", json!(5));
        }) => ["call-sc/type"];
        "a raw transaction is signed already", json_of(CALL, |_, response| {
            let wallet = format!("0x{}", "1".repeat(40));
            response["signatures"] = json!([{"wallet_address": wallet, "msgsign": "00"}]);
        }) => ["call-sc/unsigned"];
        "a raw transaction has no code", json_of(CALL, |_, response| {
            remove(response, "/transaction", "trans_code");
        }) => ["call-sc/snapshot", "call-sc/submittable"];
        "a raw transaction is something else", json_of(CALL, |_, response| {
            *response = json!({"job": 17});
        }) => ["call-sc/decodes", "call-sc/snapshot", "call-sc/submittable"];
        "a call without a contract is built", as_if_right(CALL,
            |asked, response| response.status != StatusCode::OK && !contains(asked, "sc_address"),
            json!({"transaction": {"type": 3}})) => ["call-sc/body-empty", "call-sc/get-refused", "call-sc/sc-address-required"];
        "a call without a function is built", as_if_right(CALL,
            |asked, response| response.status != StatusCode::OK && !contains(asked, "function_called"),
            json!({"transaction": {"type": 3}}))
            => ["call-sc/body-empty", "call-sc/function-called-required", "call-sc/body-not-json",
                "call-sc/get-refused"];
        "a call without signers is built", as_if_right(CALL,
            |asked, response| response.status != StatusCode::OK && !contains(asked, "signers")
                && contains(asked, "params"),
            json!({"transaction": {"type": 3}})) => ["call-sc/signers-required"];
        "a call without params is built", as_if_right(CALL,
            |asked, response| response.status != StatusCode::OK && !contains(asked, "params")
                && contains(asked, "signers"),
            json!({"transaction": {"type": 3}})) => ["call-sc/params-required"];
        "half a document is taken for a call", as_if_right(CALL,
            |asked, _| asked.method == "POST" && asked.body.len() < 20, json!({"transaction": {"type": 3}}))
            => ["call-sc/body-empty", "call-sc/body-not-json"];
    }
}

fn contains(asked: &Asked, text: &str) -> bool {
    String::from_utf8_lossy(&asked.body).contains(text)
}

/// Takes a fee for each call that it builds, so wallets' lists of tokens change.
#[derive(Default)]
struct FeePerCall {
    calls: AtomicU64,
}

impl Behaviour for FeePerCall {
    fn response(&self, asked: &Asked, response: Response) -> Response {
        if asked.path == CALL && response.status == StatusCode::OK {
            self.calls.fetch_add(1, SeqCst);
        }
        if asked.path == BALANCES && asks_for(asked, "ALL_TOKENS") {
            let paid = self.calls.load(SeqCst);
            return response.with_json(|held| held["fees_paid"] = json!(paid));
        }
        response
    }
}

/// Stores the claim of each call that it builds, although no one submitted it.
#[derive(Default)]
struct ClaimsAtOnce {
    assets: Mutex<BTreeSet<String>>,
}

impl Behaviour for ClaimsAtOnce {
    fn response(&self, asked: &Asked, response: Response) -> Response {
        let mut assets = self.assets.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.path == CALL && response.status == StatusCode::OK {
            let call: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
            assets.extend(call["params"]["asset_id"].as_str().map(str::to_owned));
        }
        let is_claimed = |asset: &String| asks_for(asked, &format!("unique_value={asset}"));
        match assets
            .iter()
            .find(|asset| asked.path == STATE && is_claimed(asset))
        {
            Some(asset) => response.with_json(|state| state["value"] = json!([[asset]])),
            None => response,
        }
    }
}
