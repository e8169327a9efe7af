//! An answer to the question for a block.

use std::sync::{Arc, OnceLock};

use nodeproof_client::Block;

use super::memory::{Fingerprint, Links, Previous};
use crate::http::{Exchange, Request};

/// What an answer to the question for a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An object, and the block that was asked for as far as it says so.
    Block,
    /// An object that says to be another block than was asked for.
    Odd,
    /// A 200 whose body is no object.
    Unread,
    /// No block, where there should be one.
    Hole,
}

/// An answer to the question for a block, and what can be read of it.
#[derive(Debug)]
pub(crate) struct Seen {
    /// The index that was asked for.
    pub(crate) index: u64,
    pub(crate) kind: Kind,
    pub(crate) exchange: Arc<Exchange>,
    block: OnceLock<Result<Block, String>>,
}

impl Seen {
    pub(crate) const fn new(index: u64, kind: Kind, exchange: Arc<Exchange>) -> Self {
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

    /// What the block has in common with others.
    pub(crate) fn links(&self) -> Links {
        let block = self.block();
        let found = block.and_then(|block| block.transactions().ok());
        let mut transactions = 0;
        let mut codes = Vec::new();
        for (place, transaction) in found.unwrap_or_default().iter().enumerate() {
            let Ok(signed) = transaction.signed() else {
                continue;
            };
            transactions += 1;
            if let Some(code) = signed.transaction().ok().and_then(|t| t.trans_code().ok()) {
                codes.push((place, code));
            }
        }
        Links {
            index: self.index,
            time: block.and_then(|block| block.timestamp().ok()),
            previous: block
                .and_then(|block| block.previous_hash().ok())
                .map(|previous| {
                    let text = previous.to_string();
                    Previous {
                        fingerprint: Fingerprint::of(&text),
                        text,
                    }
                }),
            transactions,
            codes,
        }
    }
}

/// The index that a request asks for.
pub(crate) fn asked_index(request: &Request) -> Option<u64> {
    let mut query = request.query.iter();
    let (_, value) = query.find(|(name, _)| *name == "block_index")?;
    value.parse().ok()
}
