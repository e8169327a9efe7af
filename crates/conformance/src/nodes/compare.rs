//! Runs the cases against each node, and then compares the nodes.

use std::{future::Future, sync::Arc, time::Instant};

use futures_util::{FutureExt, future::join_all};
use nodeproof_report::{CaseReport, Outcome, Report};
use tokio::time::timeout_at;

use super::{
    blocks::compare_blocks,
    difference::cross_check,
    height::{height_check, heights_of_all},
    same_height::{balances, records, trust_scores},
    side::Side,
};
use crate::{
    har::Exchanges,
    http::Target,
    run::{Options, examine},
    sweep::Observer,
};

/// A node, the options of its run, and the observer of its progress.
pub type NodeToCheck = (Target, Options, Arc<dyn Observer>);

/// Checks each node, and then compares several nodes with each other. Ends early if `interrupt` is ready.
///
/// With several nodes, the first one's options apply to the comparison.
pub async fn run(
    nodes: Vec<NodeToCheck>,
    interrupt: impl Future<Output = ()> + Send + 'static,
) -> Report {
    let (report, _) = run_recorded(nodes, interrupt).await;
    report
}

/// Does the same as [`run`]. Returns also the exchanges with each node.
pub(crate) async fn run_recorded(
    nodes: Vec<NodeToCheck>,
    interrupt: impl Future<Output = ()> + Send + 'static,
) -> (Report, Vec<Exchanges>) {
    let started = Instant::now();
    let interrupt = interrupt.boxed().shared();
    let runs = nodes.iter().map(|(target, options, watch)| {
        let watch = Arc::clone(watch);
        examine(target.clone(), options, watch, interrupt.clone())
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
    let (mut reports, mut exchanges) = (Vec::new(), Vec::new());
    let mut sides: Vec<(usize, Side)> = Vec::new();
    for (place, examined) in examined.into_iter().enumerate() {
        let name = examined.report.target.base_url.clone();
        let side = examined.node.map(|node| Side::new(name, Arc::new(node)));
        sides.extend(side.map(|side| (place, side)));
        reports.push(examined.report);
        exchanges.push(examined.exchanges);
    }
    let [(_, options, watch), _, ..] = nodes.as_slice() else {
        return (Report::new(reports, Vec::new()), exchanges);
    };
    watch.phase("comparing the nodes");
    let (places, sides): (Vec<_>, Vec<_>) = sides.into_iter().unzip();
    let compared = tokio::select! {
        biased;
        () = interrupt => ComparisonResult::default(),
        compared = compare(&sides, options, started) => compared,
    };
    for (place, side) in places.into_iter().zip(&sides) {
        let report = &mut reports[place];
        report.requests = side.examined.node.requests();
        report.most_requests = side.examined.node.most_requests();
        let mut heights = compared.heights.iter();
        report.height = heights
            .find(|(name, _)| *name == side.name)
            .map(|(_, height)| *height);
    }
    for (_, _, watch) in &nodes {
        watch.end();
    }
    // A node can show a secret that was sent to another one.
    let redactor = &options.submitting.redactor;
    let reports = reports
        .into_iter()
        .map(|report| redactor.redact_report(report));
    let report = Report::new(reports.collect(), redactor.redact_cases(compared.checks));
    (report, exchanges)
}

/// The result of comparing nodes.
#[derive(Default)]
struct ComparisonResult {
    /// The height of each node. The list is empty if a height was not found.
    heights: Vec<(String, u64)>,
    checks: Vec<CaseReport>,
}

async fn compare(sides: &[Side], options: &Options, started: Instant) -> ComparisonResult {
    if sides.len() < 2 {
        return undecided("fewer than two nodes responded to the end");
    }
    let sweep = options.sweep.as_ref();
    let jobs = options.limits.jobs.max(1);
    // The same rule as for runs: a sweep has no deadline unless the user gives one.
    let has_deadline = sweep.is_none_or(|sweep| sweep.has_deadline);
    let deadline = has_deadline.then(|| started + options.limits.deadline);
    let heights = until_deadline(deadline, heights_of_all(sides)).await;
    let heights = match heights.ok_or_else(|| LATE.to_owned()).flatten() {
        Ok(heights) => heights,
        Err(reason) => return undecided(&reason),
    };
    let or_late = |id, check: Option<CaseReport>| check.unwrap_or_else(|| inconclusive(id, LATE));
    let blocks = until_deadline(deadline, compare_blocks(sides, &heights, sweep, jobs)).await;
    let balances = until_deadline(deadline, balances(sides)).await;
    let records = until_deadline(deadline, records(sides)).await;
    let trust_scores = until_deadline(deadline, trust_scores(sides)).await;
    let checks = vec![
        height_check(sides, &heights),
        or_late("blocks", blocks),
        or_late("balances", balances),
        or_late("contract-state", records),
        or_late("trust-scores", trust_scores),
    ];
    let names = sides.iter().map(|side| side.name.clone());
    ComparisonResult {
        heights: names.zip(heights).collect(),
        checks,
    }
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
/// The IDs of the comparisons of several nodes, and what each compares.
pub(crate) const COMPARISONS: [(&str, &str); 5] = [
    (
        "cross-check/height",
        "The index of the latest block. A node that lags is information, and not a fault.",
    ),
    (
        "cross-check/blocks",
        "The blocks at the same index: old ones, new ones and some in between, or the range of --blocks. If all blocks of \
         a node from one on are linked differently, the node is on another chain, which is one finding.",
    ),
    (
        "cross-check/balances",
        "Single balances and both lists, from responses at the same height.",
    ),
    (
        "cross-check/contract-state",
        "The records of claims, from responses at the same height.",
    ),
    (
        "cross-check/trust-scores",
        "Trust scores, from responses at the same height.",
    ),
];

fn undecided(reason: &str) -> ComparisonResult {
    ComparisonResult {
        heights: Vec::new(),
        checks: COMPARISONS
            .map(|(id, _)| inconclusive(id.trim_start_matches("cross-check/"), reason))
            .into(),
    }
}

fn inconclusive(id: &str, reason: &str) -> CaseReport {
    cross_check(
        id,
        Outcome::Inconclusive,
        0,
        Some(reason.to_owned()),
        Vec::new(),
    )
}
