//! The same index has the same block on each node.

use std::{collections::BTreeSet, sync::Arc};

use futures_util::{StreamExt, future::join_all, stream};
use tokio::sync::Semaphore;

use super::{Side, content, difference::Differences};
use crate::{Sweep, discovery::block_request, report::CrossCheck};

/// How many of the oldest blocks are compared, and of the newest.
const ENDS: u64 = 4;
/// How many in between, at equal distances.
const BETWEEN: u64 = 16;

/// Compares the blocks of a sweep's range, or else some of all ages.
pub(super) async fn compare(
    sides: &[Side],
    heights: &[u64],
    sweep: Option<&Sweep>,
    jobs: usize,
) -> CrossCheck {
    let lowest = sides
        .iter()
        .filter_map(|side| side.known.chain.lowest)
        .max()
        .unwrap_or_default();
    let common = heights.iter().min().copied().unwrap_or_default();
    // The newest block may still change on some nodes; older ones are history.
    let settled = common.saturating_sub(1).max(lowest);
    let mut differences = Differences::default();
    let gates: Vec<_> = sides.iter().map(|_| Arc::new(Semaphore::new(1))).collect();
    let ask = |index: u64| {
        let gates = &gates;
        async move {
            let answers = sides.iter().zip(gates).map(|(side, gate)| async move {
                let request = block_request(index);
                let answer = side.known.node.ask_through(request, Some(gate)).await;
                // Only what it stands for is kept, and the next long answer may come.
                answer.map(|(exchange, _permit)| content::block(&exchange))
            });
            (index, join_all(answers).await)
        }
    };
    let (from, to) = match sweep {
        Some(sweep) => (
            sweep.blocks.first().unwrap_or(lowest),
            sweep.blocks.end().unwrap_or(u64::MAX).min(settled + 1),
        ),
        None => (lowest, settled + 1),
    };
    let indexes: Box<dyn Iterator<Item = u64> + Send> = match sweep {
        Some(sweep) => {
            if !sweep.counts_requests {
                for side in sides {
                    side.known
                        .node
                        .allow_more(to.saturating_sub(from).saturating_mul(2));
                }
            }
            Box::new(from..to)
        }
        None => Box::new(some(from, to).into_iter()),
    };
    let mut answers = stream::iter(indexes).map(ask).buffered(jobs);
    let mut failed = None;
    while let Some((index, contents)) = answers.next().await {
        let mut said = Vec::new();
        for (side, content) in sides.iter().zip(contents) {
            said.push(content.unwrap_or_else(|obstacle| {
                let reason = format!("{}: block {index}: {}", side.name, obstacle.reason());
                failed.get_or_insert(reason);
                None
            }));
        }
        differences.add(sides, &said, || format!("block {index}"));
    }
    differences.told("blocks", failed)
}

/// Some blocks of a range: the oldest, the newest, and some in between.
fn some(from: u64, to: u64) -> BTreeSet<u64> {
    let length = to.saturating_sub(from);
    let between = (0..BETWEEN).map(|step| from + length / BETWEEN * step);
    (from..from.saturating_add(ENDS))
        .chain(between)
        .chain(to.saturating_sub(ENDS)..to)
        .filter(|index| (from..to).contains(index))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_all_ages_are_chosen_and_short_chains_whole() {
        assert_eq!(some(1, 6).into_iter().collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert!(some(5, 5).is_empty() && some(5, 3).is_empty());
        let long = some(1, 1_000_001);
        assert!(long.len() <= 24 && long.contains(&1) && long.contains(&1_000_000));
        assert!(long.range(400_000..600_000).next().is_some());
    }
}
