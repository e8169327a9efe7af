//! Describes a transaction for the person who will sign it.

use std::collections::BTreeMap;

use nodeproof_client::Transaction;
use nodeproof_primitives::{
    RawJson,
    escape::{escaped, escaped_up_to},
};

use super::field_text::date_and_time;
use crate::io::output::harmless_json;

/// The documented members of a transaction.
const DOCUMENTED: [&str; 9] = [
    "timestamp",
    "trans_code",
    "type",
    "currency",
    "fee",
    "descr",
    "valid",
    "specific_data",
    "is_child_txn",
];
/// The documented members of `specific_data` of a contract call.
const OF_A_CALL: [&str; 4] = ["address", "function", "signers", "params"];

/// Describes a transaction in one escaped line.
pub(super) fn summary(transaction: &str) -> String {
    let Ok(view) = Transaction::from_text(transaction) else {
        return "a transaction that can't be read".to_owned();
    };
    let code = view
        .trans_code()
        .map_or_else(|fault| format!("({fault})"), |code| code.to_string());
    let fee = match (view.fee(), view.currency()) {
        (Ok(fee), Ok(currency)) => format!("fee {fee} {currency}"),
        (Ok(fee), Err(fault)) => format!("fee {fee} ({fault})"),
        (Err(fault), _) => format!("no fee ({fault})"),
    };
    let time = view
        .timestamp()
        .map_or_else(|fault| format!("no time ({fault})"), date_and_time);
    escaped(&format!(
        "transaction {code}: {}, {fee}, of {time}",
        what(&view)
    ))
}

/// Describes a transaction, and then each of its members with its value, in escaped lines.
///
/// Undocumented members are marked as unknown. A value is cut after `most` characters, with a note.
pub(super) fn described(transaction: &str, most: usize) -> Vec<String> {
    let mut lines = vec![summary(transaction)];
    let is_call = Transaction::from_text(transaction).is_ok_and(|view| is_call(&view));
    for (name, value) in members(transaction) {
        if is_call && name == "specific_data" {
            for (name, value) in members(value.as_str()) {
                let known = OF_A_CALL.contains(&&*name);
                lines.push(line(&format!("specific_data.{name}"), &value, known, most));
            }
        } else {
            let known = DOCUMENTED.contains(&&*name);
            lines.push(line(&name, &value, known, most));
        }
    }
    lines
}

/// Describes the members of a submission except the transaction and its signatures. They are not
/// signed.
pub(super) fn beside(document: &str, most: usize) -> Vec<String> {
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

/// Whether the transaction is a contract call. Source: the contract, "Transaction".
pub(super) fn is_call(view: &Transaction) -> bool {
    view.kind().is_ok_and(|kind| *kind == 3)
}

/// Describes the type of a transaction.
pub(super) fn what(view: &Transaction) -> String {
    if !is_call(view) {
        return match view.kind() {
            Ok(kind) => match name(&kind.to_string()) {
                Some(name) => format!("type {kind}, {name}"),
                None => format!("type {}", escaped_up_to(&kind.to_string(), 40)),
            },
            Err(fault) => format!("of an unknown type ({fault})"),
        };
    }
    let call = view.contract_call().ok();
    let function = call.as_ref().map(|call| call.function());
    let function = match function {
        Some(Ok(function)) => format!("{function:?}"),
        _ => "a function that is not named".to_owned(),
    };
    match call.as_ref().map(|call| call.address()) {
        Some(Ok(contract)) => format!("type 3, a call of {function} of {contract}"),
        _ => format!("type 3, a call of {function} of a contract that can't be read"),
    }
}

/// Returns the meaning of a type on observed nodes. The contract defines only type 3.
fn name(kind: &str) -> Option<&'static str> {
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
