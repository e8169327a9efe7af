//! Runs the cases against each node, and then compares the nodes.

use std::{future::Future, sync::Arc, time::Instant};

use futures_util::{FutureExt, future::join_all};
use nodeproof_report::{CrossCheck, NodeHeight, NodesReport, Outcome};

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
    let mut known: Vec<Side> = Vec::new();
    for node in examined {
        let name = node.report.target.base_url.clone();
        known.extend(node.known.map(|known| Side { name, known }));
        reports.push(node.report);
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
    let out_of_time = async {
        match deadline {
            Some(at) => tokio::time::sleep_until(at.into()).await,
            None => std::future::pending().await,
        }
    };
    for (_, _, watch) in nodes.iter().take(1) {
        watch.phase("comparing the nodes");
    }
    let (heights, compared) = tokio::select! {
        biased;
        () = interrupt => (Vec::new(), Vec::new()),
        () = out_of_time => undecided_without_heights("the deadline came before they were compared"),
        compared = cross_check(&known, sweep.as_ref(), jobs.max(1)) => compared,
    };
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
) -> (Vec<NodeHeight>, Vec<CrossCheck>) {
    if sides.len() < 2 {
        return undecided_without_heights("fewer than two nodes responded to the end");
    }
    let heights = match heights_of_all(sides).await {
        Ok(heights) => heights,
        Err(reason) => return undecided_without_heights(&reason),
    };
    let compared = vec![
        height_check(sides, &heights),
        compare_blocks(sides, &heights, sweep, jobs).await,
        balances(sides).await,
        records(sides).await,
        trust_scores(sides).await,
    ];
    let named = sides.iter().zip(heights).map(|(side, height)| NodeHeight {
        base_url: side.name.clone(),
        height,
    });
    (named.collect(), compared)
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
