//! Finds the case that explains the result of another case, so one fault is reported once.

use nodeproof_report::{ExchangeReport, Outcome};

use crate::{
    cases::{Case, CaseResult, Cause, When},
    checks::Finding,
    http::InconclusiveReason,
};

/// A node with occasional server errors. This can explain any case.
const SERVER_ERRORS: Cause = Cause::new(&["http/no-retries"], When::ServerErrors);

/// Returns the case that explains each result, if there is one.
pub(super) fn explain(results: &[CaseResult]) -> Vec<Option<&'static str>> {
    let mut order: Vec<_> = results.iter().filter(|one| one.is_mismatch()).collect();
    order.sort_by_key(|one| rank(one));
    let explained = results.iter();
    explained
        .map(|explained| root(explained, results, &order))
        .collect()
}

/// The rank of a result among the causes, before its place in the list of cases: a graver one first, then by the stage of its
/// check. That a response has changed comes after what is wrong in it.
fn rank(result: &CaseResult) -> (u8, u8) {
    let grave = match result.outcome {
        Outcome::Fail => 0,
        Outcome::Warn => 1,
        _ => 2,
    };
    match result.case.is_of_baseline() {
        true => (grave, u8::MAX),
        false => (grave, result.case.stage()),
    }
}

/// Follows the causes of a result to the last one.
fn root(
    explained: &CaseResult,
    results: &[CaseResult],
    order: &[&CaseResult],
) -> Option<&'static str> {
    let mut cause = cause_of(explained, results, order)?;
    // A chain of causes has at most as many links as there are cases, unless it is a cycle.
    for _ in results {
        match cause_of(cause, results, order) {
            Some(next) if next.case.id != explained.case.id => cause = next,
            _ => break,
        }
    }
    Some(cause.case.id)
}

fn cause_of<'r>(
    explained: &CaseResult,
    results: &'r [CaseResult],
    order: &[&'r CaseResult],
) -> Option<&'r CaseResult> {
    let no_sample = matches!(
        explained.inconclusive,
        Some(InconclusiveReason::NoSample(_))
    );
    if !explained.is_mismatch() && !no_sample {
        return None;
    }
    first_about_the_same(explained, order).or_else(|| named(explained, results, order))
}

/// Returns the cause that the case itself names.
fn named<'r>(
    explained: &CaseResult,
    results: &'r [CaseResult],
    order: &[&'r CaseResult],
) -> Option<&'r CaseResult> {
    // It is not explained by what it explains.
    let follows = |result: &CaseResult| {
        let cause = first_about_the_same(result, order);
        cause.is_some_and(|cause| cause.case.id == explained.case.id)
    };
    causes(&explained.case).find_map(|cause| {
        results.iter().find(|result| {
            result.is_mismatch()
                && result.case.id != explained.case.id
                && cause.includes(result.case.id, result.case.field())
                && holds(cause.when, result, explained, results)
                && !follows(result)
        })
    })
}

/// Returns the first of the earlier cases that are about the same: each finding of this case is at a place of a response
/// where one of them has a finding, too.
fn first_about_the_same<'r>(
    explained: &CaseResult,
    order: &[&'r CaseResult],
) -> Option<&'r CaseResult> {
    // Server errors that stop are about all requests, whichever one shows the first of them.
    if SERVER_ERRORS.includes(explained.case.id, None) {
        return None;
    }
    let is_other = |other: &&&CaseResult| other.case.id != explained.case.id;
    // That a response has changed explains nothing that is wrong in it.
    let may_explain =
        |other: &&&CaseResult| explained.case.is_of_baseline() || !other.case.is_of_baseline();
    let earlier = || order.iter().take_while(is_other).filter(may_explain);
    let reporting = |finding| earlier().find(|other| is_reported(finding, explained, other));
    let mut causes = explained.findings.iter().map(reporting);
    let first = causes.next()??;
    causes.all(|cause| cause.is_some()).then_some(*first)
}

/// Whether another case reports the place that a finding is about, in the same response or, for a GET, in one to the same
/// request.
fn is_reported(finding: &Finding, of: &CaseResult, other: &CaseResult) -> bool {
    let Some(exchange) = finding.exchange.as_deref() else {
        return false;
    };
    // That a response changed is more than what else is wrong in it.
    let alike = of.case.check.repeated_sample().is_none();
    other.findings.iter().any(|known| {
        let known_exchange = known.exchange.as_deref();
        known_exchange.is_some_and(|known| is_same(known, exchange, alike, other.unlisted > 0))
            && overlap(place(known), place(finding))
    })
}

/// Whether two exchanges are the same, or were alike: two reads of one thing or, with `alike`, two responses of an endpoint
/// with the same status other than 200, or two of many.
fn is_same(known: &ExchangeReport, exchange: &ExchangeReport, alike: bool, of_many: bool) -> bool {
    let path = |url: &str| url.split('?').next().unwrap_or_default().to_owned();
    let is_read = known.method == "GET" && exchange.method == "GET";
    let has_same_status = known.status == exchange.status && known.status != 200;
    let has_same_path = || path(&known.url) == path(&exchange.url);
    std::ptr::eq(known, exchange)
        || is_read && known.url == exchange.url
        || alike && (is_read && of_many || has_same_status) && has_same_path()
}

/// Returns the place in the response that a finding is about. A wrong signature is about all that it covers, which is beside
/// it.
fn place(finding: &Finding) -> &str {
    let pointer = finding.pointer.as_deref().unwrap_or_default();
    match (&finding.signed, pointer.rsplit_once('/')) {
        (Some(_), Some((around, _))) => around,
        _ => pointer,
    }
}

/// Whether one of two places in a document contains the other. Places in the elements of a list are alike.
fn overlap(one: &str, other: &str) -> bool {
    let parts = |pointer: &str| -> Vec<String> {
        let parts = pointer.split('/').skip(1);
        let of_any = |part: &str| part.parse::<u64>().is_ok();
        parts
            .map(|part| if of_any(part) { "*" } else { part }.to_owned())
            .collect()
    };
    let (one, other) = (parts(one), parts(other));
    one.iter().zip(&other).all(|(one, other)| one == other)
}

/// Returns what can explain a case, the first one that applies first.
pub(super) fn causes(case: &Case) -> impl Iterator<Item = &'static Cause> {
    std::iter::once(&SERVER_ERRORS)
        .chain(case.needs)
        .chain(case.explained_by)
}

/// Whether the condition of a cause holds.
fn holds(when: When, cause: &CaseResult, explained: &CaseResult, results: &[CaseResult]) -> bool {
    match when {
        When::Always => explained.is_mismatch(),
        When::Inconclusive => !explained.is_mismatch(),
        When::Unusable => !explained.is_mismatch() && is_unusable(cause),
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

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
    fn a_graver_finding_at_the_same_place_explains_another_one() {
        let exchange = |url: &str| {
            Arc::new(ExchangeReport {
                method: "GET".to_owned(),
                url: url.to_owned(),
                status: 200,
                ..ExchangeReport::default()
            })
        };
        let (one, other) = (
            exchange("/get-block?block_index=1"),
            exchange("/get-block?block_index=2"),
        );
        let result = |id: &str, outcome, at: &[(&Arc<ExchangeReport>, &str)]| {
            let mut all = cases::all().into_iter().chain(cases::BASELINE);
            let case = all.find(|case| case.id == id).unwrap();
            let finding = |(exchange, pointer): &(&Arc<ExchangeReport>, &str)| {
                Finding::of_report(Arc::clone(exchange), "wrong", "", "").at(*pointer)
            };
            CaseResult {
                findings: at.iter().map(finding).collect(),
                ..CaseResult::not_run(case, outcome)
            }
        };
        let (value, style, whole, changed) = (
            "get-block/proof",
            "chain/time-goes-on",
            "get-block/snapshot",
            "baseline/block-first",
        );
        let proof = [(&one, "/proof")];
        for (what, results, expected) in [
            (
                "a warning about the same value",
                [
                    (value, Outcome::Fail, &proof[..]),
                    (style, Outcome::Warn, &proof),
                ],
                Some(value),
            ),
            (
                "the warning is not the cause",
                [
                    (value, Outcome::Warn, &proof),
                    (style, Outcome::Fail, &proof),
                ],
                None,
            ),
            (
                "a difference from a baseline is not the cause",
                [
                    (changed, Outcome::Fail, &proof),
                    (style, Outcome::Warn, &proof),
                ],
                None,
            ),
            (
                "a value that is wrong is a difference, too",
                [
                    (value, Outcome::Fail, &proof),
                    (changed, Outcome::Fail, &proof),
                ],
                Some(value),
            ),
            (
                "another value",
                [
                    (value, Outcome::Fail, &proof),
                    (style, Outcome::Warn, &[(&one, "/index")]),
                ],
                None,
            ),
            (
                "another response",
                [
                    (value, Outcome::Fail, &proof),
                    (style, Outcome::Warn, &[(&other, "/proof")]),
                ],
                None,
            ),
            (
                "one of two",
                [
                    (value, Outcome::Fail, &proof),
                    (
                        style,
                        Outcome::Warn,
                        &[(&one, "/proof"), (&other, "/proof")],
                    ),
                ],
                None,
            ),
            (
                "the whole response",
                [
                    (value, Outcome::Fail, &proof),
                    (whole, Outcome::Fail, &[(&one, "")]),
                ],
                Some(value),
            ),
            (
                "in a list",
                [
                    (value, Outcome::Fail, &[(&one, "/a/1/b")]),
                    (style, Outcome::Warn, &[(&one, "/a/2")]),
                ],
                Some(value),
            ),
        ] {
            let results = results.map(|(id, outcome, at)| result(id, outcome, at));
            let expected = match what {
                "the warning is not the cause" => [Some(style), None],
                _ => [None, expected],
            };
            assert_eq!(explain(&results), expected, "{what}");
        }
    }

    #[test]
    fn server_errors_that_stop_explain_the_case_that_meets_two() {
        let exchange = Arc::new(ExchangeReport {
            method: "GET".to_owned(),
            url: "/get-block?block_index=1".to_owned(),
            status: 500,
            ..ExchangeReport::default()
        });
        let results = [
            ("http/equal-requests", Outcome::Fail),
            ("http/no-retries", Outcome::Warn),
        ]
        .map(|(id, outcome)| {
            let case = cases::all().into_iter().find(|case| case.id == id).unwrap();
            CaseResult {
                findings: vec![Finding::of_report(Arc::clone(&exchange), "wrong", "", "")],
                ..CaseResult::not_run(case, outcome)
            }
        });
        assert_eq!(explain(&results), [Some("http/no-retries"), None]);
    }

    #[test]
    fn a_cause_is_not_its_own_explanation() {
        let case = cases::all()[0];
        let result = CaseResult::not_run(case, Outcome::Fail);
        assert_eq!(explain(&[result]), [None]);
    }
}
