//! Checks that all nodes have the same block at the same index.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
    time::{Duration, Instant},
};

use futures_util::{
    StreamExt,
    future::{join_all, try_join_all},
    stream,
};
use nodeproof_report::CaseReport;
use tokio::time::timeout_at;

use super::{
    chains::{Chains, Standing},
    content::{Content, block_content, is_missing},
    difference::Differences,
    side::Side,
};
use crate::{
    api::{IndexSearch, block_request},
    http::{BackOff, InconclusiveReason, SendOptions, unknown},
    sweep::Sweep,
};

/// Number of oldest blocks that are compared, and of latest blocks.
const ENDS: u64 = 4;
/// Number of blocks in between, at equal distances.
const BETWEEN: u64 = 16;
/// Distance of recent blocks from the latest one, which may still change.
const MARGIN: u64 = 2;
/// Number of recent blocks that are compared.
const RECENT: u64 = 8;
/// Maximum number of further requests for the latest block.
const MAX_TRIES: u32 = 4;
/// The first pause before the latest block is requested again.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The content of a node's block, or `None` if there is nothing to compare.
type BlockResult = Result<Option<Content>, InconclusiveReason>;

/// Compares all blocks of a sweep's range, or a selection of blocks if there is no sweep.
pub(crate) async fn compare_blocks(
    sides: &[Side],
    heights: &[u64],
    sweep: Option<&Sweep>,
    jobs: usize,
) -> CaseReport {
    // A block is compared if at least two nodes have it.
    let mut oldest: Vec<_> = sides
        .iter()
        .filter_map(|side| side.examined.chain.lowest)
        .collect();
    oldest.sort_unstable();
    let oldest = oldest
        .get(1)
        .or(oldest.first())
        .copied()
        .unwrap_or_default();
    let mut latest = heights.to_vec();
    latest.sort_unstable_by(|one, other| other.cmp(one));
    let beyond = latest.get(1).map_or(0, |latest| latest.saturating_add(1));
    let first = sweep.and_then(|sweep| sweep.blocks.first());
    let has: Vec<_> = sides
        .iter()
        .zip(heights)
        .map(|(side, height)| match (first, side.examined.chain.lowest) {
            (None, Some(lowest)) => lowest..=*height,
            _ => 0..=*height,
        })
        .collect();
    let (from, to) = match sweep {
        Some(sweep) => (
            first.unwrap_or(oldest),
            sweep.blocks.end().unwrap_or(u64::MAX).min(beyond),
        ),
        None => (oldest, beyond),
    };
    let indexes: Box<dyn Iterator<Item = u64> + Send> = match sweep {
        Some(sweep) => {
            if !sweep.counts_requests {
                for side in sides {
                    // The latest block may be requested several times.
                    let requests = to.saturating_sub(from) + u64::from(MAX_TRIES);
                    side.examined.node.allow_more(requests.saturating_mul(2));
                }
            }
            Box::new(from..to)
        }
        None => Box::new(some(from, to, heights).into_iter()),
    };
    let mut compared = compare_at(sides, &has, heights, indexes, jobs).await;
    if from >= to {
        compared.failed = Some("no two nodes have any of the blocks".to_owned());
    }
    compared.join_chains(sides).await;
    compared
        .differences
        .into_cross_check("blocks", compared.failed)
}

/// Returns the blocks of each node that are a few blocks below the lowest height, and below the highest one
/// that two nodes have, and those in `again`.
///
/// Each node gets its own requests, so a slow one delays no other. What it has not returned until the deadline
/// is left out, and so is a missing block: the node lags, or a case of its own reports the hole.
pub(crate) async fn recent_blocks(
    sides: &[Side],
    heights: &[u64],
    again: &BTreeSet<u64>,
    jobs: usize,
    deadline: Instant,
) -> BTreeMap<u64, Vec<Option<Content>>> {
    let mut sorted = heights.to_vec();
    sorted.sort_unstable();
    let ends = [sorted.first(), sorted.iter().rev().nth(1)];
    let ends = ends
        .into_iter()
        .flatten()
        .map(|height| height.saturating_sub(MARGIN));
    let recent = ends.flat_map(|end| end.saturating_sub(RECENT - 1)..=end);
    let indexes: BTreeSet<_> = recent.chain(again.iter().copied()).collect();
    let of_node = |(side, height): (_, &u64)| {
        let has = lowest(side)..=*height;
        let wanted = indexes
            .iter()
            .copied()
            .filter(move |index| has.contains(index));
        until_deadline(side, wanted.collect(), jobs, deadline)
    };
    let of_nodes = join_all(sides.iter().zip(heights).map(of_node)).await;
    let of_index = |index: &u64| of_nodes.iter().map(|has| has.get(index).cloned()).collect();
    indexes
        .iter()
        .map(|index| (*index, of_index(index)))
        .collect()
}

/// Returns the blocks that a node returned until the deadline.
async fn until_deadline(
    side: &Side,
    indexes: Vec<u64>,
    jobs: usize,
    deadline: Instant,
) -> BTreeMap<u64, Content> {
    let request = |index| async move { (index, request_block(side, index).await) };
    let mut responses = stream::iter(indexes).map(request).buffer_unordered(jobs);
    let mut blocks = BTreeMap::new();
    while let Ok(Some((index, response))) = timeout_at(deadline.into(), responses.next()).await {
        if let Ok(Some(content)) = response
            && !is_missing(&content)
        {
            blocks.insert(index, content);
        }
    }
    blocks
}

/// Returns the first block in which a node differs from another one: above `agreed`, and up to `since`.
pub(crate) async fn first_difference(
    sides: [&Side; 2],
    agreed: Option<u64>,
    since: u64,
) -> Result<u64, InconclusiveReason> {
    let [one, other] = sides;
    let below = lowest(one).max(lowest(other)).saturating_sub(1);
    let mut search = IndexSearch::between(since, agreed.unwrap_or(below).min(since));
    while let Some(index) = search.next() {
        let both = try_join_all(sides.map(|side| request_block(side, index))).await?;
        search.narrow(differ(&both.into_iter().map(Ok).collect::<Vec<_>>()));
    }
    Ok(search.result().unwrap_or(since))
}

fn lowest(side: &Side) -> u64 {
    side.examined.chain.lowest.unwrap_or_default()
}

/// Requests a block. The result is `None` if the response has no information about it.
async fn request_block(side: &Side, index: u64) -> BlockResult {
    let options = SendOptions {
        is_one_of_many: true,
        ..SendOptions::default()
    };
    let response = side.examined.node.send_with(block_request(index), options);
    // Only the content is kept. Dropping the permit lets the next long response be read.
    let (exchange, _permit) = response.await?;
    Ok(block_content(&exchange))
}

/// The result of comparing blocks.
struct ComparedBlocks {
    differences: Differences,
    chains: Chains,
    /// Why a block could not be compared.
    failed: Option<String>,
}

impl ComparedBlocks {
    /// Replaces the differences of nodes on another chain by one for each such chain.
    async fn join_chains(&mut self, sides: &[Side]) {
        let standings = self.chains.standings();
        let mut chains: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (node, standing) in standings.iter().enumerate() {
            if let Standing::OtherChain { since, agreed } = *standing {
                let differs = |other: &Standing| !matches!(other, Standing::Same);
                let usual = standings.iter().position(|other| !differs(other));
                let usual = usual.unwrap_or(usize::from(node == 0));
                let both = [&sides[node], &sides[usual]];
                let since = first_difference(both, agreed, since).await.unwrap_or(since);
                chains.entry(since).or_default().push(node);
            }
        }
        for (since, nodes) in chains {
            self.differences.join(sides, since, &nodes);
        }
    }
}

/// Compares the blocks at these indexes. `has` is the range of each node. A block in `latest` may still
/// change.
async fn compare_at(
    sides: &[Side],
    has: &[RangeInclusive<u64>],
    latest: &[u64],
    indexes: impl Iterator<Item = u64> + Send,
    jobs: usize,
) -> ComparedBlocks {
    let ask = |index: u64| async move {
        let block = RequestedBlock { index, sides, has };
        let mut said = block.request_all().await;
        if latest.contains(&index) {
            block.until_unchanged(&mut said).await;
        }
        (index, said)
    };
    let mut responses = stream::iter(indexes).map(ask).buffered(jobs);
    let mut compared = ComparedBlocks {
        differences: Differences::default(),
        chains: Chains::new(vec![false; sides.len()], 2),
        failed: None,
    };
    while let Some((index, contents)) = responses.next().await {
        let mut said = Vec::new();
        for (side, content) in sides.iter().zip(contents) {
            said.push(content.unwrap_or_else(|inconclusive| {
                let reason = format!("{}: block {index}: {}", side.name, inconclusive.reason());
                compared.failed.get_or_insert(reason);
                None
            }));
        }
        compared.differences.add_block(sides, &said, index);
        compared.chains.add(index, &said);
    }
    compared
}

/// A block that is requested from the nodes.
struct RequestedBlock<'a> {
    index: u64,
    sides: &'a [Side],
    /// The range of indexes of each node.
    has: &'a [RangeInclusive<u64>],
}

impl RequestedBlock<'_> {
    /// Requests the block from each node. A node without that index has `None`.
    async fn request_all(&self) -> Vec<BlockResult> {
        let sides = self.sides.iter().zip(self.has);
        let responses = sides.map(|(side, has)| async move {
            if !has.contains(&self.index) {
                return Ok(None);
            }
            request_block(side, self.index).await
        });
        join_all(responses).await
    }

    /// Requests the latest block again until each node returns the same content twice.
    ///
    /// The latest block may still change, so nodes may differ in it for a moment. Older blocks don't change.
    async fn until_unchanged(&self, said: &mut Vec<BlockResult>) {
        let mut back_off = BackOff::unbounded(FIRST_PAUSE);
        for turn in 0..MAX_TRIES {
            if !differ(said) {
                return;
            }
            back_off.wait().await;
            let before = std::mem::replace(said, self.request_all().await);
            let mut changed = said.iter_mut().zip(&before).filter(|(now, before)| {
                let both = now.as_ref().ok().zip(before.as_ref().ok());
                both.is_some_and(|(now, before)| now != before)
            });
            if turn + 1 < MAX_TRIES {
                if changed.next().is_none() {
                    return;
                }
                continue;
            }
            for (now, _) in changed {
                *now = unknown("the latest block changed repeatedly");
            }
        }
    }
}

/// Whether any two nodes differ in a member that both have.
fn differ(said: &[BlockResult]) -> bool {
    let known: Vec<_> = said
        .iter()
        .filter_map(|said| said.as_ref().ok()?.as_ref())
        .collect();
    known.iter().enumerate().any(|(place, one)| {
        known[..place].iter().any(|other| {
            let mut both = one
                .iter()
                .filter_map(|(member, value)| Some((value, other.get(member)?)));
            both.any(|(one, other)| one.fingerprint != other.fingerprint)
        })
    })
}

/// Selects blocks of a range: the oldest, each node's latest, and some in between.
fn some(from: u64, to: u64, heights: &[u64]) -> BTreeSet<u64> {
    let length = to.saturating_sub(from);
    let between = (0..BETWEEN).map(|step| from + length / BETWEEN * step);
    let latest = heights
        .iter()
        .map(|height| height.saturating_add(1).min(to));
    (from..from.saturating_add(ENDS))
        .chain(between)
        .chain(latest.flat_map(|end| end.saturating_sub(ENDS)..end))
        .filter(|index| (from..to).contains(index))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_all_ages_are_chosen_and_short_chains_whole() {
        assert_eq!(
            some(1, 6, &[5]).into_iter().collect::<Vec<_>>(),
            [1, 2, 3, 4, 5]
        );
        assert!(some(5, 5, &[4]).is_empty() && some(5, 3, &[2]).is_empty());
        let long = some(1, 1_000_001, &[1_000_000, 1_000_003, 700_007]);
        assert!(
            long.len() <= 28
                && long.contains(&700_007)
                && long.contains(&1)
                && long.contains(&1_000_000)
        );
        assert!(long.range(400_000..600_000).next().is_some());
    }
}
