//! Runs the cases against each node, and then compares the nodes.

use std::{future::Future, sync::Arc, time::Instant};

use futures_util::{FutureExt, future::join_all};
use nodeproof_report::{CrossCheck, NodeHeight, NodesReport, Outcome};
use tokio::time::timeout_at;

use super::{
    blocks::compare_blocks,
    height::{height_check, heights_of_all},
    same_height::{balances, records, trust_scores},
    side::Side,
};
use crate::{
    http::Target,
    run::{Options, examine},
    sweep::Observer,
};

/// A node, the options of its run, and the observer of its progress.
pub type NodeToCheck = (Target, Options, Arc<dyn Observer>);

/// Checks each node, and then compares them with each other. Ends early if `interrupt` is ready.
pub async fn run_several(
    nodes: Vec<NodeToCheck>,
    interrupt: impl Future<Output = ()> + Send + 'static,
) -> NodesReport {
    let started = Instant::now();
    let interrupt = interrupt.boxed().shared();
    let runs = nodes.iter().map(|(target, options, watch)| {
        examine(
            target.clone(),
            options,
            Arc::clone(watch),
            interrupt.clone(),
        )
    });
    let mut examined = join_all(runs).await;
    // If another node has the blocks of the sweep, a lagging node's verdict depends on the other cases.
    if examined.iter().any(|node| node.without_sweep.is_none()) {
        for node in &mut examined {
            if let Some(conclusion) = node.without_sweep.take() {
                conclusion.replace_in(&mut node.report);
            }
        }
    }
    let mut reports = Vec::new();
    let mut sides: Vec<Side> = Vec::new();
    let mut places = Vec::new();
    for (place, examined) in examined.into_iter().enumerate() {
        let name = examined.report.target.base_url.clone();
        if let Some(node) = examined.node {
            sides.push(Side::new(name, Arc::new(node)));
            places.push(place);
        }
        reports.push(examined.report);
    }
    let sweep = nodes
        .first()
        .and_then(|(_, options, _)| options.sweep.clone());
    let jobs = nodes
        .first()
        .map_or(1, |(_, options, _)| options.limits.jobs);
    // The same rule as for runs: a sweep has no deadline unless the user gives one.
    let deadline = nodes
        .first()
        .filter(|_| sweep.as_ref().is_none_or(|sweep| sweep.has_deadline))
        .map(|(_, options, _)| started + options.limits.deadline);
    for (_, _, watch) in nodes.iter().take(1) {
        watch.phase("comparing the nodes");
    }
    let (heights, compared) = tokio::select! {
        biased;
        () = interrupt => (Vec::new(), Vec::new()),
        compared = cross_check(&sides, sweep.as_ref(), jobs.max(1), deadline) => compared,
    };
    for (side, place) in sides.iter().zip(places) {
        if let Some(report) = reports.get_mut(place) {
            report.requests = side.examined.node.requests();
            report.most_requests = side.examined.node.most_requests();
        }
    }
    for (_, _, watch) in &nodes {
        watch.end();
    }
    NodesReport {
        heights,
        ..NodesReport::new(reports, compared)
    }
}

async fn cross_check(
    sides: &[Side],
    sweep: Option<&crate::Sweep>,
    jobs: usize,
    deadline: Option<Instant>,
) -> (Vec<NodeHeight>, Vec<CrossCheck>) {
    if sides.len() < 2 {
        return undecided_without_heights("fewer than two nodes responded to the end");
    }
    let late = || LATE.to_owned();
    let heights = until_deadline(deadline, heights_of_all(sides)).await;
    let heights = match heights.ok_or_else(late).flatten() {
        Ok(heights) => heights,
        Err(reason) => return undecided_without_heights(&reason),
    };
    let or_late = |id, check: Option<CrossCheck>| check.unwrap_or_else(|| undecided(id, LATE));
    let blocks = until_deadline(deadline, compare_blocks(sides, &heights, sweep, jobs)).await;
    let balances = until_deadline(deadline, balances(sides)).await;
    let records = until_deadline(deadline, records(sides)).await;
    let trust_scores = until_deadline(deadline, trust_scores(sides)).await;
    let compared = vec![
        height_check(sides, &heights),
        or_late("blocks", blocks),
        or_late("balances", balances),
        or_late("contract-state", records),
        or_late("trust-scores", trust_scores),
    ];
    let named = sides.iter().zip(heights).map(|(side, height)| NodeHeight {
        base_url: side.name.clone(),
        height,
    });
    (named.collect(), compared)
}

/// The reason for a comparison that took too long.
const LATE: &str = "the deadline came before they were compared";

/// Returns the result of some work, or `None` if it is not ready at the deadline.
async fn until_deadline<T>(deadline: Option<Instant>, work: impl Future<Output = T>) -> Option<T> {
    match deadline {
        Some(at) => timeout_at(at.into(), work).await.ok(),
        None => Some(work.await),
    }
}

/// Returns inconclusive checks for all comparisons, because the heights are not known.
fn undecided_without_heights(reason: &str) -> (Vec<NodeHeight>, Vec<CrossCheck>) {
    let ids = [
        "height",
        "blocks",
        "balances",
        "contract-state",
        "trust-scores",
    ];
    (Vec::new(), ids.map(|id| undecided(id, reason)).into())
}

/// Returns an inconclusive check.
fn undecided(id: &str, reason: &str) -> CrossCheck {
    CrossCheck {
        id: format!("cross-check/{id}"),
        outcome: Outcome::Inconclusive,
        compared: 0,
        reason: Some(reason.to_owned()),
        findings: Vec::new(),
        more_findings: 0,
    }
}
