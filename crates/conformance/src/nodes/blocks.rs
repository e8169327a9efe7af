//! Checks that all nodes have the same block at the same index.

use std::{collections::BTreeSet, ops::RangeInclusive, time::Duration};

use futures_util::{StreamExt, future::join_all, stream};
use nodeproof_report::CaseReport;

use super::{
    content::{Content, block_content},
    difference::Differences,
    side::Side,
};
use crate::{
    api::block_request,
    http::{BackOff, InconclusiveReason, SendOptions},
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
    compared
        .differences
        .into_cross_check("blocks", compared.failed)
}

/// Compares the blocks that are a few blocks below the lowest height, and below the highest one that two
/// nodes have. Compares the blocks in `again`, too. Returns also at which indexes the nodes differ.
pub(crate) async fn compare_recent_blocks(
    sides: &[Side],
    heights: &[u64],
    again: &BTreeSet<u64>,
    jobs: usize,
) -> (CaseReport, BTreeSet<u64>) {
    let mut sorted = heights.to_vec();
    sorted.sort_unstable();
    let ends = [sorted.first(), sorted.iter().rev().nth(1)];
    let ends = ends
        .into_iter()
        .flatten()
        .map(|height| height.saturating_sub(MARGIN));
    let recent = ends.flat_map(|end| end.saturating_sub(RECENT - 1)..=end);
    let indexes: BTreeSet<_> = recent.chain(again.iter().copied()).collect();
    let has: Vec<_> = sides
        .iter()
        .zip(heights)
        .map(|(side, height)| side.examined.chain.lowest.unwrap_or_default()..=*height)
        .collect();
    let compared = compare_at(sides, &has, &[], indexes.into_iter(), jobs).await;
    let check = compared
        .differences
        .into_cross_check("blocks", compared.failed);
    (check, compared.differing)
}

/// The result of comparing blocks.
#[derive(Default)]
struct ComparedBlocks {
    differences: Differences,
    /// The indexes at which nodes differ.
    differing: BTreeSet<u64>,
    /// Why a block could not be compared.
    failed: Option<String>,
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
    let mut compared = ComparedBlocks::default();
    while let Some((index, contents)) = responses.next().await {
        let mut said = Vec::new();
        for (side, content) in sides.iter().zip(contents) {
            said.push(content.unwrap_or_else(|inconclusive| {
                let reason = format!("{}: block {index}: {}", side.name, inconclusive.reason());
                compared.failed.get_or_insert(reason);
                None
            }));
        }
        let place = || format!("block {index}");
        if compared.differences.add(sides, &said, place) {
            compared.differing.insert(index);
        }
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
            let request = block_request(self.index);
            let options = SendOptions {
                is_one_of_many: true,
                ..SendOptions::default()
            };
            let response = side.examined.node.send_with(request, options).await;
            // Only the content is kept. Dropping the permit lets the next long response be read.
            response.map(|(exchange, _permit)| block_content(&exchange))
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
                let reason = "the latest block changed repeatedly";
                *now = Err(InconclusiveReason::NoSample(reason.to_owned()));
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
