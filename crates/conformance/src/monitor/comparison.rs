//! Measures the lag of the nodes, and compares their blocks.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use nodeproof_report::{CaseReport, FindingReport};
use tokio::{
    sync::Notify,
    time::{MissedTickBehavior, sleep, timeout},
};

use super::{
    log::Log,
    metrics::{Metrics, NodeLabel},
};
use crate::{
    context::Redactor,
    nodes::{Side, compare_recent_blocks, heights_and_lags},
    run::ExaminedNode,
};

/// Maximum number of differing blocks that are compared again in each round.
const MAX_DIFFERING: usize = 16;
/// Number of blocks that are requested from a node at a time.
const JOBS: usize = 2;

/// What the last completed run found on each node.
#[derive(Default)]
pub(super) struct LastRuns {
    nodes: Mutex<BTreeMap<NodeLabel, ExaminedNode>>,
    ended: Notify,
}

impl LastRuns {
    /// Records the end of a run, and what it found if it was completed.
    pub(super) fn ended(&self, label: &NodeLabel, examined: Option<&ExaminedNode>) {
        // Idle connections must not stay open until the next round.
        if let Some(Ok(renewed)) = examined.map(ExaminedNode::renewed) {
            self.nodes().insert(label.clone(), renewed);
        }
        self.ended.notify_one();
    }

    pub(super) fn remove(&self, label: &NodeLabel) {
        self.nodes().remove(label);
        self.ended.notify_one();
    }

    fn nodes(&self) -> MutexGuard<'_, BTreeMap<NodeLabel, ExaminedNode>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Compares the nodes in rounds.
///
/// These are independent of the runs. A node whose run takes long, or that began its run earlier, would
/// otherwise have an old height.
pub(super) struct Comparison {
    pub(super) last_runs: Arc<LastRuns>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) log: Arc<Log>,
    pub(super) redactor: Redactor,
    /// Blocks in which nodes differed. They are compared until the nodes agree.
    pub(super) differing: BTreeSet<u64>,
}

impl Comparison {
    /// Compares the nodes every `interval`, from the end of their first runs until `stop` is ready.
    pub(super) async fn run(
        mut self,
        interval: Duration,
        longest: Duration,
        stop: impl Future<Output = ()> + Clone + Send + 'static,
    ) {
        tokio::select! {
            biased;
            () = stop.clone() => return,
            () = self.first_runs() => {}
            () = sleep(interval) => {}
        }
        let mut ticks = tokio::time::interval(interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let round = async {
                ticks.tick().await;
                // After a round that took too long, the metrics keep their values.
                let _late = timeout(longest, self.round()).await;
            };
            tokio::select! {
                biased;
                () = stop.clone() => return,
                () = round => {}
            }
        }
    }

    /// Returns after the first run against each node.
    async fn first_runs(&self) {
        while !self.metrics.without_run().is_empty() {
            self.last_runs.ended.notified().await;
        }
    }

    /// Measures the heights, and compares the blocks, of all nodes that respond.
    async fn round(&mut self) {
        let (labels, sides): (Vec<_>, Vec<_>) = self
            .last_runs
            .nodes()
            .iter()
            .filter_map(|(label, examined)| {
                let examined = Arc::new(examined.renewed().ok()?);
                let side = Side::new(label.node.clone(), examined);
                Some((label.clone(), side))
            })
            .unzip();
        for side in &sides {
            let headers = side.examined.node.target.access.headers();
            self.redactor.add_headers(headers);
        }
        let measured = heights_and_lags(&sides).await;
        let mut heights = Vec::new();
        let mut present = Vec::new();
        let mut compared = Vec::new();
        for ((label, side), measured) in labels.iter().zip(&sides).zip(measured) {
            let Some(measured) = measured else { continue };
            self.metrics.record_height(label, measured);
            heights.push(measured.height);
            present.push(label);
            compared.push(Side::new(side.name.clone(), Arc::clone(&side.examined)));
        }
        if compared.len() > 1 {
            let again = self.differing.clone();
            let (check, differing) = compare_recent_blocks(&compared, &heights, &again, JOBS).await;
            // The oldest ones: later blocks usually differ only because of these.
            self.differing = differing.into_iter().take(MAX_DIFFERING).collect();
            self.record(&present, &check);
        }
        for (label, side) in labels.iter().zip(&sides) {
            let requests = side.examined.node.requests();
            self.metrics.add_requests(label, requests);
        }
    }

    /// Records which nodes differ from the others, and logs each change.
    fn record(&self, labels: &[&NodeLabel], check: &CaseReport) {
        if check.compared == Some(0) {
            return;
        }
        for label in labels {
            let found = check
                .findings
                .iter()
                .find(|finding| is_about(finding, &label.node));
            let is_new = self.metrics.record_difference(label, found.is_some());
            match found {
                _ if !is_new => {}
                Some(finding) => {
                    let message = self.redactor.redact(message(finding));
                    self.log.blocks(&label.node, "differ", &message);
                }
                None => self.log.blocks(&label.node, "agree", ""),
            }
        }
    }
}

/// Whether a node differs from the majority or, without a majority, from another node.
fn is_about(finding: &FindingReport, node: &str) -> bool {
    if !finding.differs.is_empty() {
        return finding.differs.iter().any(|name| name == node);
    }
    let mut nodes = finding.values.iter().flat_map(|value| &value.nodes);
    nodes.any(|name| name == node)
}

fn message(finding: &FindingReport) -> String {
    let place = finding.place.as_deref().unwrap_or_default();
    format!("{place}: {}: {}", finding.what, finding.actual)
}
