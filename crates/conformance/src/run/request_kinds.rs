//! The table of all kinds of requests.

use super::request_kind::{DISCOVERY, RequestKind};
use crate::{
    api::{
        OWN_DOCUMENT,
        Tier::{self, Probe, Read, Reject, Write},
    },
    http::Method::{self, Get, Post},
};

/// A parameter: its name, and a description of its value.
type Parameter = (&'static str, &'static str);

const BLOCK_INDEX: Parameter = (
    "block_index",
    "an index of the chain, beyond it, or no index",
);
const ALL_TOKENS: Parameter = ("balance_type", "ALL_TOKENS_IN_WALLET");
const WALLET: Parameter = ("wallet_address", "an address from the chain");
const ALL_WALLETS: Parameter = ("balance_type", "ALL_WALLETS_FOR_TOKEN");
const TOKEN: Parameter = ("token_code", "a token from the chain");
const ANY_TOKEN: Parameter = (
    "token_code",
    "a token from the chain, or one that does not exist",
);
const ONE_BALANCE: Parameter = ("balance_type", "TOKEN_IN_WALLET, or an undocumented type");
const ANY_WALLET: Parameter = (
    "wallet_address",
    "an address from the chain, or an unknown one",
);
const TABLE: Parameter = ("table_name", "verification, or a table that does not exist");
const CONTRACT: Parameter = (
    "contract_address",
    "a contract from the chain, or an unknown one",
);
const COLUMN: Parameter = (
    "unique_column",
    "asset_id, or one that does not hold assets",
);
const VALUE: Parameter = ("unique_value", "an asset from the chain, or an unknown one");
const SOURCE: Parameter = (
    "src_wallet_address",
    "an address from the chain, or no address",
);
const DESTINATION: Parameter = (
    "dst_wallet_address",
    "an address from the chain, or no address",
);
const ONE_BALANCE_ONLY: Parameter = ("balance_type", "TOKEN_IN_WALLET");
const FEE_TOKEN: Parameter = ("token_code", "the fee's token");
const SIGNER: Parameter = ("wallet_address", "the wallet that signs");
const CLAIM_TABLE: Parameter = ("table_name", "verification");
const CLAIM_CONTRACT: Parameter = ("contract_address", "the claim's contract");
const CLAIM_COLUMN: Parameter = ("unique_column", "asset_id");
const CLAIM_ASSET: Parameter = ("unique_value", "the claim's asset, or the refused one's");

const REFUSED_ASSET: Parameter = ("unique_value", "the asset of the refused claim");

/// The cases about all submissions that must be refused.
const SHAPE: [&str; 10] = [
    "submit-transaction/refused-not-stored",
    "submit-transaction/responds",
    "submit-transaction/content-type",
    "submit-transaction/refusal-is-no-crash",
    "submit-transaction/decodes",
    "submit-transaction/status",
    "submit-transaction/response",
    "submit-transaction/valid",
    "submit-transaction/msg",
    "submit-transaction/new-transaction",
];

/// The cases that compare an invalid submission with a valid one.
const REFUSALS: &[&str] = &[
    "submit-transaction/unsigned",
    "submit-transaction/half-signed",
    "submit-transaction/unlisted-signer",
    "submit-transaction/another-wallets-key",
    "submit-transaction/signature-altered",
    "submit-transaction/params-altered",
    "submit-transaction/fee-altered",
    "submit-transaction/transaction-altered",
    "submit-transaction/signature-not-hex",
    "submit-transaction/transaction-required",
    "submit-transaction/signatures-required",
    "submit-transaction/fee-mistyped",
    "submit-transaction/fee-negative",
    "submit-transaction/fee-zero",
    "submit-transaction/empty-object",
    "submit-transaction/body-*",
    "submit-transaction/oversized",
    "submit-transaction/wrong-method",
    "submit-transaction/right-after-wrong-signature",
    "submit-transaction/signature-order",
];

/// The cases about the claim.
const CLAIM: &[&str] = &[
    "submit-transaction/claim-*",
    "submit-transaction/resubmission-*",
    "submit-transaction/known-code-altered",
    "submit-transaction/fee-paid",
];

/// Creates a row.
const fn kind(
    method: Method,
    path: &'static str,
    parameters: &'static [Parameter],
    body: Option<&'static str>,
    tier: Tier,
    sent_by: &'static [&'static str],
) -> RequestKind {
    RequestKind {
        method,
        path,
        parameters,
        body,
        tier,
        sent_by,
        shares: &[],
    }
}

/// Creates a row of a submission that must be refused. The cases about all refusals use it, too.
const fn refused(
    path: &'static str,
    body: &'static str,
    sent_by: &'static [&'static str],
) -> RequestKind {
    RequestKind {
        shares: &SHAPE,
        ..kind(Post, path, &[], Some(body), Reject, sent_by)
    }
}

/// Creates a row of a probe. The probes' values are listed separately.
const fn probe(
    method: Method,
    path: &'static str,
    parameters: &'static [Parameter],
    sent_by: &'static [&'static str],
) -> RequestKind {
    let body = match method {
        Get => None,
        Post => Some("a call with one unusual value"),
    };
    kind(method, path, parameters, body, Probe, sent_by)
}

const ODD: &str = "a plain or an unusual value";

/// Every kind of request.
pub const KINDS: &[RequestKind] = &[
    kind(Get, "/get-block", &[BLOCK_INDEX], None, Read, &[DISCOVERY]),
    kind(
        Get,
        "/get-block",
        &[],
        None,
        Read,
        &[
            "get-block/block-index-required",
            "baseline/block-index-missing",
        ],
    ),
    kind(
        Get,
        "/get-balances",
        &[ALL_TOKENS, ANY_WALLET],
        None,
        Read,
        &[DISCOVERY],
    ),
    kind(
        Get,
        "/get-balances",
        &[ALL_WALLETS, ANY_TOKEN],
        None,
        Read,
        &[
            "get-balances/all-wallets-for-token",
            "http/*",
            "!http/no-retries",
            "get-balances/nothing-held",
            "get-balances/lists-*",
            "get-balances/wallet-address",
            "baseline/all-wallets-for-token",
            "fixture/found",
        ],
    ),
    kind(
        Get,
        "/get-balances",
        &[ONE_BALANCE, ANY_TOKEN, ANY_WALLET],
        None,
        Read,
        &[
            "get-balances/token-in-wallet",
            "http/*",
            "!http/no-retries",
            "get-balances/balance",
            "get-balances/nothing-held",
            "get-balances/wallet-address",
            "get-balances/wallet-address-malformed",
            "get-balances/balance-type-required",
            "get-balances/repeat-read",
            "get-balances/token-code",
            "get-balances/balance-type-unknown",
            "get-balances/decodes",
            "get-balances/snapshot",
            "baseline/token-in-wallet",
            "baseline/nothing-held",
        ],
    ),
    kind(
        Get,
        "/get-balances",
        &[],
        None,
        Read,
        &["baseline/balance-type-missing"],
    ),
    kind(
        Get,
        "/get-balances",
        &[TOKEN, WALLET],
        None,
        Read,
        &["get-balances/balance-type-required"],
    ),
    kind(
        Get,
        "/sc-state",
        &[TABLE, CONTRACT, COLUMN, VALUE],
        None,
        Read,
        &[
            "sc-state/responds",
            "http/*",
            "!http/no-retries",
            "sc-state/value",
            "sc-state/unique-value-echo",
            "sc-state/record-matches-claim",
            "sc-state/unknown-*",
            "sc-state/*-required",
            "fixture/found",
            "sc-state/claim-readable",
            "sc-state/contract-address-malformed",
            "sc-state/repeat-read",
            "call-sc/changes-nothing",
            "baseline/state",
            "baseline/state-unknown-*",
        ],
    ),
    kind(
        Get,
        "/sc-state",
        &[],
        None,
        Read,
        &["baseline/state-parameters-missing"],
    ),
    kind(
        Get,
        "/sc-state",
        &[CONTRACT, COLUMN, VALUE],
        None,
        Read,
        &["sc-state/table-name-required"],
    ),
    kind(
        Get,
        "/sc-state",
        &[TABLE, COLUMN, VALUE],
        None,
        Read,
        &["sc-state/contract-address-required"],
    ),
    kind(
        Get,
        "/sc-state",
        &[TABLE, CONTRACT, VALUE],
        None,
        Read,
        &["sc-state/unique-column-required"],
    ),
    kind(
        Get,
        "/sc-state",
        &[TABLE, CONTRACT, COLUMN],
        None,
        Read,
        &["sc-state/unique-value-required"],
    ),
    kind(
        Get,
        "/get-trustscore-wallets",
        &[SOURCE, DESTINATION],
        None,
        Read,
        &[
            "get-trustscore-wallets/responds",
            "http/*",
            "!http/no-retries",
            "get-trustscore-wallets/status*",
            "get-trustscore-wallets/*-malformed",
            "get-trustscore-wallets/*-required",
            "fixture/found",
            "get-trustscore-wallets/unknown-pair",
            "get-trustscore-wallets/repeat-read",
            "get-trustscore-wallets/trust-score",
            "get-trustscore-wallets/decodes",
            "get-trustscore-wallets/snapshot",
            "baseline/trust-score",
            "baseline/trust-unknown",
        ],
    ),
    kind(
        Get,
        "/get-trustscore-wallets",
        &[],
        None,
        Read,
        &["baseline/trust-parameters-missing"],
    ),
    kind(
        Get,
        "/get-trustscore-wallets",
        &[DESTINATION],
        None,
        Read,
        &["get-trustscore-wallets/src-required"],
    ),
    kind(
        Get,
        "/get-trustscore-wallets",
        &[SOURCE],
        None,
        Read,
        &["get-trustscore-wallets/dst-required"],
    ),
    // If the response links to another path on the node, that path is requested once, too.
    kind(
        Get,
        "/docs",
        &[],
        None,
        Read,
        &["docs/*", "!docs/openapi-document", "baseline/docs"],
    ),
    kind(
        Get,
        OWN_DOCUMENT,
        &[],
        None,
        Read,
        &["docs/lists-calls", "docs/openapi-document"],
    ),
    kind(Get, "/call-sc", &[], None, Read, &["call-sc/get-refused"]),
    kind(
        Post,
        "/call-sc",
        &[],
        Some("a claim to build, or one that lacks a member, or half of one; it is never submitted"),
        Read,
        &["call-sc/*", "http/*", "!http/no-retries", "baseline/call*"],
    ),
    probe(
        Get,
        "/get-block",
        &[("block_index", ODD)],
        &["get-block/probes-*", "chain/unchanged-by-probes"],
    ),
    probe(
        Get,
        "/get-balances",
        &[
            ("balance_type", ODD),
            ("token_code", ODD),
            ("wallet_address", ODD),
        ],
        &["get-balances/probes-*", "chain/unchanged-by-probes"],
    ),
    probe(
        Get,
        "/get-balances",
        &[ALL_TOKENS, ("wallet_address", ODD)],
        &["get-balances/probes-*", "chain/unchanged-by-probes"],
    ),
    probe(
        Get,
        "/get-balances",
        &[ALL_WALLETS, ("token_code", ODD)],
        &["get-balances/probes-*", "chain/unchanged-by-probes"],
    ),
    probe(
        Get,
        "/sc-state",
        &[
            ("table_name", ODD),
            ("contract_address", ODD),
            ("unique_column", ODD),
            ("unique_value", ODD),
        ],
        &["sc-state/probes-*", "chain/unchanged-by-probes"],
    ),
    probe(
        Get,
        "/get-trustscore-wallets",
        &[("src_wallet_address", ODD), ("dst_wallet_address", ODD)],
        &[
            "get-trustscore-wallets/probes-*",
            "chain/unchanged-by-probes",
        ],
    ),
    probe(
        Post,
        "/call-sc",
        &[],
        &["call-sc/probes-*", "chain/unchanged-by-probes"],
    ),
    refused(
        "/call-sc",
        "a claim to build, which is submitted so that it must be refused, or as the control",
        REFUSALS,
    ),
    kind(
        Post,
        "/submit-transaction",
        &[],
        Some(
            "the control: a correctly signed claim, by a local node's public test wallet, else by a \
             throw-away wallet without money",
        ),
        Reject,
        REFUSALS,
    ),
    refused(
        "/submit-transaction",
        "an unsigned transaction, with its signer or without any",
        &["submit-transaction/unsigned"],
    ),
    refused(
        "/submit-transaction",
        "a transaction that one of its two signers did not sign: either one, and one that signed twice",
        &["submit-transaction/half-signed"],
    ),
    refused(
        "/submit-transaction",
        "a transaction signed only by a wallet that is not a signer",
        &["submit-transaction/unlisted-signer"],
    ),
    refused(
        "/submit-transaction",
        "a transaction with a signature of another wallet's key: the only one, the first or the second",
        &["submit-transaction/another-wallets-key"],
    ),
    refused(
        "/submit-transaction",
        "a signature with one digit changed",
        &["submit-transaction/signature-altered"],
    ),
    refused(
        "/submit-transaction",
        "a transaction whose params were changed after it was signed",
        &["submit-transaction/params-altered"],
    ),
    refused(
        "/submit-transaction",
        "a transaction whose fee was changed after it was signed",
        &["submit-transaction/fee-altered"],
    ),
    refused(
        "/submit-transaction",
        "a transaction with one other member changed after signing, once for each member",
        &["submit-transaction/transaction-altered"],
    ),
    refused(
        "/submit-transaction",
        "a signature that is not hexadecimal, is empty, null, too short, or all zeros",
        &["submit-transaction/signature-not-hex"],
    ),
    refused(
        "/submit-transaction",
        "a submission without a transaction, or with null or a string in its place",
        &["submit-transaction/transaction-required"],
    ),
    refused(
        "/submit-transaction",
        "a submission without signatures, or with null or an object in their place",
        &["submit-transaction/signatures-required"],
    ),
    refused(
        "/submit-transaction",
        "a transaction whose fee is a string, signed as the control is",
        &["submit-transaction/fee-mistyped"],
    ),
    refused(
        "/submit-transaction",
        "a transaction whose fee is negative, signed as the control is",
        &["submit-transaction/fee-negative"],
    ),
    refused(
        "/submit-transaction",
        "a transaction whose fee is 0, signed as the control is",
        &["submit-transaction/fee-zero"],
    ),
    refused(
        "/submit-transaction",
        "a transaction with another key's signature, and then the same one signed as the control is",
        &["submit-transaction/right-after-wrong-signature"],
    ),
    refused(
        "/submit-transaction",
        "a transaction of two signers, which both signed, with the signatures in either order",
        &["submit-transaction/signature-order"],
    ),
    kind(
        Post,
        "/call-sc",
        &[],
        Some("a claim to build, which is submitted in a batch so that it must be refused"),
        Reject,
        &["submit-transaction/batch"],
    ),
    kind(
        Post,
        "/submit-transaction-batch",
        &[],
        Some("an array of two transactions: an unsigned one, and one signed with another key"),
        Reject,
        &["submit-transaction/batch"],
    ),
    refused(
        "/submit-transaction",
        "an empty object",
        &["submit-transaction/empty-object"],
    ),
    refused(
        "/submit-transaction",
        "a body that is not JSON, or none",
        &["submit-transaction/body-not-json"],
    ),
    refused(
        "/submit-transaction",
        "an array",
        &["submit-transaction/body-array"],
    ),
    refused(
        "/submit-transaction",
        "a text",
        &["submit-transaction/body-text"],
    ),
    refused(
        "/submit-transaction",
        "a transaction of 20,000 bytes",
        &["submit-transaction/oversized"],
    ),
    kind(
        Get,
        "/sc-state",
        &[CLAIM_TABLE, CLAIM_CONTRACT, CLAIM_COLUMN, REFUSED_ASSET],
        None,
        Reject,
        &["submit-transaction/refused-not-stored"],
    ),
    kind(
        Get,
        "/submit-transaction",
        &[],
        None,
        Reject,
        &["submit-transaction/wrong-method"],
    ),
    kind(
        Get,
        "/get-balances",
        &[ONE_BALANCE_ONLY, FEE_TOKEN, SIGNER],
        None,
        Write,
        CLAIM,
    ),
    kind(
        Post,
        "/call-sc",
        &[],
        Some("a claim about an asset without claims, to be signed and submitted, or refused"),
        Write,
        CLAIM,
    ),
    kind(
        Post,
        "/submit-transaction",
        &[],
        Some(
            "that claim, signed with the wallet: three times, as it is; one with another key before it, and \
             two with its trans_code and other params after it, of which a throw-away wallet signs one \
             in its own name",
        ),
        Write,
        CLAIM,
    ),
    kind(
        Get,
        "/sc-state",
        &[CLAIM_TABLE, CLAIM_CONTRACT, CLAIM_COLUMN, CLAIM_ASSET],
        None,
        Write,
        CLAIM,
    ),
];
