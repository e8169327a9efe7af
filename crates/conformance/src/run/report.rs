//! The report of a run.

use std::time::Instant;

use nodeproof_report::{CaseReport, NodeReport, Outcome, SamplesReport, TargetReport, Verdict};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{
    accepted::{note_of_accepted, note_of_transfers},
    case_report::case_report,
    causes::explain,
    cost::cost,
    coverage::measure,
    exchanges::Exchanges,
    millis::millis,
    options::Options,
    verdict::{Conclusion, conclude},
};
use crate::{
    api::Tier,
    cases::{self, Case, CaseResult},
    discovery::samples_of,
    history::History,
    http::{Node, RequestLog, Target},
    sweep::StopReason,
};
use nodeproof_openapi::Spec;

/// The note of a node that conforms in a run with one claim.
const ONE_CLAIM: &str =
    "the run made one claim; --claims 8 makes seven more, whose values and fees show other faults";

/// A run at its end.
pub(crate) struct EndedRun<'r> {
    pub(crate) target: &'r Target,
    pub(crate) options: &'r Options,
    pub(crate) started: Instant,
    pub(crate) results: Vec<CaseResult>,
    pub(crate) stop_reason: Option<&'r StopReason>,
    /// The node, and the description that it was checked against, if the run began.
    pub(crate) checked: Option<(&'r Node, &'r Spec)>,
    pub(crate) samples: Option<SamplesReport>,
}

impl<'r> EndedRun<'r> {
    /// Returns a run that could not begin.
    pub(crate) const fn not_begun(
        target: &'r Target,
        options: &'r Options,
        started: Instant,
        stop_reason: &'r StopReason,
    ) -> Self {
        Self {
            target,
            options,
            started,
            results: Vec::new(),
            stop_reason: Some(stop_reason),
            checked: None,
            samples: None,
        }
    }

    /// Builds the report.
    ///
    /// If a sweep has no block to check, also returns what the other cases alone
    /// conclude.
    pub(crate) fn report(mut self) -> (NodeReport, Option<Conclusion>) {
        self.sort_results();
        let Self {
            target,
            options,
            started,
            stop_reason,
            checked,
            ..
        } = self;
        let results = &self.results;
        let log = checked.map(|(node, _)| node.log()).unwrap_or_default();
        let was_stopped =
            stop_reason.is_some_and(|reason| !matches!(reason, StopReason::NothingToSweep(_)));
        let coverage = checked
            .map(|(_, spec)| measure(spec, &log, results, was_stopped))
            .unwrap_or_default();
        let accepted = checked.filter(|_| was_stopped).and_then(|(node, _)| {
            let without_response = log.of("submit-transaction").without_response();
            let history = History::of(node.exchanges());
            note_of_accepted(&history, &options.submitting, without_response)
        });
        let not_rechecked = self.not_rechecked(&log);
        let Conclusion {
            verdict,
            status,
            reason,
        } = conclude(results, stop_reason, options, &coverage, &not_rechecked);
        let has_submitted =
            verdict == Verdict::Conforms && log.of("submit-transaction").requests > 0;
        let is_one_claim = has_submitted
            && options.selection.allow == Tier::Write
            && options.submitting.claims.get() == 1;
        let one_claim = is_one_claim.then(|| ONE_CLAIM.to_owned());
        let no_transfer = checked
            .filter(|_| has_submitted)
            .and_then(|(node, _)| note_of_transfers(&History::of(node.exchanges())));
        let without_sweep = matches!(stop_reason, Some(StopReason::NothingToSweep(_)))
            .then(|| conclude(results, None, options, &coverage, &[]));
        let mut exchanges = Exchanges::of(&target.base_url);
        let report = NodeReport {
            target: TargetReport {
                base_url: target.base_url.to_string(),
                network: target.network.to_string(),
            },
            verdict,
            exit_code: status.code(),
            reason,
            notes: [accepted, one_claim, no_transfer]
                .into_iter()
                .flatten()
                .collect(),
            most_requests: checked.map_or(options.limits.max_requests, |(node, _)| {
                node.most_requests()
            }),
            sweep: None,
            requests: checked.map_or(0, |(node, _)| node.requests()),
            started_at: utc(OffsetDateTime::now_utc() - started.elapsed()),
            elapsed_ms: millis(started.elapsed()),
            height: None,
            requested: (log.requested.into_iter())
                .filter(|line| samples_of(line).is_some())
                .collect(),
            not_rechecked,
            cost: checked.and_then(|(node, _)| cost(node, started.elapsed())),
            strict: options.strict,
            coverage,
            cases: self.cases(&mut exchanges),
            exchanges: exchanges.into_list(),
            samples: self.samples,
        };
        let redactor = &options.submitting.redactor;
        let without_sweep = without_sweep.map(|conclusion| Conclusion {
            reason: redactor.redact(conclusion.reason),
            ..conclusion
        });
        (redactor.redact_report(report), without_sweep)
    }

    /// Cases end in any order, but the report must not depend on it.
    fn sort_results(&mut self) {
        let order: Vec<_> = cases::all().iter().map(|case| case.id).collect();
        self.results
            .sort_by_key(|result| order.iter().position(|id| *id == result.case.id));
    }

    /// Returns the requests of earlier findings that were not sent again although their case was to run.
    fn not_rechecked(&self, log: &RequestLog) -> Vec<String> {
        let selected = self.options.selected(self.target.network);
        let selected: Vec<_> = selected.map(|case| case.id).collect();
        let was_to_run = |request: &&String| {
            let case = self.options.recheck.case_of(request);
            case.is_some_and(|case| selected.contains(&case))
        };
        log.pending.iter().filter(was_to_run).cloned().collect()
    }

    /// Returns the reports of all cases, each with the exchanges that it names.
    fn cases(&self, exchanges: &mut Exchanges) -> Vec<CaseReport> {
        let causes = explain(&self.results);
        let report = |case: Case| {
            let mut results = self.results.iter().zip(&causes);
            match results.find(|(result, _)| result.case.id == case.id) {
                Some((result, cause)) => CaseReport {
                    explained_by: cause.map(ToOwned::to_owned),
                    ..exchanges.named_by(result, case_report(result))
                },
                None => not_run(case, self.target, self.options),
            }
        };
        self.options.cases().into_iter().map(report).collect()
    }
}

/// Returns the report of a case that did not run.
fn not_run(case: Case, target: &Target, options: &Options) -> CaseReport {
    let (outcome, reason) = match options.permits(&case, target.network) {
        _ if !options.selects(case.id) => (Outcome::Skipped, CaseReport::NOT_SELECTED),
        Err(needed) => (Outcome::Skipped, needed),
        Ok(()) => (Outcome::Inconclusive, CaseReport::NOT_RUN),
    };
    CaseReport {
        reason: Some(reason.to_owned()),
        ..case_report(&CaseResult::not_run(case, outcome))
    }
}

/// Formats a time as RFC 3339, in whole seconds.
pub(crate) fn utc(at: OffsetDateTime) -> String {
    at.truncate_to_second().format(&Rfc3339).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_time_is_written_in_whole_seconds() {
        let at = OffsetDateTime::UNIX_EPOCH + Duration::from_millis(1_795_304_400_999);
        assert_eq!(utc(at), "2026-11-21T23:40:00Z");
    }
}
