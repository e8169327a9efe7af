//! Receives the progress of a run.

use nodeproof_report::CaseReport;

use super::settings::SweepProgress;

/// Receives the progress of a run.
pub trait Observer: Send + Sync {
    /// A longer phase of the run begins.
    fn phase(&self, _what: &str) {}
    /// The cases begin. `cases` is their number.
    fn begin(&self, _cases: usize) {}
    /// A case has ended.
    fn done(&self, _case: &CaseReport) {}
    /// A sweep makes progress. Called repeatedly.
    fn sweep(&self, _progress: &SweepProgress) {}
    /// A sweep has found a mismatch of a new kind.
    fn found(&self, _case: &str, _block: u64, _what: &str) {}
    /// The run has ended.
    fn end(&self) {}
}

/// An observer that shows no progress.
pub(crate) struct Silent;

impl Observer for Silent {}
