//! The result of a run against one node.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    case::CaseReport, cost::CostReport, coverage::Coverage, exchange::ExchangeReport,
    outcome::Outcome, samples::SamplesReport, sweep::SweepReport, verdict::Verdict,
};

/// The result of a run against one node.
///
/// Its fields are the members of the JSON report.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NodeReport {
    /// The node that was checked.
    pub target: TargetReport,
    /// The run's verdict.
    pub verdict: Verdict,
    /// The exit status for this node.
    pub exit_code: u8,
    /// Why the verdict is `unreachable` or `error`, or why the exit status is not 0 although the
    /// node conforms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to know about the run, such as that the node handles one connection at a time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Number of requests sent.
    pub requests: u64,
    /// Maximum number of requests, or 0 if they were recorded.
    #[serde(default)]
    pub most_requests: u64,
    /// When the run began, in UTC, such as `2026-11-20T23:40:00Z`.
    pub started_at: String,
    /// How long the run took, in milliseconds.
    pub elapsed_ms: u64,
    /// The latest block, found at the same time as that of each other node. It is missing if the
    /// nodes were not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u64>,
    /// What the run examined, if it got that far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<SamplesReport>,
    /// The samples that the run requested, up to a limit, in the form of a finding's `sample`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requested: Vec<String>,
    /// The samples of earlier findings to which the run got no response.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_rechecked: Vec<String>,
    /// What the run cost the node, unless no request was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostReport>,
    /// Whether warnings fail the run.
    pub strict: bool,
    /// The blocks of a sweep, and a summary of its findings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<SweepReport>,
    /// Every case, in a fixed order.
    pub cases: Vec<CaseReport>,
    /// What the run exercised, and what it did not.
    pub coverage: Coverage,
    /// The requests and responses that cases and findings refer to, by index in this list.
    #[serde(default)]
    pub exchanges: Vec<ExchangeReport>,
}

/// The node that was checked.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TargetReport {
    /// Its base URL.
    pub base_url: String,
    /// Its network: `devnet`, `testnet` or `mainnet`.
    pub network: String,
}

impl NodeReport {
    /// Returns the number of cases with this outcome.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        let cases = self.cases.iter();
        cases.filter(|case| case.outcome == outcome).count()
    }

    /// Returns the cases with findings that no other case explains, each with the cases that it
    /// explains. Failures come first, and are sorted by aspect.
    #[must_use]
    pub fn causes(&self) -> Vec<(&CaseReport, Vec<&CaseReport>)> {
        let explained = |cause: &CaseReport| {
            let by = Some(cause.id.as_str());
            let cases = self.cases.iter();
            cases
                .filter(|case| case.explained_by.as_deref() == by)
                .collect()
        };
        let causes = self.cases.iter().filter(|case| case.is_cause());
        let mut causes: Vec<_> = causes.map(|case| (case, explained(case))).collect();
        causes.sort_by_key(|(cause, _)| (cause.outcome != Outcome::Fail, cause.aspect));
        causes
    }

    /// Returns how many cases passed, in words, if the user selected only some, or if the exchanges were
    /// recorded. Such a run does not show that the node conforms.
    fn passed_of_selected(&self) -> Option<String> {
        let skipped_as = |reason: &str| {
            let mut cases = self.cases.iter();
            cases.any(|case| case.reason.as_deref() == Some(reason))
        };
        let which = if skipped_as(CaseReport::SENDS) {
            "judged"
        } else {
            skipped_as(CaseReport::NOT_SELECTED).then_some("selected")?
        };
        let passed = self.count(Outcome::Pass);
        let judged = self.cases.len() - self.count(Outcome::Skipped);
        Some(format!("{passed} of {judged} {which} cases passed"))
    }

    /// Returns the node's base URL and network.
    pub(crate) fn name(&self) -> String {
        format!("{} ({})", self.target.base_url, self.target.network)
    }

    /// Returns the verdict in words, such as `conforms`, without the reason.
    pub(crate) fn in_words(&self) -> String {
        let mut words = match self.verdict {
            Verdict::Conforms => self.passed_of_selected().unwrap_or("conforms".to_owned()),
            Verdict::DoesNotConform => return "does not conform".to_owned(),
            Verdict::Unreachable => return "has no verdict".to_owned(),
            Verdict::Error => return "has no verdict: the harness is at fault".to_owned(),
        };
        let unverified = self.cases.iter().filter(|case| case.explained_by.is_none());
        for headline in unverified.filter_map(|case| case.headline.as_ref()) {
            words.push_str("; ");
            words.push_str(headline);
        }
        match self.count(Outcome::Known) {
            0 => {}
            1 => words.push_str(", except for 1 known failure"),
            known => words.push_str(&format!(", except for {known} known failures")),
        }
        if self.count(Outcome::Inconclusive) > 0 {
            words.push_str("; some cases are inconclusive");
        }
        if self.exit_code != 0 {
            words.push_str(", but the run failed");
        }
        words
    }

    /// Returns the reason of the verdict, in the form that follows [`Self::in_words`].
    pub(crate) fn reason_in_words(&self) -> String {
        let Some(reason) = &self.reason else {
            return String::new();
        };
        match (self.verdict, self.exit_code) {
            (Verdict::Conforms, 0) => format!(", but {reason}"),
            _ => format!(": {reason}"),
        }
    }

    /// Returns what the run examined, in words.
    pub(crate) fn examined(&self) -> Option<String> {
        let samples = self.samples.as_ref()?.in_words();
        Some(match self.sweep {
            Some(_) => format!("examined beside the sweep: {samples}"),
            None => format!("examined: {samples}"),
        })
    }

    /// Returns the number of cases with this outcome that no other case explains.
    pub(crate) fn count_own(&self, outcome: Outcome) -> usize {
        let cases = self.cases.iter();
        cases
            .filter(|case| case.outcome == outcome && case.explained_by.is_none())
            .count()
    }

    /// Returns the cases that an expectation names: the known failures, and the stale expectations.
    pub(crate) fn expected(&self) -> impl Iterator<Item = &CaseReport> {
        let with = |outcome| {
            self.cases
                .iter()
                .filter(move |case| case.outcome == outcome)
        };
        with(Outcome::Known).chain(with(Outcome::Stale))
    }

    /// Returns the inconclusive cases that no other case explains, grouped by their reasons.
    pub(crate) fn inconclusive(&self) -> Vec<(&str, Vec<&str>)> {
        let cases = self.cases.iter();
        by_reason(
            cases.filter(|case| {
                case.outcome == Outcome::Inconclusive && case.explained_by.is_none()
            }),
        )
    }
}

/// Groups the IDs of cases by the reasons of the cases.
pub(crate) fn by_reason<'r>(
    cases: impl Iterator<Item = &'r CaseReport>,
) -> Vec<(&'r str, Vec<&'r str>)> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for case in cases {
        let reason = case.reason.as_deref().unwrap_or("no reason is known");
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, ids)) => ids.push(&case.id),
            None => reasons.push((reason, vec![&case.id])),
        }
    }
    reasons
}
