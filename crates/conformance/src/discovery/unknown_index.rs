//! What a node returns for an index that it has no block for.

use std::collections::BTreeSet;

use crate::api::is_not_found;

/// What a node says of an index that it has no block for, other than that there is none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unknown {
    pub(crate) statuses: BTreeSet<u16>,
    /// It answers with another block.
    pub(crate) other_blocks: bool,
}

impl Unknown {
    /// Whether an answer may mean that there is no such block. It is another block if its index
    /// says so.
    pub(crate) fn may_say(&self, status: u16, other_block: bool) -> bool {
        is_not_found(status)
            || self.statuses.contains(&status)
            || (other_block && self.other_blocks)
    }
}
