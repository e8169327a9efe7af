//! Finds the case that explains the result of another case, so one fault is reported once.
//!
//! All dependencies are in [`RULES`]. The first rule that matches applies.

use nodeproof_report::{Aspect, Level};

use crate::{
    api::Tier,
    cases::{Case, CaseResult},
    checks::FIELDS,
    http::InconclusiveReason,
};

/// A failed case that explains the results of other cases.
struct Rule {
    /// Patterns of the cases that may be the cause. A star matches any text.
    cause: &'static [&'static str],
    /// Patterns of the cases that it explains.
    explains: &'static [&'static str],
    when: When,
}

/// The condition of a rule, in addition to the failure of the cause.
#[derive(Clone, Copy)]
enum When {
    /// The explained case fails.
    Always,
    /// The explained case is inconclusive.
    Inconclusive,
    /// The cause found unusable responses, and the explained case used such responses, or none at all.
    Unusable,
    /// Every finding of the explained case is about a response that the cause also reports.
    SameResponses,
    /// Every finding of the explained case mentions this text.
    Mentions(&'static str),
    /// Findings of both cases mention this text.
    BothMention(&'static str),
    /// Every finding of the explained case is about a server error.
    ServerErrors,
    /// All of these cases fail.
    AllDepart(&'static [&'static str]),
}

/// Cases that all fail on a node that does not verify signatures.
const UNVERIFIED: &[&str] = &[
    "submit-transaction/signature-altered",
    "submit-transaction/another-wallets-key",
    "submit-transaction/params-altered",
    "submit-transaction/fee-altered",
    "submit-transaction/transaction-altered",
];

/// The same, for a run that may not send a signature of the paying wallet.
const WITHOUT_PAYER_SIGNATURE: &[&str] = &[
    "submit-transaction/unsigned",
    "submit-transaction/half-signed",
    "submit-transaction/unlisted-signer",
    "submit-transaction/another-wallets-key",
];

const fn rule(
    cause: &'static [&'static str],
    explains: &'static [&'static str],
    when: When,
) -> Rule {
    Rule {
        cause,
        explains,
        when,
    }
}

/// The same member is wrong in a record of the chain and in the record of the claim.
macro_rules! record_rule {
    ($id:literal, $member:literal) => {
        rule(
            &["sc-state/record-matches-claim"],
            &[$id],
            When::BothMention($member),
        )
    };
}

const RULES: &[Rule] = &[
    // A node with occasional server errors.
    rule(&["http/no-retries"], &["*"], When::ServerErrors),
    // JSON responses without the content type of JSON.
    rule(
        &["http/content-type"],
        &[
            "submit-transaction/content-type",
            "submit-transaction/claim-content-type",
        ],
        When::Always,
    ),
    // A block is returned for an index that does not exist.
    rule(
        &["get-block/unknown-index"],
        &[
            "get-block/index-zero",
            "get-block/block-index-malformed",
            "get-block/probes-only-requested",
        ],
        When::Always,
    ),
    rule(
        &["chain/repeat-read"],
        &["chain/unchanged-by-probes"],
        When::Always,
    ),
    // A node that already knows the transaction's code, because it gave that code to another transaction.
    rule(
        &["call-sc/trans-code-distinct"],
        &[
            "submit-transaction/claim-accepted",
            "submit-transaction/claim-new",
        ],
        When::Always,
    ),
    // A contract call that differs from the requested one.
    rule(
        &[
            "call-sc/sc-address",
            "call-sc/function-called",
            "call-sc/signers",
            "call-sc/params",
            "call-sc/type",
        ],
        &["submit-transaction/claim-built"],
        When::Always,
    ),
    // An endpoint that does not exist, or whose responses are not JSON objects.
    rule(
        &["get-block/responds"],
        &["get-block/*", "chain/*"],
        When::Unusable,
    ),
    rule(
        &["get-balances/token-in-wallet"],
        &["get-balances/*"],
        When::Unusable,
    ),
    rule(
        &[
            "get-balances/all-tokens-in-wallet",
            "get-balances/all-wallets-for-token",
        ],
        &[
            "get-balances/lists-*",
            "get-balances/wallet-address",
            "get-balances/token-code",
            "get-balances/nothing-held",
        ],
        When::Unusable,
    ),
    rule(
        &["submit-transaction/responds"],
        &["submit-transaction/*"],
        When::Unusable,
    ),
    rule(
        &["sc-state/responds"],
        &["sc-state/*", "submit-transaction/*"],
        When::Unusable,
    ),
    rule(
        &["get-trustscore-wallets/responds"],
        &["get-trustscore-wallets/*"],
        When::Unusable,
    ),
    rule(&["docs/responds"], &["docs/*"], When::Unusable),
    rule(
        &["docs/page"],
        &["docs/lists-calls", "docs/openapi-document"],
        When::Always,
    ),
    rule(
        &["docs/lists-calls"],
        &["docs/openapi-document"],
        When::Always,
    ),
    rule(
        &["call-sc/responds"],
        &["call-sc/*", "submit-transaction/*"],
        When::Unusable,
    ),
    // A block in the form of a database row.
    rule(
        &["get-block/shape"],
        &[
            "get-block/index",
            "get-block/status",
            "get-block/text",
            "get-block/creator-wallet",
            "get-block/committee",
            "get-block/decodes",
            "get-block/snapshot",
        ],
        When::Always,
    ),
    rule(
        &[
            "get-block/shape",
            "get-block/text",
            "get-block/previous-block-receipts",
        ],
        &["get-block/*", "chain/*"],
        When::Inconclusive,
    ),
    rule(
        &["get-block/receipt-*"],
        &["get-block/receipts-of-preceding-block", "chain/*"],
        When::Inconclusive,
    ),
    rule(
        &["get-block/receipt-data"],
        &["get-block/receipt-*"],
        When::Inconclusive,
    ),
    // A field, and cases that read the whole response.
    rule(
        &["get-block/receipt-*", "get-block/index-echo"],
        &[
            "chain/receipt-signatures",
            "chain/signature-algorithm",
            "get-block/receipts-of-preceding-block",
        ],
        When::SameResponses,
    ),
    rule(
        &[
            "get-block/receipts-of-preceding-block",
            "get-block/timestamp-unit",
        ],
        &["chain/receipt-signatures", "chain/signature-algorithm"],
        When::SameResponses,
    ),
    rule(
        &["get-block/previous-hash"],
        &["chain/distinct-blocks", "chain/receipt-links"],
        When::SameResponses,
    ),
    rule(
        &["get-block/timestamp", "get-block/timestamp-unit"],
        &["chain/time-goes-on"],
        When::SameResponses,
    ),
    rule(
        &["chain/voter-address"],
        &["chain/receipt-signatures", "chain/signature-algorithm"],
        When::SameResponses,
    ),
    rule(
        &["chain/transaction-time-unit"],
        &["chain/transaction-signatures"],
        When::SameResponses,
    ),
    rule(
        &[
            "get-block/index",
            "get-block/timestamp",
            "get-block/proof",
            "get-block/status",
            "get-block/text",
            "get-block/transactions",
            "get-block/previous-block-receipts",
            "get-block/creator-wallet",
            "get-block/expected-miner",
            "get-block/committee",
            "get-block/previous-hash",
            "get-block/receipt-*",
        ],
        &["get-block/snapshot", "get-block/decodes"],
        When::Always,
    ),
    rule(
        &["get-balances/balance"],
        &[
            "get-balances/snapshot",
            "get-balances/decodes",
            "get-balances/nothing-held",
        ],
        When::Always,
    ),
    rule(
        &[
            "get-trustscore-wallets/status",
            "get-trustscore-wallets/trust-score",
        ],
        &[
            "get-trustscore-wallets/snapshot",
            "get-trustscore-wallets/decodes",
        ],
        When::Always,
    ),
    rule(
        &["submit-transaction/response", "submit-transaction/valid"],
        &["submit-transaction/decodes"],
        When::Always,
    ),
    rule(
        &[
            "submit-transaction/claim-status",
            "submit-transaction/claim-msg",
            "submit-transaction/claim-new",
            "submit-transaction/resubmission-not-new",
            "submit-transaction/resubmission-valid",
        ],
        &["submit-transaction/claim-snapshot"],
        When::Always,
    ),
    rule(
        &["call-sc/decodes"],
        &[
            "call-sc/sc-address",
            "call-sc/function-called",
            "call-sc/signers",
            "call-sc/params",
            "call-sc/deep-and-large-params",
            "call-sc/type",
            "call-sc/timestamp-unit",
            "call-sc/timestamp-current",
            "call-sc/submittable",
            "call-sc/snapshot",
        ],
        When::Always,
    ),
    rule(
        &["call-sc/timestamp-unit"],
        &["call-sc/submittable"],
        When::Mentions("timestamp"),
    ),
    rule(
        &["call-sc/timestamp-unit", "call-sc/submittable"],
        &["call-sc/snapshot"],
        When::Always,
    ),
    rule(
        &["call-sc/params"],
        &["call-sc/deep-and-large-params"],
        When::Always,
    ),
    // A response that does not depend on the request's parameters.
    rule(
        &["get-balances/wallet-address"],
        &["get-balances/token-code"],
        When::Always,
    ),
    rule(
        &["get-balances/wallet-address"],
        &["get-balances/nothing-held"],
        When::AllDepart(&["get-balances/token-code", "get-balances/nothing-held"]),
    ),
    rule(
        &["get-balances/lists-agree"],
        &["get-balances/nothing-held"],
        When::Mentions("lists"),
    ),
    rule(
        &["sc-state/value"],
        &["sc-state/claim-readable"],
        When::SameResponses,
    ),
    // A node that builds a contract call from an incomplete or invalid body.
    rule(
        &["call-sc/*-required"],
        &[
            "call-sc/body-empty",
            "call-sc/body-not-json",
            "call-sc/get-refused",
        ],
        When::Always,
    ),
    rule(
        &["call-sc/body-not-json"],
        &["call-sc/body-empty"],
        When::Always,
    ),
    // A node that stores what it refuses does this for every refused claim.
    rule(
        &["submit-transaction/refused-not-stored"],
        &["submit-transaction/claim-refused-not-stored"],
        When::Always,
    ),
    // A node that does not verify signatures.
    rule(
        &["submit-transaction/signature-altered"],
        &[
            "submit-transaction/another-wallets-key",
            "submit-transaction/params-altered",
            "submit-transaction/fee-altered",
            "submit-transaction/transaction-altered",
            "submit-transaction/signature-not-hex",
            "submit-transaction/unsigned",
            "submit-transaction/half-signed",
            "submit-transaction/unlisted-signer",
            "submit-transaction/known-code-altered",
            "submit-transaction/batch",
        ],
        When::AllDepart(UNVERIFIED),
    ),
    rule(
        &["submit-transaction/another-wallets-key"],
        &[
            "submit-transaction/unsigned",
            "submit-transaction/half-signed",
            "submit-transaction/unlisted-signer",
            "submit-transaction/signature-not-hex",
            "submit-transaction/known-code-altered",
            "submit-transaction/batch",
        ],
        When::AllDepart(WITHOUT_PAYER_SIGNATURE),
    ),
    // A member that is stored differently from the claim, in old records and in the new one.
    record_rule!("submit-transaction/claim-asset-type", "asset_type"),
    record_rule!(
        "submit-transaction/claim-verifier-address",
        "verifier_address"
    ),
    record_rule!("submit-transaction/claim-outcome", "outcome"),
    record_rule!("submit-transaction/claim-doc-hash-list", "doc_hash_list"),
    record_rule!("submit-transaction/claim-doc-link-list", "doc_link_list"),
    record_rule!("submit-transaction/claim-remarks", "remarks"),
    record_rule!(
        "submit-transaction/claim-deletable-after",
        "deletable_after"
    ),
    // A claim that fails at an earlier step.
    rule(
        &[
            "submit-transaction/claim-built",
            "submit-transaction/claim-accepted",
            "submit-transaction/claim-readable",
        ],
        &[
            "submit-transaction/claim-*",
            "submit-transaction/resubmission-*",
            "submit-transaction/fee-paid",
            "submit-transaction/known-code-altered",
        ],
        When::Inconclusive,
    ),
];

/// Returns the case that explains each result, if there is one.
pub(super) fn explain(ended: &[CaseResult]) -> Vec<Option<&'static str>> {
    ended
        .iter()
        .map(|explained| root(explained, ended))
        .collect()
}

/// Follows the causes of a result to the last one.
fn root(explained: &CaseResult, ended: &[CaseResult]) -> Option<&'static str> {
    let mut cause = cause_of(explained, ended)?;
    // A chain of causes has at most as many links as there are rules, unless it is a cycle.
    for _ in 0..RULES.len() {
        match cause_of(cause, ended) {
            Some(next) if next.case.id != explained.case.id => cause = next,
            _ => break,
        }
    }
    Some(cause.case.id)
}

fn cause_of<'r>(explained: &CaseResult, ended: &'r [CaseResult]) -> Option<&'r CaseResult> {
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
        ended.iter().find(|cause| {
            cause.departs()
                && cause.case.id != explained.case.id
                && rule.cause.iter().any(|id| matches(id, cause.case.id))
                && rule.when.holds(cause, explained, ended)
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
    fn holds(self, cause: &CaseResult, explained: &CaseResult, ended: &[CaseResult]) -> bool {
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
            Self::AllDepart(ids) => ids
                .iter()
                .all(|id| ended.iter().any(|one| one.case.id == *id && one.departs())),
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
