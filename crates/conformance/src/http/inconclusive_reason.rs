//! The reasons why a case is inconclusive.

use serde::{Deserialize, Serialize};

/// The reason why a case is inconclusive.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum InconclusiveReason {
    /// The node has no sample for the case.
    NoSample(String),
    /// The node stayed busy.
    Busy(String),
    /// The network failed, or the node did not respond in time.
    Transport(String),
    /// A limit of the run was reached.
    Limit(String),
    /// A response is longer than the limit.
    TooLarge(String),
    /// The harness itself has a fault.
    Harness(String),
}

impl InconclusiveReason {
    pub(crate) fn reason(&self) -> &str {
        let (Self::NoSample(reason)
        | Self::Busy(reason)
        | Self::Transport(reason)
        | Self::Limit(reason)
        | Self::TooLarge(reason)
        | Self::Harness(reason)) = self;
        reason
    }
}

/// Returns the error for a missing sample.
pub(crate) fn unknown<T>(reason: impl Into<String>) -> Result<T, InconclusiveReason> {
    Err(InconclusiveReason::NoSample(reason.into()))
}

/// There is no sample, for this reason.
impl From<String> for InconclusiveReason {
    fn from(reason: String) -> Self {
        Self::NoSample(reason)
    }
}

impl From<&str> for InconclusiveReason {
    fn from(reason: &str) -> Self {
        Self::NoSample(reason.to_owned())
    }
}
