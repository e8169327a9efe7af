//! The results of the cases that have ended so far.

use std::sync::{Mutex, OnceLock};

use nodeproof_report::{Outcome, SamplesReport};

use crate::{Tier, cases::CaseResult, http::InconclusiveReason};

/// The results so far. They remain available if the run stops early.
#[derive(Default)]
pub(crate) struct CaseResults {
    pub(crate) results: Mutex<Vec<CaseResult>>,
    /// What the run examines, once that is known.
    pub(crate) samples: OnceLock<SamplesReport>,
}

impl CaseResults {
    pub(crate) fn push(&self, result: CaseResult) {
        if let Ok(mut list) = self.results.lock() {
            list.push(result);
        }
    }

    /// Skips the cases that had nothing to judge. Without blocks, a recorded run has no verdict, as it had none.
    pub(crate) fn skip_without_sample(&self, is_of_run: bool) {
        let Ok(mut results) = self.results.lock() else {
            return;
        };
        for result in &mut *results {
            let is_needed = is_of_run && result.case.is_essential && result.case.tier == Tier::Read;
            if let Some(InconclusiveReason::NoSample(_)) = &result.inconclusive
                && !is_needed
            {
                result.outcome = Outcome::Skipped;
            }
        }
    }

    pub(crate) fn has(&self, outcome: Outcome) -> bool {
        let has = |list: &Vec<CaseResult>| list.iter().any(|result| result.outcome == outcome);
        self.results.lock().is_ok_and(|list| has(&list))
    }

    pub(crate) fn take(&self) -> Vec<CaseResult> {
        self.results
            .lock()
            .map(|mut list| std::mem::take(&mut *list))
            .unwrap_or_default()
    }
}
