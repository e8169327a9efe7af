//! Parameters, cases and rows that the table of requests uses repeatedly.

use super::request_kind::RequestKind;
use crate::{
    api::Tier::{self, Probe, Reject},
    http::Method::{self, Get, Post},
};

/// A parameter: its name, and a description of its value.
pub(super) type Parameter = (&'static str, &'static str);

pub(super) const BLOCK_INDEX: Parameter = (
    "block_index",
    "an index of the chain, beyond it, or no index",
);
pub(super) const ALL_TOKENS: Parameter = ("balance_type", "ALL_TOKENS_IN_WALLET");
pub(super) const WALLET: Parameter = ("wallet_address", "an address from the chain");
pub(super) const ALL_WALLETS: Parameter = ("balance_type", "ALL_WALLETS_FOR_TOKEN");
pub(super) const TOKEN: Parameter = ("token_code", "a token from the chain");
pub(super) const ANY_TOKEN: Parameter = (
    "token_code",
    "a token from the chain, or one that does not exist",
);
pub(super) const ONE_BALANCE: Parameter =
    ("balance_type", "TOKEN_IN_WALLET, or an undocumented type");
pub(super) const ANY_WALLET: Parameter = (
    "wallet_address",
    "an address from the chain, or an unknown one",
);
pub(super) const TABLE: Parameter = ("table_name", "verification, or a table that does not exist");
pub(super) const CONTRACT: Parameter = (
    "contract_address",
    "a contract from the chain, or an unknown one",
);
pub(super) const COLUMN: Parameter = (
    "unique_column",
    "asset_id, or one that does not hold assets",
);
pub(super) const VALUE: Parameter = ("unique_value", "an asset from the chain, or an unknown one");
pub(super) const SOURCE: Parameter = (
    "src_wallet_address",
    "an address from the chain, or no address",
);
pub(super) const DESTINATION: Parameter = (
    "dst_wallet_address",
    "an address from the chain, or no address",
);
pub(super) const ONE_BALANCE_ONLY: Parameter = ("balance_type", "TOKEN_IN_WALLET");
pub(super) const FEE_TOKEN: Parameter = ("token_code", "the fee's token");
pub(super) const SIGNER: Parameter = ("wallet_address", "the wallet that signs");
pub(super) const CLAIM_TABLE: Parameter = ("table_name", "verification");
pub(super) const CLAIM_CONTRACT: Parameter = ("contract_address", "the claim's contract");
pub(super) const CLAIM_COLUMN: Parameter = ("unique_column", "asset_id");
pub(super) const CLAIM_ASSET: Parameter =
    ("unique_value", "the claim's asset, or the refused one's");

pub(super) const REFUSED_ASSET: Parameter = ("unique_value", "the asset of the refused claim");

/// The cases about all submissions that must be refused.
pub(super) const SHAPE: [&str; 10] = [
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
pub(super) const REFUSALS: &[&str] = &[
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
pub(super) const CLAIM: &[&str] = &[
    "submit-transaction/claim-*",
    "submit-transaction/resubmission-*",
    "submit-transaction/known-code-altered",
    "submit-transaction/fee-paid",
];

/// Creates a row.
pub(super) const fn kind(
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
pub(super) const fn refused(
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
pub(super) const fn probe(
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

pub(super) const UNUSUAL: &str = "a plain or an unusual value";
