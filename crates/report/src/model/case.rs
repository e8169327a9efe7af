//! The result of a case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::outcome::{Aspect, Level, Outcome};

/// The result of one case.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CaseReport {
    /// The case's ID, `<operation>/<behaviour>`.
    pub id: String,
    /// How binding the requirement is.
    pub level: Level,
    /// How the case ended.
    pub outcome: Outcome,
    /// What the case is about.
    #[serde(default)]
    pub aspect: Aspect,
    /// The ID of the case whose findings are the reason for this result. Such a case is not reported
    /// of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained_by: Option<String>,
    /// What the verdict's headline states about the case: what could not be verified at this node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
    /// The first finding, or why the case is inconclusive or skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The note about the case in the file of expectations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The requirements that the case tests, the most important one first.
    #[serde(default)]
    pub requirements: Vec<RequirementReport>,
    /// How long the case took, in milliseconds. This includes waiting, and work shared with other
    /// cases.
    pub elapsed_ms: u64,
    /// The path of the snapshot that the response was compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// The first findings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingReport>,
    /// Number of findings that are not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_findings: usize,
    /// In a comparison between nodes: the number of items that were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<u64>,
    /// The exchanges that the case looked at, as indexes into the report's list of exchanges. It
    /// contains at least the exchanges of the findings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<usize>,
}

impl CaseReport {
    /// The reason of a case that was selected, but did not run before the run ended.
    pub const NOT_RUN: &str = "the run ended before this case did";
    /// The reason of a case that the user did not select.
    pub const NOT_SELECTED: &str = "not selected";
    /// The reason of a case that recorded exchanges can't decide.
    pub const SENDS: &str = "it sends requests of its own";

    /// Returns whether the case has findings that neither an expectation nor another case explains.
    #[must_use]
    pub fn is_cause(&self) -> bool {
        self.outcome.has_new_findings() && self.explained_by.is_none()
    }

    /// Returns the part of the ID before the slash.
    pub(crate) fn operation(&self) -> &str {
        self.id.split('/').next().unwrap_or(&self.id)
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// One numbered requirement of the specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequirementReport {
    /// The requirement's ID, such as `BLOCK-3`.
    pub id: String,
    /// What it requires. The parts between backticks are code.
    pub text: String,
}

/// One mismatch between a response and a requirement.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct FindingReport {
    /// What is wrong.
    pub what: String,
    /// The location in the response's body, as a JSON pointer. It is empty for the whole body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The expected value.
    pub expected: String,
    /// The actual value.
    pub actual: String,
    /// A shell command that repeats the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curl: Option<String>,
    /// The request and its response, as an index into the report's list of exchanges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<usize>,
    /// The request, if it is about a sample that a later run may not choose: the path and the
    /// parameters in alphabetical order, such as `/get-block?block_index=33`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<String>,
    /// In a sweep: the index of the block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<u64>,
    /// In a sweep or in a comparison between nodes, on the first finding of a kind: the number of
    /// findings of this kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Another response to the same request, if it got one at the end of the run: how the request was sent then, and
    /// the start of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
    /// What the signature is about, if the finding is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<SignedReport>,
    /// In a comparison between nodes: the first place with this difference, such as `block 7`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// In a comparison between nodes: the base URLs of the nodes that differ from the majority. The
    /// list is empty if there is no majority.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<String>,
    /// In a comparison between nodes: the nodes' values at the first place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<NodeValue>,
}

/// A value, and the nodes that have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeValue {
    /// The value, shortened.
    pub value: String,
    /// The base URLs of the nodes that have it.
    pub nodes: Vec<String>,
}

/// What a signature is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SignedReport {
    /// The signed message, byte for byte. It is ASCII. It is missing if it is longer than 16 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The length of the message in bytes.
    pub message_bytes: u64,
    /// The SHA-1 digest of the message: 40 hexadecimal characters.
    pub digest: String,
    /// A shell command that verifies the signature. It is missing if it would be too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
}
