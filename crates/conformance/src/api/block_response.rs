//! A response to a block request.

use std::sync::{Arc, OnceLock};

use nodeproof_client::Block;

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

/// A response to a block request, with the block that the client decodes from it.
#[derive(Debug)]
pub(crate) struct BlockResponse {
    /// The requested index.
    pub(crate) index: u64,
    pub(crate) kind: ResponseKind,
    pub(crate) exchange: Arc<Exchange>,
    block: OnceLock<Result<Block, String>>,
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

    /// Returns the block that the client decodes, or `None` if it can't.
    pub(crate) fn block(&self) -> Option<&Block> {
        self.exchange.success_object()?;
        self.read().ok()
    }

    /// Returns the block that the client decodes, or the reason why it can't.
    pub(crate) fn read(&self) -> Result<&Block, String> {
        let read = || Block::from_slice(&self.exchange.body).map_err(|error| error.to_string());
        self.block.get_or_init(read).as_ref().map_err(Clone::clone)
    }
}
