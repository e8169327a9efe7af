//! The height, for finding out whether the chain grows in the meantime.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    api::{IndexSearch, block_request, is_block},
    context::Samples,
    http::{Exchange, InconclusiveReason},
};

/// The height, for finding out whether the chain grows in the meantime.
pub(crate) struct Height(Option<u64>);

/// Maximum growth of a chain during a run, in blocks.
const MAX_GROWTH: u64 = 1 << 33;

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
        let Some(before) = self.0 else {
            return Ok(true);
        };
        let mut search = IndexSearch::above(before, 1, before.saturating_add(MAX_GROWTH));
        let mut last: Option<Arc<Exchange>> = None;
        while search.next().is_some() {
            let indexes = search.next_several(context.node.requests_of_search(last.as_deref()));
            let requests = indexes.iter().copied().map(block_request);
            let responses = context.node.send_all(requests.collect()).await?;
            let found: BTreeMap<_, _> = indexes.into_iter().zip(&responses).collect();
            while let Some(response) = search.next().and_then(|index| found.get(&index)) {
                search.narrow(response.success_object().is_some_and(is_block));
            }
            last = responses.into_iter().next();
        }
        let height = search.result().unwrap_or(before);
        self.0 = Some(height);
        Ok(height == before)
    }

    /// Returns whether there are this many new blocks. An unknown height has not grown.
    pub(super) async fn has_grown_by(
        &self,
        blocks: u64,
        context: &Samples,
    ) -> Result<bool, InconclusiveReason> {
        let Some(height) = self.0 else {
            return Ok(false);
        };
        let request = block_request(height.saturating_add(blocks));
        let response = context.node.send(request).await?;
        Ok(response.success_object().is_some_and(is_block))
    }
}
