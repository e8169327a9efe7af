//! Wrong submissions around the run's own claim: before it, and with its code.

use std::slice::from_ref;

use nodeproof_primitives::WalletAddress;
use serde_json::{Value, json};

use super::{
    draft::{code_of, draft, unique},
    edit::altered,
    signatures::{in_the_name_of, sign, signed_over, stranger, whole},
    signing::SigningWallet,
    submitter::Submitter,
};
use crate::http::{InconclusiveReason, Request};

/// Returns a claim that another key signed: its code, and the request that submits it.
pub(super) async fn of_another_key(
    submitter: &Submitter,
    wallet: WalletAddress,
    remarks: &str,
) -> Result<(String, Request), InconclusiveReason> {
    let text = draft(submitter, &[wallet], remarks).await?;
    let entry = in_the_name_of(wallet, sign(&stranger()?, &text).await?);
    let request = Request::post("/submit-transaction", whole(&text, &[entry]));
    let what = "a transaction signed with another wallet's key";
    Ok((code_of(&text), request.wrongly_signed(what)))
}

/// Returns the code of a claim that nobody signed, and the request that submits it.
pub(super) async fn unsigned(
    submitter: &Submitter,
    wallet: WalletAddress,
    remarks: &str,
) -> Result<(String, Request), InconclusiveReason> {
    let text = draft(submitter, &[wallet], remarks).await?;
    let request = Request::post("/submit-transaction", whole(&text, &[]));
    let what = "an unsigned transaction, submitted after a right one,";
    Ok((code_of(&text), request.wrongly_signed(what)))
}

/// Returns a request that submits a transaction of another wallet, which has signed it correctly. It is like an accepted
/// one, and has this code.
pub(super) async fn by_another(
    submitter: &Submitter,
    wallet: &SigningWallet,
    accepted: &str,
    code: &str,
) -> Result<Request, InconclusiveReason> {
    let text = altered(accepted, |transaction| {
        if transaction["trans_code"] != code {
            take_other_asset(transaction);
        }
        transaction["trans_code"] = code.into();
        let data = &mut transaction["specific_data"];
        data["signers"] = json!([wallet.address()]);
        data["params"]["verifier_address"] = json!(wallet.address());
        data["params"]["remarks"] = "another transaction with a code that may be known".into();
    })?;
    signed_by(submitter, wallet, &text).await
}

/// Returns a new transaction like an accepted one.
pub(super) fn new_like(accepted: &str) -> Result<String, InconclusiveReason> {
    altered(&with_new_code(accepted)?, take_other_asset)
}

/// Returns the same transaction with another code.
pub(super) fn with_new_code(text: &str) -> Result<String, InconclusiveReason> {
    altered(text, |transaction| {
        transaction["trans_code"] = format!("{:040x}", unique()).into();
    })
}

/// Returns the same transaction with a fee of some units more. The sums of several fees then show which of them were paid.
pub(super) fn with_more_fee(text: &str, more: u64) -> Result<String, InconclusiveReason> {
    altered(text, |transaction| {
        let fee = transaction["fee"].as_u64();
        if let Some(fee) = fee.and_then(|fee| fee.checked_add(more)) {
            transaction["fee"] = fee.into();
        }
    })
}

fn take_other_asset(transaction: &mut Value) {
    let asset = format!("conformance-refused-{:x}", unique());
    transaction["specific_data"]["params"]["asset_id"] = asset.into();
}

/// Returns a request that submits a transaction which this wallet has signed.
pub(super) async fn signed_by(
    submitter: &Submitter,
    wallet: &SigningWallet,
    text: &str,
) -> Result<Request, InconclusiveReason> {
    let entry = sign(wallet, text).await?;
    if wallet.address() != stranger()?.address() {
        let signature = entry["msgsign"].as_str().unwrap_or_default();
        submitter.with.redactor.add(signature);
    }
    Ok(signed_over(text, text, &[entry]).carrying_signature())
}

/// Returns requests that submit other transactions with the signature of an accepted one. A code in capital letters is no
/// other one if the node writes codes like that.
pub(super) fn with_its_signature(
    accepted: &str,
    entry: &Value,
) -> Result<Vec<Request>, InconclusiveReason> {
    let code = |transaction: &Value| transaction["trans_code"].as_str().map(str::to_uppercase);
    let submit = |text: String, what: &str| {
        let request = signed_over(accepted, &text, from_ref(entry));
        request.carrying_signature().wrongly_signed(what)
    };
    let other = new_like(accepted)?;
    let capitals = altered(accepted, |transaction| {
        transaction["trans_code"] = code(transaction).into();
    })?;
    let mut all = vec![submit(
        other,
        "a new transaction with the signature of an accepted one",
    )];
    if code_of(&capitals) != code_of(accepted) {
        let what = "an accepted transaction with its trans_code in capital letters";
        all.push(submit(capitals, what));
    }
    Ok(all)
}

/// Returns a request that submits a transaction with other remarks than were signed.
pub(super) fn with_other_remarks(text: &str, entry: &Value) -> Result<Request, InconclusiveReason> {
    let other = altered(text, |transaction| {
        transaction["specific_data"]["params"]["remarks"] = "to be taken".into();
    })?;
    let request = signed_over(text, &other, from_ref(entry));
    let what = "the accepted transaction with other params";
    Ok(request.carrying_signature().wrongly_signed(what))
}
