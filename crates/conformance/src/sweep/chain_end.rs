//! Indexes that may be after the chain's end.
//!
//! An index without a block is a hole only if a later index has one. So responses wait here until a
//! later block decides.

use super::checks::CheckedBlock;
use crate::api::ResponseKind;

/// So many indexes in a row after the latest known block, and none of them has a block: that is the
/// chain's end, however far the range goes.
const BEHIND_THE_END: usize = 64;

/// The responses for indexes that may be after the chain's end, in order.
#[derive(Default)]
pub(crate) struct ChainEnd {
    waiting: Vec<Waiting>,
}

struct Waiting {
    block: CheckedBlock,
    /// Whether it was requested after a later block was there.
    is_final: bool,
}

impl ChainEnd {
    /// Whether any response waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether so many indexes have no block that the chain has ended.
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

    /// Returns the indexes without a block that were requested before a later block was there.
    pub(crate) fn missing(&self) -> Vec<u64> {
        let missing =
            |waiting: &&Waiting| !waiting.is_final && waiting.block.is(ResponseKind::Missing);
        let waiting = self.waiting.iter().filter(missing);
        waiting.map(|waiting| waiting.block.index).collect()
    }

    /// Replaces a response with the one to a second request.
    pub(crate) fn replace(&mut self, block: CheckedBlock) {
        let same = |old: &&mut Waiting| old.block.index == block.index;
        if let Some(waiting) = self.waiting.iter_mut().find(same) {
            waiting.block = block;
            waiting.is_final = true;
        }
    }

    /// Takes all responses, in order.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = CheckedBlock> + use<> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().map(|waiting| waiting.block)
    }
}
