//! The newest block.

use crate::{Client, Error};

impl Client {
    /// The index of the newest block; `None` where there is no block at all.
    ///
    /// The contract has no call for it, so it is found by asking for blocks: twice as far until
    /// there is none, and then in between. That takes some 2·log₂ of the index in requests, 40 for
    /// a million blocks, and never more than 129. Blocks that are made meanwhile may or may not be
    /// counted.
    ///
    /// # Errors
    /// If a request fails otherwise than that there is no such block.
    ///
    /// ```no_run
    /// # async fn example(node: node_client::Client) -> Result<(), node_client::Error> {
    /// if let Some(newest) = node.newest_block().await? {
    ///     let block = node.block(newest).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn newest_block(&self) -> Result<Option<u64>, Error> {
        // The first block is number 1, or 0 with other implementations.
        let mut there = 1_u64;
        if !self.has_block(there).await? {
            return Ok(self.has_block(0).await?.then_some(0));
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

    async fn has_block(&self, index: u64) -> Result<bool, Error> {
        match self.block(index).await {
            Ok(_) => Ok(true),
            Err(error) if error.is_not_found() => Ok(false),
            Err(error) => Err(error),
        }
    }
}
