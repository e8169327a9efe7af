//! An answer to the question for a block.

use std::sync::{Arc, OnceLock};

use nodeproof_client::Block;

use crate::http::Exchange;

/// What an answer to the question for a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseKind {
    /// An object, and the block that was asked for as far as it says so.
    Block,
    /// An object that says to be another block than was asked for.
    WrongIndex,
    /// A 200 whose body is no object.
    NotAnObject,
    /// No block, where there should be one.
    Missing,
}

/// An answer to the question for a block, and what can be read of it.
#[derive(Debug)]
pub(crate) struct BlockResponse {
    /// The index that was asked for.
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

    /// The block as the client reads it.
    pub(crate) fn block(&self) -> Option<&Block> {
        self.exchange.answered_object()?;
        self.read().ok()
    }

    /// The same, or why the client can't read it.
    pub(crate) fn read(&self) -> Result<&Block, String> {
        let read = || Block::from_slice(&self.exchange.body).map_err(|error| error.to_string());
        self.block.get_or_init(read).as_ref().map_err(Clone::clone)
    }
}
