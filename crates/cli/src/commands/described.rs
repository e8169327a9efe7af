//! Describes a transaction for the person who will sign it.

use std::collections::BTreeMap;

use nodeproof_client::Transaction;
use nodeproof_primitives::{
    Amount, ContractAddress, Integer, RawJson, TransactionCode,
    escape::{escaped, escaped_up_to},
};
use serde::de::DeserializeOwned;

use super::field_text::{date_and_time, written};
use crate::io::output::harmless_json;

/// The documented members of `specific_data` of a contract call.
const OF_A_CALL: [&str; 4] = ["address", "function", "signers", "params"];

/// The members of a transaction of any type, read one by one. A person sees all that can be read.
pub(super) struct TransactionMembers(BTreeMap<String, RawJson>);

impl TransactionMembers {
    pub(super) fn of(transaction: &str) -> Self {
        Self(serde_json::from_str(transaction).unwrap_or_default())
    }

    /// Returns a member, or `None` if it is missing or malformed.
    pub(super) fn get<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        self.0.get(name)?.decode().ok()
    }

    /// Returns whether the transaction is a contract call. Source: TX-3.
    pub(super) fn is_call(&self) -> bool {
        self.get::<Integer>("type").is_some_and(|kind| kind == 3)
    }

    /// Describes the type of the transaction.
    pub(super) fn kind(&self) -> String {
        let Some(kind) = self.get::<Integer>("type") else {
            return "an unknown type".to_owned();
        };
        if kind != 3 {
            return match type_name(&kind.to_string()) {
                Some(name) => format!("type {kind}, {name}"),
                None => format!("type {}", escaped_up_to(&kind.to_string(), 40)),
            };
        }
        let data = self.0.get("specific_data").map_or("", RawJson::as_str);
        let data = Self::of(data);
        let function = match data.get::<String>("function") {
            Some(function) => format!("{function:?}"),
            None => "a function that is not named".to_owned(),
        };
        match data.get::<ContractAddress>("address") {
            Some(contract) => format!("type 3, a call of {function} of {contract}"),
            None => format!("type 3, a call of {function} of a contract that can't be read"),
        }
    }
}

/// Describes a transaction in one escaped line.
pub(super) fn summary(transaction: &str) -> String {
    let view = TransactionMembers::of(transaction);
    let code = written(view.get::<TransactionCode>("trans_code"));
    let fee = match (view.get::<Amount>("fee"), view.get::<String>("currency")) {
        (Some(fee), Some(currency)) => format!("fee {fee} {currency}"),
        (Some(fee), None) => format!("fee {fee} (the currency is missing)"),
        (None, _) => "no fee".to_owned(),
    };
    let time = view.get("timestamp");
    let time = time.map_or_else(|| "no time".to_owned(), date_and_time);
    escaped(&format!(
        "transaction {code}: {}, {fee}, of {time}",
        view.kind()
    ))
}

/// Describes a transaction, and then each of its members with its value, in escaped lines.
///
/// Undocumented members are marked as unknown. A value is cut after `most` characters, with a note.
pub(super) fn described(transaction: &str, most: usize) -> Vec<String> {
    let mut lines = vec![summary(transaction)];
    let is_call = TransactionMembers::of(transaction).is_call();
    for (name, value) in members(transaction) {
        if is_call && name == "specific_data" {
            for (name, value) in members(value.as_str()) {
                let known = OF_A_CALL.contains(&&*name);
                lines.push(line(&format!("specific_data.{name}"), &value, known, most));
            }
        } else {
            let known = Transaction::MEMBERS.contains(&&*name);
            lines.push(line(&name, &value, known, most));
        }
    }
    lines
}

/// Describes the members of a submission except the transaction and its signatures. They are not
/// signed.
pub(super) fn describe_unsigned_members(document: &str, most: usize) -> Vec<String> {
    members(document)
        .into_iter()
        .filter(|(name, _)| name != "transaction" && name != "signatures")
        .map(|(name, value)| {
            format!(
                "beside the transaction, {}",
                line(&name, &value, false, most)
            )
        })
        .collect()
}

fn line(name: &str, value: &RawJson, is_known: bool, most: usize) -> String {
    let unknown = if is_known { "" } else { "unknown member " };
    let value = harmless_json(value.as_str());
    let cut = if value.chars().count() > most {
        " (cut here: --dry-run shows all of it)"
    } else {
        ""
    };
    format!(
        "{unknown}{}: {}{cut}",
        escaped(name),
        escaped_up_to(&value, most)
    )
}

/// Returns the members of an object by name. Other JSON becomes one member without a name.
fn members(text: &str) -> BTreeMap<String, RawJson> {
    serde_json::from_str(text).unwrap_or_else(|_| {
        let whole = text.parse().ok();
        whole
            .map(|whole| (String::new(), whole))
            .into_iter()
            .collect()
    })
}

/// Returns the meaning of a type on observed nodes. The specification defines only type 3.
fn type_name(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "1" => "a new wallet",
        "2" => "a new token",
        "4" => "a transfer in both directions",
        "5" => "a transfer",
        "6" => "a change of a trust score",
        "7" => "a miner heartbeat",
        "8" => "a contract's change of its state",
        _ => return None,
    })
}
