//! Receives the progress of a run.

use std::sync::Arc;

use nodeproof_report::CaseReport;

use super::settings::SweepProgress;
use crate::context::Redactor;

/// Receives the progress of a run.
pub trait Observer: Send + Sync {
    /// A longer phase of the run begins.
    fn phase(&self, what: &str);
    /// The cases begin. `cases` is their number.
    fn begin(&self, cases: usize);
    /// A case has ended.
    fn done(&self, case: &CaseReport);
    /// A sweep makes progress. Called repeatedly.
    fn sweep(&self, _: &SweepProgress) {}
    /// A sweep has found a mismatch of a new kind.
    fn found(&self, _case: &str, _block: u64, _what: &str) {}
    /// The run has ended.
    fn end(&self);
}

/// Passes everything on without the signatures of the run.
pub(super) struct Redacting {
    watch: Arc<dyn Observer>,
    redactor: Redactor,
}

impl Redacting {
    pub(super) fn new(watch: Arc<dyn Observer>, redactor: Redactor) -> Self {
        Self { watch, redactor }
    }
}

impl Observer for Redacting {
    fn phase(&self, what: &str) {
        self.watch.phase(&self.redactor.redact(what.to_owned()));
    }

    fn begin(&self, cases: usize) {
        self.watch.begin(cases);
    }

    fn done(&self, case: &CaseReport) {
        self.watch.done(&self.redactor.redact(case.clone()));
    }

    fn sweep(&self, progress: &SweepProgress) {
        self.watch.sweep(progress);
    }

    fn found(&self, case: &str, block: u64, what: &str) {
        let what = self.redactor.redact(what.to_owned());
        self.watch.found(case, block, &what);
    }

    fn end(&self) {
        self.watch.end();
    }
}

/// An observer that shows no progress.
pub(crate) struct Silent;

impl Observer for Silent {
    fn phase(&self, _: &str) {}
    fn begin(&self, _: usize) {}
    fn done(&self, _: &CaseReport) {}
    fn end(&self) {}
}
