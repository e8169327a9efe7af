//! What a node says of a thing, in a form in which nodes can be compared.
//!
//! Nodes answer one thing in several forms: blocks as documented or as rows, records as objects or
//! positional. What is compared is what the client reads of them, member by member, numbers exactly.
//! A member that a node leaves out, or has as null, is not compared: that is told by a case of its
//! own. Members that nobody documents are not compared either, as nodes may have what they like.

use std::collections::BTreeMap;

use node_client::{BalanceAnswer, Block, ContractState, escape::escaped_up_to as shown};

use crate::{block_check::Fingerprint, exact, exchange::Exchange};

/// A value that stands for itself by 16 bytes, with how it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) fingerprint: Fingerprint,
    pub(super) shown: String,
}

/// What a node says of a thing, by member.
pub(super) type Content = BTreeMap<&'static str, Value>;

/// Whether the node has it at all.
pub(super) const THERE: &str = "whether it is there";

fn put(content: &mut Content, member: &'static str, text: Option<String>) {
    if let Some(text) = text {
        let value = Value {
            fingerprint: Fingerprint::of(&text),
            shown: shown(&text, 100),
        };
        content.insert(member, value);
    }
}

/// Puts a list, which is shown by its length.
fn put_list(content: &mut Content, member: &'static str, items: &[String]) {
    let value = Value {
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
    exact::read(text).map_or_else(|| text.to_owned(), |value| value.canonical())
}

/// A block; nothing where the answer tells nothing of it.
pub(super) fn block(exchange: &Exchange) -> Option<Content> {
    if exchange.answered_object().is_none() {
        // A failure of the node tells nothing of the block.
        return (exchange.status < 500 && exchange.status != 200).then(|| there(false));
    }
    let block = Block::from_slice(&exchange.body).ok()?;
    let mut content = there(true);
    let mut one = |member, text: Option<String>| put(&mut content, member, text);
    one("index", block.index().ok().map(ToString::to_string));
    one("timestamp", block.timestamp().ok().map(|t| t.to_string()));
    one("proof", block.proof().ok().map(ToString::to_string));
    one("status", block.status().ok().map(ToString::to_string));
    one(
        "creator_wallet",
        block.creator_wallet().ok().map(|w| w.to_string()),
    );
    one(
        "expected_miner",
        block.expected_miner().ok().map(|w| w.to_string()),
    );
    one(
        "previous_hash",
        block.previous_hash().ok().map(ToString::to_string),
    );
    if let Ok(committee) = block.committee() {
        let members: Vec<_> = committee.iter().map(ToString::to_string).collect();
        put_list(&mut content, "committee", &members);
    }
    if let Ok(receipts) = block.receipts() {
        let receipts: Vec<_> = receipts
            .iter()
            .map(|receipt| {
                let text = |hex: Result<&node_client::HexText, _>| {
                    hex.map_or_else(
                        |_: node_client::FieldError| String::new(),
                        |hex| hex.text().into_owned(),
                    )
                };
                format!(
                    "{} {} {}",
                    receipt.data_text().map(canonical).unwrap_or_default(),
                    text(receipt.public_key()),
                    text(receipt.signature())
                )
            })
            .collect();
        put_list(&mut content, "previous_block_receipts", &receipts);
    }
    if let Ok(transactions) = block.transactions() {
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
    Some(content)
}

/// A balance. Nothing held is 0, also where a node says null.
pub(super) fn balance(exchange: &Exchange) -> Option<Content> {
    exchange.answered_object()?;
    let balance = BalanceAnswer::from_slice(&exchange.body).ok()?;
    let held = balance.amount().ok()?;
    let mut content = Content::new();
    let text = held.map_or_else(|| "0".to_owned(), |held| held.to_string());
    put(&mut content, "balance", Some(canonical(&text)));
    Some(content)
}

/// A record of the table `verification`.
pub(super) fn record(exchange: &Exchange) -> Option<Content> {
    exchange.answered_object()?;
    let state = ContractState::from_slice(&exchange.body).ok()?;
    let Some(record) = state.verification().ok()? else {
        return Some(there(false));
    };
    let mut content = there(true);
    let mut one = |member, text: Option<String>| put(&mut content, member, text);
    one(
        "address",
        record.contract_address().ok().map(|a| a.to_string()),
    );
    one("asset_id", record.asset_id().ok().map(str::to_owned));
    one("asset_type", record.asset_type().ok().map(str::to_owned));
    one(
        "verifier_address",
        record.verifier_address().ok().map(|a| a.to_string()),
    );
    one("outcome", record.outcome().ok().map(ToString::to_string));
    one("remarks", record.remarks().ok().map(str::to_owned));
    one(
        "deletable_after",
        record.deletable_after().ok().map(ToString::to_string),
    );
    if let Ok(list) = record.doc_hash_list() {
        put_list(&mut content, "doc_hash_list", list);
    }
    if let Ok(list) = record.doc_link_list() {
        put_list(&mut content, "doc_link_list", list);
    }
    Some(content)
}
