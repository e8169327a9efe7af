//! Finds a transaction in a block.

use serde_json::Value;

use super::transaction::Transaction;
use crate::http::Exchange;

/// Whether a block has a list of transactions.
pub(crate) fn lists_transactions(block: &Value) -> bool {
    let list = block.pointer("/text/transactions");
    list.is_some_and(Value::is_array)
}

/// Whether a block has an empty list of transactions, in one of the observed forms.
pub(crate) fn lists_no_transaction(block: &Value) -> bool {
    let lists = ["/text/transactions", "/transactions"];
    let mut lists = lists
        .iter()
        .filter_map(|place| block.pointer(place)?.as_array());
    lists.any(Vec::is_empty)
}

/// A transaction in a block.
#[derive(Clone, Copy)]
pub(crate) struct InBlock<'v> {
    pub(crate) transaction: &'v Value,
    /// The signatures, next to the transaction or inside it.
    pub(crate) signatures: Option<&'v Value>,
}

/// Finds a transaction in a block by its code. The specification does not show the shape of the
/// elements. An element may be only the code.
pub(crate) fn in_block<'v>(block: &'v Value, code: &str) -> Option<InBlock<'v>> {
    find_in_block(block, &|text| text.eq_ignore_ascii_case(code))
}

/// Finds the first transaction in a block whose code is one of those that are wanted.
pub(crate) fn find_in_block<'v>(
    block: &'v Value,
    is_wanted: &impl Fn(&str) -> bool,
) -> Option<InBlock<'v>> {
    let is_it = |value: &Value| {
        let named = value.get("trans_code").and_then(Value::as_str);
        named.or(value.as_str()).is_some_and(is_wanted)
    };
    match block {
        transaction if is_it(transaction) => Some(InBlock {
            transaction,
            signatures: transaction.get("signatures"),
        }),
        Value::Object(members) => members.values().find_map(|member| {
            let mut found = find_in_block(member, is_wanted)?;
            if is_it(member) {
                found.signatures = found.signatures.or(members.get("signatures"));
            }
            Some(found)
        }),
        Value::Array(items) => items.iter().find_map(|item| find_in_block(item, is_wanted)),
        _ => None,
    }
}

/// Returns the elements of a block's list of transactions, each with its transaction, which may be the element itself.
pub(crate) fn listed_transactions(block: &Value) -> impl Iterator<Item = (&Value, &Value)> {
    let list = block.pointer("/text/transactions");
    let entries = list.and_then(Value::as_array).into_iter().flatten();
    entries.map(|entry| (entry, entry.get("transaction").unwrap_or(entry)))
}

/// Returns the signatures of an element of that list, beside its transaction or inside it.
pub(crate) fn listed_signatures<'v>(
    entry: &'v Value,
    transaction: &'v Value,
) -> impl Iterator<Item = &'v Value> {
    let beside = entry["signatures"].as_array();
    let found = beside.or_else(|| transaction["signatures"].as_array());
    found.into_iter().flatten()
}

/// Whether a block shows that a transaction failed. Some nodes list it with a status below 0.
pub(crate) fn is_listed_as_failed(entry: &Value) -> bool {
    entry["status"].as_i64().is_some_and(|status| status < 0)
}

/// Returns what the transfers call that a block lists, and not as failed.
pub(crate) fn made_transfers(block: &Value) -> impl Iterator<Item = &Value> {
    let made = listed_transactions(block).filter(|(entry, _)| !is_listed_as_failed(entry));
    let calls = made.filter_map(|(_, transaction)| transaction.get("specific_data"));
    calls.filter(|call| call["function"] == "transfer")
}

/// Whether a block lists the transaction with this code as failed.
pub(crate) fn lists_as_failed(block: &Value, code: &str) -> bool {
    let mut entries = listed_transactions(block);
    entries.any(|(entry, _)| is_listed_as_failed(entry) && in_block(entry, code).is_some())
}

/// Returns the codes of a block's transactions. Only elements in an observed form count: a submission, a transaction, or
/// a code.
pub(crate) fn listed_codes(block: &Value) -> impl Iterator<Item = &str> {
    listed_transactions(block).filter_map(|(entry, transaction)| {
        let named = transaction.get("trans_code").and_then(Value::as_str);
        named.or(entry.as_str())
    })
}

/// Returns how often a block's transactions contain a transaction with this code.
pub(crate) fn times_in_block(block: &Value, code: &str) -> usize {
    listed_codes(block)
        .filter(|found| found.eq_ignore_ascii_case(code))
        .count()
}

/// Returns the code of a transaction that was submitted, if it has the documented length.
pub(crate) fn submitted_code(submission: &Exchange) -> Option<String> {
    let code = Transaction::sent_in(submission)?.code()?;
    (code.len() == 40).then(|| code.to_owned())
}
