//! Monitors one node.

use std::{future::Future, sync::Arc, time::Duration};

use futures_util::FutureExt;
use nodeproof_report::{ExitStatus, NodeReport, Verdict};
use tokio::sync::watch;

use super::{
    known_nodes::KnownNodes,
    log::Log,
    metrics::{Metrics, NodeLabel},
    saved_state::SavedState,
};
use crate::{
    api::block_request,
    checks::Fingerprint,
    http::Target,
    run::{Examined, ExaminedNode, Options, Recheck, examine},
    sweep::{BlockRange, Silent, Sweep},
};

/// Maximum number of new blocks that one run checks. The next run continues after them. Without a
/// limit, a node that claims a billion new blocks would keep the monitor busy forever.
const MAX_NEW_BLOCKS: u64 = 1_000;

/// The configuration of one node, which its task reads before each run.
#[derive(Clone)]
pub(super) struct NodeConfiguration {
    pub(super) target: Target,
    pub(super) options: Options,
}

/// Returns the `previous_hash` of a block, if it can be read before `stop` is ready.
async fn link_of(
    node: &ExaminedNode,
    height: u64,
    stop: impl Future<Output = ()>,
) -> Option<Fingerprint> {
    node.node.allow_more(1);
    let block = tokio::select! {
        () = stop => return None,
        block = node.node.send(block_request(height)) => block.ok()?,
    };
    let hash = block.success_object()?.get("previous_hash")?.as_str()?;
    Some(Fingerprint::of(hash))
}

/// The monitor of one node.
pub(super) struct NodeMonitor {
    label: NodeLabel,
    configuration: watch::Receiver<NodeConfiguration>,
    /// The samples of the node's findings so far.
    recheck: Recheck,
    metrics: Arc<Metrics>,
    log: Arc<Log>,
    known: Arc<KnownNodes>,
    saved: Option<Arc<SavedState>>,
    /// The last block that was checked or, after the first run, the latest block. Blocks above it are new.
    height: Option<u64>,
    /// The `previous_hash` of that block, which differs on another chain.
    link: Option<Fingerprint>,
    /// Whether the last run had more new blocks than it could check.
    is_behind: bool,
    /// The last report. `judged` is the last one with a verdict.
    last: Option<NodeReport>,
    judged: Option<NodeReport>,
}

impl NodeMonitor {
    pub(super) fn new(
        label: NodeLabel,
        configuration: watch::Receiver<NodeConfiguration>,
        metrics: Arc<Metrics>,
        log: Arc<Log>,
        known: Arc<KnownNodes>,
        saved: Option<Arc<SavedState>>,
    ) -> Self {
        let (checked, recheck) = {
            let current = configuration.borrow();
            let saved = saved.as_ref();
            let checked = saved.and_then(|saved| saved.height(&current.target));
            (checked, current.options.recheck.clone())
        };
        Self {
            label,
            configuration,
            recheck,
            metrics,
            log,
            known,
            saved,
            height: checked.map(|(height, _)| height),
            link: checked.and_then(|(_, link)| link),
            is_behind: false,
            last: None,
            judged: None,
        }
    }

    /// Runs the cases every `interval`, until the sender of the configuration is dropped.
    pub(super) async fn run(mut self, interval: Duration) {
        let mut configuration = self.configuration.clone();
        let stop = async move { while configuration.changed().await.is_ok() {} };
        let stop = stop.boxed().shared();
        let mut ticks = tokio::time::interval(interval);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                () = stop.clone() => return,
                _ = ticks.tick() => {}
            }
            if !self.check(stop.clone()).await {
                return;
            }
        }
    }

    /// Runs the cases once. Returns false if the run was interrupted.
    async fn check(&mut self, stop: impl Future<Output = ()> + Clone) -> bool {
        let continued = self.height.filter(|_| self.last.is_none());
        let mut was_reset = false;
        let NodeConfiguration { target, options } = self.configuration.borrow().clone();
        let examined = loop {
            let mut options = options.clone();
            options.recheck = self.recheck.clone();
            // The last block is checked again, because the first new one is compared with it.
            let new_blocks = self.height.map(BlockRange::starting_at);
            options.sweep = new_blocks.map(|blocks| {
                let mut sweep = Sweep::new(blocks);
                // The last block is checked again, too.
                sweep.most_blocks = Some(MAX_NEW_BLOCKS + 1);
                sweep.has_deadline = true;
                sweep
            });
            let target = target.clone();
            let examined = examine(target, &options, Arc::new(Silent), stop.clone()).await;
            let message = match self.height {
                Some(height) if examined.without_sweep.is_some() => {
                    let chain = examined.node.as_ref().map(|node| &node.chain);
                    match chain.is_some_and(|chain| chain.tip.is_none()) {
                        true => "the latest block was not found".to_owned(),
                        false => format!("the node no longer has block {height}"),
                    }
                }
                Some(height) if self.has_another_chain(&examined, stop.clone()).await => {
                    format!("the node has another block {height} than before")
                }
                _ => break examined,
            };
            self.log_event("reset", &message);
            self.height = None;
            was_reset = true;
            // The samples of another chain say nothing about this one.
            self.recheck = Recheck::default();
        };
        let (mut report, node) = (examined.report, examined.node);
        if report.exit_code == ExitStatus::Interrupted.code() {
            return false;
        }
        let tip = node.as_ref().and_then(|node| node.chain.tip);
        match (continued, was_reset, tip) {
            (_, true, Some(tip)) => {
                let message = format!(
                    "the blocks up to {tip} are not all checked; the check of new blocks continues after it"
                );
                self.log_event("skipped", &message);
            }
            (Some(height), false, _) => {
                let message = format!("the check of new blocks continues after block {height}");
                self.log_event("continued", &message);
            }
            _ => {}
        }
        let before = self.height;
        self.continue_after(&report, tip);
        self.link = match (self.height, &node) {
            (height, _) if height == before && self.link.is_some() => self.link,
            (Some(height), Some(node)) => link_of(node, height, stop).await,
            _ => None,
        };
        self.save_height(&target);
        self.recheck.continue_after(&report);
        self.metrics.record(&self.label, &report, node.as_ref());
        self.known.ran(&self.label, node.as_ref());
        self.log_changes(&report);
        // Only results are compared, so the exchanges are dropped to save memory.
        report.exchanges = Vec::new();
        if is_judged(&report) {
            self.judged = Some(report.clone());
        }
        self.last = Some(report);
        true
    }

    /// Whether the last checked block is another one now.
    async fn has_another_chain(&self, examined: &Examined, stop: impl Future<Output = ()>) -> bool {
        let (Some(height), Some(link), Some(node)) = (self.height, self.link, &examined.node)
        else {
            return false;
        };
        let now = link_of(node, height, stop).await;
        now.is_some_and(|now| now != link)
    }

    /// Remembers the last block that was checked, and logs if the chain has more new blocks than one run
    /// checks.
    fn continue_after(&mut self, report: &NodeReport, tip: Option<u64>) {
        let Some(before) = self.height else {
            self.height = tip;
            return;
        };
        // Without a sweep, no block was checked.
        let next = report.sweep.as_ref().map_or(before, |sweep| sweep.next);
        self.height = Some(before.max(next.saturating_sub(1)));
        let Some(tip) = tip else { return };
        let new = tip.saturating_sub(before);
        let is_behind = new > MAX_NEW_BLOCKS;
        if is_behind && !self.is_behind {
            let message = format!(
                "the node claims {new} new blocks, up to {tip}; each run checks {MAX_NEW_BLOCKS} of them"
            );
            self.log_event("growth", &message);
        }
        self.is_behind = is_behind;
    }

    /// Saves the last checked block. If this fails, the log has a line for each run.
    fn save_height(&self, target: &Target) {
        let (Some(saved), Some(height)) = (&self.saved, self.height) else {
            return;
        };
        let result = saved.save_height(target, height, self.link);
        self.metrics.record_saved(&self.label, result.is_ok());
        if let Err(error) = result {
            let message = format!("the last checked block {height} could not be saved: {error}");
            self.log_event("not saved", &message);
        }
    }

    /// Logs an event of the chain, and records its time.
    fn log_event(&self, event: &str, message: &str) {
        self.log.change(&self.label.node, "chain", event, message);
        self.metrics.record_event(&self.label, event);
    }

    /// Logs the changes. After an outage, the node is compared with its state before the outage.
    fn log_changes(&self, report: &NodeReport) {
        let verdict = |report: &NodeReport| (report.verdict, report.reason.clone());
        let mut before = self.judged.clone();
        if let (Some(before), Some(last)) = (&mut before, &self.last) {
            (before.verdict, before.reason) = verdict(last);
        }
        let is_same = self.last.as_ref().map(verdict) == Some(verdict(report));
        if is_judged(report) || !is_same {
            self.log.report(before.as_ref(), report);
        }
    }
}

/// Whether a run has a verdict about the node.
fn is_judged(report: &NodeReport) -> bool {
    matches!(report.verdict, Verdict::Conforms | Verdict::DoesNotConform)
}
