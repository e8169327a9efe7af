//! Outages, for tests of code that has to survive them.

use std::time::Duration;

/// An outage of the node, which a test starts and ends with
/// [`Node::set_outage`](crate::Node::set_outage). With
/// [`Node::set_submission_outage`](crate::Node::set_submission_outage) it applies to submissions only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outage {
    /// Each request gets status 503, and has no effect.
    Unavailable,
    /// Each request is handled, but the connection breaks before its response is complete. A
    /// submitted transaction is accepted, and the client can't know.
    LostResponses,
    /// Each request is handled, and its response arrives after this time.
    Delayed(Duration),
}

/// The current outages.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outages {
    pub(crate) submissions: Option<Outage>,
    pub(crate) others: Option<Outage>,
}
