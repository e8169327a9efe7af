//! Following the chain, block by block.

mod follower;
mod options;
mod read_ahead;

use futures_util::{Stream, TryStreamExt, stream};

use crate::{BlockStream, Client, Error};

use follower::Follower;
pub use options::{FollowEvent, FollowOptions};

impl Client {
    /// Follows the chain: returns each block in order, without gaps. Starts at an index or at the
    /// latest block, and waits for blocks that do not exist yet.
    ///
    /// The stream survives outages: failed connections, late responses, and the statuses 408, 429 and
    /// 5xx. Its pauses grow during an outage. A node that does not have the last block any more counts
    /// as an outage, too: another node behind the same URL, or a
    /// [fallback](crate::ClientOptions::fallbacks), can be some blocks behind. An outage at the start
    /// ends the stream unless [`retry_at_start`](FollowOptions::retry_at_start) is set. Without an
    /// error, the stream ends only when you drop it.
    ///
    /// # Errors
    /// The stream ends with the first error that is not an outage. It also ends with an outage at the
    /// start, or one longer than [`max_outage`](FollowOptions::max_outage). It ends with
    /// [`ErrorKind::NotANode`](crate::ErrorKind::NotANode) if the server is not a node, with
    /// [`ErrorKind::MissingBlock`](crate::ErrorKind::MissingBlock) if the node has a later block, and
    /// with [`ErrorKind::ChainReplaced`](crate::ErrorKind::ChainReplaced) if it has another block in
    /// place of the last one.
    ///
    /// To notice a replaced chain, the stream compares the `previous_hash` of each block with the
    /// [hash](crate::Block::block_hash) of the one before. Some nodes compute hashes in another way. So
    /// if the two differ, the stream requests the block before once more, and compares its time, proof
    /// and `previous_hash`. In a run that begins [after](FollowOptions::after) a block, it compares the
    /// hash. Blocks without a hash are not compared: rows whose `hash` is null.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_client::FollowOptions;
    ///
    /// let mut blocks = node.follow_blocks(FollowOptions::default());
    /// while let Some(block) = blocks.next().await {
    ///     let block = block?;
    ///     println!("block {} made at {}", block.index, block.timestamp);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn follow_blocks(&self, options: FollowOptions) -> BlockStream {
        self.follow(options, false)
    }

    /// Follows the chain like [`follow_blocks`](Self::follow_blocks), and also returns what happens between
    /// two blocks, such as an outage.
    ///
    /// # Errors
    /// As for [`follow_blocks`](Self::follow_blocks).
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_client::{FollowEvent, FollowOptions};
    ///
    /// let mut events = node.follow_events(FollowOptions::default());
    /// while let Some(event) = events.next().await {
    ///     match event? {
    ///         FollowEvent::Block(block) => println!("block {}", block.index),
    ///         FollowEvent::Outage { error, pause, .. } => println!("{error}; again in {pause:?}"),
    ///         other => println!("{other:?}"),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn follow_events(&self, options: FollowOptions) -> BlockStream<FollowEvent> {
        BlockStream::new(self.events(options, false))
    }

    /// Follows the chain. `is_known` is true if the caller has checked that the server is a node.
    pub(crate) fn follow(&self, options: FollowOptions, is_known: bool) -> BlockStream {
        let blocks = self
            .events(options, is_known)
            .try_filter_map(async |event| {
                Ok(match event {
                    FollowEvent::Block(block) => Some(*block),
                    _ => None,
                })
            });
        BlockStream::new(blocks)
    }

    fn events(
        &self,
        options: FollowOptions,
        is_known: bool,
    ) -> impl Stream<Item = Result<FollowEvent, Error>> + Send + use<> {
        let follower = Follower::new(self.clone(), options, is_known);
        stream::try_unfold(follower, |mut follower| async move {
            let event = follower.next_event().await?;
            Ok(event.map(|event| (event, follower)))
        })
    }
}
