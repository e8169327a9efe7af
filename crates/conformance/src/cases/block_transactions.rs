//! The transactions in blocks, where they have the form of what `/submit-transaction` takes.
//!
//! The contract leaves the form of a block's transactions open, so one of another form is judged by
//! none of these.

use std::{collections::BTreeMap, sync::Arc};

use node_client::SignedTransaction;
use node_wallet::{SignatureEntry, verify_transaction};

use super::{Case, get_block::MILLISECONDS};
use crate::{
    exchange::Exchange,
    outcome::{Finding, Findings, Obstacle},
    sample::Context,
};

pub(super) const CASES: &[Case] = &[
    Case::must(
        "chain/transaction-time-unit",
        "All timestamps are integers in milliseconds since the Unix epoch.",
        |c| Box::pin(time_unit(c)),
    ),
    Case::must(
        "chain/distinct-transactions",
        "transaction.trans_code | string | 40 hexadecimal characters",
        |c| Box::pin(distinct(c)),
    ),
    Case::should(
        "chain/transaction-signatures",
        "Submitting a transaction requires every wallet listed in `specific_data.signers` to \
         provide an entry in `signatures`",
        |c| Box::pin(signatures(c)),
    ),
];

/// A transaction with the block that has it and its place there.
struct InBlock {
    exchange: Arc<Exchange>,
    place: String,
    signed: SignedTransaction,
}

async fn transactions(context: &Context) -> Result<Vec<InBlock>, Obstacle> {
    let mut found = Vec::new();
    for (exchange, block) in context.decoded_blocks().await?.iter() {
        for (index, transaction) in block.transactions().unwrap_or_default().iter().enumerate() {
            if let Ok(signed) = transaction.signed() {
                let place = format!("/text/transactions/{index}");
                found.push(InBlock {
                    exchange: Arc::clone(exchange),
                    place,
                    signed,
                });
            }
        }
    }
    if found.is_empty() {
        let reason = "no transaction of the form that is submitted was seen in a block";
        return Err(Obstacle::NoMaterial(reason.to_owned()));
    }
    Ok(found)
}

async fn time_unit(context: &Context) -> Findings {
    let mut findings = Vec::new();
    for found in transactions(context).await? {
        let view = found.signed.transaction().ok();
        let Some(time) = view.and_then(|view| view.timestamp().ok()) else {
            continue;
        };
        if !MILLISECONDS.contains(&time.as_millis()) {
            let what = "a transaction's timestamp that is not in milliseconds";
            let expected = "milliseconds since the Unix epoch, after 1973 and before 5138";
            findings.push(
                Finding::new(&found.exchange, what, expected, time.to_string())
                    .at(format!("{}/transaction/timestamp", found.place)),
            );
        }
    }
    Ok(findings)
}

/// A transaction is in the chain once.
async fn distinct(context: &Context) -> Findings {
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    let mut findings = Vec::new();
    for found in transactions(context).await? {
        let view = found.signed.transaction().ok();
        let Some(code) = view.and_then(|view| view.trans_code().ok()) else {
            continue;
        };
        let place = format!("{} at {}", found.place, found.exchange.url);
        if let Some(before) = first.insert(code.to_string(), place) {
            let what = "two transactions have the same code";
            let expected = format!("another code than {before}");
            findings.push(
                Finding::new(&found.exchange, what, expected, code.to_string())
                    .at(format!("{}/transaction/trans_code", found.place)),
            );
        }
    }
    Ok(findings)
}

/// A contract call names its signers; other types were seen without, and are left alone.
async fn signatures(context: &Context) -> Findings {
    let mut findings = Vec::new();
    let mut judged = false;
    for found in transactions(context).await? {
        let text = found.signed.transaction_text();
        if node_wallet::required_signers(text).is_err() {
            continue;
        }
        judged = true;
        let entries: Result<Vec<SignatureEntry>, _> = found
            .signed
            .signatures()
            .map_err(|error| error.to_string())
            .and_then(|entries| entries.iter().map(entry).collect());
        let wrong = match entries {
            Ok(entries) => verify_transaction(text, &entries).map_err(|error| error.to_string()),
            Err(reason) => Err(reason),
        };
        if let Err(reason) = wrong {
            let what =
                "a transaction in a block is not signed by all of its signers, and no others";
            findings.push(
                Finding::new(
                    &found.exchange,
                    what,
                    "the signature of every signer",
                    reason,
                )
                .at(format!("{}/signatures", found.place)),
            );
        }
    }
    if judged {
        Ok(findings)
    } else {
        Err(Obstacle::NoMaterial(
            "no contract call was seen in a block".to_owned(),
        ))
    }
}

fn entry(entry: &node_client::SignatureEntry) -> Result<SignatureEntry, String> {
    serde_json::to_string(entry)
        .and_then(|text| serde_json::from_str(&text))
        .map_err(|error| error.to_string())
}
