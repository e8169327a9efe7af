//! The findings of a check, or the reason why it has none.

use std::sync::Arc;

use nodeproof_report::{ExchangeReport, SignedReport};

use crate::http::{Exchange, InconclusiveReason, report_of};

/// One mismatch between a response and a requirement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finding {
    /// What is wrong, in one line.
    pub(crate) what: String,
    /// The location in the response's body: a JSON pointer, empty for the whole body.
    pub(crate) pointer: Option<String>,
    /// The value that the specification requires.
    pub(crate) expected: String,
    /// The value that the node sent, shortened and escaped.
    pub(crate) actual: String,
    /// The request and its response.
    pub(crate) exchange: Option<Arc<ExchangeReport>>,
    /// In a sweep: the index of the block.
    pub(crate) block: Option<u64>,
    /// In a sweep, on the first finding of a kind: the number of findings of this kind.
    pub(crate) count: Option<u64>,
    /// Another response to the same request, and how it was sent then.
    pub(crate) again: Option<String>,
    /// The signed message, if the finding is about a signature.
    pub(crate) signed: Option<Box<SignedReport>>,
}

impl Finding {
    /// Creates a finding about a whole response.
    pub(crate) fn new(
        exchange: &Arc<Exchange>,
        what: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Self {
        Self::of_report(report_of(exchange), what, expected, actual)
    }

    /// Creates a finding whose actual value is the summary of the response.
    pub(crate) fn of_response(
        exchange: &Arc<Exchange>,
        what: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self::new(exchange, what, expected, exchange.summary())
    }

    /// Creates a finding whose actual value is the beginning of the response's body.
    pub(crate) fn of_body(
        exchange: &Arc<Exchange>,
        what: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self::new(exchange, what, expected, exchange.excerpt(160))
    }

    /// Creates a finding about a response of which only the report is left.
    pub(crate) fn of_report(
        exchange: Arc<ExchangeReport>,
        what: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Self {
        Self {
            exchange: Some(exchange),
            ..Self::without_response(what, expected, actual)
        }
    }

    /// Creates a finding about a request that got no response.
    pub(crate) fn without_response(
        what: impl Into<String>,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Self {
        Self {
            what: what.into(),
            expected: expected.into(),
            actual: actual.into(),
            ..Self::default()
        }
    }

    /// Adds the signed message that the finding is about.
    pub(crate) fn with_signed_message(mut self, signed: Option<Box<SignedReport>>) -> Self {
        self.signed = signed;
        self
    }

    /// Sets the location in the body.
    pub(crate) fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }
}

/// The number of items that a check examined, and its findings.
///
/// A check that examined nothing does not pass: the engine makes its case inconclusive.
#[derive(Debug, Default)]
pub(crate) struct Examination {
    /// Number of examined items.
    pub(crate) examined: u64,
    /// The mismatches.
    pub(crate) findings: Vec<Finding>,
    /// The reason why an item could not be examined. A finding about another item counts nevertheless.
    unexamined: Option<InconclusiveReason>,
}

impl Examination {
    /// One item was examined, and is right.
    pub(crate) fn passed() -> Self {
        Self::of(1, [])
    }

    /// One item was examined, and is wrong.
    pub(crate) fn failed(finding: Finding) -> Self {
        Self::of(1, [finding])
    }

    /// This many items were examined, with these findings.
    pub(crate) fn of(examined: usize, findings: impl IntoIterator<Item = Finding>) -> Self {
        Self {
            examined: u64::try_from(examined).unwrap_or(u64::MAX),
            findings: findings.into_iter().collect(),
            unexamined: None,
        }
    }

    /// Counts one more examined item. It is right unless a finding follows.
    pub(crate) const fn count_item(&mut self) {
        self.examined += 1;
    }

    /// Adds a finding about an examined item.
    pub(crate) fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Adds the result of another check.
    pub(crate) fn extend(&mut self, other: Self) {
        self.examined += other.examined;
        self.findings.extend(other.findings);
        self.unexamined = self.unexamined.take().or(other.unexamined);
    }

    /// Adds the result of a check that may not have one.
    pub(crate) fn add(&mut self, other: Findings) {
        if let Some(other) = self.received(other) {
            self.extend(other);
        }
    }

    /// Returns what was received for an item, or notes why there is nothing.
    pub(crate) fn received<T>(&mut self, received: Result<T, InconclusiveReason>) -> Option<T> {
        match received {
            Ok(received) => Some(received),
            Err(inconclusive) => {
                self.unexamined.get_or_insert(inconclusive);
                None
            }
        }
    }

    /// Ends the check. Without findings, an item that could not be examined leaves it inconclusive.
    pub(crate) fn end(mut self) -> Findings {
        match self.unexamined.take() {
            Some(inconclusive) if self.findings.is_empty() => Err(inconclusive),
            _ => Ok(self),
        }
    }

    /// Whether there are no findings.
    pub(crate) const fn has_no_findings(&self) -> bool {
        self.findings.is_empty()
    }
}

/// The result of a check, or the reason why there is none. The check passed if it examined
/// something and has no findings.
pub(crate) type Findings = Result<Examination, InconclusiveReason>;
