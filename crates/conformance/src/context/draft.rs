//! Transactions before they are signed. The node builds them. If it does not, the run writes them
//! itself.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use nodeproof_client::{
    AddVerification, ContractCall, RawTransaction,
    contract_call::{BuiltCallMismatch, CheckedTransaction, ContractFunction, Fee},
    from_json,
};
use nodeproof_primitives::WalletAddress;
use serde_json::{Value, json};

use super::{signing::Submitting, submitter::Submitter};
use crate::{
    api::{FirstDifference, MILLISECONDS},
    http::{Exchange, InconclusiveReason, Request},
};

/// The remarks of transactions that a node must refuse.
pub(crate) const REFUSED: &str = "to be refused";

/// Returns a number that no other run has used.
pub(crate) fn unique() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos())
}

/// Returns an address that no wallet has.
pub(super) fn nobodys(number: u8) -> WalletAddress {
    let mut bytes = [number; 20];
    let start = unique().to_be_bytes();
    bytes[..start.len()].copy_from_slice(&start);
    WalletAddress::from_bytes(bytes)
}

/// Returns the body of a call that builds a claim.
pub(crate) fn call(contract: &str, signers: &[WalletAddress], asset: &str, remarks: &str) -> Value {
    json!({
        "sc_address": contract,
        "function_called": AddVerification::NAME,
        "signers": signers,
        "params": {
            "asset_id": asset,
            "asset_type": "token",
            "verifier_address": signers.first(),
            "outcome": 1,
            "doc_hash_list": ["5a".repeat(32), "a5".repeat(32)],
            "doc_link_list": ["https://example.org/a-document", "https://example.org/another"],
            "remarks": remarks,
            "deletable_after": 1_347_345,
        },
    })
}

pub(crate) fn call_request(call: &Value) -> Request {
    Request::post("/call-sc", call.to_string())
}

/// Returns how a response of `/call-sc` differs from the requested call, or `None` if it matches.
///
/// Only an exact match is signed. A signature can spend everything that the wallet holds.
pub(crate) fn difference_from_call(call: &Value, response: &Exchange) -> Option<String> {
    let Some(body) = response.success_object() else {
        return Some(format!("no transaction was built: {}", response.summary()));
    };
    let transaction = body.get("transaction").unwrap_or(body);
    if transaction.get("type").and_then(Value::as_i64) != Some(3) {
        return Some("the transaction is not of type 3, a contract call".to_owned());
    }
    let wanted = json!({
        "address": call["sc_address"],
        "function": call["function_called"],
        "signers": call["signers"],
        "params": call["params"],
    });
    let Some(found) = transaction.get("specific_data") else {
        return Some("the transaction has no specific_data".to_owned());
    };
    let FirstDifference {
        pointer,
        expected,
        actual,
    } = FirstDifference::between(&wanted, found)?;
    Some(format!(
        "specific_data{pointer} is {actual}, and not {expected}"
    ))
}

/// The reason why a transaction is not signed.
#[derive(Clone, Debug)]
pub(crate) enum Unsigned {
    /// The node built none, or another one than the requested one.
    Differs(String),
    /// It contradicts the request or the form of a transaction.
    Contradicts(String),
    /// It has a member that the request does not explain, or lacks one that has to be checked.
    Unchecked(String),
    /// A wallet did not sign it.
    ByWallet(String),
}

impl Unsigned {
    pub(crate) fn reason(&self) -> &str {
        match self {
            Self::Differs(reason)
            | Self::Contradicts(reason)
            | Self::Unchecked(reason)
            | Self::ByWallet(reason) => reason,
        }
    }
}

impl From<BuiltCallMismatch> for Unsigned {
    fn from(error: BuiltCallMismatch) -> Self {
        let reason = error.to_string();
        match &error {
            // The specification does not define this member of a built transaction.
            BuiltCallMismatch::Changed { member, .. } if member.ends_with("is_child_txn") => {
                Self::Unchecked(reason)
            }
            BuiltCallMismatch::Changed { .. }
            | BuiltCallMismatch::Malformed { .. }
            | BuiltCallMismatch::Twice { .. } => Self::Contradicts(reason),
            _ => Self::Unchecked(reason),
        }
    }
}

/// Checks that a response is exactly the requested call, and returns the transaction with the fee
/// and the currency of this run. Only such a transaction is signed.
fn checked(
    call: &Value,
    response: &Exchange,
    with: &Submitting,
) -> Result<CheckedTransaction, Unsigned> {
    let unchecked = |error: &dyn std::error::Error| Unsigned::Unchecked(error.to_string());
    let raw = from_json::<RawTransaction>(&response.body).map_err(|error| unchecked(&error))?;
    let currency = match &with.currency {
        Some(code) => code.clone(),
        None => {
            raw.transaction()
                .map_err(|error| unchecked(&error))?
                .currency
        }
    };
    let fee = Fee::new(with.fee.clone(), currency).map_err(|error| unchecked(&error))?;
    let requested = contract_call(call).map_err(Unsigned::Unchecked)?;
    let checked = CheckedTransaction::check(&requested, &raw, &fee)?;
    let time = checked.timestamp();
    if !MILLISECONDS.contains(&time.as_millis()) {
        return Err(Unsigned::Contradicts(format!(
            "the timestamp {} is not in milliseconds since the Unix epoch, after 1973 and \
             before 5138",
            time.as_millis()
        )));
    }
    Ok(checked)
}

/// Like [`checked`], and first compares the members of the call, and at last checks the transaction's time. The node must
/// not choose the time of a transaction that the user's wallet signs.
pub(crate) fn checked_with_time(
    call: &Value,
    response: &Exchange,
    with: &Submitting,
) -> Result<CheckedTransaction, Unsigned> {
    if let Some(what) = difference_from_call(call, response) {
        return Err(Unsigned::Differs(what));
    }
    let checked = checked(call, response, with)?;
    checked.check_local_time()?;
    Ok(checked)
}

/// Converts the body of a call to the client's type.
fn contract_call(call: &Value) -> Result<ContractCall, String> {
    serde_json::from_str(&call.to_string()).map_err(|error| error.to_string())
}

/// Returns the text of a transaction for a claim that a node must refuse, before it is signed. It
/// is the node's, if that matches the call, or else written by hand.
///
/// Each has its own code and asset. A node that accepts one by mistake may recognise it by its code
/// from then on.
pub(crate) async fn draft(
    submitter: &Submitter,
    signers: &[WalletAddress],
    remarks: &str,
) -> Result<String, InconclusiveReason> {
    draft_if(submitter, signers, remarks, checked).await
}

/// Like [`draft`], for a user's wallet: the node must not choose the time.
pub(super) async fn draft_for_user(
    submitter: &Submitter,
    wallet: WalletAddress,
) -> Result<String, InconclusiveReason> {
    draft_if(submitter, &[wallet], REFUSED, checked_with_time).await
}

async fn draft_if(
    submitter: &Submitter,
    signers: &[WalletAddress],
    remarks: &str,
    check: fn(&Value, &Exchange, &Submitting) -> Result<CheckedTransaction, Unsigned>,
) -> Result<String, InconclusiveReason> {
    let call = refused_call(submitter, signers, remarks);
    let built: Option<Arc<Exchange>> = match submitter.samples.node.send(call_request(&call)).await
    {
        Ok(response) => Some(response),
        Err(InconclusiveReason::Limit(reason)) => return Err(InconclusiveReason::Limit(reason)),
        Err(_) => None,
    };
    Ok(built
        .and_then(|response| check(&call, &response, &submitter.with).ok())
        .filter(|checked| submitter.is_own_code(&code_of(checked.transaction_text())))
        .map_or_else(
            || by_hand(submitter, &call),
            |checked| checked.transaction_text().to_owned(),
        ))
}

/// Returns the body of a call that builds a claim which a node must refuse.
pub(super) fn refused_call(
    submitter: &Submitter,
    signers: &[WalletAddress],
    remarks: &str,
) -> Value {
    let asset = format!("conformance-refused-{:x}", unique());
    call(&submitter.contract(), signers, &asset, remarks)
}

/// Returns the transaction code, or an empty string if there is none.
pub(crate) fn code_of(transaction: &str) -> String {
    let transaction: Value = serde_json::from_str(transaction).unwrap_or_default();
    let code = transaction["trans_code"].as_str();
    code.unwrap_or_default().to_owned()
}

/// Returns a call's transaction in the documented form.
pub(super) fn by_hand(submitter: &Submitter, call: &Value) -> String {
    let with = &submitter.with;
    let token = with
        .currency
        .as_ref()
        .or(submitter.samples.discovered.tokens.first());
    written(token.map_or("TKN", String::as_str), with.fee.as_str(), call)
}

/// Writes a call's transaction with this currency and fee.
pub(super) fn written(currency: &str, fee: &str, call: &Value) -> String {
    let unique = unique();
    format!(
        "{{\"timestamp\":{},\"trans_code\":\"{unique:040x}\",\"type\":3,\"currency\":{},\"fee\":{fee},\
         \"descr\":\"\",\"valid\":1,\"specific_data\":{{\"address\":{},\"function\":{},\
         \"signers\":{},\"params\":{}}}}}",
        unique / 1_000_000,
        Value::from(currency),
        call["sc_address"],
        call["function_called"],
        call["signers"],
        call["params"],
    )
}
