//! The result of one node.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    case::CaseReport, cost::CostReport, coverage::Coverage, exchange::ExchangeReport,
    outcome::Outcome, samples::SamplesReport, sweep::SweepReport, verdict::Verdict,
};

/// The version of `report.json`. It changes when readers have to change.
pub const VERSION: u32 = 1;

/// `report.json`: the result of a run against one node.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// The version of this format.
    pub version: u32,
    /// The node that was checked.
    pub target: TargetReport,
    /// The run's verdict.
    pub verdict: Verdict,
    /// The exit status of the process.
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
    /// Maximum number of requests.
    #[serde(default)]
    pub most_requests: u64,
    /// When the run began, in UTC, such as `2026-11-20T23:40:00Z`.
    pub started_at: String,
    /// How long the run took, in milliseconds.
    pub elapsed_ms: u64,
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

impl Report {
    /// Returns the number of cases with this outcome.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        let cases = self.cases.iter();
        cases.filter(|case| case.outcome == outcome).count()
    }

    /// Returns the cases with findings that no other case explains, each with the cases that it
    /// explains. They are sorted by aspect.
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
        causes.sort_by_key(|(cause, _)| cause.aspect);
        causes
    }

    /// Returns how many of the selected cases passed, in words, if the user selected only some. Such a
    /// run does not show that the node conforms.
    pub(crate) fn passed_of_selected(&self) -> Option<String> {
        let not_selected =
            |case: &CaseReport| case.reason.as_deref() == Some(CaseReport::NOT_SELECTED);
        self.cases.iter().any(not_selected).then(|| {
            let passed = self.count(Outcome::Pass);
            let selected = self.cases.len() - self.count(Outcome::Skipped);
            format!("{passed} of {selected} selected cases passed")
        })
    }

    /// Returns the verdict as a sentence about the node.
    pub(crate) fn in_words(&self) -> String {
        match (self.verdict, self.passed_of_selected()) {
            (Verdict::Conforms, _) if self.exit_code != 0 => {
                "conforms, but the run failed".to_owned()
            }
            (Verdict::Conforms, Some(selected)) => selected,
            (Verdict::Conforms, None) => self.conforms_except(),
            (Verdict::DoesNotConform, _) => "does not conform".to_owned(),
            (Verdict::Unreachable, _) => "has no verdict: unreachable".to_owned(),
            (Verdict::Error, _) => "has no verdict: the harness is at fault".to_owned(),
        }
    }

    /// Returns `conforms`, with the number of known failures.
    pub(crate) fn conforms_except(&self) -> String {
        match self.count(Outcome::Known) {
            0 => "conforms".to_owned(),
            1 => "conforms, except for 1 known failure".to_owned(),
            known => format!("conforms, except for {known} known failures"),
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

    /// Returns the IDs of the inconclusive cases, grouped by their reasons.
    pub(crate) fn inconclusive_by_reason(&self) -> Vec<(&str, Vec<&str>)> {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        let cases = self.cases.iter();
        for case in cases
            .filter(|case| case.outcome == Outcome::Inconclusive && case.explained_by.is_none())
        {
            let reason = case.reason.as_deref().unwrap_or_default();
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, ids)) => ids.push(&case.id),
                None => reasons.push((reason, vec![&case.id])),
            }
        }
        reasons
    }

    /// Returns the JSON Schema of this format.
    #[must_use]
    pub fn json_schema() -> schemars::Schema {
        schemars::schema_for!(Report)
    }
}
