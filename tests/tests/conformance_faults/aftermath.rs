//! The write tier: what happens after a claim, in new blocks and elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::StatusCode;
use integration_tests::{
    faults::{
        SeededFault, change_json, change_response, first_response_to_each, remove, set, stateful,
    },
    proxy::{Fault, RecordedRequest},
    seeded_faults,
    submissions::{
        SUBMIT, in_blocks, is_for_a_claim, kind_of_submission, refused_asset, refused_in_blocks,
    },
};
use serde_json::{Value, json};

use crate::{
    balances::{BALANCES, asks_for, entries},
    blocks::{BLOCK, receipts},
    get_trustscore_wallets::TRUST,
    records::STATE,
    submit_transaction::typed,
};

pub(crate) fn faults() -> Vec<SeededFault> {
    seeded_faults! {
        "blocks made during the run have no receipts", new_blocks(|block| {
            remove(block, "/text", "previous_block_receipts");
        }) => ["chain/new-blocks"];
        "blocks made during the run have timestamps in seconds", new_blocks(|block| {
            block["timestamp"] = json!(block["timestamp"].as_i64().unwrap_or_default() / 1000);
        }) => ["chain/new-blocks", "chain/new-blocks-as-expected"];
        "blocks made during the run are a minute older than a transaction in them", new_blocks(|block| {
            if let Some(time) = block.pointer("/text/transactions/0/transaction/timestamp").and_then(Value::as_i64) {
                block["timestamp"] = json!(time - 60_000);
            }
        }) => ["chain/new-blocks", "chain/new-blocks-as-expected"];
        "blocks made during the run have receipts with signatures of zeros", new_blocks(|block| {
            set(block, "/text/previous_block_receipts/0/signature", json!("0".repeat(128)));
        }) => ["chain/new-blocks"];
        "blocks made during the run have null in place of transactions", new_blocks(|block| {
            set(block, "/text/transactions", Value::Null);
        }) => ["chain/new-blocks"];
        // The changed receipts verify in no block, so new ones fail because of their times.
        "receipts have the time of another zone", change_json(BLOCK, |_, block| {
            for receipt in receipts(block) {
                let time = receipt["data"]["timestamp"].as_i64().unwrap_or_default();
                set(receipt, "/data/timestamp", json!(time + 2 * 60 * 60 * 1000));
            }
        }) => ["chain/block-hashes", "chain/new-blocks", "chain/receipt-signatures"];
        "blocks made during the run have another index", new_blocks(|block| {
            block["index"] = json!(block["index"].as_i64().unwrap_or_default() - 1);
        }) => ["chain/new-blocks"];
        "blocks made during the run have another previous_hash", new_blocks(|block| {
            block["previous_hash"] = json!("ef".repeat(32));
        }) => ["chain/new-blocks"];
        "a block made during the run, before the claim, has no receipts", change_json(BLOCK, |_, block| {
            if block.to_string().contains("to be refused") {
                remove(block, "/text", "previous_block_receipts");
            }
        }) => ["chain/new-blocks"];
        "a block has the claim twice", in_blocks(|list| list.extend(list.clone()))
            => ["chain/new-blocks", "submit-transaction/claim-in-block"];
        "the claim is in two blocks", in_two_blocks()
            => ["chain/new-blocks", "submit-transaction/claim-in-block"];
        "the claim is in its block only the first time that the block is read", again_in_blocks(Vec::clear)
            => ["chain/repeat-read"];
        "a block has no transactions any more once it has 12 others above it", stateful(0, |latest, request, response| {
            if request.path != BLOCK { return response }
            response.with_json(|block| {
                let index = block["index"].as_u64().unwrap_or_default();
                *latest = index.max(*latest);
                if index + 12 <= *latest {
                    set(block, "/text/transactions", json!([]));
                }
            })
        }) => ["chain/repeat-read"];
        "the latest block is missing when it is read again, as at a replica that is behind", latest_missing_again()
            => ["chain/repeat-read"];
        "the claim's remarks change in its block after the first time that the block is read", again_in_blocks(|list| {
            for entry in list {
                set(entry, "/transaction/specific_data/params/remarks", json!("changed"));
            }
        }) => ["submit-transaction/claim-in-block-as-signed"];
        "puts a refused transaction into blocks", refused_in_blocks(|request| refused_asset(request).is_some())
            => ["submit-transaction/refused-not-stored"];
        "the list of a token's holders never shows more than at first", stateful(BTreeMap::new(), |first, request, response| {
            if request.path != BALANCES || !asks_for(request, "ALL_WALLETS_FOR_TOKEN") { return response }
            response.with_json(|list| for entry in entries(list) {
                let [wallet, token] = ["wallet_address", "token_code"].map(|name| entry[name].to_string());
                let held = entry["balance"].as_u64().unwrap_or_default();
                entry["balance"] = json!(held.min(*first.entry((wallet, token)).or_insert(held)));
            })
        }) => ["get-balances/agree"];
        "the score of two wallets is kept for both directions until something is submitted", stateful(BTreeMap::new(), |scores, request, response| {
            if request.path.starts_with("/submit") { scores.clear() }
            if request.path != TRUST || response.status != StatusCode::OK { return response }
            let wallets = request.query.split(['&', '=']).filter(|part| part.starts_with("0x"));
            let wallets: BTreeSet<_> = wallets.map(ToOwned::to_owned).collect();
            scores.entry(wallets).or_insert(response).clone()
        }) => ["get-trustscore-wallets/repeat-read"];
        "a claim's record can be read only once", read_once()
            => ["sc-state/columns", "sc-state/repeat-read", "submit-transaction/claim-readable"];
        "a claim changes the remarks of another record", after_a_claim(|request, response| {
            if !is_for_a_claim(request) {
                set(response, "/value/7", json!("changed"));
                set(response, "/data/7", json!("changed"));
            }
        }) => ["sc-state/new-records", "submit-transaction/claim-changes-no-other-record"];
        "other records can't be read after a claim", after_a_claim(|request, response| {
            if !is_for_a_claim(request) && request.query.contains("unique_column=asset_id") {
                *response = json!({"status": "SUCCESS", "value": null, "data": null});
            }
        }) => ["sc-state/columns", "submit-transaction/claim-changes-no-other-record"];
        "the record of a new claim is another one in its second member", new_record(|value| {
            set(value, "/data/7", json!("changed"));
        }) => ["sc-state/new-records"];
        "a new claim's record comes with another asset's", new_record(|value| {
            let mut other = value["value"].clone();
            set(&mut other, "/1", json!("another asset"));
            let both = json!([value["value"].take(), other]);
            value["data"] = both;
            value["value"] = value["data"][0].clone();
        }) => ["sc-state/new-records", "sc-state/new-records-as-expected"];
        "the response with a new claim's record has a duplicate member", change_response(STATE, |request, response| {
            if !is_for_a_claim(request) { return response }
            let text = String::from_utf8_lossy(&response.body).replacen('{', "{\"status\":\"\",", 1);
            response.with_body(text)
        }) => ["sc-state/new-records"];
        "new records are found under every contract", for_every_value("contract_address=")
            => ["sc-state/near"];
        "new records are found in every column", for_every_value("unique_column=")
            => ["sc-state/near"];
        "the response with a new claim's record has no value", new_record(|value| remove(value, "", "value"))
            => ["sc-state/new-records-as-expected"];
        "the response with a new claim's record has Content-Type text/plain", change_response(STATE, |request, response| {
            if is_for_a_claim(request) { typed(response, "text/plain") } else { response }
        }) => ["http/content-type"];
        "new records have lists as arrays, and older ones as text", new_record(|value| {
            for place in ["/value/5", "/value/6", "/data/5", "/data/6"] {
                let list = value.pointer(place).and_then(Value::as_str).map(serde_json::from_str);
                if let Some(Ok(list)) = list {
                    set(value, place, list);
                }
            }
        }) => ["sc-state/new-records-as-expected"];
        "the list of a wallet's balances never changes after the first request", first_response_to_each(
            |request| request.query.contains("ALL_TOKENS_IN_WALLET")
        ) => ["get-balances/agree"];
        "the list of a token's holders never changes after the first request", first_response_to_each(
            |request| request.query.contains("ALL_WALLETS_FOR_TOKEN")
        ) => ["get-balances/agree"];
        "the list of a token's holders lacks the wallet after a claim", after_payment(|list, payer| {
            list.retain(|entry| entry["wallet"] != payer);
        }) => ["get-balances/agree"];
        "a claim creates money", after_payment(|list, payer| {
            for entry in list.iter_mut().filter(|entry| entry["wallet"] != payer) {
                entry["balance"] = json!(entry["balance"].as_i64().unwrap_or_default() + 1_000_000_000);
            }
        }) => ["submit-transaction/nothing-created"];
        "a claim also takes the fee from other wallets", after_payment(|list, payer| {
            for entry in list.iter_mut().filter(|entry| entry["wallet"] != payer) {
                entry["balance"] = json!(entry["balance"].as_i64().unwrap_or_default() - 1_000_000);
            }
        }) => ["submit-transaction/fee-paid-by-no-other"];
    }
}

/// Changes the responses of `/sc-state` once the claim was submitted.
fn after_a_claim(change: fn(&RecordedRequest, &mut Value)) -> Fault {
    stateful(false, move |is_submitted, request, response| {
        *is_submitted |= request.path == SUBMIT && kind_of_submission(request) == "claim";
        if request.path != STATE || !*is_submitted {
            return response;
        }
        response.with_json(|value| change(request, value))
    })
}

/// Changes the responses with the record of a run's claim.
fn new_record(change: fn(&mut Value)) -> Fault {
    change_json(STATE, move |request, response| {
        if is_for_a_claim(request) && !response["value"].is_null() {
            change(response);
        }
    })
}

/// Also returns the record of each new claim for every other value of a parameter.
fn for_every_value(parameter: &'static str) -> Fault {
    stateful(BTreeMap::new(), move |records, request, response| {
        if !is_for_a_claim(request) {
            return response;
        }
        let parts = request.query.split('&').map(ToOwned::to_owned);
        let mut others: Vec<_> = parts.filter(|part| !part.starts_with(parameter)).collect();
        others.sort();
        let has_record = !String::from_utf8_lossy(&response.body).contains("null");
        if response.status == StatusCode::OK && has_record {
            records.insert(others, response.body.clone());
            return response;
        }
        match records.get(&others) {
            Some(body) => response.with_status(StatusCode::OK).with_body(body.clone()),
            None => response,
        }
    })
}

/// Changes the list of a token's holders once a claim was submitted. The change gets the wallet that pays.
fn after_payment(change: fn(&mut Vec<Value>, &str)) -> Fault {
    stateful(
        None,
        move |payer: &mut Option<String>, request, response| {
            if request.path == SUBMIT && kind_of_submission(request) == "claim" {
                let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
                let signer = body.pointer("/transaction/specific_data/signers/0");
                *payer = signer.and_then(Value::as_str).map(ToOwned::to_owned);
            }
            match payer {
                Some(payer) if request.query.contains("ALL_WALLETS_FOR_TOKEN") => response
                    .with_json(|value| {
                        if let Some(Value::Array(list)) = value.get_mut("balance") {
                            change(list, payer);
                        }
                    }),
                _ => response,
            }
        },
    )
}

/// Returns the record of each new claim once, and then no record.
fn read_once() -> Fault {
    stateful(BTreeSet::new(), |read, request, response| {
        if !is_for_a_claim(request) {
            return response;
        }
        response.with_json(|value| {
            if !value["value"].is_null() && !read.insert(request.query.clone()) {
                *value = json!({"status": "SUCCESS", "value": null, "data": null});
            }
        })
    })
}

/// Changes the transactions of the block with the first claim, from the second time that it is read.
fn again_in_blocks(change: fn(&mut Vec<Value>)) -> Fault {
    stateful(BTreeSet::new(), move |read, request, response| {
        let has_claim =
            String::from_utf8_lossy(&response.body).contains("made by a conformance check");
        if request.path != BLOCK || !has_claim || read.insert(request.query.clone()) {
            return response;
        }
        response.with_json(|block| {
            if let Some(Value::Array(list)) = block.pointer_mut("/text/transactions") {
                change(list);
            }
        })
    })
}

/// Returns no block at the second request for one that was made after a claim, until anything else is requested.
fn latest_missing_again() -> Fault {
    stateful(
        (false, BTreeSet::new(), None),
        |(is_submitted, read, just_read), request, response| {
            *is_submitted |= request.path == SUBMIT && kind_of_submission(request) == "claim";
            if request.path != BLOCK {
                *just_read = None;
            }
            if request.path != BLOCK || response.status != StatusCode::OK {
                return response;
            }
            if read.insert(request.query.clone()) {
                *just_read = is_submitted.then(|| request.query.clone());
            } else if just_read.take().as_ref() == Some(&request.query) {
                return response
                    .with_status(StatusCode::BAD_REQUEST)
                    .with_body(r#"{"detail":"Block not found"}"#);
            }
            response
        },
    )
}

/// Repeats the transactions of the block with the first claim in the next block.
fn in_two_blocks() -> Fault {
    stateful(
        None,
        |first: &mut Option<(i64, Vec<Value>)>, request, response| {
            if request.path != BLOCK || response.status != StatusCode::OK {
                return response;
            }
            let has_claim =
                String::from_utf8_lossy(&response.body).contains("made by a conformance check");
            response.with_json(|block| {
                let index = block["index"].as_i64().unwrap_or_default();
                let Some(Value::Array(list)) = block.pointer_mut("/text/transactions") else {
                    return;
                };
                match first {
                    Some((before, transactions)) if *before + 1 == index => {
                        list.extend(transactions.clone());
                    }
                    None if has_claim => *first = Some((index, list.clone())),
                    _ => {}
                }
            })
        },
    )
}

/// Changes the blocks that are made after the claim was submitted.
fn new_blocks(change: fn(&mut Value)) -> Fault {
    // The highest index so far, and the same at the time of the claim.
    stateful(
        (0, None),
        move |(latest, latest_before), request, response| {
            if request.path == SUBMIT && kind_of_submission(request) == "claim" {
                latest_before.get_or_insert(*latest);
            }
            if request.path != BLOCK || response.status != StatusCode::OK {
                return response;
            }
            let index = request
                .query
                .strip_prefix("block_index=")
                .map(str::parse::<u64>);
            let Some(Ok(index)) = index else {
                return response;
            };
            match *latest_before {
                Some(latest) if index > latest => response.with_json(change),
                _ => {
                    *latest = u64::max(*latest, index);
                    response
                }
            }
        },
    )
}
