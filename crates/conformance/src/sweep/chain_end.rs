//! Responses for indexes that may be after the end of the chain.
//!
//! An index without a block counts as missing only if a later index has a block. So responses wait
//! here until a later block arrives.

use super::checks::CheckedBlock;
use crate::api::ResponseKind;

/// Number of indexes in a row without a block after which the chain has ended.
const BEHIND_THE_END: usize = 64;

/// The responses for indexes that may be after the chain's end, in order.
#[derive(Default)]
pub(crate) struct ChainEnd {
    waiting: Vec<Waiting>,
}

struct Waiting {
    block: CheckedBlock,
    /// Whether it was requested again after a later block had arrived.
    is_final: bool,
}

impl ChainEnd {
    /// Whether no response waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether enough indexes in a row have no block.
    pub(crate) fn is_certain(&self) -> bool {
        self.waiting.len() >= BEHIND_THE_END
    }

    /// Adds a response.
    pub(crate) fn add(&mut self, block: CheckedBlock) {
        self.waiting.push(Waiting {
            block,
            is_final: false,
        });
    }

    /// Returns the indexes without a block that were requested before a later block had arrived.
    pub(crate) fn missing(&self) -> Vec<u64> {
        let missing =
            |waiting: &&Waiting| !waiting.is_final && waiting.block.is(ResponseKind::Missing);
        let waiting = self.waiting.iter().filter(missing);
        waiting.map(|waiting| waiting.block.index).collect()
    }

    /// Replaces a response with that of a second request.
    pub(crate) fn replace(&mut self, block: CheckedBlock) {
        let same = |old: &&mut Waiting| old.block.index == block.index;
        if let Some(waiting) = self.waiting.iter_mut().find(same) {
            waiting.block = block;
            waiting.is_final = true;
        }
    }

    /// Removes and returns all responses, in order.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = CheckedBlock> + use<> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().map(|waiting| waiting.block)
    }
}
