//! The reasons why a run or a sweep stopped early.

/// The reason why a run stopped before it had a verdict.
#[derive(Clone, Debug)]
pub(crate) enum StopReason {
    Unreachable(String),
    NotANode(String),
    DeadlineExceeded(String),
    /// The chain ends before the first block of the sweep. All other cases ran.
    ChainTooShort(String),
    Interrupted,
    Harness(String),
}
