//! Compares the blocks of the nodes.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::Future,
    sync::Arc,
    time::{Duration, Instant},
};

use nodeproof_report::FindingReport;
use tokio::time::{MissedTickBehavior, timeout};

use super::{
    known_nodes::{KnownNodes, NodeWithHeight},
    log::Log,
    metrics::{Metrics, NodeLabel},
};
use crate::{
    context::Redactor,
    nodes::{Chains, Content, Differences, Side, Standing, first_difference, recent_blocks},
};

/// Number of blocks that are requested from a node at a time.
const JOBS: usize = 4;
/// Number of nodes that must have a block, before those without a majority are reported. If only two nodes are
/// monitored, these are enough.
const LEAST: usize = 3;

/// Compares the nodes in rounds, with the heights that their probes found.
pub(super) struct Comparison {
    pub(super) known: Arc<KnownNodes>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) log: Arc<Log>,
    pub(super) redactor: Redactor,
    /// The nodes that left the majority, and their first block that differs. It is compared until they are back.
    pub(super) left: BTreeMap<NodeLabel, u64>,
    /// Those whose chain is another one. For the others, only a block is known that differs.
    pub(super) on_other_chain: BTreeSet<NodeLabel>,
}

impl Comparison {
    /// Compares the nodes every `interval` until `stop` is ready. A round takes at most `longest`.
    pub(super) async fn run(
        mut self,
        interval: Duration,
        longest: Duration,
        stop: impl Future<Output = ()> + Clone + Send + 'static,
    ) {
        let mut ticks = tokio::time::interval(interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let round = async {
                ticks.tick().await;
                self.round(longest).await;
            };
            tokio::select! {
                biased;
                () = stop.clone() => return,
                () = round => {}
            }
        }
    }

    /// Compares the blocks of all nodes with a known height.
    async fn round(&mut self, longest: Duration) {
        let (monitored, nodes) = self.known.with_height();
        if nodes.len() < 2 {
            return;
        }
        let (mut labels, mut sides, mut heights) = (Vec::new(), Vec::new(), Vec::new());
        for NodeWithHeight {
            label,
            side,
            height,
        } in nodes
        {
            self.redactor
                .add_headers(side.examined.node.target.access.headers());
            labels.push(label);
            sides.push(side);
            heights.push(height);
        }
        let again: BTreeSet<_> = self.left.values().copied().collect();
        let deadline = Instant::now() + longest;
        let blocks = recent_blocks(&sides, &heights, &again, JOBS, deadline).await;
        let left = labels.iter().map(|label| self.left.contains_key(label));
        let least = LEAST.min(monitored.saturating_sub(self.left.len())).max(2);
        let mut chains = Chains::new(left.collect(), least);
        for (index, contents) in &blocks {
            chains.add(*index, contents);
        }
        let standings = chains.standings();
        for (node, label) in labels.iter().enumerate() {
            let (since, message) = match standings[node] {
                Standing::Unknown => continue,
                Standing::Same => {
                    self.record(label, None);
                    continue;
                }
                Standing::OtherBlock(_) if self.left.contains_key(label) => continue,
                Standing::OtherChain { .. } if self.on_other_chain.contains(label) => continue,
                Standing::OtherBlock(index) => (index, format!("block {index}")),
                Standing::OtherChain { since, agreed } => {
                    let usual = standings.iter().position(|other| *other == Standing::Same);
                    let usual = usual.unwrap_or(usize::from(node == 0));
                    let both = [&sides[node], &sides[usual]];
                    let searched = timeout(longest, first_difference(both, agreed, since)).await;
                    let first = searched.ok().and_then(Result::ok).unwrap_or(since);
                    self.on_other_chain.insert(label.clone());
                    (first, format!("another chain since block {first}"))
                }
            };
            // If an earlier block was found, the values are those of the first compared one.
            let mut shown = blocks.range(since..);
            let shown = shown.find_map(|(_, contents)| shown_difference(&sides, contents));
            let values = shown.map(|shown| format!(": {}: {}", shown.what, shown.actual));
            let message = message + &values.unwrap_or_default();
            self.record(label, Some((since, &message)));
        }
        for (label, side) in labels.iter().zip(&sides) {
            self.metrics
                .add_requests(label, side.examined.node.requests());
        }
        self.left
            .retain(|label, _| self.metrics.is_monitored(label));
    }

    /// Records whether a node differs from the others, and logs a change.
    fn record(&mut self, label: &NodeLabel, difference: Option<(u64, &str)>) {
        self.metrics.record_difference(label, difference.is_some());
        self.known.differs(label, difference.is_some());
        match difference {
            Some((since, message)) => {
                self.left.insert(label.clone(), since);
                let message = self.redactor.redact(message.to_owned());
                self.log.change(&label.node, "blocks", "differ", &message);
            }
            None if self.left.remove(label).is_some() => {
                self.on_other_chain.remove(label);
                self.log.change(&label.node, "blocks", "agree", "");
            }
            None => {}
        }
    }
}

/// Returns the first difference between the nodes in a block.
fn shown_difference(sides: &[Side], contents: &[Option<Content>]) -> Option<FindingReport> {
    let mut differences = Differences::default();
    differences.add(sides, contents, String::new);
    let mut findings = differences.into_cross_check("blocks", None).findings;
    (!findings.is_empty()).then(|| findings.swap_remove(0))
}
