//! The steps that all claims of a run have.

use std::sync::Arc;

use nodeproof_client::contract_call::CheckedTransaction;
use nodeproof_primitives::WalletAddress;
use serde_json::Value;

use super::{
    draft::{Unsigned, call_request, checked_with_time},
    signatures::with_high_s,
    signing::{SigningWallet, Submitting},
    submitter::Submitter,
};
use crate::{
    api::token_balance_request,
    http::{Exchange, InconclusiveReason, Request, Step},
};

/// The result of some steps. The error ends the run's claims.
pub(super) type Taken<T> = Result<T, InconclusiveReason>;

pub(super) fn no_sample<T>(reason: impl Into<String>) -> Taken<T> {
    Err(InconclusiveReason::NoSample(reason.into()))
}

/// A transaction that the node built, and that the run's wallets signed.
pub(super) struct Signed {
    pub(super) text: String,
    /// The entries of its signatures, in the order of the wallets.
    pub(super) entries: Vec<Value>,
    /// The request that submits it.
    pub(super) request: Request,
}

impl Signed {
    /// Returns the first signature.
    pub(super) fn signature(&self) -> &str {
        let first = self.entries.first();
        let signature = first.and_then(|entry| entry["msgsign"].as_str());
        signature.unwrap_or_default()
    }
}

/// Has the node build a call, and signs what it built if that is as requested. Returns the node's response, too.
pub(super) async fn signed_call(
    submitter: &Submitter,
    wallets: &[&SigningWallet],
    call: &Value,
    step: Option<Step>,
    with: impl FnOnce(&Exchange) -> Submitting,
) -> Taken<(Arc<Exchange>, Result<Signed, Unsigned>)> {
    let request = call_request(call);
    let request = match step {
        Some(step) => request.for_step(step),
        None => request,
    };
    let built = submitter.samples.node.send(request).await?;
    let signed = match checked_with_time(call, &built, &with(&built)) {
        Ok(checked) => sign_checked(submitter, wallets, &checked).await?,
        Err(unsigned) => Err(unsigned),
    };
    Ok((built, signed))
}

/// Signs a transaction that was checked.
pub(super) async fn sign_checked(
    submitter: &Submitter,
    wallets: &[&SigningWallet],
    checked: &CheckedTransaction,
) -> Taken<Result<Signed, Unsigned>> {
    let signers: Vec<_> = wallets.iter().map(|wallet| wallet.signer()).collect();
    let body = match checked.sign(&signers).await {
        Ok(signed) => signed.text().to_string(),
        Err(error) => {
            let reason = format!("the wallet did not sign: {error}");
            return Ok(Err(Unsigned::ByWallet(reason)));
        }
    };
    let document: Value = serde_json::from_str(&body)
        .map_err(|error| InconclusiveReason::Harness(error.to_string()))?;
    let entries = document["signatures"].as_array().cloned();
    let entries = entries.unwrap_or_default();
    for signature in entries.iter().filter_map(|entry| entry["msgsign"].as_str()) {
        submitter.with.redactor.add(signature);
        // A run also submits this one.
        if let Some(high) = with_high_s(signature) {
            submitter.with.redactor.add(&high);
        }
    }
    Ok(Ok(Signed {
        text: checked.transaction_text().to_owned(),
        entries,
        request: Request::post("/submit-transaction", body).carrying_signature(),
    }))
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
