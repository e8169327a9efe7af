//! The node's responses for an index without a block.

use std::collections::BTreeSet;

use crate::api::is_not_found;

/// The responses for an index without a block, other than "not found".
#[derive(Clone, Debug, Default)]
pub(crate) struct Unknown {
    pub(crate) statuses: BTreeSet<u16>,
    /// Whether the node returns another block.
    pub(crate) other_blocks: bool,
}

impl Unknown {
    /// Whether a response may mean that the block does not exist. `other_block` is true if the
    /// response has another block's index.
    pub(crate) fn may_say(&self, status: u16, other_block: bool) -> bool {
        is_not_found(status)
            || self.statuses.contains(&status)
            || (other_block && self.other_blocks)
    }
}
