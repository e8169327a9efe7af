//! Compares two runs.

use super::{
    result::{CaseChange, Comparison},
    run::{Entry, Run},
    slower::slower,
};
use crate::model::{AnyReport, CaseReport, NodesReport, Outcome, Report};

/// Two reports cannot be compared: one is of a single node, and the other of several nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DifferentKinds;

impl std::error::Error for DifferentKinds {}

impl std::fmt::Display for DifferentKinds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "one report is of one node and the other of several: compare two reports of the same \
             kind",
        )
    }
}

/// Compares two reports.
///
/// Reports of several nodes are compared node by node. The base URL identifies a node.
///
/// # Errors
/// Returns an error if one report is of one node and the other of several.
pub fn compare(before: &AnyReport, after: &AnyReport) -> Result<Vec<Comparison>, DifferentKinds> {
    match (before, after) {
        (AnyReport::Node(before), AnyReport::Node(after)) => {
            Ok(vec![Comparison::of_runs(before, after)])
        }
        (AnyReport::Nodes(before), AnyReport::Nodes(after)) => Ok(of_nodes(before, after)),
        _ => Err(DifferentKinds),
    }
}

fn of_nodes(before: &NodesReport, after: &NodesReport) -> Vec<Comparison> {
    fn named<'r>(nodes: &'r [Report], base_url: &str) -> Option<&'r Report> {
        nodes.iter().find(|node| node.target.base_url == base_url)
    }
    let now = after.nodes.iter().map(|node| {
        let earlier = named(&before.nodes, &node.target.base_url);
        Comparison::of(earlier.map(Run::of).as_ref(), Some(&Run::of(node)))
    });
    let gone = before.nodes.iter();
    let gone = gone.filter(|node| named(&after.nodes, &node.target.base_url).is_none());
    let gone = gone.map(|node| Comparison::of(Some(&Run::of(node)), None));
    let between = Comparison::of(Some(&Run::between(before)), Some(&Run::between(after)));
    now.chain(gone).chain([between]).collect()
}

impl Comparison {
    /// Compares two runs against one node.
    #[must_use]
    pub fn of_runs(before: &Report, after: &Report) -> Self {
        Self::of(Some(&Run::of(before)), Some(&Run::of(after)))
    }

    fn of(before: Option<&Run<'_>>, after: Option<&Run<'_>>) -> Self {
        let empty = Vec::new();
        let earlier = before.map_or(&empty, |run| &run.cases);
        let later = after.map_or(&empty, |run| &run.cases);
        // Cases count as missing only if both reports have the node.
        let both = before.is_some() && after.is_some();
        let missing_in = |cases: &[Entry<'_>], others: &[Entry<'_>]| -> Vec<String> {
            let cases = cases.iter().filter(|_| both);
            let missing = cases.filter(|case| find(others, case.id).is_none());
            missing.map(|case| case.id.to_owned()).collect()
        };
        let mut comparison = Self {
            before: before.map(|run| run.summary.clone()),
            after: after.map(|run| run.summary.clone()),
            new: Vec::new(),
            fixed: Vec::new(),
            not_seen_again: Vec::new(),
            changed: Vec::new(),
            remaining: Vec::new(),
            judged: Vec::new(),
            not_judged: Vec::new(),
            slower: match (before, after) {
                (Some(before), Some(after)) => slower(&before.latencies, &after.latencies),
                _ => Vec::new(),
            },
            appeared: missing_in(later, earlier),
            vanished: missing_in(earlier, later),
        };
        // A run that ended early has fewer results. Its verdict gives the reason.
        let cut = |case: &Entry<'_>| {
            case.reason == Some(CaseReport::NOT_RUN) && case.outcome == Outcome::Inconclusive
        };
        for case in later.iter().filter(|case| !cut(case)) {
            let before = find(earlier, case.id);
            let is_repeated = match (before, after) {
                (Some(before), Some(after)) => after.repeats(before),
                _ => true,
            };
            comparison.add(before, case, is_repeated);
        }
        comparison.new.sort_by_key(|change| {
            let rank = std::cmp::Reverse(rank(change.after));
            (rank, change.explained_by.is_some())
        });
        comparison
    }

    /// Adds the change of a case. `is_repeated` is whether the later run requested the samples of the
    /// case's earlier findings.
    fn add(&mut self, before: Option<&Entry<'_>>, after: &Entry<'_>, is_repeated: bool) {
        let was = before.map_or(0, |case| rank(case.outcome));
        let is = rank(after.outcome);
        let was_judged = before.is_none_or(|case| is_judged(case.outcome));
        let list = match is_judged(after.outcome) {
            _ if is > was => &mut self.new,
            false if before.is_some() && was_judged => &mut self.not_judged,
            true if was > 0 && after.outcome == Outcome::Pass && is_repeated => &mut self.fixed,
            true if was > 0 && after.outcome == Outcome::Pass => &mut self.not_seen_again,
            true if before.is_some() && !was_judged => &mut self.judged,
            true if before.is_some_and(|before| was != is || differ(before, after)) => {
                &mut self.changed
            }
            _ => {
                if is > 0 && after.explained_by.is_none() {
                    self.remaining.push(after.id.to_owned());
                }
                return;
            }
        };
        list.push(CaseChange {
            id: after.id.to_owned(),
            before: before.map(|case| case.outcome),
            after: after.outcome,
            reason_before: before.and_then(|case| case.reason).map(ToOwned::to_owned),
            reason: after.reason.map(ToOwned::to_owned),
            explained_before: before
                .and_then(|case| case.explained_by)
                .map(ToOwned::to_owned),
            explained_by: after.explained_by.map(ToOwned::to_owned),
        });
    }
}

/// Returns how bad an outcome is. Higher is worse.
const fn rank(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Fail | Outcome::Stale => 3,
        Outcome::Warn => 2,
        Outcome::Info => 1,
        Outcome::Pass | Outcome::Known | Outcome::Inconclusive | Outcome::Skipped => 0,
    }
}

const fn is_judged(outcome: Outcome) -> bool {
    !matches!(outcome, Outcome::Inconclusive | Outcome::Skipped)
}

fn find<'c, 'r>(cases: &'c [Entry<'r>], id: &str) -> Option<&'c Entry<'r>> {
    cases.iter().find(|case| case.id == id)
}

/// Returns whether a case has other findings than before.
fn differ(before: &Entry<'_>, after: &Entry<'_>) -> bool {
    rank(after.outcome) > 0 && before.findings != after.findings
}
