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
    saved_state::SavedState,
};
use crate::{
    context::Redactor,
    http::Target,
    nodes::{Chains, Content, Differences, Side, Standing, first_difference, recent_blocks},
};

/// Number of blocks that are requested from a node at a time.
const JOBS: usize = 4;
/// Number of nodes that must have a block, before those without a majority are reported. If only two nodes are
/// monitored, these are enough.
const LEAST: usize = 3;

/// Compares the nodes in rounds, with the heights that their probes found.
pub(super) struct NodeComparer {
    pub(super) known: Arc<KnownNodes>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) log: Arc<Log>,
    pub(super) redactor: Redactor,
    pub(super) saved: Option<Arc<SavedState>>,
    /// The compared nodes, and since when a node has left the majority.
    pub(super) left: BTreeMap<NodeLabel, Option<Left>>,
}

/// A node that left the majority.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    /// Its first block that differs. It is compared until the node is back.
    since: u64,
    reported: Reported,
}

/// What the log has about a node that left the majority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reported {
    /// Only the file of an earlier monitor says so.
    Nothing,
    OtherBlock,
    OtherChain,
}

impl NodeComparer {
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
                .add_headers(side.examined.node.target().access.headers());
            labels.push(label);
            sides.push(side);
            heights.push(height);
        }
        self.add_saved(&labels, &sides);
        let left = self.left.values().flatten();
        let again: BTreeSet<_> = left.map(|left| left.since).collect();
        let deadline = Instant::now() + longest;
        let blocks = recent_blocks(&sides, &heights, &again, JOBS, deadline).await;
        // If all nodes left, there is no majority that a node could come back to.
        let staying = monitored.saturating_sub(self.left.values().flatten().count());
        let left = labels
            .iter()
            .map(|label| staying > 0 && self.left(label).is_some());
        let voters = if staying > 0 { staying } else { monitored };
        let mut chains = Chains::new(left.collect(), LEAST.min(voters).max(2));
        for (index, contents) in &blocks {
            chains.add(*index, contents);
        }
        let standings = chains.standings();
        for (node, label) in labels.iter().enumerate() {
            let target = sides[node].examined.node.target();
            let reported = self
                .left(label)
                .map_or(Reported::Nothing, |left| left.reported);
            let (left, message) = match standings[node] {
                Standing::Unknown => continue,
                Standing::Same => {
                    self.record(label, target, None);
                    continue;
                }
                Standing::OtherBlock(_) if reported >= Reported::OtherBlock => continue,
                Standing::OtherChain { .. } if reported == Reported::OtherChain => continue,
                Standing::OtherBlock(since) => {
                    let reported = Reported::OtherBlock;
                    (Left { since, reported }, format!("block {since}"))
                }
                Standing::OtherChain { since, agreed } => {
                    let usual = standings.iter().position(|other| *other == Standing::Same);
                    let usual = usual.unwrap_or(usize::from(node == 0));
                    let both = [&sides[node], &sides[usual]];
                    let searched = timeout(longest, first_difference(both, agreed, since)).await;
                    let since = searched.ok().and_then(Result::ok).unwrap_or(since);
                    let reported = Reported::OtherChain;
                    let message = format!("another chain since block {since}");
                    (Left { since, reported }, message)
                }
            };
            // If an earlier block was found, the values are those of the first compared one.
            let mut shown = blocks.range(left.since..);
            let shown = shown.find_map(|(_, contents)| shown_difference(&sides, contents));
            let values = shown.map(|shown| format!(": {}: {}", shown.what, shown.actual));
            let message = message + &values.unwrap_or_default();
            self.record(label, target, Some((left, &message)));
        }
        for (label, side) in labels.iter().zip(&sides) {
            self.metrics
                .add_requests(label, side.examined.node.requests());
        }
        self.left
            .retain(|label, _| self.metrics.is_monitored(label));
    }

    /// Adds the nodes that are compared for the first time. The saved state has those that had left the majority.
    fn add_saved(&mut self, labels: &[NodeLabel], sides: &[Side]) {
        for (label, side) in labels.iter().zip(sides) {
            let saved = self.saved.as_ref();
            let saved = || saved?.left(side.examined.node.target());
            let earlier = || {
                let reported = Reported::Nothing;
                saved().map(|since| Left { since, reported })
            };
            self.left.entry(label.clone()).or_insert_with(earlier);
        }
    }

    fn left(&self, label: &NodeLabel) -> Option<Left> {
        self.left.get(label).copied().flatten()
    }

    /// Records whether a node differs from the others, and logs and saves a change.
    fn record(&mut self, label: &NodeLabel, target: &Target, difference: Option<(Left, &str)>) {
        self.metrics.record_difference(label, difference.is_some());
        self.known.differs(label, difference.is_some());
        let now = difference.map(|(left, _)| left);
        let before = self.left.insert(label.clone(), now).flatten();
        match difference {
            Some((_, message)) => {
                let message = self.redactor.redact(message.to_owned());
                self.log.change(&label.node, "blocks", "differ", &message);
            }
            None if before.is_some() => self.log.change(&label.node, "blocks", "agree", ""),
            None => return,
        }
        let Some(saved) = &self.saved else { return };
        let result = saved.save_left(target, now.map(|left| left.since));
        self.metrics.record_saved(label, result.is_ok());
        if let Err(error) = result {
            let message = format!("the comparison of its blocks could not be saved: {error}");
            self.log.change(&label.node, "chain", "not saved", &message);
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
