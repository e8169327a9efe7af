//! The options of a stream of blocks, and its events.

use std::time::Duration;

use nodeproof_primitives::{Hash256, doubled_pause};

use crate::{Block, Error};

/// The longest pause that a `Retry-After` header can cause.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(3_600);

/// The start of a [stream of blocks](crate::Client::follow_blocks), and its pauses.
///
/// ```
/// use std::time::Duration;
/// use nodeproof_client::FollowOptions;
///
/// let options = FollowOptions {
///     start: Some(1200),
///     read_ahead: 8,
///     interval: Duration::from_secs(5),
///     skip_missing: true,
///     retry_at_start: true,
///     ..FollowOptions::default()
/// };
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
pub struct FollowOptions {
    /// The index of the first block. The latest block unless set.
    pub start: Option<u64>,
    /// The last block that an earlier run has read: its index and its
    /// [hash](crate::Block::block_hash). Not set. The stream begins with the block after it, instead
    /// of at `start`. If the chain has another block in its place, the stream ends with
    /// [`ErrorKind::ChainReplaced`](crate::ErrorKind::ChainReplaced). Save the hash of a block of the
    /// same node, because nodes that return blocks in another form can have another hash for them.
    pub after: Option<(u64, Hash256)>,
    /// The number of blocks that are requested at a time while the stream is behind the latest block.
    /// 1. At most 256. As many blocks can be in memory.
    pub read_ahead: usize,
    /// The pause between two requests for a block that does not exist yet. 2 seconds.
    pub interval: Duration,
    /// The longest pause during an outage. Pauses start at `interval` and double. 30 seconds. Each is
    /// shortened by a random part of up to a quarter. A `Retry-After` header replaces the pause: at
    /// least `interval`, at most an hour.
    pub longest_pause: Duration,
    /// The longest outage that the stream survives. 10 minutes.
    pub max_outage: Duration,
    /// Whether the stream survives an outage before the first response, too. Off, because the base URL
    /// is probably wrong.
    pub retry_at_start: bool,
    /// Whether to continue with the next block if the node does not have one. Otherwise the stream
    /// ends with [`ErrorKind::MissingBlock`](crate::ErrorKind::MissingBlock). Off.
    pub skip_missing: bool,
}

/// What happens while a chain is followed: a block, or something between two blocks. See
/// [`Client::follow_events`](crate::Client::follow_events).
#[derive(Debug)]
#[non_exhaustive]
pub enum FollowEvent {
    /// The next block.
    Block(Box<Block>),
    /// The node can't be reached, is busy, or does not have the last block any more. The next request
    /// follows after the pause.
    Outage {
        /// The error.
        error: Error,
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
            after: None,
            read_ahead: 1,
            interval: Duration::from_secs(2),
            longest_pause: Duration::from_secs(30),
            max_outage: Duration::from_secs(600),
            retry_at_start: false,
            skip_missing: false,
        }
    }
}

impl FollowOptions {
    /// Returns the pause after an error that follows `earlier` errors in a row.
    pub(super) fn pause(&self, error: &Error, earlier: u32) -> Duration {
        match error.retry_after() {
            Some(requested) => requested.min(MAX_RETRY_AFTER).max(self.interval),
            None => doubled_pause(
                self.interval,
                self.longest_pause.max(self.interval),
                earlier,
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn no_pause_is_shorter_than_the_interval() {
        let options = |interval: u64| FollowOptions {
            interval: Duration::from_secs(interval),
            longest_pause: Duration::from_secs(5),
            ..FollowOptions::default()
        };
        // A node can't make the stream request without a pause.
        let error = Error::from_kind(ErrorKind::Connect, "down");
        let eager = error.with_retry_after(Duration::ZERO);
        assert_eq!(options(1).pause(&eager, 3), Duration::from_secs(1));
        // An interval above the longest pause stays, apart from its random part.
        let error = Error::from_kind(ErrorKind::Connect, "down");
        assert!(options(9).pause(&error, 3) >= Duration::from_secs(6));
        assert!(options(1).pause(&error, 9) <= Duration::from_secs(5));
    }
}
