//! The height of each node's chain.

use std::collections::BTreeMap;

use futures_util::future::try_join_all;
use nodeproof_report::{CaseReport, NodeValue, Outcome};

use super::{
    difference::{cross_check, difference},
    side::Side,
};
use crate::{
    api::{IndexSearch, block_request, reported_index},
    http::{Exchange, InconclusiveReason, unknown},
};

/// Returns the current height of each node. A node is lower than another one only if it does not have
/// that one's latest block later. A node that responds slowly does not lag.
pub(crate) async fn heights_of_all(sides: &[Side]) -> Result<Vec<u64>, String> {
    let heights = try_join_all(sides.iter().map(height_now)).await?;
    let highest = heights.iter().max().copied().unwrap_or_default();
    let sides = sides.iter().zip(heights);
    try_join_all(sides.map(|(side, height)| height_up_to(side, height, highest))).await
}

/// Returns the current height of a node, but not more than `highest`.
async fn height_up_to(side: &Side, known: u64, highest: u64) -> Result<u64, String> {
    side.set_height(known);
    let lag = lag_behind(side, highest, 1).await;
    let lag = lag.map_err(|inconclusive| failed(side, &inconclusive))?;
    Ok(highest.saturating_sub(lag))
}

/// Describes why a node's height was not found.
fn failed(side: &Side, inconclusive: &InconclusiveReason) -> String {
    format!("{}: {}", side.name, inconclusive.reason())
}

/// Returns the current height of a node, or the reason why it was not found. It is not below the last known
/// one. If the chain has not grown, this takes one request.
pub(crate) async fn height_now(side: &Side) -> Result<u64, String> {
    let height = read_height(side, true, 1).await;
    height.map_err(|inconclusive| failed(side, &inconclusive))
}

/// Returns the current height of a node. If it does not have its last known block, because it was rebuilt, the
/// height is below that one. `jobs` requests are sent at a time.
pub(crate) async fn read_height(
    side: &Side,
    has_known: bool,
    jobs: usize,
) -> Result<u64, InconclusiveReason> {
    if side.examined.chain.tip.is_none() {
        return unknown("its latest block was not found");
    }
    let known = side.last_height();
    let search = match has_known {
        true => IndexSearch::above(known, 1, known.saturating_add(MAX_GROWTH)),
        false => IndexSearch::between(0, known),
    };
    let height = search_with(side, search, jobs).await?;
    let Some(height) = height else {
        return unknown("no latest block was found");
    };
    side.set_height(height);
    Ok(height)
}

/// Returns the number of blocks that a node does not have of those up to `highest`, and sets its height.
///
/// The block `highest` was read from another node before this is called. It is requested together with the next
/// blocks of this node, so the responses of a slow node are about one moment.
pub(crate) async fn lag_behind(
    side: &Side,
    highest: u64,
    jobs: usize,
) -> Result<u64, InconclusiveReason> {
    let known = side.last_height();
    if known >= highest {
        return Ok(0);
    }
    let mut first: Vec<_> = (known..highest).skip(1).take(jobs - 1).collect();
    first.push(highest);
    let found = has_each(side, first).await?;
    let inside = found
        .iter()
        .filter(|(_, has)| **has)
        .map(|(index, _)| *index);
    let inside = inside.max().unwrap_or(known);
    let mut missing = found.keys().copied().filter(|index| *index > inside);
    let height = match missing.next() {
        None => inside,
        Some(outside) => search_with(side, IndexSearch::between(inside, outside), jobs)
            .await?
            .unwrap_or(inside),
    };
    side.set_height(height);
    Ok(highest.saturating_sub(height))
}

/// Maximum growth of a chain between two searches, in blocks.
const MAX_GROWTH: u64 = 1 << 33;

/// Searches with several requests at a time. Returns the last block, or `None` if there is no end.
async fn search_with(
    side: &Side,
    mut search: IndexSearch,
    jobs: usize,
) -> Result<Option<u64>, InconclusiveReason> {
    while search.next().is_some() {
        let found = has_each(side, search.next_several(jobs)).await?;
        while let Some(has) = search.next().and_then(|index| found.get(&index)) {
            search.narrow(*has);
        }
    }
    Ok(search.result())
}

async fn has_each(
    side: &Side,
    indexes: Vec<u64>,
) -> Result<BTreeMap<u64, bool>, InconclusiveReason> {
    let has = indexes
        .into_iter()
        .map(|index| async move { has(side, index).await.map(|has| (index, has)) });
    Ok(try_join_all(has).await?.into_iter().collect())
}

async fn has(side: &Side, index: u64) -> Result<bool, InconclusiveReason> {
    let exchange = side.examined.node.send(block_request(index)).await?;
    Ok(is_block(side, index, &exchange))
}

/// Whether a response is the block at an index.
pub(crate) fn is_block(side: &Side, index: u64, exchange: &Exchange) -> bool {
    let offset = side.examined.chain.offset.unwrap_or(0);
    exchange.success_object().is_some_and(|block| {
        reported_index(block).is_none_or(|reported| reported - i128::from(index) == offset)
    })
}

/// Reports the nodes that lag behind. Lagging is not a fault.
pub(crate) fn height_check(sides: &[Side], heights: &[u64]) -> CaseReport {
    let latest = heights.iter().max().copied().unwrap_or_default();
    let named = || sides.iter().map(|side| &side.name).zip(heights);
    let behind: Vec<_> = named().filter(|(_, height)| **height < latest).collect();
    if behind.is_empty() {
        return cross_check("height", Outcome::Pass, 1, None, Vec::new());
    }
    let lags = behind
        .iter()
        .map(|(name, height)| format!("{name} lags by {}", blocks(latest - **height)));
    let what = lags.collect::<Vec<_>>().join(", ");
    let differs = behind.iter().map(|(name, _)| (*name).clone()).collect();
    let values = named().map(|(name, height)| NodeValue {
        value: format!("block {height}"),
        nodes: vec![name.clone()],
    });
    let finding = difference(
        what,
        "the latest block".to_owned(),
        differs,
        values.collect(),
    );
    cross_check("height", Outcome::Info, 1, None, vec![finding])
}

fn blocks(count: u64) -> String {
    match count {
        1 => "one block".to_owned(),
        count => format!("{count} blocks"),
    }
}
