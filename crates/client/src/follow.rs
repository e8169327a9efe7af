//! Following the chain, block by block.

use std::{fmt, sync::Arc, time::Duration};

use futures_util::stream;
use tokio::time::{Instant, sleep};

use crate::{Block, BlockStream, Client, Error, ErrorKind, block_stream::missing};

/// The number of requests for a missing block after which the next index is requested, too.
const REQUESTS_BEFORE_GAP: u32 = 5;
/// The longest pause that a `Retry-After` header can cause.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(3_600);

type OnEvent = dyn Fn(&FollowEvent<'_>) + Send + Sync;

/// The start of a [stream of blocks](Client::follow_blocks), and its pauses.
///
/// ```
/// use std::time::Duration;
/// use nodeproof_client::FollowOptions;
///
/// let options = FollowOptions::default()
///     .start_at(1200)
///     .interval(Duration::from_secs(5))
///     .longest_pause(Duration::from_secs(15))
///     .max_outage(Duration::from_secs(60))
///     .skip_missing(true);
/// # let _ = options;
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct FollowOptions {
    /// The index of the first block. The latest block unless set.
    pub start: Option<u64>,
    /// The pause between two requests for a block that does not exist yet. 2 seconds.
    pub interval: Duration,
    /// The longest pause during an outage. Pauses start at `interval` and double. 30 seconds. A
    /// `Retry-After` header replaces the pause, up to an hour.
    pub longest_pause: Duration,
    /// The longest outage that the stream survives. 10 minutes.
    pub max_outage: Duration,
    /// Whether to continue with the next block if the node does not have one. Otherwise the stream
    /// ends with [`ErrorKind::MissingBlock`]. Off.
    pub skip_missing: bool,
    /// Whether the caller has checked that the server is a node.
    pub(crate) is_known: bool,
    on_event: Option<Arc<OnEvent>>,
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
            is_known: false,
            on_event: None,
        }
    }
}

impl FollowOptions {
    /// Sets the index of the first block. The block need not exist yet.
    #[must_use]
    pub fn start_at(mut self, index: u64) -> Self {
        self.start = Some(index);
        self
    }

    /// Sets the pause between two requests for a block that does not exist yet.
    #[must_use]
    pub fn interval(mut self, pause: Duration) -> Self {
        self.interval = pause;
        self
    }

    /// Sets the longest pause during an outage.
    #[must_use]
    pub fn longest_pause(mut self, pause: Duration) -> Self {
        self.longest_pause = pause;
        self
    }

    /// Sets the longest outage that the stream survives.
    #[must_use]
    pub fn max_outage(mut self, longest: Duration) -> Self {
        self.max_outage = longest;
        self
    }

    /// Sets whether to continue with the next block if the node does not have one.
    #[must_use]
    pub fn skip_missing(mut self, yes: bool) -> Self {
        self.skip_missing = yes;
        self
    }

    /// Sets the function that is called for each event. It should not block.
    #[must_use]
    pub fn on_event(mut self, report: impl Fn(&FollowEvent<'_>) + Send + Sync + 'static) -> Self {
        self.on_event = Some(Arc::new(report));
        self
    }

    fn report(&self, event: &FollowEvent<'_>) {
        if let Some(report) = &self.on_event {
            report(event);
        }
    }

    /// Returns the pause after an error that follows `earlier` errors in a row.
    fn pause(&self, error: &Error, earlier: u32) -> Duration {
        match error.retry_after() {
            Some(requested) => requested.min(MAX_RETRY_AFTER),
            None => {
                let doubled = self.interval.saturating_mul(1 << earlier.min(10));
                doubled.min(self.longest_pause.max(self.interval))
            }
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
    /// [`ErrorKind::NotANode`] if the server is not a node, and with [`ErrorKind::MissingBlock`] if
    /// the node has a later block.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use nodeproof_client::FollowOptions;
    ///
    /// let mut blocks = node.follow_blocks(FollowOptions::default());
    /// while let Some(block) = blocks.next().await {
    ///     let block = block?;
    ///     println!("block {} with {} transactions", block.index()?, block.transactions()?.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn follow_blocks(&self, options: FollowOptions) -> BlockStream {
        let follower = Follower {
            client: self.clone(),
            next: options.start,
            is_known: options.is_known,
            options,
            last: None,
            in_vain: 0,
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
    /// The index of the last block that was returned.
    last: Option<u64>,
    /// The number of requests for the next block so far.
    in_vain: u32,
    /// The start of the current outage, and the number of failed requests in it.
    outage: Option<(Instant, u32)>,
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
                    (self.last, self.in_vain) = (Some(index), 0);
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
            let latest = self.client.check_node().await?;
            // Without any block, the first one is the next.
            self.next = latest.or(Some(1));
            return match latest {
                Some(latest) => self.look(latest).await.map(Found::from),
                None => Ok(Found::NotYet),
            };
        };
        let found = self.look(next).await?;
        if found.is_some() {
            return Ok(found.into());
        }
        if !self.is_known {
            self.client.check_node().await?;
        }
        self.in_vain = self.in_vain.saturating_add(1);
        if self.outage.is_none() && !self.in_vain.is_multiple_of(REQUESTS_BEFORE_GAP) {
            return Ok(Found::NotYet);
        }
        if let Some(after) = next.checked_add(1)
            && self.look(after).await?.is_some()
        {
            return self.gap(next, after).await.map(Found::from);
        }
        if let Some(last) = self.last
            && self.look(last).await?.is_none()
        {
            self.client.check_node().await?;
            return Ok(Found::Behind(missing(last, " any more")));
        }
        Ok(Found::NotYet)
    }

    /// Handles a gap: the node has the block after the next one.
    async fn gap(&mut self, next: u64, after: u64) -> Result<Option<(u64, Block)>, Error> {
        // Both blocks may have been made since the last request.
        if let Some(found) = self.look(next).await? {
            return Ok(Some(found));
        }
        if !self.options.skip_missing {
            return Err(missing(next, &format!(", but it has block {after}")));
        }
        self.options.report(&FollowEvent::Missing { index: next });
        self.next = Some(after);
        self.in_vain = 0;
        self.look(after).await
    }

    async fn look(&self, index: u64) -> Result<Option<(u64, Block)>, Error> {
        let Some(block) = self.client.block_if_there(index).await? else {
            return Ok(None);
        };
        // Anything could be the next block if a block without an index counted as one.
        let fault = match block.index() {
            Ok(_) => block.check_index(&index.into()).err(),
            Err(fault) => Some(fault),
        };
        fault.map_or(Ok(Some((index, block))), |fault| {
            let message = format!("in the response to the request for block {index}, {fault}");
            Err(Error::from_kind(ErrorKind::Decode, message).caused_by(fault))
        })
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

    #[test]
    fn pauses_double_up_to_the_longest() {
        let options = FollowOptions::default()
            .interval(Duration::from_secs(1))
            .longest_pause(Duration::from_secs(5));
        let error = Error::from_kind(ErrorKind::Connect, "down");
        let pauses: Vec<u64> = (0..5)
            .map(|earlier| options.pause(&error, earlier).as_secs())
            .collect();
        assert_eq!(pauses, [1, 2, 4, 5, 5]);
        // An interval above the longest pause is not shortened.
        let slow = options.interval(Duration::from_secs(9));
        assert_eq!(slow.pause(&error, 3), Duration::from_secs(9));
    }
}
