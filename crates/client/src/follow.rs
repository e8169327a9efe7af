//! Following the chain, block by block.

use std::{fmt, sync::Arc, time::Duration};

use futures_util::stream;
use nodeproof_primitives::{Integer, TimestampMs};
use tokio::time::{Instant, sleep};

use crate::{
    Block, BlockStream, Client, Error, block_stream::missing, transport::backoff::doubled,
};

/// The number of requests for a missing block after which the next index is requested, too.
const REQUESTS_BEFORE_GAP: u32 = 5;
/// The number of requests in a row that have to find the same gap.
const GAP_REQUESTS: u32 = 3;
/// The longest pause that a `Retry-After` header can cause.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(3_600);

/// A function that is called for each event between two blocks.
pub type OnEvent = dyn Fn(&FollowEvent<'_>) + Send + Sync;

/// The start of a [stream of blocks](Client::follow_blocks), and its pauses.
///
/// ```
/// use std::time::Duration;
/// use nodeproof_client::FollowOptions;
///
/// let options = FollowOptions {
///     start: Some(1200),
///     interval: Duration::from_secs(5),
///     skip_missing: true,
///     ..FollowOptions::default()
/// };
/// # let _ = options;
/// ```
#[derive(Clone)]
pub struct FollowOptions {
    /// The index of the first block. The latest block unless set.
    pub start: Option<u64>,
    /// The pause between two requests for a block that does not exist yet. 2 seconds.
    pub interval: Duration,
    /// The longest pause during an outage. Pauses start at `interval` and double. 30 seconds. Each is
    /// shortened by a random part of up to a quarter. A `Retry-After` header replaces the pause: at
    /// least `interval`, at most an hour.
    pub longest_pause: Duration,
    /// The longest outage that the stream survives. 10 minutes.
    pub max_outage: Duration,
    /// Whether to continue with the next block if the node does not have one. Otherwise the stream
    /// ends with [`ErrorKind::MissingBlock`](crate::ErrorKind::MissingBlock). Off.
    pub skip_missing: bool,
    /// The function that is called for each event. It should not block. None unless set.
    pub on_event: Option<Arc<OnEvent>>,
}

/// An event between two blocks.
#[derive(Debug)]
#[non_exhaustive]
pub enum FollowEvent<'e> {
    /// The node can't be reached, is busy, or does not have the last block any more. The next request
    /// follows after the pause.
    Outage {
        /// The error.
        error: &'e Error,
        /// The number of errors before, in this outage.
        earlier: u32,
        /// The pause before the next request.
        pause: Duration,
    },
    /// The node responds again.
    Resumed,
    /// The node does not have this block, but has the next one. Only with
    /// [`skip_missing`](FollowOptions::skip_missing).
    Missing {
        /// The index of the block.
        index: u64,
    },
}

impl Default for FollowOptions {
    fn default() -> Self {
        Self {
            start: None,
            interval: Duration::from_secs(2),
            longest_pause: Duration::from_secs(30),
            max_outage: Duration::from_secs(600),
            skip_missing: false,
            on_event: None,
        }
    }
}

impl FollowOptions {
    fn report(&self, event: &FollowEvent<'_>) {
        if let Some(report) = &self.on_event {
            report(event);
        }
    }

    /// Returns the pause after an error that follows `earlier` errors in a row.
    fn pause(&self, error: &Error, earlier: u32) -> Duration {
        match error.retry_after() {
            Some(requested) => requested.min(MAX_RETRY_AFTER).max(self.interval),
            None => doubled(
                self.interval,
                self.longest_pause.max(self.interval),
                earlier,
            ),
        }
    }
}

impl fmt::Debug for FollowOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowOptions")
            .field("start", &self.start)
            .field("interval", &self.interval)
            .field("longest_pause", &self.longest_pause)
            .field("max_outage", &self.max_outage)
            .field("skip_missing", &self.skip_missing)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Follows the chain: returns each block in order, without gaps. Starts at an index or at the
    /// latest block, and waits for blocks that do not exist yet.
    ///
    /// The stream survives outages: failed connections, late responses, and the statuses 408, 429 and
    /// 5xx. Its pauses grow during an outage. A node that does not have the last block any more counts
    /// as an outage, too: another node behind the same URL, or a
    /// [fallback](crate::ClientBuilder::fallback), can be some blocks behind. An outage at the start
    /// ends the stream, because the base URL is probably wrong. Without an error, the stream ends
    /// only when you drop it.
    ///
    /// # Errors
    /// The stream ends with the first error that is not an outage. It also ends with an outage at the
    /// start, or one longer than [`max_outage`](FollowOptions::max_outage). It ends with
    /// [`ErrorKind::NotANode`](crate::ErrorKind::NotANode) if the server is not a node, and with
    /// [`ErrorKind::MissingBlock`](crate::ErrorKind::MissingBlock) if the node has a later block, or
    /// another block in place of the last one.
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

    /// Follows the chain. `is_known` is true if the caller has checked that the server is a node.
    pub(crate) fn follow(&self, options: FollowOptions, is_known: bool) -> BlockStream {
        let follower = Follower {
            client: self.clone(),
            next: options.start,
            is_known,
            options,
            last: None,
            failed_requests: 0,
            gaps: 0,
            is_behind: false,
            outage: None,
        };
        BlockStream::new(stream::try_unfold(follower, |mut follower| async move {
            let block = follower.next_block().await?;
            Ok(block.map(|block| (block, follower)))
        }))
    }
}

struct Follower {
    client: Client,
    options: FollowOptions,
    /// The index of the next block. `None` until the latest block is found.
    next: Option<u64>,
    /// Whether a response has shown that the server is a node.
    is_known: bool,
    /// The last block that was returned.
    last: Option<LastBlock>,
    /// The number of requests for the next block so far.
    failed_requests: u32,
    /// The number of requests in a row that found the block after the next one, but not the next one.
    gaps: u32,
    /// Whether the node did not have the last block when it was requested again.
    is_behind: bool,
    /// The start of the current outage, and the number of failed requests in it.
    outage: Option<(Instant, u32)>,
}

/// What is remembered of a block, to recognise it.
struct LastBlock {
    index: u64,
    timestamp: TimestampMs,
    proof: Option<Integer>,
}

impl LastBlock {
    fn of(index: u64, block: &Block) -> Self {
        Self {
            index,
            timestamp: block.timestamp,
            proof: block.proof.clone(),
        }
    }

    /// Returns whether this can be the same block. Nodes return blocks in different forms.
    fn is_same(&self, block: &Block) -> bool {
        let other = Self::of(self.index, block);
        let is_other_proof = self
            .proof
            .as_ref()
            .zip(other.proof)
            .is_some_and(|(a, b)| *a != b);
        self.timestamp == other.timestamp && !is_other_proof
    }
}

/// What a request for the next block found.
enum Found {
    Block(u64, Box<Block>),
    NotYet,
    /// The node does not have the last block any more.
    Behind(Error),
}

impl From<Option<(u64, Block)>> for Found {
    fn from(found: Option<(u64, Block)>) -> Self {
        found.map_or(Self::NotYet, |(index, block)| {
            Self::Block(index, Box::new(block))
        })
    }
}

impl Follower {
    /// Returns the next block. `None` if no index can follow.
    async fn next_block(&mut self) -> Result<Option<Block>, Error> {
        loop {
            match self.request().await {
                Ok(Found::Block(index, block)) => {
                    self.resumed();
                    self.is_known = true;
                    self.last = Some(LastBlock::of(index, &block));
                    (self.failed_requests, self.gaps, self.is_behind) = (0, 0, false);
                    // No block can follow the one with the largest index.
                    self.next = Some(index.saturating_add(1));
                    return Ok((index < u64::MAX).then_some(*block));
                }
                Ok(Found::Behind(error)) => self.wait(error).await?,
                Ok(Found::NotYet) => {
                    self.resumed();
                    self.is_known = true;
                    sleep(self.options.interval).await;
                }
                Err(error) if self.is_known && is_outage(&error) => self.wait(error).await?,
                Err(error) => return Err(error),
            }
        }
    }

    /// Requests the next block once.
    async fn request(&mut self) -> Result<Found, Error> {
        let Some(next) = self.next else {
            return self.latest().await;
        };
        if let Some(found) = self.block_at(next).await? {
            if self.is_behind
                && let Some(error) = self.missing_last().await?
            {
                return Ok(Found::Behind(error));
            }
            return Ok(Some(found).into());
        }
        if !self.is_known {
            self.client.check_node().await?;
        }
        self.failed_requests = self.failed_requests.saturating_add(1);
        let is_due = self.failed_requests.is_multiple_of(REQUESTS_BEFORE_GAP);
        if !is_due && self.gaps == 0 && self.outage.is_none() {
            return Ok(Found::NotYet);
        }
        if let Some(after) = next.checked_add(1)
            && self.block_at(after).await?.is_some()
        {
            return self.gap(next, after).await.map(Found::from);
        }
        self.gaps = 0;
        let behind = self.missing_last().await?;
        self.is_behind = behind.is_some();
        let Some(error) = behind else {
            return Ok(Found::NotYet);
        };
        // A server that is not a node any more is not waited for.
        self.client.check_node().await?;
        Ok(Found::Behind(error))
    }

    /// Requests the latest block. While there is no block, most requests are for the first one,
    /// because a search takes many.
    async fn latest(&mut self) -> Result<Found, Error> {
        let latest = match self.failed_requests.is_multiple_of(REQUESTS_BEFORE_GAP) {
            true => self.client.check_node().await?,
            false => Some(1),
        };
        self.failed_requests = self.failed_requests.saturating_add(1);
        match latest {
            Some(latest) => self.block_at(latest).await.map(Found::from),
            None => Ok(Found::NotYet),
        }
    }

    /// Requests the last block again. Returns an error if the node does not have it any more.
    async fn missing_last(&self) -> Result<Option<Error>, Error> {
        let Some(last) = &self.last else {
            return Ok(None);
        };
        match self.block_at(last.index).await? {
            None => Ok(Some(missing(last.index, " any more"))),
            Some((_, block)) if last.is_same(&block) => Ok(None),
            Some(_) => Err(missing(
                last.index,
                " any more, but another one in its place: the chain has changed",
            )),
        }
    }

    /// Handles a gap: the node has the block after the next one.
    async fn gap(&mut self, next: u64, after: u64) -> Result<Option<(u64, Block)>, Error> {
        // Both blocks may have been made since the last request.
        if let Some(found) = self.block_at(next).await? {
            return Ok(Some(found));
        }
        // With several nodes behind a URL, one can have the later block, and another one not yet the
        // earlier.
        self.gaps += 1;
        if self.gaps < GAP_REQUESTS {
            return Ok(None);
        }
        if !self.options.skip_missing {
            return Err(missing(next, &format!(", but it has block {after}")));
        }
        self.options.report(&FollowEvent::Missing { index: next });
        self.next = Some(after);
        (self.failed_requests, self.gaps) = (0, 0);
        self.block_at(after).await
    }

    /// Returns the block at an index, or `None` if the node has no such block.
    async fn block_at(&self, index: u64) -> Result<Option<(u64, Block)>, Error> {
        let block = self.client.block(index).await?;
        Ok(block.map(|block| (index, block)))
    }

    /// Waits for the end of an outage.
    async fn wait(&mut self, error: Error) -> Result<(), Error> {
        let (began, earlier) = self.outage.unwrap_or_else(|| (Instant::now(), 0));
        let pause = self.options.pause(&error, earlier);
        if began.elapsed().saturating_add(pause) > self.options.max_outage {
            return Err(error);
        }
        tracing::debug!(%error, ?pause, "waiting for the node");
        self.options.report(&FollowEvent::Outage {
            error: &error,
            earlier,
            pause,
        });
        self.outage = Some((began, earlier.saturating_add(1)));
        sleep(pause).await;
        Ok(())
    }

    fn resumed(&mut self) {
        if self.outage.take().is_some() {
            self.options.report(&FollowEvent::Resumed);
        }
    }
}

/// Returns whether the node may respond to the same request later.
fn is_outage(error: &Error) -> bool {
    error.is_retryable()
        || error
            .status()
            .is_some_and(|status| status.is_server_error())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorKind, transport::backoff::tests::is_up_to};

    #[test]
    fn pauses_double_up_to_the_longest() {
        let options = FollowOptions {
            interval: Duration::from_secs(1),
            longest_pause: Duration::from_secs(5),
            ..FollowOptions::default()
        };
        let error = Error::from_kind(ErrorKind::Connect, "down");
        for (earlier, longest) in [(0, 1), (1, 2), (2, 4), (3, 5), (4, 5)] {
            let pause = options.pause(&error, earlier);
            assert!(is_up_to(pause, Duration::from_secs(longest)), "{pause:?}");
        }
        // A node can't make the stream request without a pause.
        let eager = error.with_retry_after(Duration::ZERO);
        assert_eq!(options.pause(&eager, 3), Duration::from_secs(1));
        let error = Error::from_kind(ErrorKind::Connect, "down");
        // An interval above the longest pause is not shortened.
        let slow = FollowOptions {
            interval: Duration::from_secs(9),
            ..options
        };
        assert!(is_up_to(slow.pause(&error, 3), Duration::from_secs(9)));
    }
}
