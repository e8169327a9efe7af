//! The verdict of a run, its exit status and the reason for them.

use nodeproof_report::{Coverage, ExitStatus, NodeReport, Outcome, Verdict};

use super::options::Options;
use crate::{api::Tier, cases::CaseResult, http::InconclusiveReason, sweep::StopReason};

/// The conclusion of a run.
#[derive(Clone, Debug)]
pub(crate) struct Conclusion {
    pub(super) verdict: Verdict,
    pub(super) status: ExitStatus,
    pub(super) reason: Option<String>,
}

impl Conclusion {
    fn new(verdict: Verdict, status: ExitStatus, reason: impl Into<Option<String>>) -> Self {
        Self {
            verdict,
            status,
            reason: reason.into(),
        }
    }

    /// Replaces the conclusion of a report. Without a reason of its own, the report's reason stays.
    pub(crate) fn replace_in(self, report: &mut NodeReport) {
        report.verdict = self.verdict;
        report.exit_code = self.status.code();
        report.reason = self.reason.or(report.reason.take());
    }
}

/// Returns the case and the reason if an inconclusive case rules out the verdict `conforms`.
///
/// This is so if the node was busy, if a limit of the run was reached, or if a case that is essential
/// for a verdict has no sample.
fn withheld(result: &CaseResult) -> Option<(&'static str, &str)> {
    let inconclusive = result.inconclusive.as_ref()?;
    if result.outcome == Outcome::Skipped {
        return None;
    }
    let id = result.case.id;
    let kept_back = match inconclusive {
        InconclusiveReason::Busy(_)
        | InconclusiveReason::TooLarge(_)
        | InconclusiveReason::Limit(_) => true,
        InconclusiveReason::NoSample(_) => result.case.is_essential,
        InconclusiveReason::Transport(_) | InconclusiveReason::Harness(_) => false,
    };
    kept_back.then(|| (id, inconclusive.reason()))
}

/// Returns the reason if all cases of an allowed tier were inconclusive.
fn idle_tier(results: &[CaseResult], options: &Options) -> Option<String> {
    let probe = options.selection.probe.then_some(Tier::Probe);
    let mut tiers = probe.into_iter().chain([options.selection.allow]);
    tiers.find_map(|tier| {
        let mut of_tier = results.iter().filter(|result| result.case.tier == tier);
        let first = of_tier.clone().next().filter(|_| tier > Tier::Read)?;
        of_tier
            .all(|result| result.outcome == Outcome::Inconclusive)
            .then(|| {
                let reason = first
                    .inconclusive
                    .as_ref()
                    .map_or("", |inconclusive| inconclusive.reason());
                format!(
                    "no case of the tier {} could be decided: {reason}",
                    tier.name()
                )
            })
    })
}

/// Draws the conclusion of a run from the results of its cases, and from why it stopped early.
pub(super) fn conclude(
    results: &[CaseResult],
    stop_reason: Option<&StopReason>,
    options: &Options,
    coverage: &Coverage,
    not_rechecked: &[String],
) -> Conclusion {
    let no_verdict = |reason| Conclusion::new(Verdict::Unreachable, ExitStatus::NoVerdict, reason);
    let at_fault = |reason| Conclusion::new(Verdict::Error, ExitStatus::HarnessFault, reason);
    match stop_reason {
        Some(StopReason::Harness(reason)) => return at_fault(reason.clone()),
        Some(StopReason::Unreachable(reason)) => {
            return no_verdict(format!("unreachable: {reason}"));
        }
        Some(
            StopReason::NotANode(reason)
            | StopReason::DeadlineExceeded(reason)
            | StopReason::NothingToSweep(reason),
        ) => {
            return no_verdict(reason.clone());
        }
        Some(StopReason::Interrupted) => {
            let reason = "interrupted".to_owned();
            return Conclusion::new(Verdict::Unreachable, ExitStatus::Interrupted, reason);
        }
        None => {}
    }
    for result in results {
        if let Some(InconclusiveReason::Harness(reason)) = &result.inconclusive {
            return at_fault(format!("{}: {reason}", result.case.id));
        }
    }
    let has = |outcome| results.iter().any(|result| result.outcome == outcome);
    let (from_baseline, failed): (Vec<_>, Vec<_>) = results
        .iter()
        .filter(|result| result.outcome == Outcome::Fail)
        .partition(|result| result.case.is_of_baseline());
    if !failed.is_empty() || (options.strict && has(Outcome::Warn)) {
        return Conclusion::new(Verdict::DoesNotConform, ExitStatus::DoesNotConform, None);
    }
    let decided = [
        Outcome::Pass,
        Outcome::Fail,
        Outcome::Warn,
        Outcome::Known,
        Outcome::Stale,
    ];
    if !decided.into_iter().any(has) {
        let why = results
            .iter()
            .find_map(|result| result.inconclusive.as_ref());
        let why = why.map_or("no request was sent", InconclusiveReason::reason);
        return no_verdict(format!("no case could be decided: {why}"));
    }
    // The claim also decides what throw-away wallets can't, so what prevented it comes first.
    let of_last_tier = results.iter().rev().max_by_key(|result| {
        let is_withheld = withheld(result).is_some();
        is_withheld.then_some(result.case.tier)
    });
    if let Some((id, reason)) = of_last_tier.and_then(withheld) {
        return no_verdict(format!("{id} could not be decided: {reason}"));
    }
    if let Some(reason) = idle_tier(results, options) {
        return no_verdict(reason);
    }
    if let Some(first) = not_rechecked.first() {
        return no_verdict(format!(
            "{} of earlier findings could not be repeated, first {first}",
            match not_rechecked.len() {
                1 => "one request".to_owned(),
                count => format!("{count} requests"),
            }
        ));
    }
    if let Some(stale) = results
        .iter()
        .find(|result| result.outcome == Outcome::Stale)
    {
        let reason = format!(
            "{} passes, although --expect lists it as a known failure",
            stale.case.id
        );
        return Conclusion::new(Verdict::Conforms, ExitStatus::StaleExpectation, reason);
    }
    if !from_baseline.is_empty() {
        let reason = match from_baseline.len() {
            1 => "one response differs from the baseline".to_owned(),
            count => format!("{count} responses differ from the baseline"),
        };
        return Conclusion::new(Verdict::Conforms, ExitStatus::DoesNotConform, reason);
    }
    let gaps = coverage.gaps();
    if options.require_coverage && !gaps.is_empty() {
        let reason = format!("the run did not exercise everything: {}", gaps.join("; "));
        return Conclusion::new(Verdict::Conforms, ExitStatus::DoesNotConform, reason);
    }
    Conclusion::new(Verdict::Conforms, ExitStatus::Conforms, None)
}
