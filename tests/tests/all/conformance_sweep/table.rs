//! The table: one fault in one place of a long chain, and the result of a sweep.

use std::sync::Arc;

use axum::http::StatusCode;
use integration_tests::proxy::{Fault, RecordedRequest, Response};
use nodeproof_conformance::{cases, report::Level};
use serde_json::{Value, json};

/// The length of the chain.
pub(crate) const BLOCKS: u64 = 80;
/// The block with the fault. It is far from the blocks that a run reads without a sweep.
pub(crate) const BLOCK: u64 = 37;

/// A fault, and the result of a sweep over the whole chain.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) fault: Fault,
    /// The cases that find it, each with the number of findings.
    pub(crate) finds: &'static [(&'static str, u64)],
    /// The first block that each of them reports.
    pub(crate) places: &'static [u64],
    /// The number of blocks that can't be read.
    pub(crate) unread: u64,
    pub(crate) exit: u8,
}

impl Row {
    fn new(name: &'static str, fault: Fault, finds: &'static [(&'static str, u64)]) -> Self {
        // Findings at the level `should` are only warnings.
        let is_must = |(id, _): &(&str, u64)| {
            let case = cases::all().into_iter().find(|case| case.id == *id);
            case.is_some_and(|case| case.level == Level::Must)
        };
        Self {
            name,
            fault,
            finds,
            places: &[BLOCK],
            unread: 0,
            exit: u8::from(finds.iter().any(is_must)),
        }
    }

    /// Sets other places.
    const fn at(mut self, places: &'static [u64]) -> Self {
        self.places = places;
        self
    }

    /// Returns a row for a block that can't be read, so nothing is found in it.
    fn unread(name: &'static str, fault: Fault) -> Self {
        Self {
            unread: 1,
            exit: 3,
            ..Self::new(name, fault, &[])
        }
    }
}

pub(crate) fn is_of(request: &RecordedRequest, block: u64) -> bool {
    request.path == "/get-block" && request.query == format!("block_index={block}")
}

/// Changes the response for a block.
fn response_at(block: u64, response: fn(Response) -> Response) -> Fault {
    Arc::new(move |request: &RecordedRequest, good: Response| {
        if is_of(request, block) {
            response(good)
        } else {
            good
        }
    })
}

fn instead(response: fn(Response) -> Response) -> Fault {
    response_at(BLOCK, response)
}

/// Changes a block.
fn block_at(block: u64, change: fn(&mut Value)) -> Fault {
    Arc::new(move |request: &RecordedRequest, good: Response| {
        if is_of(request, block) {
            good.with_json(change)
        } else {
            good
        }
    })
}

pub(crate) fn in_block(change: fn(&mut Value)) -> Fault {
    block_at(BLOCK, change)
}

fn missing(response: Response) -> Response {
    let body = r#"{"detail":"Block not found"}"#;
    response
        .with_status(StatusCode::BAD_REQUEST)
        .with_body(body)
}

/// Moves a block's time.
fn later(block: &mut Value, milliseconds: i64) {
    let time = block["timestamp"].as_i64().unwrap_or_default();
    block["timestamp"] = json!(time + milliseconds);
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = responses();
    rows.extend(chain());
    rows
}

/// Responses that are not a block.
fn responses() -> Vec<Row> {
    vec![
        Row::new(
            "a block is missing",
            instead(missing),
            &[("chain/no-holes", 1)],
        ),
        Row::new(
            "a block returns status 404",
            instead(|response| response.with_status(StatusCode::NOT_FOUND)),
            &[("chain/no-holes", 1)],
        ),
        Row::new(
            "five blocks are missing where the search for the latest block probes",
            Arc::new(|request: &RecordedRequest, good: Response| {
                if (62..67).any(|block| is_of(request, block)) {
                    missing(good)
                } else {
                    good
                }
            }),
            &[("chain/no-holes", 5)],
        )
        .at(&[62, 63, 64, 65, 66]),
        Row::new(
            "a block response has HTTP status 500",
            instead(|response| response.with_status(StatusCode::INTERNAL_SERVER_ERROR)),
            &[("get-block/responds", 1)],
        ),
        Row::new(
            "a block response has HTTP status 302",
            instead(|response| response.with_status(StatusCode::FOUND)),
            &[("get-block/responds", 1)],
        ),
        Row::new(
            "a block response has HTTP status 204",
            instead(|response| response.with_status(StatusCode::NO_CONTENT).with_body("")),
            &[("get-block/responds", 1)],
        ),
        Row::new(
            "the response for the latest block has HTTP status 500",
            response_at(BLOCKS, |response| {
                response.with_status(StatusCode::INTERNAL_SERVER_ERROR)
            }),
            &[("get-block/responds", 1)],
        )
        .at(&[BLOCKS]),
        Row::new(
            "a block is truncated JSON",
            instead(|response| response.with_body("{\"index\":37,")),
            &[("get-block/responds", 1)],
        ),
        Row::new(
            "a block is a list",
            instead(|response| response.with_body("[]")),
            &[("get-block/responds", 1)],
        ),
        Row::new(
            "a block has a duplicate member",
            instead(|response| {
                let text =
                    String::from_utf8_lossy(&response.body).replacen('{', "{\"proof\":1,", 1);
                response.with_body(text)
            }),
            &[("get-block/responds", 1)],
        ),
        Row::new(
            "a block has the index of the preceding block",
            in_block(|block| block["index"] = json!(BLOCK - 1)),
            &[("get-block/index-echo", 1)],
        ),
        Row::new(
            "the first block has another index",
            block_at(1, |block| block["index"] = json!(7)),
            &[("get-block/index-echo", 1)],
        )
        .at(&[1]),
        Row::unread(
            "a gateway returns status 502 for a block",
            instead(|response| {
                response
                    .with_status(StatusCode::BAD_GATEWAY)
                    .with_body("no")
            }),
        ),
        Row::unread(
            "a block exceeds the body limit",
            instead(|response| response.with_body(vec![b' '; 17 << 20])),
        ),
    ]
}

/// Faults between blocks. The tables of runs without a sweep have more, and faults in the members of a block. A test in
/// `conformance_faults` runs them with a sweep.
fn chain() -> Vec<Row> {
    vec![
        Row::new(
            "a block is newer than the next block",
            in_block(|block| later(block, 3_000)),
            &[("chain/time-goes-on", 1)],
        )
        .at(&[BLOCK + 1]),
        Row::new(
            "a block's timestamp is far in the future",
            in_block(|block| later(block, 2_000_000_000_000)),
            &[("chain/time-goes-on", 1)],
        ),
        Row::new(
            "the timestamps of three blocks are far in the future",
            Arc::new(|request: &RecordedRequest, response: Response| {
                if (BLOCK..BLOCK + 3).any(|block| is_of(request, block)) {
                    response.with_json(|block| later(block, 2_000_000_000_000))
                } else {
                    response
                }
            }),
            &[("chain/time-goes-on", 3)],
        )
        .at(&[BLOCK, BLOCK + 1, BLOCK + 2]),
        Row::new(
            "the latest block's timestamp is far in the future",
            block_at(BLOCKS, |block| later(block, 2_000_000_000_000)),
            &[("chain/time-goes-on", 1)],
        )
        .at(&[BLOCKS]),
    ]
}
