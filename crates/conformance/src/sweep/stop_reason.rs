//! Why a run or a sweep has stopped early.

/// Why a run has no verdict of its own.
#[derive(Clone, Debug)]
pub(crate) enum StopReason {
    Unreachable(String),
    NoNode(String),
    OutOfTime(String),
    /// Its chain ends before the blocks of the sweep. All other cases ran.
    Behind(String),
    Interrupted,
    Harness(String),
}
