//! Finds the case that explains the result of another case, so one fault is reported once.

use nodeproof_report::ExchangeReport;

use crate::{
    cases::{Case, CaseResult, Cause, When},
    http::InconclusiveReason,
};

/// A node with occasional server errors. This can explain any case.
const SERVER_ERRORS: Cause = Cause::new(&["http/no-retries"], When::ServerErrors);

/// Returns the case that explains each result, if there is one.
pub(super) fn explain(results: &[CaseResult]) -> Vec<Option<&'static str>> {
    results
        .iter()
        .map(|explained| root(explained, results))
        .collect()
}

/// Follows the causes of a result to the last one.
fn root(explained: &CaseResult, results: &[CaseResult]) -> Option<&'static str> {
    let mut cause = cause_of(explained, results)?;
    // A chain of causes has at most as many links as there are cases, unless it is a cycle.
    for _ in results {
        match cause_of(cause, results) {
            Some(next) if next.case.id != explained.case.id => cause = next,
            _ => break,
        }
    }
    Some(cause.case.id)
}

fn cause_of<'r>(explained: &CaseResult, results: &'r [CaseResult]) -> Option<&'r CaseResult> {
    let no_sample = matches!(
        explained.inconclusive,
        Some(InconclusiveReason::NoSample(_))
    );
    if !explained.is_mismatch() && !no_sample {
        return None;
    }
    let named = causes(&explained.case).find_map(|cause| {
        results.iter().find(|result| {
            result.is_mismatch()
                && result.case.id != explained.case.id
                && more_exact(result, results).is_none()
                && cause.includes(result.case.id, result.case.field())
                && holds(cause.when, result, explained, results)
        })
    });
    named.or_else(|| more_exact(explained, results))
}

/// Returns the case that explains one about the whole run: cases that are as severe report each of its
/// responses, too. The first of them explains it.
fn more_exact<'r>(explained: &CaseResult, results: &'r [CaseResult]) -> Option<&'r CaseResult> {
    if !explained.case.is_about_whole_run() || !explained.is_mismatch() {
        return None;
    }
    let others = || {
        results.iter().filter(|result| {
            !result.case.is_about_whole_run() && result.outcome == explained.outcome
        })
    };
    let reported = responses(explained);
    let first = reported.first()?;
    // That a response changed is more than what else is wrong in it.
    let alike = explained.case.repeated_sample().is_none();
    let cause = others().find(|other| reports(other, first, alike))?;
    let is_known =
        |response: &&ExchangeReport| others().any(|other| reports(other, response, alike));
    reported.iter().all(is_known).then_some(cause)
}

/// Returns what can explain a case, the first one that applies first.
pub(super) fn causes(case: &Case) -> impl Iterator<Item = &'static Cause> {
    std::iter::once(&SERVER_ERRORS).chain(case.explained_by)
}

/// Whether the condition of a cause holds.
fn holds(when: When, cause: &CaseResult, explained: &CaseResult, results: &[CaseResult]) -> bool {
    match when {
        When::Always => explained.is_mismatch(),
        When::Inconclusive => !explained.is_mismatch(),
        When::Unusable => {
            is_unusable(cause) && (!explained.is_mismatch() || same_failure(cause, explained))
        }
        When::SameResponses => explained.is_mismatch() && same_responses(cause, explained),
        When::Mentions(word) => {
            let mentions = |text: &str| text.contains(word);
            explained.is_mismatch()
                && explained.findings.iter().all(|finding| {
                    mentions(&finding.what) || finding.pointer.as_deref().is_some_and(mentions)
                })
        }
        When::BothMention(word) => {
            explained.is_mismatch()
                && [cause, explained]
                    .iter()
                    .all(|case| case.findings.iter().any(|one| one.what.contains(word)))
        }
        When::ServerErrors => {
            explained.is_mismatch()
                && explained.findings.iter().all(|finding| {
                    let exchange = finding.exchange.as_ref();
                    exchange.is_some_and(|exchange| exchange.status >= 500)
                })
        }
        When::AllFail(ids) => ids.iter().all(|id| {
            results
                .iter()
                .any(|one| one.case.id == *id && one.is_mismatch())
        }),
    }
}

/// Whether a case found a response that is not a 200 with a JSON object. A wrong header does not count.
fn is_unusable(cause: &CaseResult) -> bool {
    let exchanges = cause
        .findings
        .iter()
        .filter_map(|finding| finding.exchange.as_ref());
    exchanges
        .into_iter()
        .any(|exchange| exchange.status != 200 || !exchange.body.trim_start().starts_with('{'))
}

/// Whether an endpoint fails in the same way in both cases, regardless of the parameters.
fn same_failure(cause: &CaseResult, explained: &CaseResult) -> bool {
    let failures = |result: &CaseResult| -> Vec<_> {
        let exchanges = result
            .findings
            .iter()
            .filter_map(|finding| finding.exchange.as_ref());
        let path = |url: &str| url.split('?').next().unwrap_or_default().to_owned();
        exchanges
            .map(|exchange| (path(&exchange.url), exchange.status))
            .collect()
    };
    let of_cause = failures(cause);
    let has = |failure: &(String, u16)| of_cause.contains(failure);
    (cause
        .findings
        .iter()
        .all(|one| one.exchange.as_ref().is_some_and(|e| e.status != 200))
        && failures(explained).iter().all(has))
        || same_responses(cause, explained)
}

/// Whether a case reports a response: this one or, for a GET, one to the same request. With `alike`, also one
/// of the same endpoint with the same status other than 200, or that may be among the unlisted findings.
fn reports(result: &CaseResult, response: &ExchangeReport, alike: bool) -> bool {
    let path = |url: &str| url.split('?').next().unwrap_or_default().to_owned();
    let is_same = |known: &&ExchangeReport| {
        let is_read = known.method == "GET" && response.method == "GET";
        let has_same_status = known.status == response.status && known.status != 200;
        let is_alike = alike
            && (result.unlisted > 0 || has_same_status)
            && path(&known.url) == path(&response.url);
        std::ptr::eq(*known, response) || is_read && (known.url == response.url || is_alike)
    };
    responses(result).iter().any(is_same)
}

/// Returns the responses that a case reports.
fn responses(result: &CaseResult) -> Vec<&ExchangeReport> {
    let findings = result.findings.iter();
    findings
        .filter_map(|finding| finding.exchange.as_deref())
        .collect()
}

/// Returns the URLs of the responses that a case reports.
fn urls(result: &CaseResult) -> Vec<String> {
    let responses = responses(result).into_iter();
    responses.map(|response| response.url.clone()).collect()
}

fn same_responses(cause: &CaseResult, explained: &CaseResult) -> bool {
    let of_cause = urls(cause);
    // A case lists only its first findings. The others may be about any response.
    cause.unlisted > 0 || urls(explained).iter().all(|url| of_cause.contains(url))
}

#[cfg(test)]
mod tests {
    use nodeproof_report::Outcome;

    use super::*;
    use crate::cases;

    #[test]
    fn every_cause_is_a_case() {
        let cases = cases::all();
        for case in &cases {
            for id in causes(case).flat_map(Cause::ids) {
                assert!(
                    cases.iter().any(|known| known.id == id),
                    "{}: {id}",
                    case.id
                );
            }
        }
    }

    #[test]
    fn no_two_cases_explain_each_other() {
        let cases = cases::all();
        let explains = |cause: &Case, other: &Case| {
            let includes = |own: &Cause| own.includes(cause.id, cause.field());
            let fails = |own: &&Cause| !matches!(own.when, When::Inconclusive);
            cause.id != other.id && causes(other).filter(fails).any(includes)
        };
        for one in &cases {
            for other in &cases {
                let both = explains(one, other) && explains(other, one);
                assert!(!both, "{} and {}", one.id, other.id);
            }
        }
    }

    #[test]
    fn a_cause_is_not_its_own_explanation() {
        let case = cases::all()[0];
        let result = CaseResult::not_run(case, Outcome::Fail);
        assert_eq!(explain(&[result]), [None]);
    }
}
