//! The latest block.

use crate::{Block, Client, Error};

/// The largest power of two that is tried as an index if the first blocks are missing.
const MAX_POWER: u32 = 30;

impl Client {
    /// Returns the index of the latest block, or `None` if there is no block at all.
    ///
    /// The contract has no request for it. This requests blocks at doubled indexes until one is
    /// missing, and then searches in between. It takes about 2·log₂ of the index in requests: 40 for
    /// a million blocks, and never more than 129. Blocks that are made during the search may or may
    /// not be counted.
    ///
    /// If a node has dropped its first blocks, this finds the latest one if the node has a block at
    /// a power of two, up to 2³⁰.
    ///
    /// # Errors
    /// If a request fails for another reason than a [missing block](Self::block_if_there).
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// if let Some(latest) = node.latest_block().await? {
    ///     println!("the latest block is {latest}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn latest_block(&self) -> Result<Option<u64>, Error> {
        let Some(mut there) = self.some_block().await? else {
            return Ok(None);
        };
        if there == 0 {
            return Ok(Some(0));
        }
        let mut beyond = loop {
            let Some(next) = there.checked_mul(2) else {
                break u64::MAX;
            };
            if !self.has_block(next).await? {
                break next;
            }
            there = next;
        };
        while beyond - there > 1 {
            let middle = there + (beyond - there) / 2;
            if self.has_block(middle).await? {
                there = middle;
            } else {
                beyond = middle;
            }
        }
        Ok(Some(there))
    }

    /// Returns the index of the first block that is found, or `None` if none is.
    async fn some_block(&self) -> Result<Option<u64>, Error> {
        // The first block is number 1, or 0 with other implementations. Some nodes drop their first
        // blocks.
        let dropped = (1..=MAX_POWER).map(|power| 1_u64 << power);
        for index in [1, 0].into_iter().chain(dropped) {
            if self.has_block(index).await? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    async fn has_block(&self, index: u64) -> Result<bool, Error> {
        Ok(self.block_if_there(index).await?.is_some())
    }

    /// Returns the block at an index, or `None` if the node does not have it, whatever form its
    /// refusal has. Use it to search for the end of the chain.
    ///
    /// The contract shows no failures. So any refusal of the request
    /// ([`may_be_absent`](Error::may_be_absent)) counts, and so does a response that
    /// [is not a block](crate::Block::is_blank). [`block`](Self::block) is stricter.
    ///
    /// # Errors
    /// If the request fails in another way.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// let is_there = node.block_if_there(1200).await?.is_some();
    /// # Ok(())
    /// # }
    /// ```
    pub async fn block_if_there(&self, index: u64) -> Result<Option<Block>, Error> {
        match self.block_response(index).await {
            Ok(block) => Ok((!block.is_blank()).then_some(block)),
            Err(error) if error.may_be_absent() => Ok(None),
            Err(error) => Err(error),
        }
    }
}
