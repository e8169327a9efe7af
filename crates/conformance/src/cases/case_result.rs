//! The result of a case.

use std::{sync::Arc, time::Duration};

use nodeproof_report::{ExchangeReport, Outcome};

use super::case::Case;
use crate::{checks::Finding, http::InconclusiveReason};

/// How a case ended, with what it found.
pub(crate) struct CaseResult {
    pub(crate) case: Case,
    pub(crate) outcome: Outcome,
    /// The first ones; the others are only counted.
    pub(crate) findings: Vec<Finding>,
    /// How many findings there are besides.
    pub(crate) unlisted: usize,
    pub(crate) obstacle: Option<InconclusiveReason>,
    /// What an expectation says about it.
    pub(crate) note: Option<String>,
    /// What it looked at, in order.
    pub(crate) asked: Vec<Arc<ExchangeReport>>,
    /// How long it took, what it waited for and shares with others included.
    pub(crate) elapsed: Duration,
}

impl CaseResult {
    /// One that has found nothing, and looked at nothing.
    pub(crate) const fn not_run(case: Case, outcome: Outcome) -> Self {
        Self {
            case,
            outcome,
            findings: Vec::new(),
            unlisted: 0,
            obstacle: None,
            note: None,
            asked: Vec::new(),
            elapsed: Duration::ZERO,
        }
    }

    /// Whether it found a departure, of whatever level.
    pub(crate) fn departs(&self) -> bool {
        matches!(self.outcome, Outcome::Fail | Outcome::Warn | Outcome::Info)
    }
}
