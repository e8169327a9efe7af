//! `GET /get-block`: one block.

use std::collections::BTreeSet;

use axum::{
    body::Bytes,
    http::{HeaderValue, Method, StatusCode, header},
};
use integration_tests::{
    faults::{SeededFault, change_json, change_response, respond_successfully_if, set, stateful},
    proxy::Fault,
    seeded_faults,
};
use nodeproof_primitives::TimestampMs;
use serde_json::{Value, json};

use crate::{
    blocks::{BLOCK, receipts},
    facts::Facts,
};

pub(crate) fn faults(facts: &Facts) -> Vec<SeededFault> {
    let started = TimestampMs::now().as_millis();
    seeded_faults! {
        "the latest block has no receipts when it is first read", stateful(false, {
            let latest = format!("block_index={}", facts.latest);
            move |is_known, request, response| {
                if request.path != BLOCK || request.query != latest || std::mem::replace(is_known, true) {
                    return response;
                }
                response.with_json(|block| set(block, "/text/previous_block_receipts", json!([])))
            }
        }) => ["chain/repeat-read"];
        "index is one higher than requested", change_json(BLOCK, |_, block| {
            let index = block["index"].as_i64().unwrap_or_default();
            block["index"] = json!(index + 1);
            receipts(block).iter_mut().for_each(|r| set(r, "/data/block_index", json!(index)));
        }) => ["chain/receipt-signatures", "get-block/index-echo"];
        "a receipt is null", change_json(BLOCK, |_, block| {
            receipts(block).iter_mut().take(1).for_each(|receipt| *receipt = Value::Null);
        }) => ["get-block/previous-block-receipts", "get-block/snapshot"];
        "a receipt is a list", change_json(BLOCK, |_, block| {
            receipts(block).iter_mut().take(1).for_each(|receipt| *receipt = json!([]));
        }) => ["get-block/previous-block-receipts", "get-block/snapshot"];
        "the creator is in upper case", change_json(BLOCK, |_, block| {
            let upper = block["creator_wallet"].as_str().unwrap_or_default().to_uppercase();
            block["creator_wallet"] = json!(upper.replace("0X", "0x"));
        }) => ["get-block/creator-wallet", "get-block/snapshot"];
        "the expected miner is a contract", change_json(BLOCK, |_, block| {
            let miner = block["expected_miner"].as_str().unwrap_or_default().replace("0x", "ct");
            block["expected_miner"] = json!(miner);
        }) => ["get-block/expected-miner", "get-block/snapshot"];
        "receipts have the index of the block that contains them", change_json(BLOCK, |_, block| {
            let index = block["index"].as_i64().unwrap_or_default();
            receipts(block).iter_mut().for_each(|r| set(r, "/data/block_index", json!(index)));
        }) => ["chain/block-hashes", "chain/receipt-signatures", "get-block/receipts-of-preceding-block"];
        "blocks have Content-Type text/plain", change_response(BLOCK, |_, mut response| {
            let text = HeaderValue::from_static("text/plain");
            response.headers.insert(header::CONTENT_TYPE, text);
            response
        }) => ["http/content-type"];
        "a request that accepts any type gets 406", change_response(BLOCK, |request, response| {
            match request.headers.get(header::ACCEPT).is_some_and(|accept| accept == "*/*") {
                true => response.with_status(StatusCode::NOT_ACCEPTABLE).with_body("{}"),
                false => response,
            }
        }) => ["http/equal-requests"];
        "compressed blocks are kept by their path", stateful(None::<Bytes>, |kept, request, response| {
            let is_block = request.path == BLOCK && response.status == StatusCode::OK;
            if !is_block || request.headers.get(header::ACCEPT_ENCODING).is_none() { return response }
            let body = kept.get_or_insert_with(|| response.body.clone()).clone();
            response.with_body(body)
        }) => ["http/equal-requests"];
        "a request from a page of another site is refused", change_response(BLOCK, |request, response| {
            match request.headers.contains_key(header::ORIGIN) {
                true => response.with_status(StatusCode::FORBIDDEN).with_body("{}"),
                false => response,
            }
        }) => ["http/equal-requests"];
        "a request with a long cookie is refused", change_response(BLOCK, |request, response| {
            match request.headers.contains_key(header::COOKIE) {
                true => response.with_status(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE).with_body("{}"),
                false => response,
            }
        }) => ["http/equal-requests"];
        "a cache keeps compressed blocks for every program", stateful(BTreeSet::new(), |packed, request, response| {
            if request.path != BLOCK || response.status != StatusCode::OK { return response }
            let takes_it = request.headers.get(header::ACCEPT_ENCODING).is_some();
            if takes_it { packed.insert(request.query.clone()); }
            match !takes_it && packed.remove(&request.query) {
                true => response.with_body("\u{1f}packed"),
                false => response,
            }
        }) => ["http/equal-requests"];
        "a cache keeps the response to HEAD for GET", stateful(BTreeSet::new(), |empty, request, response| {
            if request.path != BLOCK || response.status != StatusCode::OK { return response }
            if request.method == Method::HEAD { empty.insert(request.query.clone()); }
            match request.method == Method::GET && empty.remove(&request.query) {
                true => response.with_body(""),
                false => response,
            }
        }) => ["http/equal-requests"];
        "the body of a call in plain text is taken for the next request", stateful(false, |is_left: &mut bool, request, response| {
            let media = request.headers.get(header::CONTENT_TYPE);
            if request.path == "/call-sc" && media.is_some_and(|media| media == "text/plain") { *is_left = true; }
            match request.path == BLOCK && std::mem::take(is_left) {
                true => response.with_status(StatusCode::NOT_IMPLEMENTED).with_body("Unsupported method"),
                false => response,
            }
        }) => ["http/equal-requests"];
        "a block is cut on a connection that is to be closed", change_response(BLOCK, |request, response| {
            let closes = request.headers.get(header::CONNECTION).is_some_and(|value| value == "close");
            if !closes || response.status != StatusCode::OK { return response }
            let half = response.body.slice(..response.body.len() / 2);
            response.with_body(half)
        }) => ["http/equal-requests"];
        "a request without an index gets null", respond_successfully_if(BLOCK,
            |request, _| request.query.is_empty(), Value::Null)
            => ["http/missing-parameter"];
        "blocks have no Content-Type", change_response(BLOCK, |_, mut response| {
            response.headers.remove(header::CONTENT_TYPE);
            response
        }) => ["http/content-type"];
        "successful block responses have HTTP status 206", change_response(BLOCK, |_, response| {
            match response.status {
                StatusCode::OK => response.with_status(StatusCode::PARTIAL_CONTENT),
                _ => response,
            }
        }) => ["get-block/responds"];
        "successful block responses have HTTP status 202", change_response(BLOCK, |_, response| {
            match response.status {
                StatusCode::OK => response.with_status(StatusCode::ACCEPTED),
                _ => response,
            }
        }) => ["get-block/responds"];
        "blocks have a duplicate member", change_response(BLOCK, |_, response| {
            let text = String::from_utf8_lossy(&response.body).replacen('{', "{\"proof\":1,", 1);
            if response.status == StatusCode::OK { response.with_body(text) } else { response }
        }) => ["get-block/responds"];
        "returns block 1 for an unknown index", respond_successfully_if(BLOCK,
            |request, response| request.query.len() > 20 && !request.query.contains("no-index")
                && response.status != StatusCode::OK,
            json!({"index": 1, "previous_hash": "0"}))
            => ["get-block/unknown-index"];
        "returns a block for a request without block_index", respond_successfully_if(BLOCK,
            |request, _| request.query.is_empty(), json!({"index": 1}))
            => ["get-block/near"];
        "returns a block for a non-numeric block_index", respond_successfully_if(BLOCK,
            |request, _| request.query.contains("no-index"), json!({"index": 1}))
            => ["get-block/block-index-malformed"];
        "blocks are in row form, as in a database table", change_json(BLOCK, |_, block| {
            let committee = block["committee"].to_string();
            *block = json!({"block_index": block["index"], "timestamp": block["timestamp"],
                "proof": 1, "status": null, "previous_hash": block["previous_hash"],
                "creator_wallet": null, "expected_miner": block["expected_miner"],
                "committee": committee});
        }) => ["get-block/committee", "get-block/creator-wallet", "get-block/index",
            "get-block/shape", "get-block/snapshot", "get-block/status", "get-block/text"];
        "one block has the index of the preceding block", at_block(facts.middle, |block| {
            block["index"] = json!(block["index"].as_u64().unwrap_or_default() - 1);
        }) => ["get-block/index-echo"];
        "returns the latest block for block_index 0", latest_block_at_zero(facts.latest)
            => ["get-block/index-zero"];
        "returns a block for every index", change_response(BLOCK, move |request, response| {
            let index = request.query.strip_prefix("block_index=").map(str::parse::<i64>);
            match index {
                Some(Ok(index @ 1..)) if response.status != StatusCode::OK => {
                    let wallet = format!("0x{}", "5a".repeat(20));
                    let body = json!({"index": index, "timestamp": (started + index.min(10_000)),
                        "proof": 42, "status": 1, "creator_wallet": wallet, "expected_miner": wallet,
                        "committee": [wallet], "previous_hash": format!("{index:064x}"),
                        "text": {"transactions": [], "previous_block_receipts": []}});
                    response.with_status(StatusCode::OK).with_body(body.to_string())
                }
                _ => response,
            }
        }) => ["get-block/unknown-index"];
        "block_index is truncated to 32 bits", respond_successfully_if(BLOCK, {
            let wrapped = format!("block_index={}", (1_u64 << 32) + facts.latest);
            move |request, _| request.query == wrapped
        }, json!({"index": facts.latest, "previous_hash": "0"})) => ["get-block/unknown-index"];
        "returns a block for a negative index", respond_successfully_if(BLOCK,
            |request, _| request.query.contains("-1"), json!({"index": -1, "previous_hash": "0"}))
            => ["get-block/unknown-index"];
    }
}

/// Changes the block at this index.
fn at_block(index: u64, change: fn(&mut Value)) -> Fault {
    let query = format!("block_index={index}");
    change_json(BLOCK, move |request, block| {
        if request.query == query {
            change(block);
        }
    })
}

/// Returns the latest block in response to requests for block 0.
fn latest_block_at_zero(latest: u64) -> Fault {
    let latest = format!("block_index={latest}");
    stateful(None, move |body: &mut Option<Bytes>, request, response| {
        if request.path == BLOCK && request.query == latest {
            body.get_or_insert_with(|| response.body.clone());
        }
        match body {
            Some(latest) if request.path == BLOCK && request.query == "block_index=0" => response
                .with_status(StatusCode::OK)
                .with_body(latest.clone()),
            _ => response,
        }
    })
}
