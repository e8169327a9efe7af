//! The check of a whole transaction against the call that was requested.

use nodeproof_primitives::{RawJson, TransactionCode, signed_message};

use super::{
    compare::{compare, no_member_twice},
    error::BuiltCallMismatch,
    json::{array, is_number, is_text, literal, object},
    place::Place,
};
use crate::{
    ContractCall, InputError, RawTransaction, SignatureEntry, SignedTransaction, Transaction,
    contract_call::fee::Fee, json_text::text_in,
};

/// The maximum length of a text that is checked, in bytes. Nodes were seen to take transactions of
/// 4096 bytes.
pub(super) const MAX_LENGTH: usize = 1024 * 1024;

/// The expected members that the client sets: `fee`, `currency` and `descr`.
#[derive(Clone, Copy)]
enum SetByClient<'a> {
    /// Any number and any texts. They are set later.
    Open,
    /// This fee, exactly as written, and an empty `descr`.
    To(&'a Fee),
}

/// Returns whether an element of `signatures` is only a placeholder. Placeholders are never
/// submitted.
fn is_placeholder(entry: &&serde_json::value::RawValue) -> bool {
    #[derive(serde::Deserialize)]
    struct Entry {
        #[serde(rename = "wallet_address")]
        _wallet: String,
        msgsign: Option<String>,
    }
    let entry = serde_json::from_str::<Entry>(entry.get());
    entry.is_ok_and(|entry| entry.msgsign.is_none_or(|signature| signature.is_empty()))
}

/// Checks a built transaction before the client sets its members.
pub(crate) fn check_built(
    requested: &ContractCall,
    built: &RawTransaction,
) -> Result<(), BuiltCallMismatch> {
    let text = built.text().as_str();
    check_call(requested)?;
    check_document(text)?;
    let transaction = built.transaction_text()?;
    let root = Place::Root;
    // Without an outer object, the text is the transaction itself.
    if transaction.len() < text.len() {
        for (name, value) in object(text, &root)? {
            match name.as_str() {
                "transaction" => {}
                "signatures"
                    if array(value.get(), &root.member("signatures"))?
                        .iter()
                        .all(is_placeholder) => {}
                "signatures" => return Err(BuiltCallMismatch::AlreadySigned),
                // What stands beside the transaction is neither signed nor submitted.
                _ => {}
            }
        }
    }
    check_transaction(requested, transaction, SetByClient::Open)
}

/// Checks the text that is signed.
pub(crate) fn check_final(
    requested: &ContractCall,
    transaction: &str,
    fee: &Fee,
) -> Result<(), BuiltCallMismatch> {
    check_call(requested)?;
    check_document(transaction)?;
    check_transaction(requested, transaction, SetByClient::To(fee))
}

/// Checks a signed transaction: it is the requested call, and all its signers have signed.
///
/// This does not verify the signatures: the client has no keys.
pub(crate) fn check_signed(
    requested: &ContractCall,
    signed: &SignedTransaction,
    fee: &Fee,
) -> Result<(), BuiltCallMismatch> {
    let root = Place::Root;
    let text = signed.text().as_str();
    check_call(requested)?;
    check_document(text)?;
    for (name, value) in object(text, &root)? {
        if name != "transaction" && name != "signatures" {
            return Err(BuiltCallMismatch::extra(&root.member(&name), value.get()));
        }
    }
    check_transaction(requested, signed.transaction_text(), SetByClient::To(fee))?;
    check_signatures(requested, signed)
}

/// Checks a call before it is sent: it has one meaning, and a message that can be signed.
pub(crate) fn check_signable(requested: &ContractCall) -> Result<(), BuiltCallMismatch> {
    let text = RawJson::from_value(requested).map_err(InputError::from)?;
    check_document(text.as_str())?;
    check_call(requested)
}

/// Checks that no object in a document has two members with the same name.
///
/// Nodes sign and read the last one. A person reads the first. The document has two meanings.
///
/// # Errors
/// [`BuiltCallMismatch::Twice`] with the first such member. Other errors if the text is not JSON or
/// is nested too deep.
///
/// ```
/// use nodeproof_client::contract_call::check_unique_members;
///
/// assert!(check_unique_members(r#"{"amount":1,"more":{"amount":2}}"#).is_ok());
/// let twice = check_unique_members(r#"{"params":{"amount":1,"amount":1000}}"#).unwrap_err();
/// assert_eq!(twice.member(), Some("params.amount"));
/// ```
pub fn check_unique_members(text: &str) -> Result<(), BuiltCallMismatch> {
    no_member_twice(text, &Place::Root, 0)
}

/// Checks that the requested parameters have one meaning.
fn check_call(requested: &ContractCall) -> Result<(), BuiltCallMismatch> {
    let root = Place::Root;
    let params = Place::Member(&root, "params");
    no_member_twice(requested.params.as_str(), &params, 0).map_err(|error| match error {
        BuiltCallMismatch::Twice { member } => {
            BuiltCallMismatch::DuplicateMemberInRequest { member }
        }
        other => other,
    })?;
    object(requested.params.as_str(), &params).map(drop)
}

/// Checks that a whole text is not too long, has one meaning, and has a message that can be signed.
fn check_document(text: &str) -> Result<(), BuiltCallMismatch> {
    if text.len() > MAX_LENGTH {
        return Err(BuiltCallMismatch::TooLong {
            bytes: text.len(),
            limit: MAX_LENGTH,
        });
    }
    signed_message(text)?;
    no_member_twice(text, &Place::Root, 0)
}

fn check_transaction(
    requested: &ContractCall,
    text: &str,
    set: SetByClient<'_>,
) -> Result<(), BuiltCallMismatch> {
    let root = Place::Root;
    let place = root.member("transaction");
    let members = object(text, &place)?;
    let required = Transaction::MEMBERS.into_iter();
    for name in required.filter(|name| *name != "is_child_txn") {
        if !members.iter().any(|(known, _)| known == name) {
            return Err(BuiltCallMismatch::missing(&place.member(name)));
        }
    }
    for (name, value) in members {
        let (place, raw) = (place.member(&name), value.get());
        match name.as_str() {
            "type" => literal(raw, "3", &place)?,
            "valid" => literal(raw, "1", &place)?,
            "descr" => match set {
                SetByClient::To(_) => is_text(raw, "", &place)?,
                SetByClient::Open => any_text(raw, &place)?,
            },
            // Observed on real nodes. Not in the specification.
            "is_child_txn" => literal(raw, "false", &place)?,
            "timestamp" => {
                let digits = raw.bytes().all(|byte| byte.is_ascii_digit());
                if !digits || raw.parse::<i64>().is_err() {
                    let wanted = "an integer of milliseconds that is not negative";
                    return Err(BuiltCallMismatch::malformed(&place, wanted, raw));
                }
            }
            "trans_code" => {
                if serde_json::from_str::<TransactionCode>(raw).is_err() {
                    let wanted = "40 hexadecimal digits";
                    return Err(BuiltCallMismatch::malformed(&place, wanted, raw));
                }
            }
            "currency" => match set {
                SetByClient::To(fee) => is_text(raw, fee.currency(), &place)?,
                SetByClient::Open => any_text(raw, &place)?,
            },
            "fee" => match set {
                SetByClient::To(fee) => literal(raw, fee.amount().as_str(), &place)?,
                SetByClient::Open if is_number(raw) => {}
                SetByClient::Open => {
                    return Err(BuiltCallMismatch::malformed(&place, "a number", raw));
                }
            },
            "specific_data" => check_specific_data(requested, raw, &place)?,
            _ => return Err(BuiltCallMismatch::extra(&place, raw)),
        }
    }
    Ok(())
}

fn any_text(raw: &str, place: &Place<'_>) -> Result<(), BuiltCallMismatch> {
    let text = text_in(raw).map(drop);
    text.ok_or_else(|| BuiltCallMismatch::malformed(place, "a text", raw))
}

fn check_specific_data(
    requested: &ContractCall,
    text: &str,
    place: &Place<'_>,
) -> Result<(), BuiltCallMismatch> {
    let members = object(text, place)?;
    for name in ["address", "function", "signers", "params"] {
        if !members.iter().any(|(known, _)| known == name) {
            return Err(BuiltCallMismatch::missing(&place.member(name)));
        }
    }
    for (name, value) in members {
        let (place, raw) = (place.member(&name), value.get());
        match name.as_str() {
            "address" => is_text(raw, &requested.sc_address.to_string(), &place)?,
            "function" => is_text(raw, &requested.function_called, &place)?,
            "signers" => {
                let wanted = RawJson::from_value(&requested.signers);
                let wanted = wanted.map_err(|_| BuiltCallMismatch::missing(&place))?;
                compare(wanted.as_str(), raw, &place)?;
            }
            "params" => compare(requested.params.as_str(), raw, &place)?,
            _ => return Err(BuiltCallMismatch::extra(&place, raw)),
        }
    }
    Ok(())
}

fn check_signatures(
    requested: &ContractCall,
    signed: &SignedTransaction,
) -> Result<(), BuiltCallMismatch> {
    let root = Place::Root;
    let list = root.member("signatures");
    let members = object(signed.text().as_str(), &root)?;
    let found = members.iter().find(|(name, _)| name == "signatures");
    let entries = match found {
        Some((_, value)) => array(value.get(), &list)?,
        None => return Err(BuiltCallMismatch::missing(&list)),
    };
    let mut unsigned = requested.signers.clone();
    for (index, value) in entries.into_iter().enumerate() {
        let place = list.element(index);
        for (name, value) in object(value.get(), &place)? {
            if name != "wallet_address" && name != "msgsign" {
                return Err(BuiltCallMismatch::extra(&place.member(&name), value.get()));
            }
        }
        let entry: SignatureEntry = serde_json::from_str(value.get()).map_err(|_| {
            BuiltCallMismatch::malformed(
                &place,
                "a wallet's address with its signature",
                value.get(),
            )
        })?;
        if entry
            .msgsign
            .as_str()
            .parse::<nodeproof_primitives::MessageSignature>()
            .is_err()
        {
            let wanted = "a signature of 128 hexadecimal digits";
            let signature = entry.msgsign.as_str();
            return Err(BuiltCallMismatch::malformed(
                &place.member("msgsign"),
                wanted,
                signature,
            ));
        }
        let Some(signer) = unsigned
            .iter()
            .position(|wallet| *wallet == entry.wallet_address)
        else {
            return Err(BuiltCallMismatch::NotASigner {
                wallet: entry.wallet_address,
            });
        };
        unsigned.remove(signer);
    }
    match unsigned.first() {
        Some(wallet) => Err(BuiltCallMismatch::NotSigned { wallet: *wallet }),
        None => Ok(()),
    }
}
