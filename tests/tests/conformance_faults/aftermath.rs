//! The write tier: what happens after a claim, in new blocks and elsewhere.

use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use axum::http::StatusCode;
use integration_tests::{
    faults::{SeededFault, StatefulFault, remove, set, stateful},
    proxy::{Fault, RecordedRequest, Response},
    seeded_faults,
    submissions::{SUBMIT, kind_of_submission},
};
use serde_json::{Value, json};

use crate::blocks::BLOCK;

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
