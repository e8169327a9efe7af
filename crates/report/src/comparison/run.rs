//! The parts of a run that are compared.

use std::{collections::BTreeSet, ops::Range};

use super::result::RunSummary;
use crate::model::{CaseReport, CrossCheck, LatencyReport, NodesReport, Outcome, Report};

/// The parts of a run that are compared.
pub(super) struct Run<'r> {
    pub(super) summary: RunSummary,
    pub(super) cases: Vec<Entry<'r>>,
    pub(super) latencies: Vec<(&'r str, &'r LatencyReport)>,
    /// The samples that the run requested.
    requested: BTreeSet<&'r str>,
    /// The blocks that a sweep checked.
    swept: Range<u64>,
}

/// The parts of a case that are compared.
pub(super) struct Entry<'r> {
    pub(super) id: &'r str,
    pub(super) outcome: Outcome,
    pub(super) reason: Option<&'r str>,
    pub(super) explained_by: Option<&'r str>,
    /// The mismatches, each with its location.
    pub(super) findings: BTreeSet<String>,
    /// The samples of the mismatches.
    pub(super) samples: BTreeSet<&'r str>,
}

impl<'r> Run<'r> {
    pub(super) fn of(report: &'r Report) -> Self {
        let samples = |case: &'r CaseReport| {
            let findings = case.findings.iter();
            findings.filter_map(|finding| finding.sample.as_deref())
        };
        let swept = report.sweep.as_ref().map(|sweep| sweep.from..sweep.next);
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
            samples: samples(case).collect(),
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
            requested: report.requested.iter().map(String::as_str).collect(),
            swept: swept.unwrap_or_default(),
        }
    }

    /// Whether the run requested all samples of the findings that a case had before.
    pub(super) fn repeats(&self, before: &Entry<'_>) -> bool {
        let is_swept = |sample: &str| {
            let block = sample.strip_prefix("/get-block?block_index=");
            let block = block.and_then(|block| block.parse().ok());
            block.is_some_and(|block| self.swept.contains(&block))
        };
        let mut samples = before.samples.iter();
        samples.all(|sample| self.requested.contains(sample) || is_swept(sample))
    }

    /// Returns the comparison between several nodes as a run.
    pub(super) fn between(report: &'r NodesReport) -> Self {
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
            samples: BTreeSet::new(),
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
            requested: BTreeSet::new(),
            swept: Range::default(),
        }
    }
}

/// Replaces digits, hashes and addresses, because such values differ from run to run.
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
