//! What a case found out.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    http::{Exchange, report_of},
    report::ExchangeReport,
};

/// How binding the sentence is that a case tests.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The contract says it: a node that does otherwise does not conform.
    Must,
    /// Expected, but not written: a warning, and a failure under `--strict`.
    Should,
    /// What real nodes do: information.
    Observed,
}

impl Level {
    /// The level's name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::Observed => "observed",
        }
    }
}

/// How a case ended.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The node does what the sentence says.
    Pass,
    /// The node departs from the contract.
    Fail,
    /// The node departs from what is expected, but not written.
    Warn,
    /// The node differs from what real nodes do.
    Info,
    /// It could not be found out; the reason says why.
    Inconclusive,
    /// It was not selected.
    Skipped,
    /// It departs as an expectation says it does.
    Known,
    /// It was expected to depart, and does not.
    Stale,
}

impl Outcome {
    /// The outcome's name in reports.
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
}

/// One departure: what, where, and what would have been right.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What is wrong, in a line.
    pub what: String,
    /// Where in the answer's body: a JSON pointer, empty for the body itself.
    pub pointer: Option<String>,
    /// What the contract asks for.
    pub expected: String,
    /// What the node sent, shortened and escaped.
    pub actual: String,
    /// The request and its answer.
    pub exchange: Option<Arc<ExchangeReport>>,
    /// In a sweep, the index of the block.
    pub block: Option<u64>,
    /// In a sweep, with the first finding of its kind: how many there are.
    pub count: Option<u64>,
}

impl Finding {
    /// A departure of an answer as a whole.
    pub(crate) fn new(
        exchange: &Arc<Exchange>,
        what: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Self {
        Self::told(report_of(exchange), what, expected, actual)
    }

    /// The same, of an answer that is not at hand any more.
    pub(crate) fn told(
        exchange: Arc<ExchangeReport>,
        what: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Self {
        Self {
            what: what.into(),
            pointer: None,
            expected: expected.into(),
            actual: actual.into(),
            exchange: Some(exchange),
            block: None,
            count: None,
        }
    }

    /// The same, at a place in the body.
    pub(crate) fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }
}

/// Why a case could not find out what it was to find out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// Nothing on this node to test it with.
    NoMaterial(String),
    /// The node asks to be left alone for now.
    Busy(String),
    /// The network failed, or the node did not answer in time.
    Transport(String),
    /// The run's own limits ended it.
    Limit(String),
    /// The answer is more than is read of one.
    TooLarge(String),
    /// The harness contradicts itself.
    Harness(String),
}

impl Obstacle {
    pub(crate) fn reason(&self) -> &str {
        let (Self::NoMaterial(reason)
        | Self::Busy(reason)
        | Self::Transport(reason)
        | Self::Limit(reason)
        | Self::TooLarge(reason)
        | Self::Harness(reason)) = self;
        reason
    }
}

/// What a check hands back: its findings, none of which means that it passed.
pub(crate) type Findings = Result<Vec<Finding>, Obstacle>;
