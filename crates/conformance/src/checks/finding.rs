//! What a check finds, or why it cannot find anything.

use std::sync::Arc;

use nodeproof_report::ExchangeReport;

use crate::http::{Exchange, InconclusiveReason, report_of};

/// One mismatch between a response and a requirement.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// What is wrong, in one line.
    pub(crate) what: String,
    /// The location in the response's body: a JSON pointer, empty for the whole body.
    pub(crate) pointer: Option<String>,
    /// The value that the contract requires.
    pub(crate) expected: String,
    /// The value that the node sent, shortened and escaped.
    pub(crate) actual: String,
    /// The request and its response.
    pub(crate) exchange: Option<Arc<ExchangeReport>>,
    /// In a sweep: the index of the block.
    pub(crate) block: Option<u64>,
    /// In a sweep, on the first finding of a kind: the number of findings of this kind.
    pub(crate) count: Option<u64>,
}

impl Finding {
    /// A finding about a whole response.
    pub(crate) fn new(
        exchange: &Arc<Exchange>,
        what: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Self {
        Self::of_report(report_of(exchange), what, expected, actual)
    }

    /// A finding about a response of which only the report is left.
    pub(crate) fn of_report(
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

    /// Sets the location in the body.
    pub(crate) fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }
}

/// The result of a check. It passed if there are no findings.
pub(crate) type Findings = Result<Vec<Finding>, InconclusiveReason>;
