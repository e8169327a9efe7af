//! `GET /get-block`.

use std::sync::Arc;

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};

use super::{
    query::Query,
    response::{detail, json_text},
};
use crate::{InjectedFault, Node};

/// Returns the block at an index.
///
/// An unknown, negative, too large or malformed index gets status 400. Observed on a real node.
pub(super) async fn get_block(State(node): State<Arc<Node>>, query: Query) -> Response {
    let index = match query.text("block_index") {
        Ok(text) => index(text),
        Err(fault) => return super::response::Faults::from(fault).into_response(),
    };
    // A second lock of the chain could wait for a block that waits for the first one.
    let has_latest = node.has(InjectedFault::LatestForUnknown);
    let chain = node.chain();
    let block = index.and_then(|index| chain.block_text(index));
    let block = match block {
        None if has_latest => chain.block_text(chain.height()),
        block => block,
    };
    match block {
        Some(text) => json_text(StatusCode::OK, text),
        None => detail(StatusCode::BAD_REQUEST, "Block not found"),
    }
}

/// Parses an index in canonical form, without a sign or leading zeros.
fn index(text: &str) -> Option<u64> {
    let index: u64 = text.parse().ok()?;
    (index.to_string() == text).then_some(index)
}
