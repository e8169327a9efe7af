//! The result of a check.

use super::finding::Finding;
use crate::http::InconclusiveReason;

/// What a check says of some blocks.
#[derive(Debug, Default)]
pub(crate) struct CheckResult {
    /// Of how many things it could say whether they are right.
    pub(crate) count: u64,
    /// What is wrong.
    pub(crate) findings: Vec<Finding>,
    /// Why it can't say.
    pub(crate) obstacle: Option<InconclusiveReason>,
}

impl CheckResult {
    /// One more thing was looked at, and is right so far.
    pub(crate) fn one(&mut self) {
        self.count += 1;
    }

    /// Something is wrong with what was looked at.
    pub(crate) fn found(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}
