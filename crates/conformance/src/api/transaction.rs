//! The members of a transaction that are compared.

use nodeproof_client::{Transfer, contract_call::ContractFunction as _};
use serde_json::Value;

use crate::http::Exchange;

/// A transaction that was submitted, or that a block shows. It may lack any member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Transaction<'v>(pub(crate) &'v Value);

impl<'v> Transaction<'v> {
    /// Returns the transaction of a submission. Some submissions have none.
    pub(crate) fn of(submission: &'v Value) -> Option<Self> {
        submission.get("transaction").map(Self)
    }

    /// Returns the transaction that a request submits alone.
    pub(crate) fn sent_in(exchange: &'v Exchange) -> Option<Self> {
        exchange.sent().and_then(Self::of)
    }

    pub(crate) fn code(self) -> Option<&'v str> {
        self.0["trans_code"].as_str()
    }

    pub(crate) fn fee(self) -> &'v Value {
        &self.0["fee"]
    }

    /// Returns the token of the fee.
    pub(crate) fn currency(self) -> Option<&'v str> {
        self.0["currency"].as_str()
    }

    /// Returns what it calls.
    pub(crate) fn call(self) -> &'v Value {
        &self.0["specific_data"]
    }

    pub(crate) fn contract(self) -> Option<&'v str> {
        self.call()["address"].as_str()
    }

    pub(crate) fn signers(self) -> impl Iterator<Item = &'v str> {
        let signers = self.call()["signers"].as_array();
        signers.into_iter().flatten().filter_map(Value::as_str)
    }

    /// Returns the first signer of the transaction that a request submits alone.
    pub(crate) fn first_signer(exchange: &'v Exchange) -> Option<&'v str> {
        Self::sent_in(exchange)?.signers().next()
    }

    pub(crate) fn has_signer(self, wallet: &str) -> bool {
        self.signers().any(|signer| signer == wallet)
    }

    /// Returns a param that is a string.
    pub(crate) fn param(self, name: &str) -> Option<&'v str> {
        self.call()["params"][name].as_str()
    }

    /// Returns the asset that a claim is about.
    pub(crate) fn asset(self) -> Option<&'v str> {
        self.param("asset_id")
    }

    pub(crate) fn is_transfer(self) -> bool {
        self.call()["function"] == Transfer::NAME
    }
}
