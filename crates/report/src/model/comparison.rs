//! The comparison of two runs.

use std::collections::BTreeSet;

use super::{
    any::AnyReport,
    case::CaseReport,
    cost::LatencyReport,
    exit_status::severity,
    nodes::{CrossCheck, NodesReport},
    outcome::Outcome,
    report::Report,
    verdict::Verdict,
};

/// What differs between two runs against one node.
///
/// For two reports of several nodes, there is one comparison for each node, and one for the
/// comparison between the nodes.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The earlier run. It is missing if only the later report has this node.
    pub before: Option<RunSummary>,
    /// The later run. It is missing if only the earlier report has this node.
    pub after: Option<RunSummary>,
    /// Cases that depart now and did not, or that depart from a more binding requirement than
    /// before.
    pub new: Vec<CaseChange>,
    /// Cases that departed and pass now.
    pub fixed: Vec<CaseChange>,
    /// Cases that depart in both runs, but in another way.
    pub changed: Vec<CaseChange>,
    /// Cases that were not judged and do not depart now.
    pub judged: Vec<CaseChange>,
    /// Cases that were judged and are not judged now.
    pub not_judged: Vec<CaseChange>,
    /// Endpoints that have become slower.
    pub slower: Vec<Slowdown>,
    /// The IDs of cases that only the later report has, if both have this node.
    pub appeared: Vec<String>,
    /// The IDs of cases that only the earlier report has, if both have this node.
    pub vanished: Vec<String>,
}

/// One of two runs.
#[derive(Clone, Debug)]
pub struct RunSummary {
    /// The base URL of the node, or a name for the comparison between nodes.
    pub node: String,
    /// When the run began. It is missing for the comparison between nodes.
    pub started_at: Option<String>,
    /// The run's verdict.
    pub verdict: Verdict,
    /// The exit status.
    pub exit_code: u8,
    /// Why there is no verdict, or why the exit status is not 0.
    pub reason: Option<String>,
    /// Whether warnings fail the run.
    pub strict: bool,
    /// Number of cases that passed.
    pub passed: usize,
    /// Number of cases that failed and that no other case explains.
    pub failed: usize,
}

/// A case whose result differs.
#[derive(Clone, Debug)]
pub struct CaseChange {
    /// The case's ID.
    pub id: String,
    /// The outcome before, if the case was there.
    pub before: Option<Outcome>,
    /// The outcome now.
    pub after: Outcome,
    /// The reason before: the first finding, or why there was nothing to judge.
    pub reason_before: Option<String>,
    /// The reason now.
    pub reason: Option<String>,
    /// The case whose findings were the reason for the result before.
    pub explained_before: Option<String>,
    /// The case whose findings are the reason for the result now.
    pub explained_by: Option<String>,
}

/// An endpoint that has become slower.
#[derive(Clone, Debug)]
pub struct Slowdown {
    /// The operation's name in case IDs, such as `get-block`.
    pub operation: String,
    /// What was measured: `median` or `95th percentile`.
    pub measure: &'static str,
    /// The latency before, in milliseconds.
    pub before_ms: f64,
    /// The latency now, in milliseconds.
    pub after_ms: f64,
}

/// The number of responses below which the median says little …
const FEWEST_RESPONSES: u64 = 5;
/// … and below which the 95th percentile does.
const FEWEST_FOR_PERCENTILE: u64 = 20;
/// An endpoint is slower if it takes more than so many times as long …
const SLOWER_TIMES: f64 = 2.0;
/// … and at least so many milliseconds longer.
const SLOWER_MS: f64 = 20.0;

/// Why two reports cannot be compared: one is of one node, and the other of several.
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
/// Nodes of reports of several nodes are compared by their base URLs.
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

    /// Whether the later run is worse: a case newly fails, or the exit status is worse.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        let strict = self.after.as_ref().is_some_and(|after| after.strict);
        let fails = |change: &CaseChange| match change.after {
            Outcome::Fail | Outcome::Stale => true,
            Outcome::Warn => strict,
            _ => false,
        };
        let worse_status = match (&self.before, &self.after) {
            (Some(before), Some(after)) => severity(after.exit_code) > severity(before.exit_code),
            (None, Some(after)) => after.exit_code != 0,
            (_, None) => false,
        };
        worse_status || self.new.iter().any(fails)
    }

    /// Whether both runs have the same results. Latencies are left aside.
    #[must_use]
    pub fn is_same(&self) -> bool {
        let lists = [
            &self.new,
            &self.fixed,
            &self.changed,
            &self.judged,
            &self.not_judged,
        ];
        let (before, after) = (self.before.as_ref(), self.after.as_ref());
        lists.iter().all(|list| list.is_empty())
            && self.appeared.is_empty()
            && self.vanished.is_empty()
            && before.map(|run| run.exit_code) == after.map(|run| run.exit_code)
    }

    fn of(before: Option<&Run<'_>>, after: Option<&Run<'_>>) -> Self {
        let empty = Vec::new();
        let earlier = before.map_or(&empty, |run| &run.cases);
        let later = after.map_or(&empty, |run| &run.cases);
        // A node that is in one report only has no cases to miss.
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
            changed: Vec::new(),
            judged: Vec::new(),
            not_judged: Vec::new(),
            slower: match (before, after) {
                (Some(before), Some(after)) => slower(&before.latencies, &after.latencies),
                _ => Vec::new(),
            },
            appeared: missing_in(later, earlier),
            vanished: missing_in(earlier, later),
        };
        // A run that ended early has judged nothing more. Its verdict says why.
        let cut = |case: &Entry<'_>| {
            case.reason == Some(CaseReport::NOT_RUN) && case.outcome == Outcome::Inconclusive
        };
        for case in later.iter().filter(|case| !cut(case)) {
            comparison.add(find(earlier, case.id), case);
        }
        comparison.new.sort_by_key(|change| {
            let rank = std::cmp::Reverse(rank(change.after));
            (rank, change.explained_by.is_some())
        });
        comparison
    }

    fn add(&mut self, before: Option<&Entry<'_>>, after: &Entry<'_>) {
        let was = before.map_or(0, |case| rank(case.outcome));
        let is = rank(after.outcome);
        let was_judged = before.is_none_or(|case| is_judged(case.outcome));
        let list = match is_judged(after.outcome) {
            _ if is > was => &mut self.new,
            false if before.is_some() && was_judged => &mut self.not_judged,
            true if was > 0 && after.outcome == Outcome::Pass => &mut self.fixed,
            true if before.is_some() && !was_judged => &mut self.judged,
            true if before.is_some_and(|before| was != is || differ(before, after)) => {
                &mut self.changed
            }
            _ => return,
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

/// A run, in what is compared.
struct Run<'r> {
    summary: RunSummary,
    cases: Vec<Entry<'r>>,
    latencies: Vec<(&'r str, &'r LatencyReport)>,
}

/// A case, in what is compared.
struct Entry<'r> {
    id: &'r str,
    outcome: Outcome,
    reason: Option<&'r str>,
    explained_by: Option<&'r str>,
    /// What is wrong, and where.
    findings: BTreeSet<String>,
}

impl<'r> Run<'r> {
    fn of(report: &'r Report) -> Self {
        let cases = report.cases.iter().map(|case| Entry {
            id: &case.id,
            outcome: case.outcome,
            reason: case.reason.as_deref(),
            explained_by: case.explained_by.as_deref(),
            findings: case
                .findings
                .iter()
                .map(|finding| {
                    let pointer = finding.pointer.as_deref().unwrap_or_default();
                    without_figures(&format!("{pointer} {}", finding.what))
                })
                .collect(),
        });
        let endpoints = report.cost.iter().flat_map(|cost| &cost.endpoints);
        Self {
            summary: RunSummary {
                node: format!("{} ({})", report.target.base_url, report.target.network),
                started_at: Some(report.started_at.clone()),
                verdict: report.verdict,
                exit_code: report.exit_code,
                reason: report.reason.clone(),
                strict: report.strict,
                passed: report.count(Outcome::Pass),
                failed: report.count_own(Outcome::Fail),
            },
            cases: cases.collect(),
            latencies: endpoints
                .map(|endpoint| (endpoint.operation.as_str(), &endpoint.latency))
                .collect(),
        }
    }

    /// The comparison between several nodes as a run of its own.
    fn between(report: &'r NodesReport) -> Self {
        let count = |outcome| {
            let checks = report.cross_check.iter();
            checks.filter(|check| check.outcome == outcome).count()
        };
        let cases = report.cross_check.iter().map(|check: &CrossCheck| Entry {
            id: &check.id,
            outcome: check.outcome,
            reason: match check.findings.first() {
                Some(first) => Some(&first.what),
                None => check.reason.as_deref(),
            },
            explained_by: None,
            findings: check
                .findings
                .iter()
                .map(|finding| without_figures(&finding.what))
                .collect(),
        });
        Self {
            summary: RunSummary {
                node: "the nodes, compared with each other".to_owned(),
                started_at: None,
                verdict: report.verdict,
                exit_code: report.exit_code,
                reason: None,
                strict: false,
                passed: count(Outcome::Pass),
                failed: count(Outcome::Fail),
            },
            cases: cases.collect(),
            latencies: Vec::new(),
        }
    }
}

impl Comparison {
    /// Returns the new findings that are causes, each with the cases that it explains. A case is a
    /// cause here, too, if the case that explains it is not new.
    pub(crate) fn new_causes(&self) -> Vec<Cause<'_>> {
        causes(&self.new, &self.not_judged, |change| {
            change.explained_by.as_deref()
        })
    }

    /// Returns the fixed findings that were causes, each with the cases that it explained.
    pub(crate) fn fixed_causes(&self) -> Vec<Cause<'_>> {
        causes(&self.fixed, &self.judged, |change| {
            change.explained_before.as_deref()
        })
    }

    /// Returns the IDs of the cases that are judged now, except those that a fixed case explained.
    pub(crate) fn judged_ids(&self) -> Vec<&str> {
        let judged = self.judged.iter();
        let judged =
            judged.filter(|change| !is_in(&self.fixed, change.explained_before.as_deref()));
        judged.map(|change| change.id.as_str()).collect()
    }

    /// Returns the cases that are not judged any more, grouped by their reasons, except those that a
    /// new finding explains.
    pub(crate) fn not_judged_by_reason(&self) -> Vec<(&str, Vec<&CaseChange>)> {
        let mut reasons: Vec<(&str, Vec<&CaseChange>)> = Vec::new();
        for change in &self.not_judged {
            if is_in(&self.new, change.explained_by.as_deref()) {
                continue;
            }
            let reason = change.reason.as_deref().unwrap_or("no reason is known");
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, changes)) => changes.push(change),
                None => reasons.push((reason, vec![change])),
            }
        }
        reasons
    }

    /// Returns the conclusion in words.
    pub(crate) fn conclusion(&self) -> &'static str {
        match (self.is_worse(), self.is_same()) {
            (true, _) => "worse than before",
            (false, true) => "the same as before",
            (false, false) => "nothing is worse than before",
        }
    }
}

/// A case that explains others.
pub(crate) struct Cause<'c> {
    pub(crate) case: &'c CaseChange,
    /// Number of cases that depart, or departed, for the same reason.
    pub(crate) departing: usize,
    /// Number of cases that are not, or were not, judged for this reason.
    pub(crate) not_judged: usize,
}

impl Cause<'_> {
    /// Returns the cases that it explains in words.
    pub(crate) fn explains(&self) -> Option<String> {
        let cases = |count: usize| match count {
            1 => "1 more case".to_owned(),
            count => format!("{count} more cases"),
        };
        let departing = (self.departing > 0).then(|| cases(self.departing));
        let others =
            (self.not_judged > 0).then(|| format!("{} not judged", cases(self.not_judged)));
        let parts: Vec<_> = departing.into_iter().chain(others).collect();
        (!parts.is_empty()).then(|| format!("for the same reason: {}", parts.join(", ")))
    }
}

fn causes<'c>(
    departing: &'c [CaseChange],
    not_judged: &'c [CaseChange],
    explained_by: impl Fn(&'c CaseChange) -> Option<&'c str>,
) -> Vec<Cause<'c>> {
    let causes = departing.iter();
    let causes = causes.filter(|change| !is_in(departing, explained_by(change)));
    let count = |changes: &'c [CaseChange], cause: &CaseChange| {
        let changes = changes.iter();
        changes
            .filter(|change| explained_by(change) == Some(&cause.id))
            .count()
    };
    let causes = causes.map(|case| Cause {
        case,
        departing: count(departing, case),
        not_judged: count(not_judged, case),
    });
    causes.collect()
}

fn is_in(changes: &[CaseChange], id: Option<&str>) -> bool {
    id.is_some_and(|id| changes.iter().any(|change| change.id == id))
}

impl RunSummary {
    /// Returns the result in words.
    pub(crate) fn result(&self) -> String {
        let counts = format!("{} passed, {} failed", self.passed, self.failed);
        match (self.verdict, self.exit_code) {
            (Verdict::Unreachable | Verdict::Error, _) => format!("no verdict; {counts}"),
            (_, 0 | 1) => counts,
            (_, status) => format!("{counts}; exit status {status}"),
        }
    }
}

impl CaseChange {
    /// Returns the reason before, if it differs from the reason now.
    pub(crate) fn other_reason_before(&self) -> Option<&str> {
        let before = self.reason_before.as_deref();
        before.filter(|before| Some(*before) != self.reason.as_deref())
    }
}

/// How bad an outcome is.
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

/// Whether a case departs in another way.
fn differ(before: &Entry<'_>, after: &Entry<'_>) -> bool {
    rank(after.outcome) > 0 && before.findings != after.findings
}

/// Replaces digits, and what looks like a hash or an address. Such values differ from run to run.
fn without_figures(text: &str) -> String {
    let words = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    let words = words.map(|word| {
        let figures = word.chars().filter(char::is_ascii_digit).count();
        if figures == 0 {
            return word.to_owned();
        }
        let end = word.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        format!("#{end}")
    });
    words.collect()
}

fn slower(before: &[(&str, &LatencyReport)], after: &[(&str, &LatencyReport)]) -> Vec<Slowdown> {
    let mut slower = Vec::new();
    for (operation, now) in after {
        let earlier = before.iter().find(|(name, _)| name == operation);
        let Some((_, was)) = earlier else { continue };
        let responses = now.responses.min(was.responses);
        let measures = [
            ("median", FEWEST_RESPONSES, was.median_ms, now.median_ms),
            (
                "95th percentile",
                FEWEST_FOR_PERCENTILE,
                was.p95_ms,
                now.p95_ms,
            ),
        ];
        let is_slower = |(_, fewest, was, now): &(_, u64, f64, f64)| {
            responses >= *fewest && *now > was * SLOWER_TIMES && now - was >= SLOWER_MS
        };
        if let Some((measure, _, before_ms, after_ms)) = measures.into_iter().find(is_slower) {
            slower.push(Slowdown {
                operation: (*operation).to_owned(),
                measure,
                before_ms,
                after_ms,
            });
        }
    }
    slower
}
