//! What discovery found about a chain.

use crate::{
    discovery::{Discovered, Unknown},
    http::InconclusiveReason,
};

/// What discovery found about a chain.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChainBounds {
    /// The lowest index with a block, if it was found.
    pub(crate) lowest: Option<u64>,
    /// The height.
    pub(crate) tip: Option<u64>,
    /// The difference between each block's index and the requested one.
    pub(crate) offset: Option<i128>,
    /// What the node returns for a block that it does not have.
    pub(crate) unknown: Unknown,
    /// The first response in between that could not be read, with the reason.
    pub(crate) unread: Option<InconclusiveReason>,
    /// Indexes of some blocks that were read.
    pub(crate) known: Vec<u64>,
}

impl ChainBounds {
    pub(crate) fn of(discovered: &Discovered) -> Self {
        let mut read = discovered.blocks.iter().map(|(index, _)| *index);
        Self {
            lowest: discovered.lowest,
            tip: discovered.tip,
            offset: discovered.offset,
            unknown: discovered.unknown.clone(),
            unread: discovered.unread.clone(),
            known: read.next().into_iter().chain(read.next_back()).collect(),
        }
    }

    /// Whether an index is above every known block.
    pub(crate) fn is_beyond(&self, index: u64) -> bool {
        self.tip.is_none_or(|tip| index > tip)
    }
}
