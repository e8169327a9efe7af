//! The height of each node's chain.

use futures_util::future::{join_all, try_join_all};
use nodeproof_report::{CaseReport, NodeValue, Outcome};

use super::{
    difference::{cross_check, difference},
    side::Side,
};
use crate::{
    api::{IndexSearch, block_request, reported_index},
    http::InconclusiveReason,
};

/// Returns the current height of each node. A node is lower than another one only if it does not have
/// that one's latest block later. See [`heights_and_lags`].
pub(crate) async fn heights_of_all(sides: &[Side]) -> Result<Vec<u64>, String> {
    let heights = try_join_all(sides.iter().map(height_now)).await?;
    let highest = heights.iter().max().copied().unwrap_or_default();
    let sides = sides.iter().zip(heights);
    try_join_all(sides.map(|(side, height)| height_up_to(side, height, highest))).await
}

/// The height of a node, and how far it lags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MeasuredHeight {
    pub(crate) height: u64,
    /// Number of blocks that another node had, and this one did not have later.
    pub(crate) lag: u64,
}

/// Returns the height and the lag of each node, or `None` if it did not respond.
///
/// First the heights of all nodes are read. Then each lower node is requested for the highest block that
/// was found. So a node does not lag only because its responses take time, or because it was requested
/// earlier than another one.
pub(crate) async fn heights_and_lags(sides: &[Side]) -> Vec<Option<MeasuredHeight>> {
    let heights: Vec<_> = join_all(sides.iter().map(height_now))
        .await
        .into_iter()
        .map(Result::ok)
        .collect();
    let Some(highest) = heights.iter().flatten().max().copied() else {
        return sides.iter().map(|_| None).collect();
    };
    let measured = sides.iter().zip(heights).map(|(side, height)| async move {
        let height = height_up_to(side, height?, highest).await.ok()?;
        Some(MeasuredHeight {
            height,
            lag: highest.saturating_sub(height),
        })
    });
    join_all(measured).await
}

/// Returns the current height of a node, but not more than `highest`.
async fn height_up_to(side: &Side, known: u64, highest: u64) -> Result<u64, String> {
    let search = async {
        if known >= highest || has(side, highest).await? {
            return Ok(highest);
        }
        let mut search = IndexSearch::between(known, highest);
        while let Some(index) = search.next() {
            search.narrow(has(side, index).await?);
        }
        Ok(search.result().unwrap_or(known))
    };
    let height = search
        .await
        .map_err(|inconclusive| failed(side, &inconclusive))?;
    side.set_height(height);
    Ok(height)
}

/// Describes why a node's height was not found.
fn failed(side: &Side, inconclusive: &InconclusiveReason) -> String {
    format!("{}: {}", side.name, inconclusive.reason())
}

/// Returns the current height of a node, or the reason why it was not found.
pub(crate) async fn height_now(side: &Side) -> Result<u64, String> {
    let height = search(side).await;
    height.map_err(|inconclusive| failed(side, &inconclusive))
}

/// Searches upwards from the last known height. If the chain has not grown, this takes one request.
///
/// The search doubles and bisects, because a chain grows while it is checked.
async fn search(side: &Side) -> Result<u64, InconclusiveReason> {
    if side.examined.chain.tip.is_none() {
        let reason = "its latest block was not found";
        return Err(InconclusiveReason::NoSample(reason.to_owned()));
    }
    let known = side.last_height();
    let most = known.saturating_add(MAX_GROWTH);
    let mut search = IndexSearch::above(known, 1, most);
    while let Some(index) = search.next() {
        search.narrow(has(side, index).await?);
    }
    let last = search.result();
    let last =
        last.ok_or_else(|| InconclusiveReason::NoSample("no latest block was found".to_owned()))?;
    side.set_height(last);
    Ok(last)
}

/// Maximum growth of a chain during a run, in blocks.
const MAX_GROWTH: u64 = 1 << 33;

async fn has(side: &Side, index: u64) -> Result<bool, InconclusiveReason> {
    let exchange = side.examined.node.send(block_request(index)).await?;
    let Some(block) = exchange.success_object() else {
        return Ok(false);
    };
    let offset = side.examined.chain.offset.unwrap_or(0);
    Ok(reported_index(block).is_none_or(|reported| reported - i128::from(index) == offset))
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
