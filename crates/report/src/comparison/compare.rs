//! Compares two runs.

use std::collections::BTreeSet;

use super::slower::{Slowdown, slower};
use crate::model::{CaseReport, NodeReport, Outcome, Report, Verdict, severity};

/// The differences between two runs against one node, or between two comparisons of several nodes.
#[derive(Clone, Debug)]
pub struct Comparison<'r> {
    /// The earlier run. It is missing if only the later report has this node.
    pub before: Option<Run<'r>>,
    /// The later run. It is missing if only the earlier report has this node.
    pub after: Option<Run<'r>>,
    /// The cases that changed or still have findings. New findings come first, the most binding
    /// requirement before the others.
    pub changes: Vec<CaseChange<'r>>,
    /// Endpoints that have become slower.
    pub slower: Vec<Slowdown<'r>>,
}

/// What is compared: a run against one node, or the comparison between several nodes.
#[derive(Clone, Copy, Debug)]
pub enum Run<'r> {
    /// The run against one node.
    Node(&'r NodeReport),
    /// The comparison between the nodes of a report.
    Between(&'r Report),
}

/// A case whose result changed, or that still has findings.
#[derive(Clone, Copy, Debug)]
pub struct CaseChange<'r> {
    /// How it changed.
    pub kind: Change,
    /// The case before, if the earlier run has it.
    pub before: Option<&'r CaseReport>,
    /// The case now, or the earlier one if the later run does not have it.
    pub case: &'r CaseReport,
}

/// How the result of a case changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It has findings now and had none before, or its findings are now about a more binding
    /// requirement.
    New,
    /// It had findings before and passes now. The later run requested the samples of the earlier
    /// findings again.
    Fixed,
    /// It had findings before and passes now, although the later run did not request all samples of
    /// the earlier findings. The fault may still be there.
    NotSeenAgain,
    /// It has findings in both runs, but other ones.
    Changed,
    /// It has the same findings in both runs, and no other case explains them.
    Remaining,
    /// It had no result before (inconclusive or skipped), and has one without findings now.
    Judged,
    /// It had a result before and has none now (inconclusive or skipped).
    NotJudged,
    /// Only the later run has it, without findings.
    Appeared,
    /// Only the earlier run has it.
    Vanished,
}

/// Compares two reports node by node.
///
/// The base URL identifies a node. Two reports of one node each are compared even if their URLs
/// differ. For several nodes, the comparison between them comes last.
#[must_use]
pub fn compare<'r>(before: &'r Report, after: &'r Report) -> Vec<Comparison<'r>> {
    if let ([before], [after]) = (&*before.nodes, &*after.nodes) {
        return vec![Comparison::of_nodes(before, after)];
    }
    let named = |report: &'r Report, node: &NodeReport| {
        let mut nodes = report.nodes.iter();
        let found = nodes.find(|one| one.target.base_url == node.target.base_url);
        found.map(Run::Node)
    };
    let now = after.nodes.iter();
    let now = now.map(|node| Comparison::of(named(before, node), Some(Run::Node(node))));
    let gone = before
        .nodes
        .iter()
        .filter(|node| named(after, node).is_none());
    let gone = gone.map(|node| Comparison::of(Some(Run::Node(node)), None));
    let [earlier, later] = [before, after].map(|report| {
        let has_several = report.has_several();
        has_several.then_some(Run::Between(report))
    });
    let between = Comparison::of(earlier, later);
    now.chain(gone).chain([between]).collect()
}

impl<'r> Comparison<'r> {
    /// Compares two runs against one node.
    #[must_use]
    pub fn of_nodes(before: &'r NodeReport, after: &'r NodeReport) -> Self {
        Self::of(Some(Run::Node(before)), Some(Run::Node(after)))
    }

    fn of(before: Option<Run<'r>>, after: Option<Run<'r>>) -> Self {
        let earlier = before.map_or(&[][..], Run::cases);
        let later = after.map_or(&[][..], Run::cases);
        // Cases count as missing only if both reports have the node.
        let both = before.is_some() && after.is_some();
        // A run that ended early has fewer results. Its verdict gives the reason.
        let is_cut = |case: &&CaseReport| {
            let reason = case.reason.as_deref();
            case.outcome == Outcome::Inconclusive && reason == Some(CaseReport::NOT_RUN)
        };
        let mut changes = Vec::new();
        for case in later.iter().filter(|case| !is_cut(case)) {
            let before = find(earlier, &case.id);
            let is_repeated = || match (before, after) {
                (Some(before), Some(after)) => after.repeats(before),
                _ => true,
            };
            let kind = change(before, case, is_repeated);
            let kind = kind.or_else(|| (both && before.is_none()).then_some(Change::Appeared));
            changes.extend(kind.map(|kind| CaseChange { kind, before, case }));
        }
        let vanished = earlier.iter();
        let vanished = vanished.filter(|case| both && find(later, &case.id).is_none());
        changes.extend(vanished.map(|case| CaseChange {
            kind: Change::Vanished,
            before: Some(case),
            case,
        }));
        changes.sort_by_key(|change| {
            let rank = match change.kind {
                Change::New => rank(change.case.outcome),
                _ => 0,
            };
            (std::cmp::Reverse(rank), change.case.explained_by.is_some())
        });
        let slower = match (before, after) {
            (Some(Run::Node(before)), Some(Run::Node(after))) => slower(before, after),
            _ => Vec::new(),
        };
        Self {
            before,
            after,
            changes,
            slower,
        }
    }

    /// Returns the changes of this kind.
    pub fn of_kind(&self, kind: Change) -> impl Iterator<Item = &CaseChange<'r>> {
        self.changes
            .iter()
            .filter(move |change| change.kind == kind)
    }

    /// Returns whether the later run is worse: a case newly fails, or the exit status is worse.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        let strict = matches!(self.after, Some(Run::Node(node)) if node.strict);
        let fails = |change: &CaseChange<'_>| match change.case.outcome {
            Outcome::Fail | Outcome::Stale => true,
            Outcome::Warn => strict,
            _ => false,
        };
        let worse_status = match (self.before, self.after) {
            (Some(before), Some(after)) => {
                severity(after.exit_code()) > severity(before.exit_code())
            }
            (None, Some(after)) => after.exit_code() != 0,
            (_, None) => false,
        };
        worse_status || self.of_kind(Change::New).any(fails)
    }

    /// Returns whether both runs have the same results. Latencies are ignored.
    #[must_use]
    pub fn is_same(&self) -> bool {
        let is_same = |change: &CaseChange<'_>| change.kind == Change::Remaining;
        self.changes.iter().all(is_same)
            && self.before.map(Run::exit_code) == self.after.map(Run::exit_code)
    }

    /// Returns whether the later run did not check all earlier findings again: it does not have their node, did not decide
    /// their case, or did not see their samples.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let had_finding = |case: &CaseReport| case.outcome.has_findings();
        let is_undecided = |change: &CaseChange<'_>| change.before.is_some_and(had_finding);
        let earlier = self.before.map_or(&[][..], Run::cases);
        self.of_kind(Change::NotSeenAgain).next().is_some()
            || self.of_kind(Change::NotJudged).any(is_undecided)
            || self.after.is_none() && earlier.iter().any(had_finding)
    }

    /// Returns the conclusion in words.
    pub(crate) fn conclusion(&self) -> &'static str {
        match (self.is_worse(), self.is_same()) {
            (true, _) => "worse than before",
            (false, _) if self.is_open() => {
                "nothing is worse than before, but earlier findings were not checked again"
            }
            (false, true) => "the same as before",
            (false, false) => "nothing is worse than before",
        }
    }

    /// Returns the changes of this kind, except those that another change explains.
    pub(super) fn causes(&self, kind: Change) -> Vec<&CaseChange<'r>> {
        let explained =
            |change: &CaseChange<'_>| self.changes.iter().any(|cause| explains(cause, change));
        self.of_kind(kind)
            .filter(|change| !explained(change))
            .collect()
    }

    /// Returns the number of changes that a change explains.
    pub(super) fn explained(&self, cause: &CaseChange<'_>) -> usize {
        let changes = self.changes.iter();
        changes.filter(|change| explains(cause, change)).count()
    }
}

/// Whether a new finding is the reason for another change, or a fixed one was the reason before.
fn explains(cause: &CaseChange<'_>, change: &CaseChange<'_>) -> bool {
    let by = match (cause.kind, change.kind) {
        (Change::New, Change::New | Change::NotJudged) => change.case.explained_by.as_ref(),
        (Change::Fixed, Change::Fixed | Change::Judged) => change
            .before
            .and_then(|before| before.explained_by.as_ref()),
        _ => None,
    };
    by == Some(&cause.case.id)
}

/// Returns how a case changed that the later run has.
fn change(
    before: Option<&CaseReport>,
    after: &CaseReport,
    is_repeated: impl Fn() -> bool,
) -> Option<Change> {
    let was = before.map_or(0, |case| rank(case.outcome));
    let is = rank(after.outcome);
    let was_judged = before.is_none_or(|case| is_judged(case.outcome));
    let passes = after.outcome == Outcome::Pass;
    let differs =
        |before: &CaseReport| was != is || (is > 0 && mismatches(before) != mismatches(after));
    Some(match is_judged(after.outcome) {
        _ if is > was => Change::New,
        false if before.is_some() && was_judged => Change::NotJudged,
        true if was > 0 && passes && is_repeated() => Change::Fixed,
        true if was > 0 && passes => Change::NotSeenAgain,
        true if before.is_some() && !was_judged => Change::Judged,
        true if before.is_some_and(differs) => Change::Changed,
        _ if is > 0 && after.explained_by.is_none() => Change::Remaining,
        _ => return None,
    })
}

impl<'r> Run<'r> {
    fn cases(self) -> &'r [CaseReport] {
        match self {
            Self::Node(node) => &node.cases,
            Self::Between(report) => &report.cross_check,
        }
    }

    fn exit_code(self) -> u8 {
        match self {
            Self::Node(node) => node.exit_code,
            Self::Between(report) => report.exit_code,
        }
    }

    /// Whether the run requested all samples of the findings that a case had before.
    fn repeats(self, before: &CaseReport) -> bool {
        let Self::Node(node) = self else { return true };
        let requested: BTreeSet<_> = node.requested.iter().collect();
        let swept = node.sweep.as_ref().map(|sweep| sweep.from..sweep.next);
        let is_swept = |sample: &str| {
            let block = sample.strip_prefix("/get-block?block_index=");
            let block = block.and_then(|block| block.parse().ok());
            let swept = swept.as_ref().zip(block);
            swept.is_some_and(|(swept, block)| swept.contains(&block))
        };
        let findings = before.findings.iter();
        let mut samples = findings.filter_map(|finding| finding.sample.as_ref());
        samples.all(|sample| requested.contains(sample) || is_swept(sample))
    }

    /// Returns the node, the time and the result in words.
    pub(super) fn in_words(self) -> String {
        let (name, verdict, [passed, failed]) = match self {
            Self::Node(node) => (
                format!("{}, {}", node.name(), node.started_at),
                node.verdict,
                [node.count(Outcome::Pass), node.count_own(Outcome::Fail)],
            ),
            Self::Between(report) => {
                let count = |outcome| {
                    let checks = report.cross_check.iter();
                    checks.filter(|check| check.outcome == outcome).count()
                };
                let name = "the nodes, compared with each other".to_owned();
                (
                    name,
                    report.verdict,
                    [Outcome::Pass, Outcome::Fail].map(count),
                )
            }
        };
        let counts = format!("{passed} passed, {failed} failed");
        let result = match (verdict, self.exit_code()) {
            (Verdict::Unreachable | Verdict::Error, _) => format!("no verdict; {counts}"),
            (_, 0 | 1) => counts,
            (_, status) => format!("{counts}; exit status {status}"),
        };
        let reason = match self {
            Self::Node(node) => node.reason.as_ref(),
            Self::Between(_) => None,
        };
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        format!("{name}: {result}{reason}")
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

fn find<'r>(cases: &'r [CaseReport], id: &str) -> Option<&'r CaseReport> {
    cases.iter().find(|case| case.id == id)
}

/// Returns the mismatches of a case, each with its location.
fn mismatches(case: &CaseReport) -> BTreeSet<String> {
    let findings = case.findings.iter();
    let texts = findings.map(|finding| {
        let pointer = finding.pointer.as_deref().unwrap_or_default();
        without_figures(&format!("{pointer} {}", finding.what))
    });
    texts.collect()
}

/// Replaces digits, hashes and addresses, because such values differ from run to run.
fn without_figures(text: &str) -> String {
    let words = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    let words = words.map(|word| {
        if !word.contains(|c: char| c.is_ascii_digit()) {
            return word.to_owned();
        }
        let end = word.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        format!("#{end}")
    });
    words.collect()
}
