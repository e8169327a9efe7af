//! Transactions in which one member is changed after signing.

use nodeproof_client::RawTransaction;
use nodeproof_primitives::Amount;
use serde_json::{Value, json};

use super::{
    draft::{REFUSED, unique},
    submitter::Submitter,
};
use crate::http::InconclusiveReason;

/// The member that is changed after signing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alteration {
    /// This member of `params`.
    Param(&'static str),
    /// A member of `params` that was not there.
    ParamAdded,
    Fee,
    Timestamp,
    Code,
    Type,
    Currency,
    Descr,
    Valid,
    Function,
    Address,
    Signers,
}

impl Alteration {
    /// The members of `params`.
    pub(super) const PARAMS: [Self; 8] = [
        Self::Param("asset_id"),
        Self::Param("asset_type"),
        Self::Param("verifier_address"),
        Self::Param("outcome"),
        Self::Param("doc_hash_list"),
        Self::Param("doc_link_list"),
        Self::Param("remarks"),
        Self::Param("deletable_after"),
    ];

    /// What else can be changed.
    const OTHERS: [Self; 11] = [
        Self::ParamAdded,
        Self::Fee,
        Self::Timestamp,
        Self::Code,
        Self::Type,
        Self::Currency,
        Self::Descr,
        Self::Valid,
        Self::Function,
        Self::Address,
        Self::Signers,
    ];

    /// Returns all of them.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        Self::PARAMS.into_iter().chain(Self::OTHERS)
    }

    /// Describes the submission.
    pub(crate) fn what(self) -> String {
        let member = match self {
            Self::Param(name) => name,
            Self::ParamAdded => {
                return "a transaction to whose params a member was added after it was signed"
                    .to_owned();
            }
            Self::Fee => "fee",
            Self::Timestamp => "timestamp",
            Self::Code => "trans_code",
            Self::Type => "type",
            Self::Currency => "currency",
            Self::Descr => "descr",
            Self::Valid => "valid",
            Self::Function => "function",
            Self::Address => "contract",
            Self::Signers => {
                return "a transaction to which a signer was added after it was signed".to_owned();
            }
        };
        format!("a transaction whose {member} was changed after it was signed")
    }

    /// Returns the changed transaction.
    pub(crate) fn of(
        self,
        submitter: &Submitter,
        text: &str,
    ) -> Result<String, InconclusiveReason> {
        if self == Self::Fee {
            return with_another_fee(submitter, text);
        }
        altered(text, |transaction| {
            let data = "specific_data";
            match self {
                Self::Param(name) => {
                    let value = &mut transaction[data]["params"][name];
                    *value = other_param(name, value);
                }
                Self::ParamAdded => transaction[data]["params"]["added"] = "to be taken".into(),
                Self::Timestamp => {
                    let time = transaction["timestamp"].as_u64().unwrap_or_default();
                    transaction["timestamp"] = time.saturating_add(1).into();
                }
                Self::Code => {
                    let code = format!("c0dec0de{:032x}", unique());
                    transaction["trans_code"] = code.into();
                }
                Self::Type => transaction["type"] = 5.into(),
                Self::Currency => {
                    let tokens = &submitter.samples.discovered.tokens;
                    transaction["currency"] = other_name(tokens, &transaction["currency"], "OTHER");
                }
                Self::Descr => transaction["descr"] = REFUSED.into(),
                Self::Valid => transaction["valid"] = 0.into(),
                Self::Function => transaction[data]["function"] = "transfer".into(),
                Self::Address => {
                    let nobodys = format!("ct{}", "6b".repeat(20));
                    let contracts = &submitter.samples.discovered.contracts;
                    let other = other_name(contracts, &transaction[data]["address"], &nobodys);
                    transaction[data]["address"] = other;
                }
                Self::Signers | Self::Fee => {}
            }
        })
    }
}

/// Returns another value of a member of `params`, of the same form.
fn other_param(name: &str, value: &Value) -> Value {
    match name {
        "verifier_address" => json!(format!("0x{}", "7a".repeat(20))),
        "outcome" if *value == 1 => json!(0),
        "outcome" => json!(1),
        "doc_hash_list" => json!(["7a".repeat(32)]),
        "doc_link_list" => json!(["https://example.org/to-be-taken"]),
        "deletable_after" => json!(7_654_321),
        _ => "to be taken".into(),
    }
}

/// Returns a known name other than `current`, so that only the signature is wrong. Returns
/// `otherwise` if there is none.
fn other_name(known: &[String], current: &Value, otherwise: &str) -> Value {
    let found = known.iter().find(|name| current != name.as_str());
    json!(found.map_or(otherwise, String::as_str))
}

/// Applies a change to a transaction's text. The other members may be written differently, because
/// the node must refuse the transaction.
pub(crate) fn altered(
    text: &str,
    change: impl FnOnce(&mut Value),
) -> Result<String, InconclusiveReason> {
    let mut transaction: Value = serde_json::from_str(text)
        .ok()
        .filter(|transaction: &Value| transaction["specific_data"]["params"].is_object())
        .ok_or_else(|| {
            InconclusiveReason::Harness("a transaction of an unknown form".to_owned())
        })?;
    change(&mut transaction);
    Ok(transaction.to_string())
}

fn with_another_fee(submitter: &Submitter, text: &str) -> Result<String, InconclusiveReason> {
    let fee = submitter.with.fee.as_str();
    let other: u64 = if fee == "2000000" {
        2_000_001
    } else {
        2_000_000
    };
    RawTransaction::from_json(text)
        .and_then(|raw| raw.with_fee(&Amount::from(other)))
        .and_then(|raw| raw.transaction_text().map(ToOwned::to_owned))
        .map_err(|error| InconclusiveReason::NoSample(format!("the fee can't be changed: {error}")))
}
