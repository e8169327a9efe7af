//! Finding the block that contains a transaction.

use std::{collections::BTreeSet, time::Duration};

use nodeproof_primitives::{Hash256, Integer, TransactionCode};
use serde::Serialize;

use crate::{Block, BlockTransaction, Client, Error, FollowOptions};

/// The number of blocks after a given first one that are searched before the latest ones.
const SOON: u64 = 100;

/// Options for [waiting](Client::wait_for_inclusion) for the block of a transaction.
///
/// ```
/// use std::time::Duration;
/// use nodeproof_client::InclusionOptions;
///
/// let options = InclusionOptions {
///     // The block that was the latest when the transaction was submitted.
///     start: Some(1200),
///     timeout: Duration::from_secs(120),
///     ..InclusionOptions::default()
/// };
/// assert_eq!(options.look_back, 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InclusionOptions {
    /// The number of blocks before the latest one to search. 20. If a network makes a block every
    /// 10 seconds, these are the last three minutes.
    pub look_back: u64,
    /// The index of the first block to search, instead of `look_back`. Not set.
    pub start: Option<u64>,
    /// The longest time to wait. 60 seconds. At zero, the blocks are searched once.
    pub timeout: Duration,
    /// The pause between two requests for a block that does not exist yet. 2 seconds.
    pub interval: Duration,
}

impl Default for InclusionOptions {
    fn default() -> Self {
        Self {
            look_back: 20,
            start: None,
            timeout: Duration::from_secs(60),
            interval: Duration::from_secs(2),
        }
    }
}

/// A transaction in a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Inclusion {
    /// The index of the block.
    pub block: u64,
    /// The [hash](Block::block_hash) of the block. It distinguishes the blocks of replaced chains.
    pub block_hash: Option<Hash256>,
    /// The transaction's position in the block, counted from 0.
    pub position: usize,
    /// The transaction, with its signatures and status.
    pub transaction: BlockTransaction,
}

impl Inclusion {
    /// Returns the transaction's `status`, if the node returns one. Observed in valid blocks: 1. The
    /// specification does not document other values.
    #[must_use]
    pub fn status(&self) -> Option<Integer> {
        self.transaction.status()
    }

    /// Finds a transaction in a block.
    ///
    /// # Errors
    /// If the node returned the block without transactions.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     code: nodeproof_client::TransactionCode,
    /// # ) -> Result<(), nodeproof_client::Error> {
    /// use nodeproof_client::Inclusion;
    ///
    /// if let Some(block) = node.block(8_u64).await?
    ///     && let Some(included) = Inclusion::in_block(&block, code)?
    /// {
    ///     println!("at position {}", included.position);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn in_block(block: &Block, code: TransactionCode) -> Result<Option<Self>, Error> {
        let mut numbered = block.transactions()?.iter().enumerate();
        let found = numbered.find(|(_, entry)| entry.trans_code() == Some(code));
        Ok(found.map(|(position, transaction)| Self {
            block: block.index.as_u64().unwrap_or_default(),
            block_hash: block.block_hash(),
            position,
            transaction: transaction.clone(),
        }))
    }
}

impl Client {
    /// Waits for the block that contains a transaction. Returns `None` if no block contains it before
    /// the [timeout](InclusionOptions::timeout).
    ///
    /// This searches the latest [blocks](InclusionOptions::look_back), or those after a
    /// [given](InclusionOptions::start) one, and then each new one. With a timeout of zero, it only
    /// searches the blocks that there are: the specification has no request for a transaction. `None`
    /// does not mean that the transaction will never be in a block: see
    /// [the life of a transaction](crate::contract_call).
    ///
    /// # Errors
    /// [`ErrorKind::NotANode`](crate::ErrorKind::NotANode) if the server is not a node. [`ErrorKind::NoTransactions`](crate::ErrorKind::NoTransactions) if the node
    /// returns its blocks without transactions. Otherwise as for
    /// [`follow_blocks`](Self::follow_blocks).
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     code: nodeproof_client::TransactionCode,
    /// # ) -> Result<(), nodeproof_client::Error> {
    /// use nodeproof_client::InclusionOptions;
    ///
    /// match node.wait_for_inclusion(code, &InclusionOptions::default()).await? {
    ///     Some(included) => println!("in block {}", included.block),
    ///     None => println!("not in a block yet"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn wait_for_inclusion(
        &self,
        code: TransactionCode,
        options: &InclusionOptions,
    ) -> Result<Option<Inclusion>, Error> {
        if options.timeout.is_zero() {
            return Ok(self.search(code, options).await?.0);
        }
        let waited = tokio::time::timeout(options.timeout, async {
            let (found, next) = self.search(code, options).await?;
            if found.is_some() {
                return Ok(found);
            }
            let follow = FollowOptions {
                interval: options.interval,
                start: Some(options.start.map_or(next, |start| start.max(next))),
                skip_missing: true,
                ..FollowOptions::default()
            };
            let mut blocks = self.follow(follow, true);
            while let Some(block) = blocks.next().await {
                let block = block?;
                if let Some(found) = self.find_in(code, &block)? {
                    return Ok(Some(found));
                }
            }
            Ok(None)
        });
        // The timeout expired.
        waited.await.unwrap_or(Ok(None))
    }

    /// Searches the blocks, the latest first. If the first one is given, those just after it come before that: most
    /// transactions are in a block soon. Also returns the index of the first block that is not there yet.
    async fn search(
        &self,
        code: TransactionCode,
        options: &InclusionOptions,
    ) -> Result<(Option<Inclusion>, u64), Error> {
        let Some(height) = self.height().await? else {
            return Ok((None, 1));
        };
        let latest = height.saturating_sub(options.look_back);
        let (first, soon) = options.start.map_or((latest, 0), |start| (start, SOON));
        let end = height.saturating_add(1);
        let others = first.saturating_add(soon).min(end);
        let mut missing = BTreeSet::new();
        for index in (first..others).chain((others..end).rev()) {
            // Some chains begin with block 1, and some nodes drop their first blocks.
            let Some(block) = self.block(index).await? else {
                missing.insert(index);
                continue;
            };
            if let Some(found) = self.find_in(code, &block)? {
                return Ok((Some(found), end));
            }
        }
        // A fallback can be some blocks behind.
        let mut next = end;
        while let Some(last) = next.checked_sub(1).filter(|last| missing.contains(last)) {
            next = last;
        }
        Ok((None, next))
    }

    fn find_in(&self, code: TransactionCode, block: &Block) -> Result<Option<Inclusion>, Error> {
        Inclusion::in_block(block, code).map_err(|error| error.of_node(self.base_url()))
    }
}
