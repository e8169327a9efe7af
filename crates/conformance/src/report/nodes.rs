//! What a run over several nodes found out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{INTERRUPTED, Report, TERMINATED, VERSION, Verdict};
use crate::outcome::Outcome;

/// `report.json` of several nodes: the report of each, and how they compare.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct NodesReport {
    /// The version of this format.
    pub version: u32,
    /// The worst of the nodes' verdicts; `departs` where only the cross-check found something.
    pub verdict: Verdict,
    /// The process' exit status: the worst of the nodes', where 130 and 143 are worse than 4, 4 than
    /// 3, 3 than 1, 1 than 5, and 5 than 0; what the cross-check finds counts as 1, and as 3 where the nodes
    /// could not be compared at all.
    pub exit_code: u8,
    /// The report of each node, in the order in which they were named.
    pub nodes: Vec<Report>,
    /// What was held against one another; empty where the run was interrupted before.
    pub cross_check: Vec<CrossCheck>,
}

/// One thing in which nodes were held against one another.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CrossCheck {
    /// `cross-check/height`, `cross-check/blocks`, `cross-check/balances`,
    /// `cross-check/contract-state` or `cross-check/trust-scores`.
    pub id: String,
    /// `pass` if they agree, `fail` if they do not, `info` where one is behind, and `inconclusive`
    /// where nothing could be compared.
    pub outcome: Outcome,
    /// How many things were compared.
    pub compared: u64,
    /// Why nothing could be compared, or what is to be known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// In what they differ, and what is different in the same way together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<CrossFinding>,
    /// How many further ones there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_findings: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// One way in which nodes differ.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CrossFinding {
    /// In what.
    pub what: String,
    /// Where it was seen first, such as `block 7`.
    pub place: String,
    /// In how many places.
    pub count: u64,
    /// The nodes that differ from most others; none where there is no majority, and they disagree.
    pub differs: Vec<String>,
    /// What each of them has, at the first place.
    pub values: Vec<CrossValue>,
}

/// What some nodes have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CrossValue {
    /// The value, shortened.
    pub value: String,
    /// The base URLs of the nodes that have it.
    pub nodes: Vec<String>,
}

impl NodesReport {
    /// Puts the reports of nodes and what was held against one another together.
    #[must_use]
    pub(crate) fn of(mut nodes: Vec<Report>, cross_check: Vec<CrossCheck>) -> Self {
        // Where others have the blocks of a sweep, a node that is behind is judged by the rest.
        if nodes.iter().any(|node| node.but_for_the_sweep.is_none()) {
            for node in &mut nodes {
                if let Some((verdict, exit_code, reason)) = node.but_for_the_sweep.take() {
                    node.verdict = verdict;
                    node.exit_code = exit_code;
                    node.reason = reason.or(node.reason.take());
                }
            }
        }
        let worst = nodes
            .iter()
            .map(|report| (severity(report.exit_code), report.exit_code, report.verdict))
            .max_by_key(|(severity, _, _)| *severity);
        let differ = cross_check
            .iter()
            .any(|check| check.outcome == Outcome::Fail);
        // Where not even heights could be compared, nobody can say that the nodes agree.
        let of_the_check = match cross_check.first().map(|first| first.outcome) {
            _ if differ => (1, Verdict::Departs),
            None => (INTERRUPTED, Verdict::Unreachable),
            Some(Outcome::Inconclusive) => (3, Verdict::Unreachable),
            Some(_) => (0, Verdict::Conforms),
        };
        let (exit_code, verdict) = match worst {
            Some((severity, code, verdict)) if severity >= self::severity(of_the_check.0) => {
                (code, verdict)
            }
            _ => of_the_check,
        };
        Self {
            version: VERSION,
            verdict,
            exit_code,
            nodes,
            cross_check,
        }
    }

    /// Says by which signal the runs were ended, if one has ended them.
    pub(crate) fn was_told_to_end(&mut self, status: u8) {
        if self.exit_code == INTERRUPTED && status == TERMINATED {
            self.exit_code = TERMINATED;
        }
        for node in &mut self.nodes {
            node.was_told_to_end(status);
        }
    }

    /// The JSON Schema of this format.
    #[must_use]
    pub fn json_schema() -> schemars::Schema {
        schemars::schema_for!(NodesReport)
    }
}

/// How bad an exit status is.
fn severity(exit_code: u8) -> u8 {
    match exit_code {
        0 => 0,
        5 => 1,
        1 => 2,
        3 => 3,
        4 => 4,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(verdict: &str, exit_code: u8) -> Report {
        serde_json::from_value(json!({
            "version": 1,
            "target": {"base_url": "http://127.0.0.1:8420/", "network": "devnet"},
            "verdict": verdict, "exit_code": exit_code, "requests": 3, "elapsed_ms": 1,
            "started_at": "2026-11-20T23:40:00Z", "strict": false, "cases": [],
            "coverage": {"operations": [], "unseen_fields": []},
        }))
        .unwrap()
    }

    fn code(nodes: &[(&str, u8)], checks: &[&str]) -> u8 {
        let nodes = nodes.iter().map(|(verdict, code)| report(verdict, *code));
        let checks = checks.iter().map(|outcome| {
            let check = json!({"id": "cross-check/a", "outcome": outcome, "compared": 1});
            serde_json::from_value(check).unwrap()
        });
        NodesReport::of(nodes.collect(), checks.collect()).exit_code
    }

    #[test]
    fn the_exit_status_is_the_worst_of_all() {
        let good = ("conforms", 0);
        let (wrong, stale) = (("departs", 1), ("conforms", 5));
        let (lost, harness) = (("unreachable", 3), ("error", 4));
        let interrupted = ("unreachable", 130);
        assert_eq!(code(&[good, good], &["pass", "pass"]), 0);
        assert_eq!(code(&[good, good], &["info", "pass", "inconclusive"]), 0);
        assert_eq!(code(&[good, good], &["pass", "fail"]), 1);
        assert_eq!(code(&[good, stale], &["pass"]), 5);
        assert_eq!(code(&[good, stale], &["pass", "fail"]), 1);
        assert_eq!(code(&[stale, wrong], &["pass"]), 1);
        assert_eq!(code(&[wrong, lost, good], &["pass", "fail"]), 3);
        assert_eq!(code(&[lost, harness], &["inconclusive"]), 4);
        assert_eq!(code(&[harness, interrupted], &[]), 130);
        // Reached, but never compared: cut short, or lost in between.
        assert_eq!(code(&[good, good], &[]), 130);
        assert_eq!(code(&[wrong, good], &["inconclusive", "inconclusive"]), 3);
    }
}
