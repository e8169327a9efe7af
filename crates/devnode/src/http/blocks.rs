//! `GET /get-block`.

use std::sync::Arc;

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};

use super::{
    answer::{detail, json_text},
    query::Query,
};
use crate::Node;

/// The block at an index. What is not an index of a block is answered with 400, be it
/// unknown, negative, huge or no number at all, as was observed on a real node.
pub(super) async fn get_block(State(node): State<Arc<Node>>, query: Query) -> Response {
    let index = match query.text("block_index") {
        Ok(text) => index(text),
        Err(fault) => return super::answer::Faults::from(fault).into_response(),
    };
    match index.and_then(|index| node.chain().block_text(index, node.forms())) {
        Some(text) => json_text(StatusCode::OK, text),
        None => detail(StatusCode::BAD_REQUEST, "Block not found"),
    }
}

/// An index in the one way in which it is written.
fn index(text: &str) -> Option<u64> {
    let index: u64 = text.parse().ok()?;
    (index.to_string() == text).then_some(index)
}
