//! The height, for finding out whether the chain grows in the meantime.

use crate::{
    api::{block_request, is_block},
    context::Samples,
    http::InconclusiveReason,
};

/// The height, for finding out whether the chain grows in the meantime.
pub(crate) struct Height(Option<u64>);

/// Maximum number of blocks to request in search of the latest one.
const MAX_NEW_BLOCKS: u32 = 100;

impl Height {
    /// Returns the current height, which is unknown if the run has not found a block.
    pub(crate) async fn of(context: &Samples) -> Result<Self, InconclusiveReason> {
        let mut height = Self::found(context);
        height.stands(context).await?;
        Ok(height)
    }

    /// Returns the height at the start of the run.
    pub(crate) fn found(context: &Samples) -> Self {
        Self(context.discovered.tip)
    }

    /// Updates the height. Returns whether it is unchanged. An unknown height counts as unchanged.
    pub(crate) async fn stands(&mut self, context: &Samples) -> Result<bool, InconclusiveReason> {
        let Some(height) = &mut self.0 else {
            return Ok(true);
        };
        let before = *height;
        for _ in 0..MAX_NEW_BLOCKS {
            let next = context.node.send(block_request(*height + 1)).await?;
            if !next.success_object().is_some_and(is_block) {
                break;
            }
            *height += 1;
        }
        Ok(*height == before)
    }
}
