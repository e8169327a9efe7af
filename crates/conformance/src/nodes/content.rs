//! The content of a node's response, in a form that can be compared with that of other nodes.
//!
//! Nodes return the same thing in several forms: a documented block or a database row, a record as an
//! object or as an array. So values are compared, member by member, with exact numbers.
//!
//! A missing or null member is not compared, because a case of its own reports it. A malformed member
//! is compared in its JSON text. Undocumented members are not compared.

use std::{collections::BTreeMap, fmt::Display, sync::Arc};

use nodeproof_client::VerificationRecord;
use nodeproof_primitives::{Integer, RawJson};
use nodeproof_primitives::{canonical_json, escape::escaped_up_to as shown};

use crate::{
    api::{BlockMembers, List, Member, Members, Pair, ReceiptMembers, Unread},
    checks::Fingerprint,
    http::Exchange,
};

/// A value: a fingerprint of 16 bytes for comparisons, and a short text for reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContentValue {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) shown: String,
}

/// The content of a response, by member.
pub(crate) type Content = BTreeMap<&'static str, ContentValue>;

/// The member that states whether the node has the block or score at all.
pub(crate) const EXISTENCE: &str = "existence";
const MISSING: &str = "missing";

fn put(content: &mut Content, member: &'static str, value: Option<impl Display>) {
    if let Some(text) = value.map(|value| value.to_string()) {
        let value = ContentValue {
            fingerprint: Fingerprint::of(&text),
            shown: shown(&text, 100),
        };
        content.insert(member, value);
    }
}

/// Adds a member. A malformed one is added as JSON text. One that is missing or
/// null is left out.
fn put_read<T: Display>(content: &mut Content, member: &'static str, read: &Member<T>) {
    match read {
        Ok(value) => put(content, member, Some(value)),
        Err(fault) => put_malformed(content, member, fault),
    }
}

/// Adds the JSON text of a malformed member, if there is any.
fn put_malformed(content: &mut Content, member: &'static str, fault: &Unread) {
    if let Some(raw) = fault.raw() {
        let value = ContentValue {
            // Distinguishes the malformed value from a valid one with the same text, such as 5 and "5".
            fingerprint: Fingerprint::of(&format!("\0malformed {}", raw.as_str())),
            shown: shown(raw.as_str(), 100),
        };
        content.insert(member, value);
    }
}

/// Adds a list. Reports show its length and a fingerprint.
fn put_list(content: &mut Content, member: &'static str, items: &[String]) {
    let value = ContentValue {
        fingerprint: Fingerprint::of(&format!("{items:?}")),
        shown: format!(
            "{} of them, fingerprint {}",
            items.len(),
            &Fingerprint::of(&format!("{items:?}")).to_string()[..8]
        ),
    };
    content.insert(member, value);
}

/// Returns a content that only states whether the node has the item.
fn existence(is_there: bool) -> Content {
    let mut content = Content::new();
    let text = if is_there { "there" } else { MISSING };
    put(&mut content, EXISTENCE, Some(text));
    content
}

/// Whether a content states that the node does not have the item.
pub(crate) fn is_missing(content: &Content) -> bool {
    content
        .get(EXISTENCE)
        .is_some_and(|value| value.shown == MISSING)
}

/// Returns the canonical form of a JSON text, or the text itself if it is not valid JSON.
fn canonical(text: &str) -> String {
    canonical_json::read(text).map_or_else(|| text.to_owned(), |value| value.canonical())
}

/// Returns the content of a block, or `None` if the response has no information about it.
pub(crate) fn block_content(exchange: &Arc<Exchange>) -> Option<Content> {
    if exchange.success_object().is_none() {
        // A server error has no information about the block.
        return (exchange.status < 500 && !exchange.is_success()).then(|| existence(false));
    }
    let block = BlockMembers::of(std::str::from_utf8(&exchange.body).ok()?)?;
    let mut content = existence(true);
    put_read(&mut content, "index", &block.index);
    let time = block.timestamp.map(|time| time.as_millis());
    put_read(&mut content, "timestamp", &time);
    put_read(&mut content, "proof", &block.proof);
    put_read(&mut content, "status", &block.status);
    put_read(&mut content, "creator_wallet", &block.creator_wallet);
    put_read(&mut content, "expected_miner", &block.expected_miner);
    put_read(&mut content, "previous_hash", &block.previous_hash);
    put_items(&mut content, "committee", &block.committee, |member| {
        canonical(member.as_str())
    });
    let name = "previous_block_receipts";
    put_items(&mut content, name, &block.receipts, receipt_text);
    put_items(
        &mut content,
        "transactions",
        &block.transactions,
        |transaction| {
            // The submitted form is compared, because some nodes add their own status later.
            match transaction.signed() {
                Ok(signed) => format!(
                    "{} {:?}",
                    canonical(signed.transaction_text()),
                    signed.signatures().ok()
                ),
                Err(_) => canonical(transaction.text().as_str()),
            }
        },
    );
    Some(content)
}

/// Adds the items of a list.
fn put_items<T>(
    content: &mut Content,
    member: &'static str,
    items: &Member<Vec<T>>,
    text: impl Fn(&T) -> String,
) {
    match items {
        Ok(items) => put_list(content, member, &items.iter().map(text).collect::<Vec<_>>()),
        Err(fault) => put_malformed(content, member, fault),
    }
}

/// Returns a receipt's members as one text: canonical data, and hexadecimal text as written.
fn receipt_text(receipt: &ReceiptMembers) -> String {
    match (&receipt.data, &receipt.public_key, &receipt.signature) {
        (Ok(data), Ok(key), Ok(signature)) => {
            format!("{} {key} {signature}", canonical(data.as_str()))
        }
        _ => receipt
            .text
            .as_ref()
            .map_or_else(String::new, |text| canonical(text.as_str())),
    }
}

/// Returns the content of a balance. Null and missing count as 0.
pub(crate) fn balance_content(exchange: &Arc<Exchange>) -> Option<Content> {
    exchange.success_object()?;
    let members = Members::of(std::str::from_utf8(&exchange.body).ok()?)?;
    let mut content = Content::new();
    match members.either::<Integer>("balance", "value") {
        Ok(held) => put(&mut content, "balance", Some(canonical(&held.to_string()))),
        Err(Unread::Null(_)) => put(&mut content, "balance", Some(0)),
        Err(fault) => {
            fault.raw()?;
            put_malformed(&mut content, "balance", &fault);
        }
    }
    Some(content)
}

/// Returns the content of one entry of a list. A missing entry counts as 0.
pub(crate) fn listed_content(amount: Option<&String>) -> Content {
    let mut content = Content::new();
    let amount = amount.map_or("0", String::as_str);
    put(&mut content, "balance", Some(canonical(amount)));
    content
}

/// Returns a wallet's balances by token, or `None` if not all of them can be read.
pub(crate) fn held_content(exchange: &Arc<Exchange>) -> Option<BTreeMap<String, String>> {
    amounts(exchange, |(_, token)| token)
}

/// Returns a token's balances by holder, or `None` if not all of them can be read.
pub(crate) fn holders_content(exchange: &Arc<Exchange>) -> Option<BTreeMap<String, String>> {
    amounts(exchange, |(holder, _)| holder)
}

fn amounts(
    exchange: &Arc<Exchange>,
    name: impl Fn(Pair) -> String,
) -> Option<BTreeMap<String, String>> {
    let held = List::of(exchange)?.held.into_iter();
    Some(
        held.map(|(pair, amount)| (name(pair), amount.to_string()))
            .collect(),
    )
}

/// Returns the content of a trust score. A refusal counts as a missing score.
pub(crate) fn trust_content(exchange: &Arc<Exchange>) -> Option<Content> {
    if exchange.success_object().is_none() {
        return (exchange.status < 500 && !exchange.is_success()).then(|| existence(false));
    }
    let members = Members::of(std::str::from_utf8(&exchange.body).ok()?)?;
    let score = members.read::<Integer>("trust_score");
    if score.as_ref().is_err_and(|fault| fault.raw().is_none()) {
        return Some(existence(false));
    }
    let mut content = existence(true);
    put_read(&mut content, "trust_score", &score);
    Some(content)
}

/// Returns the content of a record of the table `verification`.
pub(crate) fn record_content(exchange: &Arc<Exchange>) -> Option<Content> {
    exchange.success_object()?;
    let stored: RawJson = stored_text(exchange)?;
    if stored.is_null() {
        return Some(existence(false));
    }
    let mut content = existence(true);
    match VerificationRecord::all_from_json(&stored) {
        Ok(records) => {
            let Some(record) = records.first() else {
                return Some(existence(false));
            };
            put(&mut content, "address", record.contract);
            put(&mut content, "asset_id", Some(&record.asset_id));
            put(&mut content, "asset_type", Some(&record.asset_type));
            let verifier = Some(record.verifier_address);
            put(&mut content, "verifier_address", verifier);
            put(&mut content, "outcome", Some(&record.outcome));
            put(&mut content, "remarks", Some(&record.remarks));
            let deletable_after = Some(&record.deletable_after);
            put(&mut content, "deletable_after", deletable_after);
            put_list(&mut content, "doc_hash_list", &record.doc_hash_list);
            put_list(&mut content, "doc_link_list", &record.doc_link_list);
        }
        // A record that can't be read is compared as a whole.
        Err(_) => put(&mut content, "record", Some(canonical(stored.as_str()))),
    }
    Some(content)
}

/// Returns the stored state of a response, from `value` or from `data`.
fn stored_text(exchange: &Arc<Exchange>) -> Option<RawJson> {
    let members = Members::of(std::str::from_utf8(&exchange.body).ok()?)?;
    match members.read("value") {
        Err(Unread::Missing(_) | Unread::Null(_)) => match members.read("data") {
            Err(Unread::Null(_)) => Some(RawJson::from_value(&None::<u8>).ok()?),
            data => data.ok(),
        },
        value => value.ok(),
    }
}
