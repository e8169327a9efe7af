//! What a run found out, for machines and for people.

mod pretty;

use std::{collections::BTreeSet, time::Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use pretty::line;
pub use pretty::{Style, pretty, pretty_case};

use crate::{
    Options, Target, cases,
    field::MOST_FINDINGS,
    node::Node,
    outcome::{Level, Obstacle, Outcome},
    run::{Cut, Ended},
    snapshot,
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
    /// How long the run took, in milliseconds.
    pub elapsed_ms: u64,
    /// Every case, in a fixed order.
    pub cases: Vec<CaseReport>,
    /// What was exercised, and what was not.
    pub coverage: Coverage,
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
    /// The snapshot that was compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// The first findings, each with its place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingReport>,
    /// How many findings there are beyond those listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_findings: usize,
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
}

/// What a run exercised.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Coverage {
    /// Every documented operation.
    pub operations: Vec<OperationCoverage>,
    /// IDs of the cases for documented fields that no answer had.
    pub unseen_fields: Vec<String>,
}

/// How far an operation was exercised.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct OperationCoverage {
    /// The operation as case IDs name it.
    pub operation: String,
    /// How many requests were sent for it.
    pub requests: u64,
    /// Why none were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Why a case that was to run did not.
const NOT_RUN: &str = "the run ended before this case did";

/// The documented operations, as case IDs name them.
const OPERATIONS: [&str; 7] = [
    "get-block",
    "get-balances",
    "sc-state",
    "get-trustscore-wallets",
    "docs",
    "call-sc",
    "submit-transaction",
];

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
        .take(MOST_FINDINGS)
        .map(|finding| FindingReport {
            what: finding.what.clone(),
            pointer: finding.pointer.clone(),
            expected: finding.expected.clone(),
            actual: finding.actual.clone(),
            curl: finding
                .exchange
                .as_ref()
                .map(|exchange| exchange.curl.clone()),
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
        more_findings: ended.findings.len().saturating_sub(MOST_FINDINGS),
        findings,
    }
}

pub(crate) fn build(
    target: &Target,
    options: &Options,
    ended: Vec<Ended>,
    cut: Option<Cut>,
    node: Option<&Node>,
    started: Instant,
) -> Report {
    let (verdict, exit_code, reason) = judge(&ended, cut.as_ref(), options.strict);
    let cases: Vec<_> = cases::all()
        .into_iter()
        .map(
            |case| match ended.iter().find(|ended| ended.case.id == case.id) {
                Some(ended) => case_report(ended),
                None => {
                    let (outcome, reason) = if options.selects(case.id) {
                        (Outcome::Inconclusive, NOT_RUN)
                    } else {
                        (Outcome::Skipped, "not selected")
                    };
                    let unrun = Ended {
                        case,
                        outcome,
                        findings: Vec::new(),
                        obstacle: None,
                        note: None,
                    };
                    CaseReport {
                        reason: Some(reason.to_owned()),
                        ..case_report(&unrun)
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
        requests: node.map_or(0, Node::requests),
        elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        coverage: coverage(&ended, node),
        cases,
    }
}

fn judge(ended: &[Ended], cut: Option<&Cut>, strict: bool) -> (Verdict, u8, Option<String>) {
    let at_fault = ended.iter().find_map(|ended| match &ended.obstacle {
        Some(Obstacle::Harness(reason)) => Some(format!("{}: {reason}", ended.case.id)),
        _ => None,
    });
    match cut {
        Some(Cut::Harness(reason)) => return (Verdict::Error, 4, Some(reason.clone())),
        Some(Cut::Unreachable(reason) | Cut::OutOfTime(reason)) => {
            return (Verdict::Unreachable, 3, Some(reason.clone()));
        }
        Some(Cut::Interrupted) => {
            return (Verdict::Unreachable, 130, Some("interrupted".to_owned()));
        }
        None => {}
    }
    if at_fault.is_some() {
        return (Verdict::Error, 4, at_fault);
    }
    let has = |outcome| ended.iter().any(|ended| ended.outcome == outcome);
    if has(Outcome::Fail) || (strict && has(Outcome::Warn)) {
        return (Verdict::Departs, 1, None);
    }
    if !has(Outcome::Pass) && !has(Outcome::Known) && !has(Outcome::Stale) {
        let why = ended.iter().find_map(|ended| ended.obstacle.as_ref());
        let why = why.map_or("nothing was asked", Obstacle::reason);
        let reason = format!("no case could be decided: {why}");
        return (Verdict::Unreachable, 3, Some(reason));
    }
    if let Some(stale) = ended.iter().find(|ended| ended.outcome == Outcome::Stale) {
        let reason = format!("but an expectation is stale, {} passes", stale.case.id);
        return (Verdict::Conforms, 5, Some(reason));
    }
    (Verdict::Conforms, 0, None)
}

fn coverage(ended: &[Ended], node: Option<&Node>) -> Coverage {
    let operations = OPERATIONS
        .iter()
        .map(|operation| {
            let requests = node.map_or(0, |node| node.requests_of(operation));
            let reason = (requests == 0).then(|| {
                if *operation == "submit-transaction" {
                    "it could change the node's state, and this run only reads".to_owned()
                } else {
                    "no selected case asked it".to_owned()
                }
            });
            OperationCoverage {
                operation: (*operation).to_owned(),
                requests,
                reason,
            }
        })
        .collect();
    let fields: BTreeSet<_> = cases::FIELDS.iter().map(|field| field.id).collect();
    let unseen_fields = ended
        .iter()
        .filter(|ended| ended.obstacle.is_some() && fields.contains(ended.case.id))
        .map(|ended| ended.case.id.to_owned())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    Coverage {
        operations,
        unseen_fields,
    }
}
