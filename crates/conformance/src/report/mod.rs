//! What a run found out, for machines and for people.

mod exchanges;
mod folder;
mod html;
mod json;
mod junit;
mod nodes;
mod pretty;
mod sweep;

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::coverage::{Coverage, OperationCoverage, PartCoverage};
pub use exchanges::ExchangeReport;
pub(crate) use folder::{Folder, remove_stale};
pub use html::{html, html_of_nodes};
pub(crate) use json::harmless;
pub use json::{JsonReport, json};
pub use junit::{junit, junit_of_nodes};
pub use nodes::{CrossCheck, CrossFinding, CrossValue, NodesReport};
pub(crate) use pretty::line;
pub use pretty::{Style, pretty, pretty_case, pretty_nodes};
pub use sweep::{SweepKind, SweepReport};

/// Exit status of a run that Ctrl-C has ended.
pub(crate) const INTERRUPTED: u8 = 130;
/// Exit status of a run that SIGTERM has ended.
pub(crate) const TERMINATED: u8 = 143;

use crate::{
    Options, cases, coverage,
    field::MOST_FINDINGS,
    http::{Node, Target},
    outcome::{Level, Obstacle, Outcome},
    run::{Cut, Ended},
    snapshot,
    spec::Spec,
};

/// The version of `report.json`; it changes when a reader has to.
pub const VERSION: u32 = 1;

/// `report.json`: everything that a run found out.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Report {
    /// The version of this format.
    pub version: u32,
    /// The node that was checked.
    pub target: TargetReport,
    /// The run's verdict.
    pub verdict: Verdict,
    /// The process' exit status.
    pub exit_code: u8,
    /// Why there is no other verdict, where it is `unreachable` or `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many requests were sent.
    pub requests: u64,
    /// How many requests were allowed.
    #[serde(default)]
    pub most_requests: u64,
    /// When the run began, in UTC, such as `2026-11-20T23:40:00Z`.
    pub started_at: String,
    /// How long the run took, in milliseconds.
    pub elapsed_ms: u64,
    /// Whether warnings fail the run.
    pub strict: bool,
    /// Which blocks a sweep went through, and what it found in them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<SweepReport>,
    /// Where the chain ends before the blocks of the sweep: what the other cases say.
    #[serde(skip)]
    pub(crate) but_for_the_sweep: Option<(Verdict, u8, Option<String>)>,
    /// Every case, in a fixed order.
    pub cases: Vec<CaseReport>,
    /// What was exercised, and what was not.
    pub coverage: Coverage,
    /// What was asked and answered; cases and findings name these by their places in this list.
    #[serde(default)]
    pub exchanges: Vec<ExchangeReport>,
}

/// The node that was checked.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TargetReport {
    /// Its base URL.
    pub base_url: String,
    /// Its network.
    pub network: String,
}

/// A run's verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every case that could be decided passed: exit status 0.
    Conforms,
    /// The node departs from the contract: exit status 1.
    Departs,
    /// The node was not reached, was lost, or the run ran out of time: exit status 3.
    Unreachable,
    /// The harness is at fault: exit status 4.
    Error,
}

/// One case.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CaseReport {
    /// `<operation>/<behaviour>`.
    pub id: String,
    /// How binding the sentence is.
    pub level: Level,
    /// How the case ended.
    pub outcome: Outcome,
    /// What was wrong, or why nothing could be found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What a file of expectations says about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The sentence that is tested.
    pub requirement: String,
    /// Of the first finding: what would be right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Of the first finding: what was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// Of the first finding: a shell line that asks again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curl: Option<String>,
    /// How long the case took, in milliseconds; what it waited for and shares with others counts,
    /// too.
    pub elapsed_ms: u64,
    /// The snapshot that was compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// The first findings, each with its place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingReport>,
    /// How many findings there are beyond those listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_findings: usize,
    /// What the case looked at, as places in the report's list of exchanges: at least all that its
    /// findings are about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<usize>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// One departure.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FindingReport {
    /// What is wrong.
    pub what: String,
    /// Where in the answer's body, as a JSON pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// What would be right.
    pub expected: String,
    /// What was found.
    pub actual: String,
    /// A shell line that asks again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curl: Option<String>,
    /// The request and its answer, as a place in the report's list of exchanges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<usize>,
    /// In a sweep, the index of the block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<u64>,
    /// In a sweep, with the first finding of its kind: how many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

/// Why a case that was to run did not.
const NOT_RUN: &str = "the run ended before this case did";

impl Report {
    /// How many cases ended so.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        self.cases
            .iter()
            .filter(|case| case.outcome == outcome)
            .count()
    }

    /// The JSON Schema of this format.
    #[must_use]
    pub fn json_schema() -> schemars::Schema {
        schemars::schema_for!(Report)
    }
}

pub(crate) fn case_report(ended: &Ended) -> CaseReport {
    let first = ended.findings.first();
    let findings: Vec<_> = ended
        .findings
        .iter()
        .map(|finding| FindingReport {
            what: finding.what.clone(),
            pointer: finding.pointer.clone(),
            expected: finding.expected.clone(),
            actual: finding.actual.clone(),
            curl: finding
                .exchange
                .as_ref()
                .and_then(|exchange| exchange.curl.clone()),
            exchange: None,
            block: finding.block,
            count: finding.count,
        })
        .collect();
    let obstacle = ended.obstacle.as_ref().map(|obstacle| match obstacle {
        Obstacle::Harness(reason) => format!("a fault of the harness: {reason}"),
        other => other.reason().to_owned(),
    });
    CaseReport {
        id: ended.case.id.to_owned(),
        level: ended.case.level,
        outcome: ended.outcome,
        reason: first.map(|finding| finding.what.clone()).or(obstacle),
        note: ended.note.clone(),
        requirement: ended.case.requirement.to_owned(),
        expected: first.map(|finding| finding.expected.clone()),
        actual: first.map(|finding| finding.actual.clone()),
        curl: findings.first().and_then(|finding| finding.curl.clone()),
        snapshot: snapshot::path_of(ended.case.id),
        more_findings: ended.findings.len().saturating_sub(MOST_FINDINGS) + ended.unlisted,
        elapsed_ms: millis(ended.elapsed),
        exchanges: Vec::new(),
        findings,
    }
}

pub(crate) fn build(
    target: &Target,
    options: &Options,
    mut ended: Vec<Ended>,
    cut: Option<Cut>,
    known: Option<(&Node, &Spec)>,
    started: Instant,
) -> Report {
    // They end in any order, and no report may tell in which.
    let order: Vec<_> = cases::all().iter().map(|case| case.id).collect();
    ended.sort_by_key(|ended| order.iter().position(|id| *id == ended.case.id));
    let coverage = known
        .map(|(node, spec)| coverage::measure(spec, &node.log(), &ended))
        .unwrap_or_default();
    let (verdict, exit_code, reason) = judge(&ended, cut.as_ref(), options, &coverage);
    let but_for_the_sweep =
        matches!(cut, Some(Cut::Behind(_))).then(|| judge(&ended, None, options, &coverage));
    let mut exchanges = exchanges::Exchanges::default();
    let cases: Vec<_> = options
        .cases()
        .into_iter()
        .map(
            |case| match ended.iter().find(|ended| ended.case.id == case.id) {
                Some(ended) => exchanges.named_by(ended, case_report(ended)),
                None => {
                    let permitted = options.permits(&case, target.network);
                    let (outcome, reason) = match permitted {
                        _ if !options.selects(case.id) => (Outcome::Skipped, "not selected"),
                        Err(needed) => (Outcome::Skipped, needed),
                        Ok(()) => (Outcome::Inconclusive, NOT_RUN),
                    };
                    CaseReport {
                        reason: Some(reason.to_owned()),
                        ..case_report(&Ended::not_run(case, outcome))
                    }
                }
            },
        )
        .collect();
    Report {
        version: VERSION,
        target: TargetReport {
            base_url: target.base_url.to_string(),
            network: target.network.to_string(),
        },
        verdict,
        exit_code,
        reason,
        most_requests: known.map_or(options.most_requests, |(node, _)| node.most_requests()),
        sweep: None,
        but_for_the_sweep,
        requests: known.map_or(0, |(node, _)| node.requests()),
        started_at: utc(time::OffsetDateTime::now_utc() - started.elapsed()),
        elapsed_ms: millis(started.elapsed()),
        strict: options.strict,
        coverage,
        cases,
        exchanges: exchanges.into_list(),
    }
}

impl Report {
    /// Says by which signal the run was ended, if one has ended it.
    pub(crate) fn was_told_to_end(&mut self, status: u8) {
        if self.exit_code == INTERRUPTED && status == TERMINATED {
            self.exit_code = TERMINATED;
            self.reason = Some("terminated by SIGTERM".to_owned());
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A time to the second, as RFC 3339 writes it.
fn utc(at: time::OffsetDateTime) -> String {
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
        at.year(),
        u8::from(at.month()),
        at.day(),
        at.hour(),
        at.minute(),
        at.second()
    )
}

/// What a node kept back so that nobody can say that it conforms: it was busy, answered more than
/// is read, or had no block at all, with which everything begins.
fn withheld(ended: &Ended) -> Option<(&'static str, &str)> {
    let obstacle = ended.obstacle.as_ref()?;
    let id = ended.case.id;
    let kept_back = match obstacle {
        Obstacle::Busy(_) | Obstacle::TooLarge(_) | Obstacle::Limit(_) => true,
        Obstacle::NoMaterial(_) => id == "get-block/answers",
        Obstacle::Transport(_) | Obstacle::Harness(_) => false,
    };
    kept_back.then(|| (id, obstacle.reason()))
}

fn judge(
    ended: &[Ended],
    cut: Option<&Cut>,
    options: &Options,
    coverage: &Coverage,
) -> (Verdict, u8, Option<String>) {
    let at_fault = ended.iter().find_map(|ended| match &ended.obstacle {
        Some(Obstacle::Harness(reason)) => Some(format!("{}: {reason}", ended.case.id)),
        _ => None,
    });
    match cut {
        Some(Cut::Harness(reason)) => return (Verdict::Error, 4, Some(reason.clone())),
        Some(Cut::Unreachable(reason)) => {
            return (
                Verdict::Unreachable,
                3,
                Some(format!("unreachable: {reason}")),
            );
        }
        Some(Cut::NoNode(reason) | Cut::OutOfTime(reason) | Cut::Behind(reason)) => {
            return (Verdict::Unreachable, 3, Some(reason.clone()));
        }
        Some(Cut::Interrupted) => {
            let reason = Some("interrupted".to_owned());
            return (Verdict::Unreachable, INTERRUPTED, reason);
        }
        None => {}
    }
    if at_fault.is_some() {
        return (Verdict::Error, 4, at_fault);
    }
    let has = |outcome| ended.iter().any(|ended| ended.outcome == outcome);
    if has(Outcome::Fail) || (options.strict && has(Outcome::Warn)) {
        return (Verdict::Departs, 1, None);
    }
    if !has(Outcome::Pass) && !has(Outcome::Known) && !has(Outcome::Stale) {
        let why = ended.iter().find_map(|ended| ended.obstacle.as_ref());
        let why = why.map_or("nothing was asked", Obstacle::reason);
        let reason = format!("no case could be decided: {why}");
        return (Verdict::Unreachable, 3, Some(reason));
    }
    if let Some((id, reason)) = ended.iter().find_map(withheld) {
        let reason = format!("{id} could not be decided: {reason}");
        return (Verdict::Unreachable, 3, Some(reason));
    }
    if let Some(stale) = ended.iter().find(|ended| ended.outcome == Outcome::Stale) {
        let reason = format!("but an expectation is stale, {} passes", stale.case.id);
        return (Verdict::Conforms, 5, Some(reason));
    }
    let gaps = coverage.gaps();
    if options.require_coverage && !gaps.is_empty() {
        let reason = format!("but was not exercised in full: {}", gaps.join("; "));
        return (Verdict::Conforms, 1, Some(reason));
    }
    (Verdict::Conforms, 0, None)
}
