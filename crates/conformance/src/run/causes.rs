//! Finds the case that explains the result of another case, so one fault is reported once.
//!
//! All dependencies are in [`RULES`].

use nodeproof_report::{Aspect, Level};

use super::cause_rules::{RULES, When};
use crate::{
    api::Tier,
    cases::{Case, CaseResult},
    checks::FIELDS,
    http::InconclusiveReason,
};

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
    // A chain of causes has at most as many links as there are rules, unless it is a cycle.
    for _ in 0..RULES.len() {
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
    if !explained.departs() && !no_sample {
        return None;
    }
    RULES.iter().find_map(|rule| {
        let is_explained = rule
            .explains
            .iter()
            .any(|id| matches(id, explained.case.id));
        if !is_explained {
            return None;
        }
        results.iter().find(|cause| {
            cause.departs()
                && cause.case.id != explained.case.id
                && rule.cause.iter().any(|id| matches(id, cause.case.id))
                && rule.when.holds(cause, explained, results)
        })
    })
}

/// Whether an ID matches a pattern with at most one star.
fn matches(pattern: &str, id: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => {
            id.len() >= start.len() + end.len() && id.starts_with(start) && id.ends_with(end)
        }
        None => pattern == id,
    }
}

impl When {
    fn holds(self, cause: &CaseResult, explained: &CaseResult, results: &[CaseResult]) -> bool {
        match self {
            Self::Always => explained.departs(),
            Self::Inconclusive => !explained.departs(),
            Self::Unusable => {
                is_unusable(cause) && (!explained.departs() || same_failure(cause, explained))
            }
            Self::SameResponses => explained.departs() && same_responses(cause, explained),
            Self::Mentions(word) => {
                let mentions = |text: &str| text.contains(word);
                explained.departs()
                    && explained.findings.iter().all(|finding| {
                        mentions(&finding.what) || finding.pointer.as_deref().is_some_and(mentions)
                    })
            }
            Self::BothMention(word) => {
                explained.departs()
                    && [cause, explained]
                        .iter()
                        .all(|case| case.findings.iter().any(|one| one.what.contains(word)))
            }
            Self::ServerErrors => {
                explained.departs()
                    && explained.findings.iter().all(|finding| {
                        let exchange = finding.exchange.as_ref();
                        exchange.is_some_and(|exchange| exchange.status >= 500)
                    })
            }
            Self::AllDepart(ids) => ids.iter().all(|id| {
                results
                    .iter()
                    .any(|one| one.case.id == *id && one.departs())
            }),
        }
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

fn same_responses(cause: &CaseResult, explained: &CaseResult) -> bool {
    let urls = |result: &CaseResult| -> Vec<String> {
        let exchanges = result
            .findings
            .iter()
            .filter_map(|finding| finding.exchange.as_ref());
        exchanges.map(|exchange| exchange.url.clone()).collect()
    };
    let of_cause = urls(cause);
    // A case lists only its first findings. The others may be about any response.
    cause.unlisted > 0 || urls(explained).iter().all(|url| of_cause.contains(url))
}

/// Returns the subject of a case.
pub(super) fn aspect_of(case: &Case) -> Aspect {
    const STYLE: &[&str] = &[
        "submit-transaction/refusal-is-no-crash",
        "submit-transaction/claim-http-status",
        "submit-transaction/claim-content-type",
        "submit-transaction/claim-lists",
        "docs/lists-calls",
    ];
    const ENDPOINT: &[&str] = &[
        "*/responds",
        "get-balances/token-in-wallet",
        "get-balances/all-*",
        "docs/page",
    ];
    const SHAPE: &[&str] = &[
        "*/shape",
        "*/snapshot",
        "*/decodes",
        "get-balances/balance",
        "get-balances/lists-carry-balances",
        "sc-state/value",
        "call-sc/submittable",
    ];
    const REFUSALS: &[&str] = &[
        "*-required",
        "*-malformed",
        "*-mistyped",
        "*/unknown-*",
        "*/index-zero",
        "get-balances/nothing-held",
        "get-balances/balance-type-unknown",
        "call-sc/body-*",
        "call-sc/get-refused",
        "submit-transaction/known-code-altered",
        "submit-transaction/claim-refused-*",
    ];
    const CONSISTENCY: &[&str] = &[
        "chain/*",
        "*/repeat-read",
        "*-echo",
        "get-balances/lists-agree",
        "get-balances/wallet-address",
        "get-balances/token-code",
        "get-block/receipts-of-preceding-block",
        "sc-state/record-matches-claim",
        "sc-state/claim-readable",
        "call-sc/changes-nothing",
        "baseline/*",
    ];
    let is = |patterns: &[&str]| patterns.iter().any(|pattern| matches(pattern, case.id));
    if is(STYLE) || case.level == Level::Observed {
        Aspect::Style
    } else if is(ENDPOINT) {
        Aspect::Endpoint
    } else if is(SHAPE) || FIELDS.iter().any(|field| field.id == case.id) {
        Aspect::Shape
    } else if is(REFUSALS) || case.tier == Tier::Reject {
        Aspect::Refusals
    } else if is(CONSISTENCY) {
        Aspect::Consistency
    } else {
        Aspect::Content
    }
}

#[cfg(test)]
mod tests {
    use nodeproof_report::Outcome;

    use super::*;
    use crate::cases;

    #[test]
    fn every_pattern_of_a_rule_is_a_case() {
        let cases = cases::all();
        for rule in RULES {
            let all_depart = match rule.when {
                When::AllDepart(ids) => ids,
                _ => &[],
            };
            for pattern in rule.cause.iter().chain(rule.explains).chain(all_depart) {
                let found = cases.iter().any(|case| matches(pattern, case.id));
                assert!(found, "{pattern}");
            }
        }
    }

    #[test]
    fn no_two_cases_explain_each_other() {
        let cases = cases::all();
        let explains = |cause: &str, other: &str| {
            cause != other
                && RULES.iter().any(|rule| {
                    !matches!(rule.when, When::Inconclusive)
                        && rule.cause.iter().any(|id| super::matches(id, cause))
                        && rule.explains.iter().any(|id| super::matches(id, other))
                })
        };
        for one in &cases {
            for other in &cases {
                let both = explains(one.id, other.id) && explains(other.id, one.id);
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
