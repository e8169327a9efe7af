//! What became of an accepted claim: its record, its block, and its fee.

use std::sync::Arc;

use node_client::escape::escaped_up_to as shown;
use serde_json::Value;

use super::unknown;
use crate::{
    cases::{member_named, stored},
    exchange::Exchange,
    outcome::{Finding, Findings, Obstacle},
    sample::Context,
    submit::in_block,
};

pub(super) async fn readable(context: &Context) -> Findings {
    let claim = context.claim().await?;
    let settled = claim.settled.as_ref().map_err(Clone::clone)?;
    let Some(answer) = settled
        .without
        .as_ref()
        .filter(|_| settled.record.is_none())
    else {
        return Ok(Vec::new());
    };
    let code = claim.code().unwrap_or_default();
    let block = settled.blocks.iter().find(|block| {
        block
            .answered_object()
            .is_some_and(|body| in_block(body, &code).is_some())
    });
    let waited = context.submissions.with.settle_timeout.as_secs_f64();
    let what = match block {
        Some(block) => format!(
            "the claim stands in {}, and can't be read",
            block.request.query_text()
        ),
        None if settled.enough_blocks => {
            format!("the claim was accepted, and can't be read after {waited} s and several blocks")
        }
        None => {
            return unknown(format!(
                "the chain did not go on far enough within {waited} s; wait longer with \
                 --settle-timeout"
            ));
        }
    };
    let expected = "the record of the claim";
    Ok(vec![Finding::new(answer, what, expected, answer.summary())])
}

/// The record that was read back.
async fn record(context: &Context) -> Result<(&Arc<Exchange>, &Value), Obstacle> {
    let settled = context
        .claim()
        .await?
        .settled
        .as_ref()
        .map_err(Clone::clone)?;
    let found = settled.record.as_ref();
    match found.and_then(|answer| Some((answer, answer.answered_object().and_then(stored)?))) {
        Some(found) => Ok(found),
        None => unknown("the claim could not be read back"),
    }
}

/// A record's shape is not shown: a value counts where the record has a member of its name, or
/// else wherever it stands.
pub(super) async fn reads_back(context: &Context, name: &str) -> Findings {
    let wanted = &context.claim().await?.call["params"][name];
    let (answer, record) = record(context).await?;
    let named = member_named(record, name);
    let right = match named {
        Some(found) => is(found, wanted),
        None => holds(record, wanted),
    };
    if right {
        return Ok(Vec::new());
    }
    let what = format!("the record's {name} is not what was submitted");
    let actual = shown(&named.unwrap_or(record).to_string(), 300);
    let expected = shown(&wanted.to_string(), 300);
    Ok(vec![Finding::new(answer, what, expected, actual)])
}

/// Whether a value is the wanted one, or its JSON text.
fn is(found: &Value, wanted: &Value) -> bool {
    found == wanted
        || found
            .as_str()
            .and_then(|text| serde_json::from_str::<Value>(text).ok())
            .is_some_and(|inner| inner == *wanted)
}

fn holds(record: &Value, wanted: &Value) -> bool {
    is(record, wanted)
        || match record {
            Value::Array(items) => items.iter().any(|item| holds(item, wanted)),
            Value::Object(members) => members.values().any(|member| holds(member, wanted)),
            _ => false,
        }
}

/// The block that the claim stands in, and the transaction there.
async fn entry(context: &Context) -> Result<Option<(&Arc<Exchange>, &Value)>, Obstacle> {
    let claim = context.claim().await?;
    let settled = claim.settled.as_ref().map_err(Clone::clone)?;
    let Some(code) = claim.code() else {
        return unknown("the transaction has no code to find it by");
    };
    Ok(settled
        .blocks
        .iter()
        .find_map(|block| Some((block, in_block(block.answered_object()?, &code)?))))
}

pub(super) async fn stands_in_block(context: &Context) -> Findings {
    if entry(context).await?.is_some() {
        return Ok(Vec::new());
    }
    record(context).await?;
    let settled = context
        .claim()
        .await?
        .settled
        .as_ref()
        .map_err(Clone::clone)?;
    let lists = |block: &&Arc<Exchange>| {
        let body = block.answered_object();
        body.and_then(|body| body.pointer("/text/transactions"))
            .is_some_and(Value::is_array)
    };
    let Some(block) = settled.blocks.iter().rfind(lists) else {
        return unknown("no block since then lists its transactions");
    };
    let what = "the claim can be read, and no block since it was submitted holds its transaction";
    let expected = "a block with the transaction's trans_code";
    Ok(vec![
        Finding::new(block, what, expected, block.excerpt(160)).at("/text/transactions"),
    ])
}

pub(super) async fn as_signed(context: &Context) -> Findings {
    let claim = context.claim().await?;
    let Some((block, found)) = entry(context).await? else {
        return unknown("the claim's transaction was seen in no block");
    };
    let text = claim.text.as_ref().map_err(Clone::clone)?;
    let signed: Value = serde_json::from_str(text).unwrap_or_default();
    let mut findings = Vec::new();
    for name in ["timestamp", "type", "currency", "specific_data"] {
        let Some(value) = found.get(name).filter(|value| **value != signed[name]) else {
            continue;
        };
        let what = format!("the transaction in the block has another {name} than was signed");
        let expected = shown(&signed[name].to_string(), 300);
        findings.push(Finding::new(
            block,
            what,
            expected,
            shown(&value.to_string(), 300),
        ));
    }
    Ok(findings)
}

/// A balance, as an integer of the token's units.
fn held(answer: &Exchange) -> Option<i128> {
    let body = answer.answered_object()?;
    let value = ["balance", "value"]
        .iter()
        .find_map(|name| body.get(name))?;
    value
        .as_i64()
        .map(i128::from)
        .or(value.as_u64().map(i128::from))
}

pub(super) async fn fee_paid(context: &Context) -> Findings {
    let claim = context.claim().await?;
    let (before, after) = claim.balances.as_ref().map_err(Clone::clone)?;
    let fee: Result<i128, _> = context.submissions.with.fee.as_str().parse();
    let (Some(had), Some(has), Ok(fee)) = (held(before), held(after), fee) else {
        return unknown("the wallet's balances before and after are no integers to compare");
    };
    if had - has >= fee {
        return Ok(Vec::new());
    }
    let what = "the balance did not go down by the fee";
    let expected = format!("at most {}", had - fee);
    Ok(vec![Finding::new(after, what, expected, has.to_string())])
}
