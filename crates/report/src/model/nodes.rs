//! The result of several nodes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    exit_status::{ExitStatus, severity},
    outcome::Outcome,
    report::{Report, VERSION},
    verdict::Verdict,
};

/// `report.json` of several nodes: the report of each node, and the comparison between them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NodesReport {
    /// The version of this format.
    pub version: u32,
    /// The worst verdict of the nodes. It is `does-not-conform` if only the comparison found a difference.
    pub verdict: Verdict,
    /// The exit status of the process: the worst of the nodes. 130 and 143 are worse than 4, 4 than
    /// 3, 3 than 1, 1 than 5, and 5 than 0. A difference between the nodes counts as 1. It counts
    /// as 3 if the nodes could not be compared at all.
    pub exit_code: u8,
    /// The report of each node, in the order of the command line.
    pub nodes: Vec<Report>,
    /// The latest block of each node, all found at the same time before the comparisons. The list
    /// is empty if a node's latest block was not found, and `cross-check/height` gives the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heights: Vec<NodeHeight>,
    /// The comparisons between the nodes. The list is empty if the run was interrupted before.
    pub cross_check: Vec<CrossCheck>,
}

/// The latest block of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeHeight {
    /// The node's base URL.
    pub base_url: String,
    /// The index of its latest block.
    pub height: u64,
}

/// One comparison between nodes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CrossCheck {
    /// `cross-check/height`, `cross-check/blocks`, `cross-check/balances`,
    /// `cross-check/contract-state` or `cross-check/trust-scores`.
    pub id: String,
    /// `pass` if the nodes agree, `fail` if they differ, `info` if a node is lagging, and
    /// `inconclusive` if nothing could be compared.
    pub outcome: Outcome,
    /// Number of comparisons.
    pub compared: u64,
    /// Why nothing could be compared, or a remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The differences. Equal differences are grouped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<CrossFinding>,
    /// Number of differences that are not listed.
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

/// One difference between nodes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CrossFinding {
    /// What differs.
    pub what: String,
    /// The first place with this difference, such as `block 7`.
    pub place: String,
    /// Number of places with this difference.
    pub count: u64,
    /// The base URLs of the nodes that differ from the majority. The list is empty if there is no
    /// majority.
    pub differs: Vec<String>,
    /// The nodes' values at the first place.
    pub values: Vec<CrossValue>,
}

/// A value, and the nodes that have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CrossValue {
    /// The value, shortened.
    pub value: String,
    /// The base URLs of the nodes that have it.
    pub nodes: Vec<String>,
}

impl NodesReport {
    /// Combines the reports of nodes with the comparison between them. The verdict and the exit
    /// status are the worst of all.
    #[must_use]
    pub fn new(nodes: Vec<Report>, cross_check: Vec<CrossCheck>) -> Self {
        let worst = nodes
            .iter()
            .map(|report| (report.exit_code, report.verdict))
            .max_by_key(|(code, _)| severity(*code));
        let differ = cross_check
            .iter()
            .any(|check| check.outcome == Outcome::Fail);
        // If not even the heights could be compared, the nodes may disagree.
        let (status, verdict) = match cross_check.first().map(|first| first.outcome) {
            _ if differ => (ExitStatus::DoesNotConform, Verdict::DoesNotConform),
            None => (ExitStatus::Interrupted, Verdict::Unreachable),
            Some(Outcome::Inconclusive) => (ExitStatus::NoVerdict, Verdict::Unreachable),
            Some(_) => (ExitStatus::Conforms, Verdict::Conforms),
        };
        let (exit_code, verdict) = worst
            .filter(|(code, _)| severity(*code) >= severity(status.code()))
            .unwrap_or((status.code(), verdict));
        Self {
            version: VERSION,
            verdict,
            exit_code,
            nodes,
            heights: Vec::new(),
            cross_check,
        }
    }

    /// Returns the JSON Schema of this format.
    #[must_use]
    pub fn json_schema() -> schemars::Schema {
        schemars::schema_for!(NodesReport)
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
        NodesReport::new(nodes.collect(), checks.collect()).exit_code
    }

    #[test]
    fn the_exit_status_is_the_worst_of_all() {
        let good = ("conforms", 0);
        let (wrong, stale) = (("does-not-conform", 1), ("conforms", 5));
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
        // The nodes were reached but never compared: interrupted, or lost before the comparison.
        assert_eq!(code(&[good, good], &[]), 130);
        assert_eq!(code(&[wrong, good], &["inconclusive", "inconclusive"]), 3);
    }
}
