//! Who observes a run.

use nodeproof_report::CaseReport;

use super::settings::SweepProgress;

/// Told what happens while a run goes on.
pub trait Observer: Send + Sync {
    /// Something is being done that takes its time.
    fn phase(&self, what: &str);
    /// The cases begin; so many will run.
    fn begin(&self, cases: usize);
    /// A case has ended.
    fn done(&self, case: &CaseReport);
    /// A sweep is at it; told again and again.
    fn sweep(&self, _: &SweepProgress) {}
    /// A sweep has found something that it had not found before: by which case, and in which block.
    fn found(&self, _case: &str, _block: u64, _what: &str) {}
    /// All is over.
    fn end(&self);
}
