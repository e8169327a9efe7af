//! What a run over several nodes found out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Report, VERSION, Verdict};
use crate::outcome::Outcome;

/// `report.json` of several nodes: the report of each, and how they compare.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct NodesReport {
    /// The version of this format.
    pub version: u32,
    /// The worst of the nodes' verdicts; `departs` where only the cross-check found something.
    pub verdict: Verdict,
    /// The process' exit status: the worst of the nodes', where 130 is worse than 4, 4 than 3, 3 than
    /// 1, 1 than 5, and 5 than 0; what the cross-check finds counts as 1.
    pub exit_code: u8,
    /// The report of each node, in the order in which they were named.
    pub nodes: Vec<Report>,
    /// What was held against one another.
    pub cross_check: Vec<CrossCheck>,
}

/// One thing in which nodes were held against one another.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CrossCheck {
    /// `cross-check/height`, `cross-check/blocks`, `cross-check/balances` or
    /// `cross-check/contract-state`.
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
    pub(crate) fn of(nodes: Vec<Report>, cross_check: Vec<CrossCheck>) -> Self {
        let worst = nodes
            .iter()
            .map(|report| (severity(report.exit_code), report.exit_code, report.verdict))
            .max_by_key(|(severity, _, _)| *severity);
        let differ = cross_check
            .iter()
            .any(|check| check.outcome == Outcome::Fail);
        let (exit_code, verdict) = match worst {
            Some((severity, code, verdict)) if !differ || severity >= self::severity(1) => {
                (code, verdict)
            }
            _ if differ => (1, Verdict::Departs),
            _ => (0, Verdict::Conforms),
        };
        Self {
            version: VERSION,
            verdict,
            exit_code,
            nodes,
            cross_check,
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
