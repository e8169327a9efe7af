//! Why a case has no result.

/// Why a case is inconclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InconclusiveReason {
    /// Nothing on this node to test it with.
    NoSample(String),
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
