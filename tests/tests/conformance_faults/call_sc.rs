//! `POST /call-sc`: the transaction of a contract call.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::{StatusCode, header};
use integration_tests::{
    faults::{
        SeededFault, change_json, change_response, first_response, respond_successfully_if, set,
        stateful, text_of,
    },
    proxy::{Fault, RecordedRequest},
    seeded_faults,
};
use serde_json::{Value, json};

use crate::{
    balances::{BALANCES, asks_for},
    facts::Facts,
    records::STATE,
};

const CALL: &str = "/call-sc";

#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn faults(facts: &Facts) -> Vec<SeededFault> {
    seeded_faults! {
        "a filter in front takes a plain text for an attack", change_response(CALL, |request, response| {
            match contains(request, "select one from") {
                true => response.with_status(StatusCode::FORBIDDEN).with_body("{\"detail\":\"blocked\"}"),
                false => response,
            }
        }) => ["call-sc/echo"];
        "the body of a call is decoded in pieces of 512 bytes", change_response(CALL, |request, response| {
            let pieces = request.body.chunks(512).map(String::from_utf8_lossy);
            let decoded = pieces.collect::<String>();
            if decoded.as_bytes() == request.body { return response }
            let call: Value = serde_json::from_str(&decoded).unwrap_or_default();
            response.with_json(|built| set(built, "/transaction/specific_data/params", call["params"].clone()))
        }) => ["call-sc/echo"];
        "a content type with a charset is refused", change_response(CALL, |request, response| {
            let media = request.headers.get(header::CONTENT_TYPE);
            match media.is_some_and(|media| media != "application/json") {
                true => response.with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE).with_body("{}"),
                false => response,
            }
        }) => ["http/equal-requests"];
        "every built transaction has the same trans_code", change_json(CALL, |_, response| {
            set(response, "/transaction/trans_code", json!("c0de".repeat(10)));
        }) => ["call-sc/fresh"];
        "two equal calls get the same trans_code", equal_calls_share_a_code()
            => ["call-sc/trans-code-distinct"];
        "a built call names a wallet that pays", change_json(CALL, |_, response| {
            response["transaction"]["fee_payer"] = json!(format!("0x{}", "1".repeat(40)));
        }) => ["call-sc/echo"];
        "a built call has one more member in its specific_data", change_json(CALL, |_, response| {
            response["transaction"]["specific_data"]["callback"] = json!("transfer");
        }) => ["call-sc/echo"];
        "a built call has one more param", change_json(CALL, |_, response| {
            response["transaction"]["specific_data"]["params"]["approved"] = json!(true);
        }) => ["call-sc/echo"];
        "the signers of a built call are sorted", change_json(CALL, |_, response| {
            let signers = response.pointer_mut("/transaction/specific_data/signers");
            if let Some(signers) = signers.and_then(Value::as_array_mut) {
                signers.sort_by_key(ToString::to_string);
            }
        }) => ["call-sc/echo"];
        "members of a call may be in upper case", respond_successfully_if(CALL, |request, _| contains(request, "\"SIGNERS\""),
            json!({"transaction": {"type": 3}})) => ["call-sc/echo"];
        "a param's name in braces is replaced by its value", text_of(CALL, "${asset_id}", "$7") => ["call-sc/echo"];
        "two braces become one", text_of(CALL, "{{}}", "{}") => ["call-sc/echo"];
        "empty lists are removed", text_of(CALL, "\"doc_hash_list\":[],", "") => ["call-sc/echo"];
        "control characters are removed", text_of(CALL, "\\u0001", "") => ["call-sc/echo"];
        "integers beyond 2^53 are rounded", text_of(CALL, "9223372036854775807", "9223372036854775808")
            => ["call-sc/echo"];
        "the times of built calls go backwards", stateful(0, |calls: &mut i64, request, response| {
            if request.path != CALL || response.status != StatusCode::OK { return response; }
            *calls += 1;
            response.with_json(|built| {
                let time = built["transaction"]["timestamp"].as_i64().unwrap_or_default();
                set(built, "/transaction/timestamp", json!(time - *calls * 2_000));
            })
        }) => ["call-sc/fresh"];
        "the clock for built calls is ten minutes behind", change_json(CALL, |_, response| {
            let time = response["transaction"]["timestamp"].as_i64().unwrap_or_default();
            set(response, "/transaction/timestamp", json!(time - 600_000));
        }) => ["call-sc/fresh"];
        "integers in params are rounded to 64-bit floats", change_json(CALL, |_, response| {
            let place = "/transaction/specific_data/params/deletable_after";
            set(response, place, json!(9_007_199_254_740_992_u64));
        }) => ["call-sc/echo"];
        "non-ASCII characters in remarks are removed", change_json(CALL, |_, response| {
            let place = "/transaction/specific_data/params/remarks";
            if let Some(Value::String(text)) = response.pointer_mut(place) {
                text.retain(|character| character.is_ascii());
            }
        }) => ["call-sc/echo"];
        "builds a call whose params are a string", respond_successfully_if(CALL,
            |request, response| response.status != StatusCode::OK && contains(request, "\"params\":\""),
            json!({"transaction": {"type": 3}})) => ["call-sc/mistyped"];
        "returns status 500 for a contract that does not exist", change_response(CALL, |request, response| {
            match contains(request, "\"ctffff") {
                true => response.with_status(StatusCode::INTERNAL_SERVER_ERROR),
                false => response,
            }
        }) => ["http/server-errors"];
        "builds a call for an empty body", respond_successfully_if(CALL,
            |request, _| request.method == "POST" && request.body.is_empty(), json!({"transaction": {"type": 3}}))
            => ["call-sc/echo"];
        "builds a call whose signers are a string", respond_successfully_if(CALL,
            |request, response| response.status != StatusCode::OK && contains(request, "\"signers\":\""),
            json!({"transaction": {"type": 3}})) => ["call-sc/mistyped"];
        "a built call has valid 0", change_json(CALL, |_, response| {
            set(response, "/transaction/valid", json!(0));
        }) => ["call-sc/valid"];
        "returns the first built call for every request",
            first_response(|request| request.path == CALL)
            => ["call-sc/echo", "call-sc/fresh"];
        "building a call changes a wallet's list of tokens", fee_per_call() => ["call-sc/changes-nothing"];
        "building a call stores its claim", claims_at_once()
            => ["call-sc/changes-nothing"];
        "POST /call-sc returns status 500", change_response(CALL, |_, response| {
            response.with_status(StatusCode::INTERNAL_SERVER_ERROR)
        }) => ["call-sc/responds"];
        "a built call has another contract address", change_json(CALL, |_, response| {
            let other = format!("ct{}", "1".repeat(40));
            set(response, "/transaction/specific_data/address", json!(other));
        }) => ["call-sc/echo"];
        "every built call has the same contract address", {
            let known = facts.verification.clone();
            change_json(CALL, move |_, response| {
                set(response, "/transaction/specific_data/address", json!(known));
            })
        } => ["call-sc/echo"];
        "a built call has another function", change_json(CALL, |_, response| {
            set(response, "/transaction/specific_data/function", json!("transfer"));
        }) => ["call-sc/echo"];
        "every built call has the function add_verification", change_response(CALL, |request, response| {
            let call: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            match call["function_called"] == "transfer" {
                true => response.with_status(StatusCode::OK).with_body(json!({"transaction":
                    {"specific_data": {"function": "add_verification"}}}).to_string()),
                false => response,
            }
        }) => ["call-sc/echo"];
        "a built call has an additional signer", change_json(CALL, |_, response| {
            let signers = response.pointer_mut("/transaction/specific_data/signers");
            if let Some(signers) = signers.and_then(Value::as_array_mut) {
                signers.push(json!(format!("0x{}", "1".repeat(40))));
            }
        }) => ["call-sc/echo"];
        "a built call has changed remarks", change_json(CALL, |_, response| {
            set(response, "/transaction/specific_data/params/remarks", json!("never  submitted"));
        }) => ["call-sc/echo"];
        "large integers become floats", text_of(CALL,
            "123456789012345678901234567890", "1.2345678901234568e+29")
            => ["call-sc/echo"];
        "integers beyond 64 bits are clamped", text_of(CALL,
            "18446744073709551616", "18446744073709551615")
            => ["call-sc/echo"];
        "decimals are rounded to single precision", text_of(CALL,
            "1234567.123456789", "1234567.125") => ["call-sc/echo"];
        "small decimals become 0", text_of(CALL, "1e-7", "0.0")
            => ["call-sc/echo"];
        "strings are HTML-escaped", text_of(CALL, "<b>&amp;&", "&lt;b&gt;&amp;amp;&amp;")
            => ["call-sc/echo"];
        "strings are percent-decoded", text_of(CALL, "41%20+", "41  ")
            => ["call-sc/echo"];
        "strings of digits become numbers", text_of(CALL, "\"12345\"", "12345")
            => ["call-sc/echo"];
        "lists are truncated", text_of(CALL, ",61,62,63", "")
            => ["call-sc/echo"];
        "member names are trimmed and lower-cased", text_of(CALL, "\" Upper Key \"", "\"upper key\"")
            => ["call-sc/echo"];
        "long member names are truncated", text_of(CALL, "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk", "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk")
            => ["call-sc/echo"];
        "null members are removed", text_of(CALL, "\"none\":null,", "")
            => ["call-sc/echo"];
        "the asset ID is trimmed", text_of(CALL, "\"  Conformance-Check-Deep of", "\"Conformance-Check-Deep of")
            => ["call-sc/echo"];
        "deeply nested values become null", text_of(CALL, "\"bottom\"", "null")
            => ["call-sc/echo"];
        "the last of many members is dropped", text_of(CALL, ",\"member_199\":199", "")
            => ["call-sc/echo"];
        "GET /call-sc builds a call", respond_successfully_if(CALL, |request, _| request.method == "GET",
            json!({"transaction": {"type": 3}, "signatures": []})) => ["call-sc/echo"];
        "a built call has the transaction type of a transfer", change_json(CALL, |_, response| {
            set(response, "/transaction/type", json!(5));
        }) => ["call-sc/echo"];
        "a built call contains a signature", change_json(CALL, |_, response| {
            let wallet = format!("0x{}", "1".repeat(40));
            response["signatures"] = json!([{"wallet_address": wallet, "msgsign": "00"}]);
        }) => ["call-sc/unsigned"];
        "the response contains no transaction", change_json(CALL, |_, response| {
            *response = json!({"job": 17});
        }) => ["call-sc/snapshot", "call-sc/submittable"];
        "builds a call without sc_address", respond_successfully_if(CALL,
            |request, response| response.status != StatusCode::OK && !contains(request, "sc_address"),
            json!({"transaction": {"type": 3}})) => ["call-sc/echo"];
        "builds a call without function_called", respond_successfully_if(CALL,
            |request, response| response.status != StatusCode::OK && !contains(request, "function_called"),
            json!({"transaction": {"type": 3}}))
            => ["call-sc/echo"];
        "builds a call without signers", respond_successfully_if(CALL,
            |request, response| response.status != StatusCode::OK && !contains(request, "signers")
                && contains(request, "params"),
            json!({"transaction": {"type": 3}})) => ["call-sc/echo"];
        "builds a call without params", respond_successfully_if(CALL,
            |request, response| response.status != StatusCode::OK && !contains(request, "params")
                && contains(request, "signers"),
            json!({"transaction": {"type": 3}})) => ["call-sc/echo"];
        "builds a call for a truncated body", respond_successfully_if(CALL,
            |request, _| request.method == "POST" && request.body.len() < 20, json!({"transaction": {"type": 3}}))
            => ["call-sc/echo"];
    }
}

fn contains(request: &RecordedRequest, text: &str) -> bool {
    String::from_utf8_lossy(&request.body).contains(text)
}

/// Uses the same code, and the same time, for all equal calls.
fn equal_calls_share_a_code() -> Fault {
    stateful(
        BTreeMap::new(),
        |built: &mut BTreeMap<_, _>, request, response| {
            if request.path != CALL || response.status != StatusCode::OK {
                return response;
            }
            let first = built
                .entry(request.body.clone())
                .or_insert_with(|| response.body.clone());
            let first = first.clone();
            response.with_body(first)
        },
    )
}

/// Takes a fee for each call that it builds, so wallets' lists of tokens change.
fn fee_per_call() -> Fault {
    stateful(0, |calls: &mut u64, request, response| {
        if request.path == CALL && response.status == StatusCode::OK {
            *calls += 1;
        }
        if request.path == BALANCES && asks_for(request, "ALL_TOKENS") {
            return response.with_json(|held| held["fees_paid"] = json!(*calls));
        }
        response
    })
}

/// Stores the claim of each call that it builds, although no one submitted it.
fn claims_at_once() -> Fault {
    stateful(BTreeSet::new(), |assets, request, response| {
        if request.path == CALL && response.status == StatusCode::OK {
            let call: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            assets.extend(call["params"]["asset_id"].as_str().map(str::to_owned));
        }
        let is_claimed = |asset: &&String| asks_for(request, &format!("unique_value={asset}"));
        match assets.iter().find(is_claimed) {
            Some(asset) if request.path == STATE => {
                response.with_json(|state| state["value"] = json!([[asset]]))
            }
            _ => response,
        }
    })
}
