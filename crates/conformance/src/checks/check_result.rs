//! The result of a check.

use super::finding::Finding;
use crate::http::InconclusiveReason;

/// The result of a check of some blocks.
#[derive(Debug, Default)]
pub(crate) struct CheckResult {
    /// Number of examined items, right or wrong.
    pub(crate) count: u64,
    /// The mismatches.
    pub(crate) findings: Vec<Finding>,
    /// The reason why there is no verdict.
    pub(crate) inconclusive: Option<InconclusiveReason>,
}

impl CheckResult {
    /// Counts one more examined item. It is right unless a finding follows.
    pub(crate) fn count_item(&mut self) {
        self.count += 1;
    }

    /// Adds a finding about an examined item.
    pub(crate) fn found(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}
