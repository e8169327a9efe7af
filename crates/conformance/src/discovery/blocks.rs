//! Requests blocks one by one, and decides which of them exist.
//!
//! The specification does not define the response for a block that does not exist, and a single
//! response may be wrong. So if a response is neither a block nor "not found", the neighbouring
//! blocks are requested. One faulty block must not end a search or hide the blocks after it.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
    sync::Arc,
    time::Duration,
};

use futures_util::{StreamExt, stream};

use super::{discovered::Discovered, unknown_index::Unknown};
use crate::{
    api::{
        IndexSearch, block_request, claims_in_block, is_gateway_error, is_not_found, is_nothing,
        reported_index,
    },
    http::{Exchange, InconclusiveReason, LIMIT_MESSAGE, Node},
};

/// An index that no chain has reached. A node that returns a block for it returns one for every index.
pub(crate) const BEYOND_EVERY_CHAIN: u64 = 1 << 40;
/// An index that no chain has reached, and that every node can parse.
const FAR: u64 = i32::MAX as u64;
/// Number of blocks to request on each side of a block with an unclear response.
const NEAR: u64 = 3;
/// Once this many bytes of blocks were read, no more samples of blocks are read.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// After this many blocks that were too large, and none that was not, the search stops.
const TRIED_TOO_LARGE: u32 = 3;

/// The result of a block request.
enum Lookup {
    /// An object, with the difference between its index and the requested one.
    Object(Arc<Exchange>, Option<i128>),
    /// A block that exceeds a limit of the run, with the reason.
    TooLarge(String),
    /// A block that is not a sample, because the others have as many values as samples may have.
    Surplus,
    /// A response with a "not found" status.
    NotFound(Arc<Exchange>),
    /// A response that is neither a block nor "not found".
    Neither(Arc<Exchange>),
    /// No response, with the reason.
    Nothing(String),
}

/// Whether a block exists, according to its own response.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    There,
    Absent,
    Unclear,
}

/// Reads blocks one by one, and decides which responses are blocks.
pub(crate) struct Blocks<'a> {
    node: &'a Node,
    lookups: BTreeMap<u64, Lookup>,
    first_response: Option<Arc<Exchange>>,
    /// For each status that is neither a block's nor "not found": whether a block exists at an
    /// index with this status.
    known_statuses: BTreeMap<u16, bool>,
    /// Whether a block exists, for indexes with an unclear response.
    settled: BTreeMap<u64, bool>,
    /// Whether the node returns another block for an index that does not exist.
    clamps: bool,
    /// Number of blocks that were too large to read.
    too_large: u32,
    /// Number of requests in a row without a response.
    silent: u32,
}

impl<'a> Blocks<'a> {
    pub(crate) const fn of(node: &'a Node) -> Self {
        Self {
            node,
            lookups: BTreeMap::new(),
            first_response: None,
            known_statuses: BTreeMap::new(),
            settled: BTreeMap::new(),
            clamps: false,
            too_large: 0,
            silent: 0,
        }
    }

    /// Whether a block exists at an index.
    pub(crate) async fn has(&mut self, index: u64) -> Result<bool, InconclusiveReason> {
        match self.request_once(index).await? {
            Standing::There => Ok(true),
            Standing::Absent => Ok(false),
            Standing::Unclear => {
                let there = self.check_neighbours(index).await?;
                self.settled.insert(index, there);
                Ok(there)
            }
        }
    }

    /// Returns the response for a block, if it is an object.
    pub(crate) fn object(&self, index: u64) -> Option<&Arc<Exchange>> {
        match self.lookups.get(&index) {
            Some(Lookup::Object(exchange, _)) => Some(exchange),
            _ => None,
        }
    }

    /// Whether the response has a "not found" status.
    fn has_none(&self, index: u64) -> bool {
        matches!(self.lookups.get(&index), Some(Lookup::NotFound(_)))
    }

    /// Whether the response is a node's "not found" and not that of any web server: status 400, or
    /// a JSON body.
    pub(crate) fn is_node_not_found(&self, index: u64) -> bool {
        match self.lookups.get(&index) {
            Some(Lookup::NotFound(exchange)) => exchange.status == 400 || exchange.json().is_ok(),
            _ => false,
        }
    }

    /// Returns the total length of the stored bodies, in bytes.
    fn length(&self) -> usize {
        self.objects().map(|exchange| exchange.body.len()).sum()
    }

    /// Whether one of the blocks that were read has a claim.
    pub(crate) fn have_claims(&self) -> bool {
        let mut bodies = self
            .objects()
            .filter_map(|exchange| exchange.success_object());
        bodies.any(|body| claims_in_block(body).next().is_some())
    }

    fn objects(&self) -> impl Iterator<Item = &Arc<Exchange>> {
        self.lookups.values().filter_map(|lookup| match lookup {
            Lookup::Object(exchange, _) => Some(exchange),
            _ => None,
        })
    }

    /// Requests a block, unless it was requested before.
    async fn request_once(&mut self, index: u64) -> Result<Standing, InconclusiveReason> {
        if !self.lookups.contains_key(&index) {
            let lookup = self.ask(index).await?;
            self.lookups.insert(index, lookup);
        }
        Ok(self.standing(index))
    }

    async fn ask(&mut self, index: u64) -> Result<Lookup, InconclusiveReason> {
        let response = self.node.send(block_request(index)).await;
        self.look_at(index, response).await
    }

    /// Requests blocks, `jobs` at a time, except those that were requested before, and decides which
    /// of them exist. Stops after [`MAX_BYTES`].
    pub(crate) async fn read(
        &mut self,
        indexes: &[u64],
        jobs: usize,
    ) -> Result<(), InconclusiveReason> {
        let node = self.node;
        let indexes: BTreeSet<u64> = indexes.iter().copied().collect();
        let new = indexes
            .iter()
            .copied()
            .filter(|index| !self.lookups.contains_key(index));
        let mut responses = stream::iter(new.collect::<Vec<_>>())
            .map(|index| async move { (index, node.send(block_request(index)).await) })
            .buffered(jobs);
        while let Some((index, response)) = responses.next().await {
            if self.length() > MAX_BYTES {
                break;
            }
            let lookup = self.look_at(index, response).await?;
            self.lookups.insert(index, lookup);
        }
        // The response for a missing block may be unclear. Then its neighbours decide.
        for index in indexes {
            if self.lookups.contains_key(&index) {
                self.has(index).await?;
            }
        }
        Ok(())
    }

    async fn look_at(
        &mut self,
        index: u64,
        response: Result<Arc<Exchange>, InconclusiveReason>,
    ) -> Result<Lookup, InconclusiveReason> {
        let exchange = match response {
            Ok(exchange) => exchange,
            Err(InconclusiveReason::TooLarge(reason)) => return self.too_large(reason),
            // A recording lacks the response, as the run did.
            Err(InconclusiveReason::NoSample(reason)) => return Ok(Lookup::Nothing(reason)),
            Err(
                inconclusive @ (InconclusiveReason::Transport(_) | InconclusiveReason::Busy(_)),
            ) => {
                let reason = inconclusive.reason().to_owned();
                self.silent += 1;
                // After two requests in a row without a response, the node may be gone.
                if self.silent >= 2 && !self.still_responds().await {
                    return Err(inconclusive);
                }
                return Ok(Lookup::Nothing(reason));
            }
            Err(inconclusive) => return Err(inconclusive),
        };
        self.silent = 0;
        self.first_response
            .get_or_insert_with(|| Arc::clone(&exchange));
        if exchange.is_success()
            && let Err(fault) = exchange.json()
            && fault.ends_with(LIMIT_MESSAGE)
        {
            return self.too_large(format!("the response of {} is {fault}", exchange.url()));
        }
        // Some nodes return an empty object, or a message, for a missing block.
        let block = exchange.success_object().filter(|body| !is_nothing(body));
        let Some(block) = block else {
            return Ok(if is_not_found(exchange.status) {
                Lookup::NotFound(exchange)
            } else {
                Lookup::Neither(exchange)
            });
        };
        let difference = reported_index(block).map(|reported| reported - i128::from(index));
        // Samples of blocks may have half of what the run keeps. A single block may have more.
        let is_surplus =
            |kept: usize, more: usize, most: usize| kept > most / 4 && kept + more > most;
        let (values, bytes) = self.node.most_kept();
        let kept: usize = self.objects().map(|block| block.values).sum();
        if is_surplus(kept, exchange.values, values / 2)
            || is_surplus(self.length(), exchange.body.len(), bytes / 2)
        {
            return Ok(Lookup::Surplus);
        }
        Ok(Lookup::Object(exchange, difference))
    }

    /// Records a block that exists but is too large for this run. The run continues without it,
    /// unless all blocks are too large.
    fn too_large(&mut self, reason: String) -> Result<Lookup, InconclusiveReason> {
        self.silent = 0;
        self.too_large += 1;
        if self.too_large >= TRIED_TOO_LARGE && self.objects().next().is_none() {
            return Err(InconclusiveReason::TooLarge(reason));
        }
        Ok(Lookup::TooLarge(reason))
    }

    /// Whether the node still responds to a request that it responded to before.
    async fn still_responds(&mut self) -> bool {
        let responded = |lookup: &Lookup| {
            !matches!(
                lookup,
                Lookup::Nothing(_) | Lookup::TooLarge(_) | Lookup::Surplus
            )
        };
        let mut known = self.lookups.iter().filter(|(_, lookup)| responded(lookup));
        let Some((index, _)) = known.next() else {
            return false;
        };
        let again = self.node.send(block_request(*index)).await.is_ok();
        if again {
            self.silent = 0;
        }
        again
    }

    fn standing(&self, index: u64) -> Standing {
        match self.settled.get(&index) {
            Some(true) => return Standing::There,
            Some(false) => return Standing::Absent,
            None => {}
        }
        match self.lookups.get(&index) {
            Some(Lookup::TooLarge(_) | Lookup::Surplus | Lookup::Object(_, None | Some(0))) => {
                Standing::There
            }
            Some(Lookup::Object(_, Some(difference))) => {
                // A node that is off by one is off for every block. Another case reports that.
                let alike = |lookup: &&Lookup| matches!(lookup, Lookup::Object(_, Some(other)) if other == difference);
                if self.lookups.values().filter(alike).count() > 1 {
                    Standing::There
                } else if self.clamps {
                    Standing::Absent
                } else {
                    Standing::Unclear
                }
            }
            Some(Lookup::NotFound(_)) => Standing::Absent,
            Some(Lookup::Neither(exchange)) => match self.known_statuses.get(&exchange.status) {
                Some(true) => Standing::There,
                Some(false) => Standing::Absent,
                None => Standing::Unclear,
            },
            Some(Lookup::Nothing(_)) | None => Standing::Unclear,
        }
    }

    /// Decides from the neighbours whether a block with an unclear response exists.
    ///
    /// The block below an existing block exists, too. If the node returns "not found" for the next
    /// index and not for this one, this block is the latest.
    async fn check_neighbours(&mut self, index: u64) -> Result<bool, InconclusiveReason> {
        let mut last = index;
        for near in index.saturating_add(1)..=index.saturating_add(NEAR) {
            let next = self.request_once(near).await?;
            match (self.standing(index), next) {
                (Standing::There, _) | (_, Standing::There) => return Ok(true),
                (Standing::Absent, _) => return Ok(false),
                (Standing::Unclear, Standing::Absent) => {
                    return if self.object(index).is_some() {
                        Ok(true)
                    } else {
                        self.follows_a_block(index).await
                    };
                }
                (Standing::Unclear, Standing::Unclear) => last = near,
            }
        }
        self.learn(index..=last).await
    }

    /// Whether a block exists shortly below this index.
    async fn follows_a_block(&mut self, index: u64) -> Result<bool, InconclusiveReason> {
        for near in (index.saturating_sub(NEAR)..index).rev() {
            match self.request_once(near).await? {
                Standing::There => return Ok(true),
                Standing::Absent => return Ok(false),
                Standing::Unclear => {}
            }
        }
        // A network may fail for a while. This many responses of that kind in a row come from the node.
        Ok(!matches!(
            self.lookups.get(&index),
            Some(Lookup::Nothing(_))
        ))
    }

    /// Finds out whether the node's response for these indexes is also its response for an index
    /// that does not exist.
    async fn learn(&mut self, indexes: RangeInclusive<u64>) -> Result<bool, InconclusiveReason> {
        self.request_once(FAR).await?;
        let says_otherwise = self.has_none(FAR);
        for (_, lookup) in self.lookups.range(indexes.clone()) {
            match lookup {
                Lookup::Neither(exchange) => {
                    self.known_statuses.insert(exchange.status, says_otherwise);
                }
                Lookup::Object(..) if !says_otherwise => self.clamps = true,
                _ => {}
            }
        }
        match self.lookups.get(indexes.start()) {
            _ if !says_otherwise => Ok(false),
            Some(Lookup::Nothing(_)) => self.follows_a_block(*indexes.start()).await,
            _ => Ok(true),
        }
    }

    /// Returns the lowest index that is known to exist, or `latest` if none is, and the highest
    /// index below it that is known not to exist.
    pub(crate) fn lowest_known(&self, latest: u64) -> (u64, Option<u64>) {
        let there = |index: &u64| self.standing(*index) == Standing::There;
        let lowest = self.lookups.keys().copied().find(there).unwrap_or(latest);
        let absent = |index: &u64| self.standing(*index) == Standing::Absent;
        let mut below = self.lookups.range(..lowest).map(|(index, _)| *index).rev();
        (lowest, below.find(absent))
    }

    /// Whether a block that did not exist does now.
    pub(crate) async fn exists_by_now(&mut self, index: u64) -> Result<bool, InconclusiveReason> {
        self.recheck_absent(index..=index, 1).await?;
        self.has(index).await
    }

    /// Returns how many blocks the node is likely to return within this time.
    pub(crate) fn most_within(&self, time: Duration, jobs: usize) -> u64 {
        let first = self.first_response.as_ref();
        let elapsed = first.map_or(1, |first| first.elapsed.as_millis().max(1));
        let in_turn = u64::try_from(time.as_millis() / elapsed).unwrap_or(u64::MAX);
        in_turn.saturating_mul(u64::try_from(jobs).unwrap_or(u64::MAX))
    }

    /// Repeats the requests for blocks that did not exist. The chain may have grown since.
    pub(crate) async fn recheck_absent(
        &mut self,
        within: RangeInclusive<u64>,
        jobs: usize,
    ) -> Result<(), InconclusiveReason> {
        let node = self.node;
        let requested = self.lookups.range(within).map(|(index, _)| *index);
        let absent = |index: &u64| self.standing(*index) == Standing::Absent;
        let absent: Vec<_> = requested.filter(absent).collect();
        let mut responses = stream::iter(absent)
            .map(|index| async move { (index, node.send(block_request(index)).await) })
            .buffered(jobs);
        while let Some((index, response)) = responses.next().await {
            let lookup = self.look_at(index, response).await?;
            self.settled.remove(&index);
            self.lookups.insert(index, lookup);
        }
        Ok(())
    }

    /// Continues a search. A slow node gets several requests at a time, some of which the search does not need.
    pub(crate) async fn narrow(
        &mut self,
        search: &mut IndexSearch,
        jobs: usize,
    ) -> Result<(), InconclusiveReason> {
        let Some(index) = search.next() else {
            return Ok(());
        };
        let at_once = self.node.requests_of_search(self.first_response.as_deref());
        if at_once > 1 {
            self.read(&search.next_several(at_once), jobs).await?;
        }
        search.narrow(self.has(index).await?);
        Ok(())
    }

    /// Moves the responses into `discovered`. `ends` are the lowest and the latest index.
    pub(crate) fn into_discovered(self, ends: Option<(u64, u64)>, discovered: &mut Discovered) {
        let mut differences: BTreeMap<i128, usize> = BTreeMap::new();
        for lookup in self.lookups.values() {
            if let Lookup::Object(_, Some(difference)) = lookup {
                *differences.entry(*difference).or_default() += 1;
            }
        }
        let most = |(difference, count): &(&i128, &usize)| (**count, **difference == 0);
        discovered.offset = differences.iter().max_by_key(most).map(|(d, _)| *d);
        discovered.first_response = self.first_response;
        let other_ways = self.known_statuses.into_iter().filter(|(_, there)| !there);
        discovered.unknown = Unknown {
            statuses: other_ways.map(|(status, _)| status).collect(),
            other_blocks: self.clamps,
        };
        for (index, lookup) in self.lookups {
            let within = ends.is_some_and(|(lowest, latest)| (lowest..=latest).contains(&index));
            let (block, lost) = (format!("block {index}"), InconclusiveReason::Transport);
            match lookup {
                Lookup::Object(exchange, None) => discovered.blocks.push((index, exchange)),
                Lookup::Object(exchange, difference) if difference == discovered.offset => {
                    discovered.blocks.push((index, exchange));
                }
                // Other cases check the response for a block that does not exist.
                Lookup::Object(exchange, _) if within || ends.is_none() => {
                    discovered.wrong_blocks.push(exchange);
                }
                Lookup::Neither(exchange) if within && is_gateway_error(exchange.status) => {
                    let reason = exchange.summary();
                    discovered.unread(&block, &reason, lost);
                }
                Lookup::Neither(exchange) | Lookup::NotFound(exchange) if within => {
                    discovered.without.push(exchange);
                }
                Lookup::Nothing(reason) if within => {
                    discovered.unread(&block, &reason, lost);
                }
                Lookup::TooLarge(reason) => {
                    discovered.unread(&block, &reason, InconclusiveReason::TooLarge);
                }
                _ => {}
            }
        }
    }
}
