//! The reasons why a run or a sweep stopped early.

use crate::http::InconclusiveReason;

/// The reason why a run stopped before it had a verdict.
#[derive(Clone, Debug)]
pub(crate) enum StopReason {
    Unreachable(String),
    NotANode(String),
    DeadlineExceeded(String),
    /// The chain ends before the first block of the sweep, or its end was not found. All other cases ran.
    NothingToSweep(String),
    Interrupted,
    Harness(String),
}

/// Something that a run needs could not be read.
impl From<InconclusiveReason> for StopReason {
    fn from(reason: InconclusiveReason) -> Self {
        match reason {
            InconclusiveReason::Transport(reason) => Self::Unreachable(reason),
            other => Self::DeadlineExceeded(other.reason().to_owned()),
        }
    }
}
