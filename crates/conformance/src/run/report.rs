//! The report of a run.

use std::time::Instant;

use nodeproof_report::{CaseReport, NodeReport, Outcome, SamplesReport, TargetReport};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{
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
    cases::{self, Case, CaseResult},
    discovery::samples_of,
    http::{Node, Target},
    sweep::StopReason,
};
use nodeproof_openapi::Spec;

/// Builds the report of a run.
///
/// If the chain ends before the first block of a sweep, also returns what the other cases alone
/// conclude.
pub(crate) fn build(
    target: &Target,
    options: &Options,
    mut results: Vec<CaseResult>,
    stop_reason: Option<&StopReason>,
    known: Option<(&Node, &Spec)>,
    samples: Option<SamplesReport>,
    started: Instant,
) -> (NodeReport, Option<Conclusion>) {
    // Cases end in any order, but the report must not depend on it.
    let order: Vec<_> = cases::all().iter().map(|case| case.id).collect();
    results.sort_by_key(|result| order.iter().position(|id| *id == result.case.id));
    let coverage = known
        .map(|(node, spec)| measure(spec, &node.log(), &results))
        .unwrap_or_default();
    let log = known.map(|(node, _)| node.log()).unwrap_or_default();
    let requested = log
        .requested
        .iter()
        .filter(|line| samples_of(line).is_some());
    let requested: Vec<_> = requested.cloned().collect();
    let mut not_rechecked: Vec<_> = log.pending.iter().cloned().collect();
    // A case that does not run cannot check its earlier findings.
    let selected = options
        .cases()
        .into_iter()
        .filter(|case| options.selects(case.id) && options.permits(case, target.network).is_ok());
    let selected: Vec<_> = selected.map(|case| case.id).collect();
    not_rechecked.retain(|request| {
        let case = options.recheck.case_of(request);
        case.is_some_and(|case| selected.contains(&case))
    });
    let Conclusion {
        verdict,
        status,
        reason,
    } = conclude(&results, stop_reason, options, &coverage, &not_rechecked);
    let without_sweep = matches!(stop_reason, Some(StopReason::ChainTooShort(_)))
        .then(|| conclude(&results, None, options, &coverage, &[]));
    let mut exchanges = Exchanges::of(&target.base_url);
    let causes = explain(&results);
    let cases = options.cases().into_iter();
    let cases = cases.map(|case| {
        let mut results = results.iter().zip(&causes);
        match results.find(|(result, _)| result.case.id == case.id) {
            Some((result, cause)) => CaseReport {
                explained_by: cause.map(ToOwned::to_owned),
                ..exchanges.named_by(result, case_report(result))
            },
            None => not_run(case, target, options),
        }
    });
    let report = NodeReport {
        target: TargetReport {
            base_url: target.base_url.to_string(),
            network: target.network.to_string(),
        },
        verdict,
        exit_code: status.code(),
        reason,
        notes: Vec::new(),
        most_requests: known.map_or(options.limits.max_requests, |(node, _)| {
            node.most_requests()
        }),
        sweep: None,
        requests: known.map_or(0, |(node, _)| node.requests()),
        started_at: utc(OffsetDateTime::now_utc() - started.elapsed()),
        elapsed_ms: millis(started.elapsed()),
        height: None,
        samples,
        requested,
        not_rechecked,
        cost: known.and_then(|(node, _)| cost(node, started.elapsed())),
        strict: options.strict,
        coverage,
        cases: cases.collect(),
        exchanges: exchanges.into_list(),
    };
    let redactor = &options.submitting.redactor;
    let without_sweep = without_sweep.map(|conclusion| Conclusion {
        reason: redactor.redact(conclusion.reason),
        ..conclusion
    });
    (redactor.redact_report(report), without_sweep)
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
