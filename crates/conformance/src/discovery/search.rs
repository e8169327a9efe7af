//! The search for blocks: the newest one by doubling and bisection, and the lowest one where a node
//! has not kept those before.

use super::{
    blocks::{BEYOND, Blocks},
    discovered::Discovered,
    fixture::Fixture,
    mentions::Mentions,
    wanted::Wanted,
};
use crate::{
    api::IndexSearch,
    http::{InconclusiveReason, Node},
};

/// How many of the latest blocks are read in search of a contract call.
const NEWEST: u64 = 10;
/// A chain of so many blocks is read as a whole.
const SHORT: u64 = 16;
/// When so many bytes of blocks are read, no more are looked for.
const ENOUGH: usize = 8 * 1024 * 1024;
/// How far behind a short chain it is looked for more of it.
const LEAST_BEHIND: u64 = 64;
/// How far a chain is looked for whose first blocks are gone: at a block every ten seconds, that
/// takes more than forty years.
const FARTHEST: u64 = 1 << 27;
/// Where it is looked for in between: at the lengths that chains have, a node may have kept less than
/// what is between two powers of two.
const IN_BETWEEN: std::ops::Range<u32> = 16..22;

pub(crate) async fn find_blocks(
    node: &Node,
    fixture: &Fixture,
    wanted: &Wanted,
    material: &mut Discovered,
) -> Result<(), InconclusiveReason> {
    let mut blocks = Blocks::of(node);
    let newest = search(&mut blocks, fixture, wanted, material).await?;
    let ends = newest.map(|newest| (blocks.lowest_known(newest).0, newest));
    if let Some((lowest, newest)) = ends {
        blocks.ask_again_for_absent(lowest..=newest).await?;
    }
    material.lowest = ends.map(|(lowest, _)| lowest);
    blocks.into_material(ends, &fixture.blocks, material);
    Ok(())
}

/// Finds the newest index, and reads blocks that are worth it; hands back the highest one found.
async fn search(
    blocks: &mut Blocks<'_>,
    fixture: &Fixture,
    wanted: &Wanted,
    material: &mut Discovered,
) -> Result<Option<u64>, InconclusiveReason> {
    let Some(mut known) = some_block(blocks, fixture, wanted).await? else {
        return Ok(None);
    };
    loop {
        let Some(tip) = last_from(blocks, known).await? else {
            if wanted.lowest {
                find_lowest(blocks, known).await?;
            }
            return Ok(Some(known));
        };
        known = tip;
        let named = wanted.blocks.iter().copied();
        let mut farther = None;
        for index in behind(known, wanted.newest).chain(named) {
            if farther.is_none() && index > known && blocks.has(index).await? {
                farther = Some(index);
            }
        }
        match farther {
            Some(index) => known = index,
            None => break,
        }
    }
    material.tip = Some(known);
    if wanted.lowest {
        // By now it is known what the node says of a block that it does not have.
        find_lowest(blocks, known).await?;
    }
    let (first, _) = blocks.lowest_known(known);
    let lowest = if known.saturating_sub(first) < SHORT {
        first.max(1)
    } else {
        known.saturating_sub(NEWEST).max(first)
    };
    let mut found = Mentions::default();
    for index in (lowest..=known).rev() {
        if blocks.length() > ENOUGH {
            break;
        }
        // Two neighbours are wanted in any case; the others only until there is a contract call.
        if known > SHORT && known - index > 1 && !found.assets.is_empty() {
            break;
        }
        if blocks.has(index).await?
            && let Some(exchange) = blocks.object(index)
            && let Ok(value) = exchange.json()
        {
            found.walk(value, 0);
        }
    }
    Ok(Some(known))
}

/// Where blocks are asked for behind the last one that was found: where some are missing in the
/// middle, the chain goes on behind them. For a sweep, as many may be missing as there are after
/// them.
fn behind(newest: u64, of_sweep: bool) -> impl Iterator<Item = u64> {
    let most = if of_sweep {
        newest.max(LEAST_BEHIND)
    } else {
        1
    };
    let distances = (0..u64::BITS - 1).map(|power| 1_u64 << power);
    distances
        .take_while(move |distance| *distance <= most)
        .map(move |distance| newest.saturating_add(distance + 1))
}

/// The highest one of the blocks that are asked for first, or that the user names; where there is
/// none of them, one farther up.
async fn some_block(
    blocks: &mut Blocks<'_>,
    fixture: &Fixture,
    wanted: &Wanted,
) -> Result<Option<u64>, InconclusiveReason> {
    let mut newest = None;
    // Chains were seen to begin at 1; 0 is as good a beginning.
    for index in [1, 0].into_iter().chain(fixture.blocks.iter().copied()) {
        if newest.is_none() || index > 1 {
            let found = blocks.has(index).await?;
            newest = newest.max(found.then_some(index));
        }
    }
    for index in &wanted.blocks {
        if newest.is_none() {
            newest = blocks.has(*index).await?.then_some(*index);
        }
    }
    // A node that says of the first blocks that it has none may have dropped them.
    if blocks.is_told_of_none(1) {
        let powers = (1..u64::BITS).map(|power| 1_u64 << power);
        let powers = powers.take_while(|index| *index <= FARTHEST);
        for index in powers.chain(IN_BETWEEN.map(|power| 3 << power)) {
            if newest.is_none() {
                newest = blocks.has(index).await?.then_some(index);
            }
        }
    }
    Ok(newest)
}

/// Finds the lowest block that there is, of which `known` is a higher one.
async fn find_lowest(blocks: &mut Blocks<'_>, known: u64) -> Result<(), InconclusiveReason> {
    let (mut lowest, _) = blocks.lowest_known(known);
    loop {
        let (_, absent) = blocks.lowest_known(lowest);
        let absent = match absent {
            Some(absent) => absent,
            None if lowest == 0 || blocks.has(0).await? => return Ok(()),
            None => 0,
        };
        let mut search = IndexSearch::between(lowest, absent);
        while let Some(index) = search.next() {
            search.narrow(blocks.has(index).await?);
        }
        lowest = search.result().unwrap_or(lowest);
        // Where a block is missing in the middle, the chain goes on below it.
        match lowest.checked_sub(2) {
            Some(below) if blocks.has(below).await? => lowest = below,
            _ => return Ok(()),
        }
    }
}

/// The last index from `known` on, before one that has no block; none if there is no end to them.
async fn last_from(blocks: &mut Blocks<'_>, known: u64) -> Result<Option<u64>, InconclusiveReason> {
    let mut search = IndexSearch::above(known, known.max(1), BEYOND);
    while let Some(index) = search.next() {
        search.narrow(blocks.has(index).await?);
    }
    Ok(search.result())
}
