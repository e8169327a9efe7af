//! The result of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{
    case::CaseReport,
    exit_status::{ExitStatus, severity},
    node::NodeReport,
    outcome::Outcome,
    verdict::Verdict,
};

/// The version of `report.json`. It changes when readers have to change.
pub const VERSION: u32 = 2;

/// `report.json`: the result of a run against one node or several.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// The version of this format.
    pub version: u32,
    /// The worst verdict of the nodes. It is `does-not-conform` if only the comparison between the
    /// nodes found a difference.
    pub verdict: Verdict,
    /// The exit status of the process: the worst of the nodes. 130 and 143 are worse than 4, 4 than
    /// 3, 3 than 1, 1 than 5, and 5 than 0. A difference between the nodes counts as 1. It counts
    /// as 3 if the nodes could not be compared at all.
    pub exit_code: u8,
    /// The report of each node, in the order of the command line.
    pub nodes: Vec<NodeReport>,
    /// The comparisons between the nodes: `cross-check/height`, `cross-check/blocks`,
    /// `cross-check/balances`, `cross-check/contract-state` and `cross-check/trust-scores`. The list
    /// is empty for one node, and if the run was interrupted before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cross_check: Vec<CaseReport>,
}

/// The reason why a text can't be read as a report.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The text is not JSON, or a member is missing or wrong.
    #[error("it is not a report.json of nodeproof: {0}")]
    NotAReport(String),
    /// The report has another version of the format.
    #[error(
        "it is a report of version {0}, and this program reads version {VERSION}: repeat the run with this nodeproof"
    )]
    OtherVersion(u64),
}

/// Cases with the same finding at one node or several, and the cases that they explain.
#[derive(Clone, Debug)]
pub struct Cause<'r> {
    /// The case of the first of these nodes, or a comparison between the nodes.
    pub case: &'r CaseReport,
    /// The numbers of the nodes, from 1. The list is empty for a comparison between the nodes.
    pub nodes: Vec<usize>,
    /// The cases that it explains at the first of these nodes.
    pub explained: Vec<&'r CaseReport>,
}

impl Report {
    /// Combines the reports of nodes with the comparison between them. The verdict and the exit
    /// status are the worst of all.
    #[must_use]
    pub fn new(nodes: Vec<NodeReport>, cross_check: Vec<CaseReport>) -> Self {
        let differ = cross_check
            .iter()
            .any(|check| check.outcome == Outcome::Fail);
        // If not even the heights could be compared, the nodes may disagree.
        let between = match cross_check.first().map(|first| first.outcome) {
            _ if differ => (ExitStatus::DoesNotConform, Verdict::DoesNotConform),
            None => (ExitStatus::Interrupted, Verdict::Unreachable),
            Some(Outcome::Inconclusive) => (ExitStatus::NoVerdict, Verdict::Unreachable),
            Some(_) => (ExitStatus::Conforms, Verdict::Conforms),
        };
        let between = (between.0.code(), between.1);
        let all = [between].into_iter().filter(|_| nodes.len() != 1);
        let all = all.chain(nodes.iter().map(|node| (node.exit_code, node.verdict)));
        let (exit_code, verdict) = all
            .max_by_key(|(code, _)| severity(*code))
            .unwrap_or(between);
        Self {
            version: VERSION,
            verdict,
            exit_code,
            nodes,
            cross_check,
        }
    }

    /// Reads the text of a `report.json`.
    ///
    /// # Errors
    /// Returns an error if the text is not a report, or one of another version.
    pub fn from_json(text: &str) -> Result<Self, ReadError> {
        #[derive(Deserialize)]
        struct Version {
            version: u64,
        }
        let wrong = |error: serde_json::Error| ReadError::NotAReport(error.to_string());
        match serde_json::from_str(text).map_err(wrong)? {
            Version { version } if version == u64::from(VERSION) => {
                serde_json::from_str(text).map_err(wrong)
            }
            Version { version } => Err(ReadError::OtherVersion(version)),
        }
    }

    /// Returns the JSON Schema of this format.
    #[must_use]
    pub fn json_schema() -> schemars::Schema {
        schemars::schema_for!(Report)
    }

    /// Returns the nodes with their numbers, from 1.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (usize, &NodeReport)> {
        (1..).zip(&self.nodes)
    }

    /// Returns whether the run was against more than one node.
    pub(crate) const fn has_several(&self) -> bool {
        self.nodes.len() != 1
    }

    /// Returns what was found: each finding once, with the nodes that have it. They are sorted by
    /// aspect. The differences between the nodes follow.
    ///
    /// Every renderer begins with this list.
    #[must_use]
    pub fn causes(&self) -> Vec<Cause<'_>> {
        let mut causes: Vec<Cause<'_>> = Vec::new();
        for (number, node) in self.numbered() {
            for (case, explained) in node.causes() {
                let same = |known: &&mut Cause<'_>| {
                    known.case.id == case.id && known.case.reason == case.reason
                };
                match causes.iter_mut().find(same) {
                    Some(known) => known.nodes.push(number),
                    None => causes.push(Cause {
                        case,
                        nodes: vec![number],
                        explained,
                    }),
                }
            }
        }
        causes.sort_by_key(|cause| (cause.case.outcome != Outcome::Fail, cause.case.aspect));
        let between = self.cross_check.iter().filter(|check| check.is_cause());
        causes.extend(between.map(|case| Cause {
            case,
            nodes: Vec::new(),
            explained: Vec::new(),
        }));
        causes
    }

    /// Returns the result in words, such as `conforms`.
    pub(crate) fn in_words(&self) -> String {
        match (self.nodes.as_slice(), self.exit_code) {
            ([node], _) => node.in_words(),
            (_, 0) => "all nodes conform, and agree in everything that was compared".to_owned(),
            (_, 1) => "not all nodes conform, or they do not agree".to_owned(),
            _ => "not all nodes have a verdict".to_owned(),
        }
    }
}

impl From<NodeReport> for Report {
    fn from(node: NodeReport) -> Self {
        Self::new(vec![node], Vec::new())
    }
}

impl Cause<'_> {
    /// Returns the nodes in words, such as `1, 3`, if `report` has several nodes.
    pub(crate) fn at_nodes(&self, report: &Report) -> Option<String> {
        let numbers: Vec<_> = self.nodes.iter().map(ToString::to_string).collect();
        (report.has_several() && !numbers.is_empty()).then(|| numbers.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn node(verdict: &str, exit_code: u8) -> NodeReport {
        serde_json::from_value(json!({
            "target": {"base_url": "http://127.0.0.1:8420/", "network": "devnet"},
            "verdict": verdict, "exit_code": exit_code, "requests": 3, "elapsed_ms": 1,
            "started_at": "2026-11-20T23:40:00Z", "strict": false, "cases": [],
            "coverage": {"operations": [], "unseen_fields": []},
        }))
        .unwrap()
    }

    fn code(nodes: &[(&str, u8)], checks: &[&str]) -> u8 {
        let nodes = nodes.iter().map(|(verdict, code)| node(verdict, *code));
        let checks = checks.iter().map(|outcome| {
            let check = json!({
                "id": "cross-check/a", "level": "must", "outcome": outcome, "elapsed_ms": 0,
            });
            serde_json::from_value(check).unwrap()
        });
        Report::new(nodes.collect(), checks.collect()).exit_code
    }

    #[test]
    fn the_exit_status_is_the_worst_of_all() {
        let good = ("conforms", 0);
        let (wrong, stale) = (("does-not-conform", 1), ("conforms", 5));
        let (lost, harness) = (("unreachable", 3), ("error", 4));
        let interrupted = ("unreachable", 130);
        for (nodes, checks, expected) in [
            (&[good][..], &[][..], 0),
            (&[stale], &[], 5),
            (&[good, good], &["pass", "pass"], 0),
            (&[good, good], &["info", "pass", "inconclusive"], 0),
            (&[good, good], &["pass", "fail"], 1),
            (&[good, stale], &["pass"], 5),
            (&[good, stale], &["pass", "fail"], 1),
            (&[stale, wrong], &["pass"], 1),
            (&[wrong, lost, good], &["pass", "fail"], 3),
            (&[lost, harness], &["inconclusive"], 4),
            (&[harness, interrupted], &[], 130),
            // The nodes were reached but never compared: interrupted, or lost before the comparison.
            (&[good, good], &[], 130),
            (&[wrong, good], &["inconclusive", "inconclusive"], 3),
        ] {
            assert_eq!(code(nodes, checks), expected, "{nodes:?} {checks:?}");
        }
    }

    #[test]
    fn another_version_and_other_documents_are_told_apart() {
        let read = |text: &str| Report::from_json(text).unwrap_err().to_string();
        for (text, part) in [
            (
                r#"{"version":1,"cases":[]}"#,
                "of version 1, and this program reads version 2: repeat the run",
            ),
            (r#"{"version":2}"#, "missing field `verdict`"),
            ("{}", "missing field `version`"),
            (r#"{"version":"2"}"#, "invalid type"),
            ("", "not a report.json"),
            ("<html>", "not a report.json"),
        ] {
            assert!(read(text).contains(part), "{text}: {}", read(text));
        }
    }
}
