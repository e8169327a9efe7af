//! Wrong submissions around the run's own claim: before it, and with its code.

use std::slice::from_ref;

use nodeproof_primitives::WalletAddress;
use serde_json::{Value, json};

use super::{
    draft::{code_of, draft, unique},
    edit::altered,
    signatures::{in_the_name_of, sign, signed_over, stranger, whole},
    submitter::Submitter,
};
use crate::http::{InconclusiveReason, Request};

/// Returns a claim that another key signed: its asset, its code, and the request that submits it.
pub(super) async fn of_another_key(
    submitter: &Submitter,
    wallet: WalletAddress,
    remarks: &str,
) -> Result<(String, String, Request), InconclusiveReason> {
    let text = draft(submitter, &[wallet], remarks).await?;
    let transaction: Value = serde_json::from_str(&text).unwrap_or_default();
    let asset = &transaction["specific_data"]["params"]["asset_id"];
    let asset = asset.as_str().unwrap_or_default().to_owned();
    let request = by_stranger(wallet, &text).await?;
    let what = "a transaction signed with another wallet's key";
    Ok((asset, code_of(&text), request.wrongly_signed(what)))
}

/// Returns a request that submits a transaction like an accepted one with this code. A wallet without money has signed
/// it correctly.
pub(super) async fn by_a_stranger(
    accepted: &str,
    code: &str,
) -> Result<Request, InconclusiveReason> {
    let stranger = stranger()?.address();
    let text = altered(accepted, |transaction| {
        if transaction["trans_code"] != code {
            let asset = format!("conformance-refused-{:x}", unique());
            transaction["specific_data"]["params"]["asset_id"] = asset.into();
        }
        transaction["trans_code"] = code.into();
        let data = &mut transaction["specific_data"];
        data["signers"] = json!([stranger]);
        data["params"]["verifier_address"] = json!(stranger);
        data["params"]["remarks"] = "another transaction with a code that may be known".into();
    })?;
    by_stranger(stranger, &text).await
}

/// Returns requests that submit other transactions with the signature of an accepted one.
pub(super) fn with_its_signature(
    accepted: &str,
    entry: &Value,
) -> Result<[Request; 2], InconclusiveReason> {
    let code = |transaction: &Value| transaction["trans_code"].as_str().map(str::to_uppercase);
    let submit = |text: String, what: &str| {
        let request = signed_over(accepted, &text, from_ref(entry));
        request.carrying_signature().wrongly_signed(what)
    };
    let other = altered(accepted, |transaction| {
        transaction["trans_code"] = format!("{:040x}", unique()).into();
        let asset = format!("conformance-refused-{:x}", unique());
        transaction["specific_data"]["params"]["asset_id"] = asset.into();
    })?;
    let capitals = altered(accepted, |transaction| {
        transaction["trans_code"] = code(transaction).into();
    })?;
    Ok([
        submit(
            other,
            "a new transaction with the signature of an accepted one",
        ),
        submit(
            capitals,
            "an accepted transaction with its trans_code in capital letters",
        ),
    ])
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

/// Returns a request that submits a transaction signed by another key, in the name of this wallet.
async fn by_stranger(wallet: WalletAddress, text: &str) -> Result<Request, InconclusiveReason> {
    let entry = in_the_name_of(wallet, sign(&stranger()?, text).await?);
    Ok(Request::post("/submit-transaction", whole(text, &[entry])))
}
