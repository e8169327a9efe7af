//! What is known of a chain before a sweep.

use crate::discovery::{Discovered, Unknown};

/// What is known of a chain before a sweep.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChainBounds {
    /// The lowest index of a block that was found.
    pub(crate) lowest: Option<u64>,
    /// The latest index.
    pub(crate) tip: Option<u64>,
    /// By how much the index in every block differs from the requested one.
    pub(crate) offset: Option<i128>,
    /// What the node returns for a block that it does not have.
    pub(crate) unknown: Unknown,
    /// The first of the blocks in between for which there was no response, and why.
    pub(crate) unread: Option<(u64, String)>,
    /// Some blocks that were read.
    pub(crate) known: Vec<u64>,
}

impl ChainBounds {
    pub(crate) fn of(material: &Discovered) -> Self {
        let mut read = material.blocks.iter().map(|(index, _)| *index);
        Self {
            lowest: material.lowest,
            tip: material.tip,
            offset: material.offset,
            unknown: material.unknown.clone(),
            unread: material.unread.clone(),
            known: read.next().into_iter().chain(read.next_back()).collect(),
        }
    }

    /// Whether an index is above that of every known block.
    pub(crate) fn is_beyond(&self, index: u64) -> bool {
        self.tip.is_none_or(|tip| index > tip)
    }
}
