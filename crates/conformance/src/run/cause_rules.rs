//! The table of the cases that explain the results of other cases.

/// A failed case that explains the results of other cases.
pub(super) struct Rule {
    /// Patterns of the cases that may be the cause. A star matches any text.
    pub(super) cause: &'static [&'static str],
    /// Patterns of the cases that it explains.
    pub(super) explains: &'static [&'static str],
    pub(super) when: When,
}

/// The condition of a rule, in addition to the failure of the cause.
#[derive(Clone, Copy)]
pub(super) enum When {
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

/// All rules. The first one that matches applies.
pub(super) const RULES: &[Rule] = &[
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
    // Lists with wrong sums outvote a single balance.
    rule(
        &["get-balances/lists-agree"],
        &["get-balances/wallet-address", "get-balances/token-code"],
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
