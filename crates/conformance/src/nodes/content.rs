//! What a node says of a thing, in a form in which nodes can be compared.
//!
//! Nodes answer one thing in several forms: blocks as documented or as rows, records as objects or
//! positional. What is compared is what the client reads of them, member by member, numbers exactly.
//! A member that a node leaves out, or has as null, is not compared: that is told by a case of its
//! own. One that is malformed is compared as it is written. Members that nobody documents are not compared either, as nodes may have what they like.

use std::collections::BTreeMap;

use nodeproof_client::{BalanceAnswer, Block, ContractState, FieldError, HexText, TrustScore};
use nodeproof_primitives::{Integer, RawJson, TimestampMs};
use nodeproof_primitives::{canonical_json, escape::escaped_up_to as shown};

use crate::{checks::Fingerprint, http::Exchange};

/// A value that stands for itself by 16 bytes, with how it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContentValue {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) shown: String,
}

/// What a node says of a thing, by member.
pub(crate) type Content = BTreeMap<&'static str, ContentValue>;

/// Whether the node has it at all.
pub(crate) const THERE: &str = "whether it is there";

fn put(content: &mut Content, member: &'static str, text: Option<String>) {
    if let Some(text) = text {
        let value = ContentValue {
            fingerprint: Fingerprint::of(&text),
            shown: shown(&text, 100),
        };
        content.insert(member, value);
    }
}

/// Puts a member as it was read. One that is there, but is none, stands for itself as it is written;
/// one that is missing or null is left out.
fn put_read<T: ToString>(content: &mut Content, member: &'static str, read: Result<T, FieldError>) {
    match read {
        Ok(value) => put(content, member, Some(value.to_string())),
        Err(fault) => put_malformed(content, member, &fault),
    }
}

/// Puts what stands in the place of a member, if anything does.
fn put_malformed(content: &mut Content, member: &'static str, fault: &FieldError) {
    if let Some(raw) = fault.raw() {
        let value = ContentValue {
            // The number 5 is not the text 5.
            fingerprint: Fingerprint::of(&format!("\0malformed {}", raw.as_str())),
            shown: shown(raw.as_str(), 100),
        };
        content.insert(member, value);
    }
}

/// Puts a list, which is shown by its length.
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

fn there(is_there: bool) -> Content {
    let mut content = Content::new();
    let text = if is_there { "there" } else { "missing" };
    put(&mut content, THERE, Some(text.to_owned()));
    content
}

/// The text that stands for a JSON document, whatever its spelling.
fn canonical(text: &str) -> String {
    canonical_json::read(text).map_or_else(|| text.to_owned(), |value| value.canonical())
}

/// A block; nothing where the answer tells nothing of it.
pub(crate) fn block_content(exchange: &Exchange) -> Option<Content> {
    if exchange.answered_object().is_none() {
        // A failure of the node tells nothing of the block.
        return (exchange.status < 500 && !exchange.is_success()).then(|| there(false));
    }
    let block = Block::from_slice(&exchange.body).ok()?;
    let mut content = there(true);
    put_read(&mut content, "index", block.index());
    put_read(
        &mut content,
        "timestamp",
        block.timestamp().map(TimestampMs::as_millis),
    );
    put_read(&mut content, "proof", block.proof());
    put_read(&mut content, "status", block.status());
    put_read(&mut content, "creator_wallet", block.creator_wallet());
    put_read(&mut content, "expected_miner", block.expected_miner());
    put_read(&mut content, "previous_hash", block.previous_hash());
    match block.committee() {
        Ok(committee) => {
            let faults = block.committee_faults();
            let members = committee.iter().map(ToString::to_string);
            let others = faults.iter().map(|fault| {
                let raw = fault.raw().map_or("null", RawJson::as_str);
                format!("{}: {raw}", fault.field())
            });
            let members: Vec<_> = members.chain(others).collect();
            put_list(&mut content, "committee", &members);
        }
        Err(fault) => put_malformed(&mut content, "committee", &fault),
    }
    match block.receipts() {
        Err(fault) => put_malformed(&mut content, "previous_block_receipts", &fault),
        Ok(receipts) => {
            let receipts: Vec<_> = receipts
                .iter()
                .map(|receipt| {
                    if let Some(other) = receipt.not_a_receipt() {
                        return canonical(other.as_str());
                    }
                    let raw = |fault: FieldError| {
                        let raw = fault.raw().map(RawJson::as_str);
                        raw.unwrap_or_default().to_owned()
                    };
                    let text = |hex: Result<&HexText, FieldError>| {
                        hex.map_or_else(raw, |hex| hex.text().into_owned())
                    };
                    format!(
                        "{} {} {}",
                        receipt.data_text().map_or_else(raw, canonical),
                        text(receipt.public_key()),
                        text(receipt.signature())
                    )
                })
                .collect();
            put_list(&mut content, "previous_block_receipts", &receipts);
        }
    }
    match block.transactions() {
        Err(fault) => put_malformed(&mut content, "transactions", &fault),
        Ok(transactions) => {
            // What was submitted: nodes were seen to add a status of their own later.
            let transactions: Vec<_> = transactions
                .iter()
                .map(|transaction| match transaction.signed() {
                    Ok(signed) => format!(
                        "{} {:?}",
                        canonical(signed.transaction_text()),
                        signed.signatures().ok()
                    ),
                    Err(_) => canonical(transaction.text().as_str()),
                })
                .collect();
            put_list(&mut content, "transactions", &transactions);
        }
    }
    if let Some(fault) = block.text_departure() {
        // Both lists are in it.
        for member in ["transactions", "previous_block_receipts"] {
            if !content.contains_key(member) {
                put_malformed(&mut content, member, &fault);
            }
        }
    }
    Some(content)
}

/// A balance. Nothing held is 0, also where a node says null.
pub(crate) fn balance_content(exchange: &Exchange) -> Option<Content> {
    exchange.answered_object()?;
    let balance = BalanceAnswer::from_slice(&exchange.body).ok()?;
    let mut content = Content::new();
    match balance.amount() {
        Ok(held) => {
            let text = held.map_or_else(|| "0".to_owned(), |held| held.to_string());
            put(&mut content, "balance", Some(canonical(&text)));
        }
        Err(fault) => {
            fault.raw()?;
            put_malformed(&mut content, "balance", &fault);
        }
    }
    Some(content)
}

/// What is listed for one entry: nothing is 0.
pub(crate) fn listed_content(amount: Option<&String>) -> Content {
    let mut content = Content::new();
    let amount = amount.map_or("0", String::as_str);
    put(&mut content, "balance", Some(canonical(amount)));
    content
}

/// What a wallet holds, by token; nothing where not all of it can be read.
pub(crate) fn held_content(exchange: &Exchange) -> Option<BTreeMap<String, String>> {
    exchange.answered_object()?;
    let answer = BalanceAnswer::from_slice(&exchange.body).ok()?;
    let listing = answer.tokens().ok()?;
    let whole = listing.faults().is_empty();
    let entries = listing
        .into_iter()
        .map(|entry| (entry.token_code, entry.balance));
    whole.then(|| amounts(entries))
}

/// Who holds a token; nothing where not all of it can be read.
pub(crate) fn holders_content(exchange: &Exchange) -> Option<BTreeMap<String, String>> {
    exchange.answered_object()?;
    let answer = BalanceAnswer::from_slice(&exchange.body).ok()?;
    let listing = answer.holders().ok()?;
    let whole = listing.faults().is_empty();
    let entries = listing
        .into_iter()
        .map(|entry| (entry.holder.to_string(), entry.balance));
    whole.then(|| amounts(entries))
}

fn amounts(entries: impl Iterator<Item = (String, Option<Integer>)>) -> BTreeMap<String, String> {
    let text = |amount: Option<Integer>| amount.map_or_else(|| "0".to_owned(), |a| a.to_string());
    entries.map(|(name, amount)| (name, text(amount))).collect()
}

/// A trust score. A node that has none for a pair says so in its own way.
pub(crate) fn trust_content(exchange: &Exchange) -> Option<Content> {
    if exchange.answered_object().is_none() {
        return (exchange.status < 500 && !exchange.is_success()).then(|| there(false));
    }
    let answer = TrustScore::from_slice(&exchange.body).ok()?;
    let score = answer.score();
    if score
        .as_ref()
        .is_err_and(|fault| fault.raw().is_none_or(RawJson::is_null))
    {
        return Some(there(false));
    }
    let mut content = there(true);
    put_read(&mut content, "trust_score", score);
    Some(content)
}

/// A record of the table `verification`.
pub(crate) fn record_content(exchange: &Exchange) -> Option<Content> {
    exchange.answered_object()?;
    let state = ContractState::from_slice(&exchange.body).ok()?;
    let Some(record) = state.verification().ok()? else {
        return Some(there(false));
    };
    let mut content = there(true);
    put_read(&mut content, "address", record.contract_address());
    put_read(&mut content, "asset_id", record.asset_id());
    put_read(&mut content, "asset_type", record.asset_type());
    put_read(&mut content, "verifier_address", record.verifier_address());
    put_read(&mut content, "outcome", record.outcome());
    put_read(&mut content, "remarks", record.remarks());
    put_read(&mut content, "deletable_after", record.deletable_after());
    match record.doc_hash_list() {
        Ok(list) => put_list(&mut content, "doc_hash_list", list),
        Err(fault) => put_malformed(&mut content, "doc_hash_list", &fault),
    }
    match record.doc_link_list() {
        Ok(list) => put_list(&mut content, "doc_link_list", list),
        Err(fault) => put_malformed(&mut content, "doc_link_list", &fault),
    }
    Some(content)
}
