//! The results of the cases that have ended so far.

use std::sync::Mutex;

use nodeproof_report::Outcome;

use crate::cases::CaseResult;

/// The results so far. They remain available if the run stops early.
#[derive(Default)]
pub(crate) struct CaseResults {
    pub(crate) ended: Mutex<Vec<CaseResult>>,
}

impl CaseResults {
    pub(crate) fn push(&self, ended: CaseResult) {
        if let Ok(mut list) = self.ended.lock() {
            list.push(ended);
        }
    }

    pub(crate) fn has(&self, outcome: Outcome) -> bool {
        let has = |list: &Vec<CaseResult>| list.iter().any(|ended| ended.outcome == outcome);
        self.ended.lock().is_ok_and(|list| has(&list))
    }

    pub(crate) fn take(&self) -> Vec<CaseResult> {
        self.ended
            .lock()
            .map(|mut list| std::mem::take(&mut *list))
            .unwrap_or_default()
    }
}
