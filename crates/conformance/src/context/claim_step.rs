//! The steps that all claims of a run have.

use nodeproof_client::contract_call::CheckedTransaction;
use nodeproof_primitives::WalletAddress;
use serde_json::Value;

use super::{signatures::with_high_s, signing::SigningWallet, submitter::Submitter};
use crate::{
    api::token_balance_request,
    http::{InconclusiveReason, Request},
};

/// The result of some steps. The error ends the run's claims.
pub(super) type Taken<T> = Result<T, InconclusiveReason>;

pub(super) fn no_sample<T>(reason: impl Into<String>) -> Taken<T> {
    Err(InconclusiveReason::NoSample(reason.into()))
}

/// Signs a claim. Returns the entry of its signature and the request that submits it, or the reason
/// why the wallet did not sign.
pub(super) async fn signed_request(
    submitter: &Submitter,
    wallets: &[&SigningWallet],
    checked: &CheckedTransaction,
) -> Taken<Result<(Value, Request), String>> {
    let signers: Vec<_> = wallets.iter().map(|wallet| wallet.signer()).collect();
    let signed = match checked.sign(&signers).await {
        Ok(signed) => signed.text().to_string(),
        Err(error) => return Ok(Err(format!("the wallet did not sign: {error}"))),
    };
    let document: Value = serde_json::from_str(&signed)
        .map_err(|error| InconclusiveReason::Harness(error.to_string()))?;
    let entries = document["signatures"].as_array();
    for signature in entries
        .into_iter()
        .flatten()
        .filter_map(|entry| entry["msgsign"].as_str())
    {
        submitter.with.redactor.add(signature);
        // A run also submits this one.
        if let Some(high) = with_high_s(signature) {
            submitter.with.redactor.add(&high);
        }
    }
    let entry = document["signatures"][0].clone();
    let request = Request::post("/submit-transaction", signed).carrying_signature();
    Ok(Ok((entry, request)))
}

/// Returns the request for the balance that pays the fee of a transaction.
pub(super) fn balance_request(wallet: WalletAddress, text: &str) -> Request {
    token_balance_request(&wallet.to_string(), &currency_of(text))
}

/// Returns the token that pays the fee of a transaction, or an empty text.
pub(super) fn currency_of(text: &str) -> String {
    let transaction: Value = serde_json::from_str(text).unwrap_or_default();
    let currency = transaction["currency"].as_str();
    currency.unwrap_or_default().to_owned()
}
