//! Transactions in blocks that a run did not submit.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::accepted::MOST_AMOUNT;
use crate::api::{find_in_block, listed_signatures, listed_transactions};

/// A transaction in a block that this run did not submit.
pub(super) struct Other {
    /// Whether it is a call that may pay anybody: neither a claim nor a transfer.
    pub(super) may_pay_anybody: bool,
    /// Whether a block shows only its code, or another value without its wallets.
    pub(super) is_code: bool,
    /// The token in which it pays a fee, and the fee, rounded up for each of its signers.
    pub(super) fee: Option<(String, i128)>,
    /// The wallets that it names, each with the most that it may give to it.
    pub(super) gifts: BTreeMap<String, Gift>,
}

/// The most that a wallet may receive, or `None` if its balances may change in any other way.
pub(super) type Gift = Option<i128>;

/// Returns the token in which a transaction pays a fee, and the most that its signers pay.
fn fee_of_other(entry: &Value, transaction: &Value) -> Option<(String, i128)> {
    let fee = transaction["fee"]
        .as_f64()
        .filter(|fee| *fee < MOST_AMOUNT)?;
    let signers = listed_signatures(entry, transaction).count();
    let most = (fee.ceil() as i128).saturating_add(signers as i128);
    Some((transaction["currency"].as_str()?.to_owned(), most.max(0)))
}

/// The type of a transfer without a contract (observed).
const ONE_WAY: i64 = 5;

/// Returns the wallets that a transaction names, in small letters, each with the most that it may give to it. A transfer gives
/// its receiver at most the highest number in its data, and takes nothing from it. It may do anything to a wallet that it names
/// in another place, and so may other transactions.
fn gifts_of(entry: &Value, transaction: &Value) -> BTreeMap<String, Gift> {
    let data = &transaction["specific_data"];
    let receiver = match data.get("function") {
        Some(name) if name == "transfer" => data["params"]["receiver"].as_str(),
        None if transaction["type"] == ONE_WAY => data["wallet2"].as_str(),
        _ => None,
    };
    let receiver = receiver.map(str::to_ascii_lowercase);
    let is_signed = listed_signatures(entry, transaction).next().is_some();
    let most = highest(data);
    let mut named = BTreeMap::new();
    count_wallets(entry, &mut named);
    let gifts = named.into_iter().map(|(wallet, count)| {
        let is_gift = is_signed && count == 1 && receiver.as_ref() == Some(&wallet);
        (wallet, is_gift.then_some(most))
    });
    gifts.collect()
}

/// Returns the highest number in a value, rounded up, and at least 0.
fn highest(value: &Value) -> i128 {
    let of_members = match value {
        Value::Number(number) => return number.as_f64().map_or(0, |one| one.ceil() as i128).max(0),
        Value::Array(items) => items.iter().map(highest).max(),
        Value::Object(members) => members.values().map(highest).max(),
        _ => None,
    };
    of_members.unwrap_or_default()
}

/// Counts how often a value names each wallet, in small letters.
fn count_wallets(value: &Value, named: &mut BTreeMap<String, usize>) {
    let mut add = |text: &String| {
        if text.starts_with("0x") {
            *named.entry(text.to_ascii_lowercase()).or_default() += 1;
        }
    };
    match value {
        Value::String(text) => add(text),
        Value::Array(items) => items.iter().for_each(|item| count_wallets(item, named)),
        Value::Object(members) => {
            members.keys().for_each(add);
            members
                .values()
                .for_each(|member| count_wallets(member, named));
        }
        _ => {}
    }
}

/// Returns the transactions of a block that this run did not submit.
pub(super) fn others_in(block: &Value, own: &BTreeSet<String>) -> Vec<Other> {
    let is_own = |text: &str| own.contains(&text.to_ascii_lowercase());
    let all = listed_transactions(block);
    let others = all.filter(|(entry, _)| find_in_block(entry, &is_own).is_none());
    others
        .map(|(entry, transaction)| {
            let gifts = gifts_of(entry, transaction);
            let function = &transaction["specific_data"]["function"];
            Other {
                may_pay_anybody: transaction["type"] == 3
                    && !["transfer", "add_verification"]
                        .iter()
                        .any(|name| function == *name),
                is_code: gifts.is_empty() && transaction.get("type").is_none(),
                fee: fee_of_other(entry, transaction),
                gifts,
            }
        })
        .collect()
}
