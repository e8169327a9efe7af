//! Transactions before they are signed: built by the node, or by hand where it builds none.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use nodeproof_client::{
    AddVerification, ContractCall, RawTransaction,
    contract_call::{BuiltCallMismatch, CheckedTransaction, ContractFunction, Fee},
};
use nodeproof_primitives::{WalletAddress, escape::escaped_up_to as shown};
use serde_json::{Value, json};

use super::{signing::Submitting, submitter::Submitter};
use crate::{
    api::{MILLISECONDS, answered},
    http::{Exchange, InconclusiveReason, Request},
};

/// In the remarks of what is to be refused.
pub(crate) const REFUSED: &str = "to be refused";

/// Something that no other run has written.
pub(crate) fn unique() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos())
}

/// The body of a call that builds a claim.
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

/// In what an answer of `/call-sc` is not the call that was asked for; nothing where it is.
///
/// What a node builds is signed only if it is exactly what it was asked for: a signature is worth
/// whatever the wallet holds.
pub(crate) fn unlike(call: &Value, answer: &Exchange) -> Option<String> {
    let Some(body) = answered(answer) else {
        return Some(format!("no transaction was built: {}", answer.summary()));
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
    match transaction.get("specific_data") {
        Some(found) if *found == wanted => None,
        Some(found) => Some(format!(
            "the transaction's specific_data is {}",
            shown(&found.to_string(), 200)
        )),
        None => Some("the transaction has no specific_data".to_owned()),
    }
}

/// Why what a node built is not signed.
#[derive(Clone, Debug)]
pub(crate) enum Unsigned {
    /// It contradicts what was asked for, or what a transaction is.
    Contradicts(String),
    /// There is something that nobody asked for, or something is not there to be checked.
    Unchecked(String),
}

impl Unsigned {
    pub(crate) fn reason(&self) -> &str {
        let (Self::Contradicts(reason) | Self::Unchecked(reason)) = self;
        reason
    }
}

impl From<BuiltCallMismatch> for Unsigned {
    fn from(error: BuiltCallMismatch) -> Self {
        let reason = error.to_string();
        match &error {
            // The contract shows neither what a built description says nor this other member.
            BuiltCallMismatch::Changed { member, .. }
                if member.ends_with("descr") || member.ends_with("is_child_txn") =>
            {
                Self::Unchecked(reason)
            }
            BuiltCallMismatch::Changed { .. }
            | BuiltCallMismatch::Malformed { .. }
            | BuiltCallMismatch::Twice { .. } => Self::Contradicts(reason),
            _ => Self::Unchecked(reason),
        }
    }
}

/// What a node built, with the fee and the currency of this run, once it is found to be the call
/// that was asked for and nothing else: only that is signed.
fn checked(
    call: &Value,
    answer: &Exchange,
    with: &Submitting,
) -> Result<CheckedTransaction, Unsigned> {
    let told = |error: &dyn std::error::Error| Unsigned::Unchecked(error.to_string());
    let raw = RawTransaction::from_slice(&answer.body).map_err(|error| told(&error))?;
    let currency = match &with.currency {
        Some(code) => code.clone(),
        None => {
            let built = raw.transaction().map_err(|error| told(&error))?;
            built.currency().map_err(|error| told(&error))?.to_owned()
        }
    };
    let fee = Fee::new(with.fee.clone(), currency).map_err(|error| told(&error))?;
    let asked = contract_call(call).map_err(Unsigned::Unchecked)?;
    let checked = CheckedTransaction::check(&asked, &raw, &fee)?;
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

/// The same for what the user's wallet signs, whose time the node must not choose.
pub(crate) fn checked_with_time(
    call: &Value,
    answer: &Exchange,
    with: &Submitting,
) -> Result<CheckedTransaction, Unsigned> {
    let checked = checked(call, answer, with)?;
    checked.check_local_time()?;
    Ok(checked)
}

/// The body of a call, as the client knows it.
fn contract_call(call: &Value) -> Result<ContractCall, String> {
    serde_json::from_str(&call.to_string()).map_err(|error| error.to_string())
}

/// A transaction for a claim that is to be refused, as it is to be signed: what the node builds
/// where it builds what it was asked for, else one by hand.
///
/// Each has a code and an asset of its own. A node that accepts one by mistake may answer by its
/// code alone from then on.
pub(crate) async fn draft(
    submitter: &Submitter,
    signers: &[WalletAddress],
    remarks: &str,
) -> Result<String, InconclusiveReason> {
    let call = call(
        &submitter.contract(),
        signers,
        &format!("conformance-refused-{:x}", unique()),
        remarks,
    );
    let built: Option<Arc<Exchange>> = match submitter.samples.node.send(call_request(&call)).await
    {
        Ok(answer) => Some(answer),
        Err(InconclusiveReason::Limit(reason)) => return Err(InconclusiveReason::Limit(reason)),
        Err(_) => None,
    };
    Ok(built
        .and_then(|answer| checked(&call, &answer, &submitter.with).ok())
        .filter(|checked| submitter.is_own_code(&code_of(checked.transaction_text())))
        .map_or_else(
            || by_hand(submitter, &call),
            |checked| checked.transaction_text().to_owned(),
        ))
}

/// What names a transaction; empty if nothing does.
pub(crate) fn code_of(transaction: &str) -> String {
    let transaction: Value = serde_json::from_str(transaction).unwrap_or_default();
    let code = transaction["trans_code"].as_str();
    code.unwrap_or_default().to_owned()
}

/// The documented transaction of a call.
fn by_hand(submitter: &Submitter, call: &Value) -> String {
    let with = &submitter.with;
    let token = with
        .currency
        .as_ref()
        .or(submitter.samples.material.tokens.first());
    let unique = unique();
    format!(
        "{{\"timestamp\":{},\"trans_code\":\"{unique:040x}\",\"type\":3,\"currency\":{},\"fee\":{},\
         \"descr\":\"\",\"valid\":1,\"specific_data\":{{\"address\":{},\"function\":{},\
         \"signers\":{},\"params\":{}}}}}",
        unique / 1_000_000,
        Value::from(token.map_or("TKN", String::as_str)),
        with.fee.as_str(),
        call["sc_address"],
        call["function_called"],
        call["signers"],
        call["params"],
    )
}
