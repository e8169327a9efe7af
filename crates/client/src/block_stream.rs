//! Streams of blocks.

use std::{
    fmt,
    ops::Range,
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::{
    Stream, StreamExt,
    stream::{self, BoxStream},
};

use crate::{Block, Client, Error, ErrorKind};

/// Blocks in the order of their indexes. Made by [`Client::follow_blocks`] and [`Client::blocks`]. With
/// [`Client::follow_events`], the items are [events](crate::FollowEvent) instead.
///
/// It is a [`Stream`] of the crate `futures-core`. It works with the combinators of `futures` and
/// `tokio-stream`, and [`next`](Self::next) needs neither. The stream ends after the first error.
/// Dropping it cancels its requests.
#[must_use = "a stream does nothing unless it is polled"]
pub struct BlockStream<T = Block>(Option<BoxStream<'static, Result<T, Error>>>);

impl<T> BlockStream<T> {
    pub(crate) fn new(blocks: impl Stream<Item = Result<T, Error>> + Send + 'static) -> Self {
        Self(Some(blocks.boxed()))
    }

    /// Waits for the next item. Returns `None` at the end and after an error.
    ///
    /// No item is lost if the future is dropped, for example in `tokio::select!`.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut blocks = node.blocks(1..101, 8);
    /// while let Some(block) = blocks.next().await {
    ///     println!("{}", block?.index);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        StreamExt::next(self).await
    }
}

impl<T> Stream for BlockStream<T> {
    type Item = Result<T, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(blocks) = &mut self.0 else {
            return Poll::Ready(None);
        };
        let polled = blocks.poll_next_unpin(context);
        if let Poll::Ready(None | Some(Err(_))) = polled {
            self.0 = None;
        }
        polled
    }
}

impl<T> fmt::Debug for BlockStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockStream")
            .field("ended", &self.0.is_none())
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Returns the blocks of a range of indexes, in order, with up to `concurrency` requests at a
    /// time.
    ///
    /// No more than `concurrency` blocks are in memory.
    ///
    /// # Errors
    /// The stream ends with the first error: that of a [request](Self::block), or
    /// [`ErrorKind::MissingBlock`] if the node has no such block.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut transactions = 0;
    /// let mut blocks = node.blocks(1..101, 8);
    /// while let Some(block) = blocks.next().await {
    ///     transactions += block?.transactions().unwrap_or_default().len();
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn blocks(&self, range: Range<u64>, concurrency: usize) -> BlockStream {
        let client = self.clone();
        let fetch = move |index| {
            let client = client.clone();
            async move {
                let block = client.block(index).await?;
                block.ok_or_else(|| missing(index, ""))
            }
        };
        BlockStream::new(stream::iter(range).map(fetch).buffered(concurrency.max(1)))
    }
}

/// Creates the error for a missing block.
pub(crate) fn missing(index: u64, more: &str) -> Error {
    let message = format!("the node has no block {index}{more}");
    Error::from_kind(ErrorKind::MissingBlock, message)
}
