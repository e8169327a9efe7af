//! The write tier: what happens after a claim, in new blocks and elsewhere.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
};

use axum::http::StatusCode;
use integration_tests::{
    faults::{SeededFault, StatefulFault, change_json, remove, set, stateful},
    proxy::{Fault, RecordedRequest, Response},
    seeded_faults,
    submissions::{RefusedInBlocks, SUBMIT, in_blocks, kind_of_submission, refused_asset},
};
use serde_json::{Value, json};

use crate::{blocks::BLOCK, records::STATE};

pub(crate) fn faults() -> Vec<SeededFault> {
    seeded_faults! {
        "blocks made during the run have no receipts", new_blocks(|block| {
            remove(block, "/text", "previous_block_receipts");
        }) => ["chain/new-blocks"];
        "blocks made during the run have timestamps in seconds", new_blocks(|block| {
            block["timestamp"] = json!(block["timestamp"].as_i64().unwrap_or_default() / 1000);
        }) => ["chain/new-blocks", "chain/new-blocks-as-expected"];
        "blocks made during the run have receipts with signatures of zeros", new_blocks(|block| {
            set(block, "/text/previous_block_receipts/0/signature", json!("0".repeat(128)));
        }) => ["chain/new-blocks"];
        "blocks made during the run have null in place of transactions", new_blocks(|block| {
            set(block, "/text/transactions", Value::Null);
        }) => ["chain/new-blocks"];
        "blocks made during the run have another index", new_blocks(|block| {
            block["index"] = json!(block["index"].as_i64().unwrap_or_default() - 1);
        }) => ["chain/new-blocks"];
        "blocks made during the run have another previous_hash", new_blocks(|block| {
            block["previous_hash"] = json!("ef".repeat(32));
        }) => ["chain/new-blocks-as-expected"];
        "a block made during the run, before the claim, has no receipts", change_json(BLOCK, |_, block| {
            if block.to_string().contains("to be refused") {
                remove(block, "/text", "previous_block_receipts");
            }
        }) => ["chain/new-blocks"];
        "a block has the claim twice", in_blocks(|list| list.extend(list.clone()))
            => ["submit-transaction/claim-in-block"];
        "the claim is in two blocks", stateful(InTwoBlocks::default())
            => ["submit-transaction/claim-in-block"];
        "puts a refused transaction into blocks", stateful(RefusedInBlocks::of(|request| {
            refused_asset(request).is_some()
        })) => ["submit-transaction/claim-refused-not-stored"];
        "a claim's record can be read only once", stateful(ReadOnce::default())
            => ["submit-transaction/claim-readable"];
        "a claim changes the remarks of another record", after_a_claim(|request, response| {
            if !request.query.contains("unique_value=conformance-") {
                set(response, "/value/7", json!("changed"));
                set(response, "/data/7", json!("changed"));
            }
        }) => ["submit-transaction/claim-changes-no-other-record"];
        "other records can't be read after a claim", after_a_claim(|request, response| {
            if !request.query.contains("unique_value=conformance-") {
                *response = json!({"status": "SUCCESS", "value": null, "data": null});
            }
        }) => ["submit-transaction/claim-changes-no-other-record"];
    }
}

/// Changes the responses of `/sc-state` once the claim was submitted.
fn after_a_claim(change: fn(&RecordedRequest, &mut Value)) -> Fault {
    stateful(AfterAClaim {
        change,
        is_submitted: AtomicBool::new(false),
    })
}

struct AfterAClaim {
    change: fn(&RecordedRequest, &mut Value),
    is_submitted: AtomicBool,
}

impl StatefulFault for AfterAClaim {
    fn response(&self, request: &RecordedRequest, response: Response) -> Response {
        if request.path == SUBMIT && kind_of_submission(request) == "claim" {
            self.is_submitted.store(true, Relaxed);
        }
        if request.path != STATE || !self.is_submitted.load(Relaxed) {
            return response;
        }
        response.with_json(|value| (self.change)(request, value))
    }
}

/// Returns the record of each new claim once, and then no record.
#[derive(Default)]
struct ReadOnce(Mutex<BTreeSet<String>>);

impl StatefulFault for ReadOnce {
    fn response(&self, request: &RecordedRequest, response: Response) -> Response {
        let Ok(mut read) = self.0.lock() else {
            return response;
        };
        if request.path != STATE || !request.query.contains("unique_value=conformance-") {
            return response;
        }
        response.with_json(|value| {
            if !value["value"].is_null() && !read.insert(request.query.clone()) {
                *value = json!({"status": "SUCCESS", "value": null, "data": null});
            }
        })
    }
}

/// Repeats the transactions of the block with the first claim in the next block.
#[derive(Default)]
struct InTwoBlocks(Mutex<Option<(i64, Vec<Value>)>>);

impl StatefulFault for InTwoBlocks {
    fn response(&self, request: &RecordedRequest, response: Response) -> Response {
        let Ok(mut first) = self.0.lock() else {
            return response;
        };
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
            match &*first {
                Some((before, transactions)) if before + 1 == index => {
                    list.extend(transactions.clone());
                }
                None if has_claim => *first = Some((index, list.clone())),
                _ => {}
            }
        })
    }
}

/// Changes the blocks that are made after the claim was submitted.
fn new_blocks(change: fn(&mut Value)) -> Fault {
    stateful(NewBlocks {
        change,
        latest: AtomicU64::new(0),
        latest_before: Mutex::default(),
    })
}

struct NewBlocks {
    change: fn(&mut Value),
    /// The highest index so far.
    latest: AtomicU64,
    /// The same at the time of the claim.
    latest_before: Mutex<Option<u64>>,
}

impl StatefulFault for NewBlocks {
    fn response(&self, request: &RecordedRequest, response: Response) -> Response {
        let Ok(mut latest_before) = self.latest_before.lock() else {
            return response;
        };
        if request.path == SUBMIT && kind_of_submission(request) == "claim" {
            latest_before.get_or_insert(self.latest.load(Relaxed));
        }
        if request.path != BLOCK || response.status != StatusCode::OK {
            return response;
        }
        let index = request.query.strip_prefix("block_index=").map(str::parse);
        let Some(Ok(index)) = index else {
            return response;
        };
        match *latest_before {
            Some(latest) if index > latest => response.with_json(self.change),
            _ => {
                self.latest.fetch_max(index, Relaxed);
                response
            }
        }
    }
}
