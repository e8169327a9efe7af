//! The content of a node's response, in a form that can be compared with that of other nodes.
//!
//! Nodes return the same thing in several forms: a documented block or a database row, a record as an
//! object or as an array. So the values that the client reads are compared, member by member, with
//! exact numbers.
//!
//! A missing or null member is not compared, because a case of its own reports it. A malformed member
//! is compared in its JSON text. Undocumented members are not compared.

use std::collections::BTreeMap;

use nodeproof_client::{BalanceResponse, Block, ContractState, FieldError, HexText, TrustScore};
use nodeproof_primitives::{Integer, RawJson, TimestampMs};
use nodeproof_primitives::{canonical_json, escape::escaped_up_to as shown};

use crate::{checks::Fingerprint, http::Exchange};

/// A value: a fingerprint of 16 bytes for comparisons, and a short text for reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContentValue {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) shown: String,
}

/// The content of a response, by member.
pub(crate) type Content = BTreeMap<&'static str, ContentValue>;

/// The member that states whether the node has the block or score at all.
pub(crate) const THERE: &str = "existence";

fn put(content: &mut Content, member: &'static str, text: Option<String>) {
    if let Some(text) = text {
        let value = ContentValue {
            fingerprint: Fingerprint::of(&text),
            shown: shown(&text, 100),
        };
        content.insert(member, value);
    }
}

/// Adds a member that the client read. A malformed one is added as JSON text. One that is missing or
/// null is left out.
fn put_read<T: ToString>(content: &mut Content, member: &'static str, read: Result<T, FieldError>) {
    match read {
        Ok(value) => put(content, member, Some(value.to_string())),
        Err(fault) => put_malformed(content, member, &fault),
    }
}

/// Adds the JSON text of a malformed member, if there is any.
fn put_malformed(content: &mut Content, member: &'static str, fault: &FieldError) {
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

fn there(is_there: bool) -> Content {
    let mut content = Content::new();
    let text = if is_there { "there" } else { "missing" };
    put(&mut content, THERE, Some(text.to_owned()));
    content
}

/// Returns the canonical form of a JSON text, or the text itself if it is not valid JSON.
fn canonical(text: &str) -> String {
    canonical_json::read(text).map_or_else(|| text.to_owned(), |value| value.canonical())
}

/// Returns the content of a block, or `None` if the response has no information about it.
pub(crate) fn block_content(exchange: &Exchange) -> Option<Content> {
    if exchange.success_object().is_none() {
        // A server error has no information about the block.
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
            // The submitted form is compared, because some nodes add their own status later.
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
    if let Some(fault) = block.text_mismatch() {
        // Both lists are members of `text`.
        for member in ["transactions", "previous_block_receipts"] {
            if !content.contains_key(member) {
                put_malformed(&mut content, member, &fault);
            }
        }
    }
    Some(content)
}

/// Returns the content of a balance. Null and missing count as 0.
pub(crate) fn balance_content(exchange: &Exchange) -> Option<Content> {
    exchange.success_object()?;
    let balance = BalanceResponse::from_slice(&exchange.body).ok()?;
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

/// Returns the content of one entry of a list. A missing entry counts as 0.
pub(crate) fn listed_content(amount: Option<&String>) -> Content {
    let mut content = Content::new();
    let amount = amount.map_or("0", String::as_str);
    put(&mut content, "balance", Some(canonical(amount)));
    content
}

/// Returns a wallet's balances by token, or `None` if not all of them can be read.
pub(crate) fn held_content(exchange: &Exchange) -> Option<BTreeMap<String, String>> {
    exchange.success_object()?;
    let response = BalanceResponse::from_slice(&exchange.body).ok()?;
    let listing = response.tokens().ok()?;
    let whole = listing.faults().is_empty();
    let entries = listing
        .into_iter()
        .map(|entry| (entry.token_code, entry.balance));
    whole.then(|| amounts(entries))
}

/// Returns a token's balances by holder, or `None` if not all of them can be read.
pub(crate) fn holders_content(exchange: &Exchange) -> Option<BTreeMap<String, String>> {
    exchange.success_object()?;
    let response = BalanceResponse::from_slice(&exchange.body).ok()?;
    let listing = response.holders().ok()?;
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

/// Returns the content of a trust score. A refusal counts as a missing score.
pub(crate) fn trust_content(exchange: &Exchange) -> Option<Content> {
    if exchange.success_object().is_none() {
        return (exchange.status < 500 && !exchange.is_success()).then(|| there(false));
    }
    let response = TrustScore::from_slice(&exchange.body).ok()?;
    let score = response.score();
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

/// Returns the content of a record of the table `verification`.
pub(crate) fn record_content(exchange: &Exchange) -> Option<Content> {
    exchange.success_object()?;
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
