//! Finding the next block of a stream.

use std::{collections::VecDeque, time::Duration};

use nodeproof_primitives::{Hash256, Integer, TimestampMs};
use tokio::time::{Instant, sleep};

use super::{
    options::{FollowEvent, FollowOptions},
    read_ahead::ReadAhead,
};
use crate::{Block, Client, Error, ErrorKind, PreviousHash, block_stream::missing};

/// The number of requests for a missing block after which the next index is requested, too.
const REQUESTS_BEFORE_GAP: u32 = 5;
/// The number of requests in a row that have to find the same gap.
const GAP_REQUESTS: u32 = 3;

/// The state of a stream of blocks.
pub(super) struct Follower {
    client: Client,
    options: FollowOptions,
    /// The index of the next block. `None` until the latest block is found.
    next: Option<u64>,
    /// Whether the last check of the node found no block.
    is_empty: bool,
    /// Whether a response has shown that the server is a node.
    is_known: bool,
    /// The last block that was returned.
    last: Option<LastBlock>,
    /// The last block of an earlier run, until the block after it is known to follow it.
    after: Option<(u64, Hash256)>,
    /// Whether the last block existed when it was first requested.
    is_catching_up: bool,
    read_ahead: ReadAhead,
    /// The number of requests for the next block so far.
    failed_requests: u32,
    /// The number of requests in a row that found the block after the next one, but not the next one.
    gaps: u32,
    /// Whether the node did not have the last block when it was requested again.
    is_behind: bool,
    /// The start of the current outage, and the number of failed requests in it.
    outage: Option<(Instant, u32)>,
    /// The pause before the next request.
    pause: Option<Duration>,
    /// The events that are not returned yet.
    events: VecDeque<FollowEvent>,
}

/// What is remembered of a block, to recognise it.
struct LastBlock {
    index: u64,
    timestamp: TimestampMs,
    proof: Option<Integer>,
    previous_hash: PreviousHash,
    /// The hash that the next block has to name. `None` if it can't be computed.
    hash: Option<Hash256>,
}

impl LastBlock {
    fn of(index: u64, block: &Block) -> Self {
        Self {
            index,
            timestamp: block.timestamp,
            proof: block.proof,
            previous_hash: block.previous_hash,
            hash: block.block_hash(),
        }
    }

    /// Returns whether this can be the same block. Nodes return blocks in different forms, whose
    /// computed hashes can differ.
    fn is_same(&self, block: &Block) -> bool {
        let is_other_proof = self
            .proof
            .as_ref()
            .zip(block.proof.as_ref())
            .is_some_and(|(a, b)| a != b);
        self.timestamp == block.timestamp
            && self.previous_hash == block.previous_hash
            && !is_other_proof
    }
}

/// What a request for the next block found.
enum Found {
    Block(u64, Box<Block>),
    NotYet,
    /// The node does not have the last block any more, and it is needed.
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
    pub(super) fn new(client: Client, options: FollowOptions, is_known: bool) -> Self {
        let after = options.after;
        Self {
            next: after.map_or(options.start, |(last, _)| Some(last.saturating_add(1))),
            read_ahead: ReadAhead::new(client.clone(), options.read_ahead),
            client,
            options,
            is_empty: false,
            is_known,
            last: None,
            after,
            is_catching_up: false,
            failed_requests: 0,
            gaps: 0,
            is_behind: false,
            outage: None,
            pause: None,
            events: VecDeque::new(),
        }
    }

    /// Returns the next event. `None` if no index can follow.
    pub(super) async fn next_event(&mut self) -> Result<Option<FollowEvent>, Error> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(Some(event));
            }
            if let Some(pause) = self.pause.take() {
                sleep(pause).await;
            }
            match self.request().await {
                Ok(Found::Block(index, block)) => {
                    self.is_catching_up = self.failed_requests == 0 && self.outage.is_none();
                    self.resumed();
                    self.is_known = true;
                    self.last = Some(LastBlock::of(index, &block));
                    self.after = None;
                    (self.failed_requests, self.gaps, self.is_behind) = (0, 0, false);
                    // No block can follow the one with the largest index.
                    self.next = Some(index.saturating_add(1));
                    if index == u64::MAX {
                        return Ok(None);
                    }
                    self.events.push_back(FollowEvent::Block(block));
                }
                Ok(Found::Behind(error)) => self.wait(error)?,
                Ok(Found::NotYet) => {
                    self.resumed();
                    self.is_known = true;
                    self.pause = Some(self.options.interval);
                }
                Err(error) if self.survives(&error) => self.wait(error)?,
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns whether the stream waits for the end of this error.
    fn survives(&self, error: &Error) -> bool {
        (self.is_known || self.options.retry_at_start) && is_outage(error)
    }

    /// Requests the next block once, and checks that it follows the last one.
    async fn request(&mut self) -> Result<Found, Error> {
        let found = self.find().await?;
        let Found::Block(index, block) = &found else {
            return Ok(found);
        };
        let behind = self.check_link(*index, block).await?;
        Ok(behind.map_or(found, Found::Behind))
    }

    /// Checks that a block follows the last one. Returns an error if the node does not have that one any
    /// more, and it is needed for the check.
    async fn check_link(&mut self, index: u64, block: &Block) -> Result<Option<Error>, Error> {
        let (last, hash) = match (&self.last, self.after) {
            // After a gap, or without a hash, nothing can be compared.
            (Some(last), _) if last.index.checked_add(1) != Some(index) => return Ok(None),
            (Some(last), _) => (last.index, last.hash),
            (None, Some((last, hash))) => (last, Some(hash)),
            (None, None) => return Ok(None),
        };
        let Some(hash) = hash else {
            return Ok(None);
        };
        if last.checked_add(1) == Some(index) && block.previous_hash.hash() == Some(&hash) {
            return Ok(None);
        }
        // A node can compute hashes in another way than the client. Then the last block itself shows
        // whether it is still the same.
        let Some((_, found)) = self.block_at(last).await? else {
            let more = format!(" any more, so it can't be compared with block {index}");
            return Ok(Some(missing(last, &more)));
        };
        let is_same = match &self.last {
            Some(last) => last.is_same(&found),
            None => match found.block_hash() {
                Some(found) => found == hash,
                None => return Err(Error::no_transactions(&found.index)),
            },
        };
        if is_same {
            Ok(None)
        } else {
            Err(replaced(last))
        }
    }

    /// Requests the next block once.
    async fn find(&mut self) -> Result<Found, Error> {
        let Some(next) = self.next else {
            return self.latest().await;
        };
        if self.is_catching_up {
            if let Some(block) = self.read_ahead.block(next).await {
                return Ok(Some((next, block)).into());
            }
            // The end of the chain, or a failure.
            self.is_catching_up = false;
        }
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
        let is_due = self.failed_requests.is_multiple_of(REQUESTS_BEFORE_GAP);
        let latest = if self.is_empty && !is_due {
            Some(1)
        } else {
            let latest = self.client.height().await?;
            self.is_empty = latest.is_none();
            latest
        };
        self.failed_requests = self.failed_requests.saturating_add(1);
        match latest {
            Some(latest) => self.block_at(latest).await.map(Found::from),
            None => Ok(Found::NotYet),
        }
    }

    /// Requests the last block again. Returns an error if the node does not have it any more.
    async fn missing_last(&mut self) -> Result<Option<Error>, Error> {
        let last = self.last.as_ref().map(|last| last.index);
        let Some(index) = last.or(self.after.map(|(index, _)| index)) else {
            return Ok(None);
        };
        match self.block_at(index).await? {
            None => Ok(Some(missing(index, " any more"))),
            Some((_, block)) if self.last.as_ref().is_none_or(|last| last.is_same(&block)) => {
                Ok(None)
            }
            Some(_) => Err(replaced(index)),
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
        self.events.push_back(FollowEvent::Missing { index: next });
        self.next = Some(after);
        (self.failed_requests, self.gaps) = (0, 0);
        self.block_at(after).await
    }

    /// Returns the block at an index, or `None` if the node has no such block. It takes `&mut self`,
    /// because threads can't share the requests of `read_ahead`.
    async fn block_at(&mut self, index: u64) -> Result<Option<(u64, Block)>, Error> {
        let block = self.client.block(index).await?;
        Ok(block.map(|block| (index, block)))
    }

    /// Reports an outage, and sets the pause before the next request.
    fn wait(&mut self, error: Error) -> Result<(), Error> {
        let (began, earlier) = self.outage.unwrap_or_else(|| (Instant::now(), 0));
        let pause = self.options.pause(&error, earlier);
        if began.elapsed().saturating_add(pause) > self.options.max_outage {
            return Err(error);
        }
        tracing::debug!(%error, ?pause, "waiting for the node");
        self.outage = Some((began, earlier.saturating_add(1)));
        self.pause = Some(pause);
        self.events.push_back(FollowEvent::Outage {
            error,
            earlier,
            pause,
        });
        Ok(())
    }

    fn resumed(&mut self) {
        if self.outage.take().is_some() {
            self.events.push_back(FollowEvent::Resumed);
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

/// Creates the error for a chain that has another block in place of the last one.
fn replaced(index: u64) -> Error {
    let message = format!(
        "the chain was replaced: the node has another block in place of block {index}, which was read \
         before"
    );
    Error::from_kind(ErrorKind::ChainReplaced, message)
}
