//! The search for blocks. It finds the latest block by doubling and bisection, and the lowest one
//! if a node has dropped the blocks before it.

use super::{
    blocks::{BEYOND_EVERY_CHAIN, Blocks},
    discovered::Discovered,
    fixture::{Fixture, KnownBlock},
    wanted::Wanted,
};
use crate::{
    api::IndexSearch,
    http::{InconclusiveReason, Node},
};

/// Minimum number of blocks to read at each end of a chain.
const MIN_ENDS: u64 = 8;
/// Minimum distance up to which a sweep searches past the end of a short chain.
const MIN_BEHIND: u64 = 64;
/// Highest index that is tried if the first blocks are gone. At one block every ten seconds, a
/// chain takes more than forty years to reach it.
const FARTHEST: u64 = 1 << 27;
/// Extra indexes, 3 · 2ⁿ, that are tried for these n. At the usual length of chains, a node may
/// have fewer blocks than lie between two powers of two.
const IN_BETWEEN: std::ops::Range<u32> = 16..22;

pub(crate) async fn find_blocks(
    node: &Node,
    fixture: &Fixture,
    wanted: &Wanted,
    discovered: &mut Discovered,
) -> Result<(), InconclusiveReason> {
    let mut blocks = Blocks::of(node);
    let latest = search(&mut blocks, fixture, wanted, discovered).await?;
    let ends = latest.map(|latest| (blocks.lowest_known(latest).0, latest));
    if let Some((lowest, latest)) = ends {
        blocks.recheck_absent(lowest..=latest, wanted.jobs).await?;
    }
    discovered.lowest = ends.map(|(lowest, _)| lowest);
    blocks.into_discovered(ends, discovered);
    Ok(())
}

/// Finds the latest index, and reads blocks that are likely to have samples. Returns the highest index found.
async fn search(
    blocks: &mut Blocks<'_>,
    fixture: &Fixture,
    wanted: &Wanted,
    discovered: &mut Discovered,
) -> Result<Option<u64>, InconclusiveReason> {
    let Some(mut known) = some_block(blocks, fixture, wanted).await? else {
        return Ok(None);
    };
    loop {
        let Some(tip) = last_from(blocks, known, wanted.jobs).await? else {
            if wanted.lowest {
                find_lowest(blocks, known, wanted.jobs).await?;
            }
            return Ok(Some(known));
        };
        known = tip;
        let next = known.saturating_add(1);
        let named = wanted.blocks.iter().copied();
        let mut farther = None;
        for index in later_indexes(known, wanted.latest).chain(named) {
            if farther.is_none() && index > known && blocks.has(index).await? {
                farther = Some(index);
            }
        }
        match farther {
            Some(index) => known = index,
            None => break,
        }
        // A chain that grows as fast as a slow node responds would be searched forever.
        if !wanted.latest && blocks.exists_by_now(next).await? {
            break;
        }
    }
    discovered.tip = Some(known);
    if wanted.lowest {
        // By now, the node's response for a block that does not exist is known.
        find_lowest(blocks, known, wanted.jobs).await?;
    }
    let (first, _) = blocks.lowest_known(known);
    let most = blocks.most_within(wanted.sample_time, wanted.jobs);
    for count in [wanted.sample, wanted.sample_without_claim] {
        let sample = sample(first.max(1), known, count.min(most));
        blocks.read(&sample, wanted.jobs).await?;
        if blocks.have_claims() {
            break;
        }
    }
    Ok(Some(known))
}

/// Returns the indexes of the blocks to read: those at both ends, and pairs of neighbours in between.
///
/// They depend only on the chain's length, and at a slow node on its speed. The first blocks stay in the sample however long the chain
/// grows, so a fault that they show is found at every height.
fn sample(first: u64, latest: u64, most: u64) -> Vec<u64> {
    let ends = (most / 8).max(MIN_ENDS);
    let pairs = most.saturating_sub(2 * ends) / 2;
    let length = latest.saturating_sub(first).saturating_add(1);
    if length <= most.max(2 * ends) {
        return (first..=latest).collect();
    }
    let mut sample: Vec<u64> = (first..first + ends)
        .chain(latest - ends + 1..=latest)
        .collect();
    if pairs > 0 {
        let step = length.div_ceil(pairs);
        let places = (1..pairs).map(|pair| first + pair * step);
        sample.extend(
            places
                .flat_map(|place| [place, place + 1])
                .filter(|place| *place < latest),
        );
    }
    sample
}

/// Returns indexes to try after the last block found. If blocks are missing in the middle, the
/// chain continues after them. In a sweep, the gap may be as long as the chain before it.
fn later_indexes(latest: u64, of_sweep: bool) -> impl Iterator<Item = u64> {
    let most = if of_sweep { latest.max(MIN_BEHIND) } else { 1 };
    let distances = (0..u64::BITS - 1).map(|power| 1_u64 << power);
    distances
        .take_while(move |distance| *distance <= most)
        .map(move |distance| latest.saturating_add(distance + 1))
}

/// Returns the highest of the first blocks and those that the user names. If none of them exists,
/// returns another block.
async fn some_block(
    blocks: &mut Blocks<'_>,
    fixture: &Fixture,
    wanted: &Wanted,
) -> Result<Option<u64>, InconclusiveReason> {
    let mut latest = None;
    // Chains were seen to begin at 1. Beginning at 0 is equally valid.
    for index in [1, 0]
        .into_iter()
        .chain(fixture.blocks.iter().map(KnownBlock::index))
    {
        if latest.is_none() || index > 1 {
            let found = blocks.has(index).await?;
            latest = latest.max(found.then_some(index));
        }
    }
    for index in &wanted.blocks {
        if latest.is_none() {
            latest = blocks.has(*index).await?.then_some(*index);
        }
    }
    // A node that returns "not found" for the first blocks may have dropped them.
    if blocks.is_node_not_found(1) {
        let powers = (1..u64::BITS).map(|power| 1_u64 << power);
        let powers = powers.take_while(|index| *index <= FARTHEST);
        for index in powers.chain(IN_BETWEEN.map(|power| 3 << power)) {
            if latest.is_none() {
                latest = blocks.has(index).await?.then_some(index);
            }
        }
    }
    Ok(latest)
}

/// Finds the lowest block that exists, searching downward from `known`.
async fn find_lowest(
    blocks: &mut Blocks<'_>,
    known: u64,
    jobs: usize,
) -> Result<(), InconclusiveReason> {
    let (mut lowest, _) = blocks.lowest_known(known);
    loop {
        let (_, absent) = blocks.lowest_known(lowest);
        let absent = match absent {
            Some(absent) => absent,
            None if lowest == 0 || blocks.has(0).await? => return Ok(()),
            None => 0,
        };
        let mut search = IndexSearch::between(lowest, absent);
        while search.next().is_some() {
            blocks.narrow(&mut search, jobs).await?;
        }
        lowest = search.result().unwrap_or(lowest);
        // If a block is missing in the middle, the chain continues below it.
        match lowest.checked_sub(2) {
            Some(below) if blocks.has(below).await? => lowest = below,
            _ => return Ok(()),
        }
    }
}

/// Returns the last index, from `known` on, before one without a block, or `None` if there is no end.
async fn last_from(
    blocks: &mut Blocks<'_>,
    known: u64,
    jobs: usize,
) -> Result<Option<u64>, InconclusiveReason> {
    let mut search = IndexSearch::above(known, known.max(1), BEYOND_EVERY_CHAIN);
    while search.next().is_some() {
        blocks.narrow(&mut search, jobs).await?;
    }
    Ok(search.result())
}
