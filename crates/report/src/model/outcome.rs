//! Levels of requirements and outcomes of cases.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How binding a requirement is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The specification states it. A node that does otherwise does not conform.
    Must,
    /// Expected, but not written. A mismatch is a warning, and a failure with `--strict`.
    Should,
    /// What real nodes do. A difference is information.
    Observed,
}

impl Level {
    /// Returns the level's name in reports, such as `must`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::Observed => "observed",
        }
    }
}

/// What a case is about. Reports list findings in this order: the gravest first, then what may be the reason for the rest.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Aspect {
    /// Who may spend, and what it costs.
    Spending,
    /// Whether the endpoint exists and responds.
    Endpoint,
    /// Which members a response has, and of which types.
    Shape,
    /// The values in one response.
    #[default]
    Content,
    /// Whether several responses agree.
    Consistency,
    /// The responses to wrong requests.
    Refusals,
    /// Correct, but different from other nodes.
    Style,
}

/// How a case ended.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The node meets the requirement.
    Pass,
    /// The node does not conform to a requirement of the specification.
    Fail,
    /// The node does not conform to a requirement that is expected, but not written.
    Warn,
    /// The node differs from real nodes.
    Info,
    /// The run had nothing to judge. The case's reason explains why.
    Inconclusive,
    /// The case was not selected, or not allowed to run.
    Skipped,
    /// The node does not conform to the requirement, as an expectation states.
    Known,
    /// The node conforms to the requirement, although an expectation states a mismatch.
    Stale,
}

impl Outcome {
    /// Every outcome: the worst first, then those of cases that found nothing wrong.
    pub const WORST_FIRST: [Self; 8] = [
        Self::Fail,
        Self::Stale,
        Self::Warn,
        Self::Info,
        Self::Known,
        Self::Pass,
        Self::Inconclusive,
        Self::Skipped,
    ];

    /// Returns the outcome's name in reports, such as `pass`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Inconclusive => "inconclusive",
            Self::Skipped => "skipped",
            Self::Known => "known",
            Self::Stale => "stale",
        }
    }

    /// Returns the word that follows a number of cases, such as `passed`.
    pub(crate) const fn participle(self) -> &'static str {
        match self {
            Self::Pass => "passed",
            Self::Fail => "failed",
            Self::Warn => "warned",
            Self::Info => "informed",
            Self::Inconclusive | Self::Skipped | Self::Known | Self::Stale => self.name(),
        }
    }

    /// Returns whether the case has findings that no expectation covers.
    pub(crate) const fn has_new_findings(self) -> bool {
        matches!(self, Self::Fail | Self::Warn | Self::Info)
    }

    /// Whether a case with this outcome has findings, known ones included.
    #[must_use]
    pub const fn has_findings(self) -> bool {
        self.has_new_findings() || matches!(self, Self::Known)
    }
}
