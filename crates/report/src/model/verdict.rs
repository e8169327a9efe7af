//! A run's verdict.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run's verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No conclusive case has a finding. The exit status is 0. It is 5 if an expectation is
    /// stale, and 1 if the run had to exercise everything and did not.
    Conforms,
    /// The node does not conform to a requirement, or the nodes disagree: exit status 1.
    DoesNotConform,
    /// The node was not reached or was lost, the run ran out of time, or a signal ended it: exit
    /// status 3, 130 or 143.
    Unreachable,
    /// The harness has a fault: exit status 4.
    Error,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 4] = [
        Self::Conforms,
        Self::DoesNotConform,
        Self::Unreachable,
        Self::Error,
    ];

    /// Returns the verdict's name in reports, such as `conforms`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Conforms => "conforms",
            Self::DoesNotConform => "does-not-conform",
            Self::Unreachable => "unreachable",
            Self::Error => "error",
        }
    }
}
