//! A response to a block request.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::{
    members::BlockMembers,
    responses::{is_not_found, is_nothing},
};
use crate::http::Exchange;

/// The kinds of responses to a block request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseKind {
    /// An object with the requested index, or without an index.
    Block,
    /// An object with another index than the requested one.
    WrongIndex,
    /// A 200 with a body that is not an object.
    NotAnObject,
    /// Not a block, at an index where there should be one.
    Missing,
}

/// Whether a response means that the block does not exist. Nodes have different forms for this.
pub(crate) fn says_no_block(exchange: &Exchange) -> bool {
    let carries_nothing = |body: &Value| is_nothing(body) && (body.is_object() || body.is_null());
    is_not_found(exchange.status)
        || exchange.is_success() && exchange.json().is_ok_and(carries_nothing)
}

/// A response to a block request, with the members of its block.
#[derive(Debug)]
pub(crate) struct BlockResponse {
    /// The requested index.
    pub(crate) index: u64,
    pub(crate) kind: ResponseKind,
    pub(crate) exchange: Arc<Exchange>,
    block: OnceLock<Option<BlockMembers>>,
}

impl BlockResponse {
    pub(crate) const fn new(index: u64, kind: ResponseKind, exchange: Arc<Exchange>) -> Self {
        Self {
            index,
            kind,
            exchange,
            block: OnceLock::new(),
        }
    }

    /// Returns the members of the block, or `None` if the response is not a success with an object.
    pub(crate) fn block(&self) -> Option<&BlockMembers> {
        self.exchange.success_object()?;
        let read = || BlockMembers::of(std::str::from_utf8(&self.exchange.body).ok()?);
        self.block.get_or_init(read).as_ref()
    }
}
