//! The result of a case.

use std::{sync::Arc, time::Duration};

use nodeproof_report::{ExchangeReport, Outcome};

use super::case::Case;
use crate::{checks::Finding, http::InconclusiveReason};

/// The result of a case, with its findings.
pub(crate) struct CaseResult {
    pub(crate) case: Case,
    pub(crate) outcome: Outcome,
    /// The first findings. The others are only counted.
    pub(crate) findings: Vec<Finding>,
    /// Number of further findings.
    pub(crate) unlisted: usize,
    pub(crate) inconclusive: Option<InconclusiveReason>,
    /// The note of an expectation for this case.
    pub(crate) note: Option<String>,
    /// The exchanges that the case used, in order.
    pub(crate) exchanges: Vec<Arc<ExchangeReport>>,
    /// The duration, including waiting and requests that it shares with other cases.
    pub(crate) elapsed: Duration,
}

impl CaseResult {
    /// Returns the result of a case that did not run: no findings and no exchanges.
    pub(crate) const fn not_run(case: Case, outcome: Outcome) -> Self {
        Self {
            case,
            outcome,
            findings: Vec::new(),
            unlisted: 0,
            inconclusive: None,
            note: None,
            exchanges: Vec::new(),
            elapsed: Duration::ZERO,
        }
    }

    /// Whether the case found a mismatch, at any level.
    pub(crate) fn is_mismatch(&self) -> bool {
        matches!(self.outcome, Outcome::Fail | Outcome::Warn | Outcome::Info)
    }
}
