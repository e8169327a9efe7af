//! The differences between two runs.

use crate::model::{Outcome, Verdict, severity};

/// The differences between two runs against one node.
///
/// For two reports of several nodes, there is one comparison for each node, and one for the
/// comparison between the nodes.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The earlier run. It is missing if only the later report has this node.
    pub before: Option<RunSummary>,
    /// The later run. It is missing if only the earlier report has this node.
    pub after: Option<RunSummary>,
    /// Cases that have findings now and had none before, or whose findings are now about a more binding
    /// requirement.
    pub new: Vec<CaseChange>,
    /// Cases that had findings before and pass now. The later run requested the samples of
    /// the earlier findings again.
    pub fixed: Vec<CaseChange>,
    /// Cases that had findings before and pass now, although the later run did not request
    /// all samples of the earlier findings. The fault may still be there.
    pub not_seen_again: Vec<CaseChange>,
    /// Cases that have findings in both runs, but other ones.
    pub changed: Vec<CaseChange>,
    /// The IDs of cases that have the same findings in both runs, except those that another case
    /// explains.
    pub remaining: Vec<String>,
    /// Cases that had no result before (inconclusive or skipped) and have one without findings now.
    pub judged: Vec<CaseChange>,
    /// Cases that had a result before and have none now (inconclusive or skipped).
    pub not_judged: Vec<CaseChange>,
    /// Endpoints that have become slower.
    pub slower: Vec<Slowdown>,
    /// The IDs of cases that only the later report has, if both have this node.
    pub appeared: Vec<String>,
    /// The IDs of cases that only the earlier report has, if both have this node.
    pub vanished: Vec<String>,
}

/// One of two runs.
#[derive(Clone, Debug)]
pub struct RunSummary {
    /// The base URL of the node, or a name for the comparison between nodes.
    pub node: String,
    /// When the run began. It is missing for the comparison between nodes.
    pub started_at: Option<String>,
    /// The run's verdict.
    pub verdict: Verdict,
    /// The exit status.
    pub exit_code: u8,
    /// Why there is no verdict, or why the exit status is not 0.
    pub reason: Option<String>,
    /// Whether warnings fail the run.
    pub strict: bool,
    /// Number of cases that passed.
    pub passed: usize,
    /// Number of cases that failed and that no other case explains.
    pub failed: usize,
}

/// A case whose result changed.
#[derive(Clone, Debug)]
pub struct CaseChange {
    /// The case's ID.
    pub id: String,
    /// The outcome before, if the earlier report has the case.
    pub before: Option<Outcome>,
    /// The outcome now.
    pub after: Outcome,
    /// The reason before: the first finding, or why the case was inconclusive.
    pub reason_before: Option<String>,
    /// The reason now.
    pub reason: Option<String>,
    /// The case whose findings were the reason for the result before.
    pub explained_before: Option<String>,
    /// The case whose findings are the reason for the result now.
    pub explained_by: Option<String>,
}

/// An endpoint that has become slower.
#[derive(Clone, Debug)]
pub struct Slowdown {
    /// The operation's name in case IDs, such as `get-block`.
    pub operation: String,
    /// What was measured: `median` or `95th percentile`.
    pub measure: &'static str,
    /// The latency before, in milliseconds.
    pub before_ms: f64,
    /// The latency now, in milliseconds.
    pub after_ms: f64,
}

impl Comparison {
    /// Returns whether the later run is worse: a case newly fails, or the exit status is worse.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        let strict = self.after.as_ref().is_some_and(|after| after.strict);
        let fails = |change: &CaseChange| match change.after {
            Outcome::Fail | Outcome::Stale => true,
            Outcome::Warn => strict,
            _ => false,
        };
        let worse_status = match (&self.before, &self.after) {
            (Some(before), Some(after)) => severity(after.exit_code) > severity(before.exit_code),
            (None, Some(after)) => after.exit_code != 0,
            (_, None) => false,
        };
        worse_status || self.new.iter().any(fails)
    }

    /// Returns whether both runs have the same results. Latencies are ignored.
    #[must_use]
    pub fn is_same(&self) -> bool {
        let lists = [
            &self.new,
            &self.fixed,
            &self.not_seen_again,
            &self.changed,
            &self.judged,
            &self.not_judged,
        ];
        let (before, after) = (self.before.as_ref(), self.after.as_ref());
        lists.iter().all(|list| list.is_empty())
            && self.appeared.is_empty()
            && self.vanished.is_empty()
            && before.map(|run| run.exit_code) == after.map(|run| run.exit_code)
    }

    /// Returns the conclusion in words.
    pub(crate) fn conclusion(&self) -> &'static str {
        match (self.is_worse(), self.is_same()) {
            (true, _) => "worse than before",
            (false, _) if !self.not_seen_again.is_empty() => {
                "nothing is worse than before, but earlier findings were not checked again"
            }
            (false, true) => "the same as before",
            (false, false) => "nothing is worse than before",
        }
    }
}

impl RunSummary {
    /// Returns the result in words.
    pub(crate) fn result(&self) -> String {
        let counts = format!("{} passed, {} failed", self.passed, self.failed);
        match (self.verdict, self.exit_code) {
            (Verdict::Unreachable | Verdict::Error, _) => format!("no verdict; {counts}"),
            (_, 0 | 1) => counts,
            (_, status) => format!("{counts}; exit status {status}"),
        }
    }
}

impl CaseChange {
    /// Returns the reason before, if it differs from the reason now.
    pub(crate) fn other_reason_before(&self) -> Option<&str> {
        let before = self.reason_before.as_deref();
        before.filter(|before| Some(*before) != self.reason.as_deref())
    }
}
