//! `GET /get-block`.

use std::collections::BTreeSet;

use nodeproof_client::{Block, from_json};
use nodeproof_primitives::escape::escaped_up_to as shown;
use nodeproof_report::Level;
use serde_json::Value;

use super::case::Case;
use crate::{
    api::{
        BlockMembers, BlockResponse, MILLISECONDS, NO_INDEX, Sample, block_request, is_block,
        is_row_form, reported_index,
    },
    checks::{
        BlockCheck, CheckResult, CheckScope, Checked, Decoding, Finding, Findings,
        check_json_responses, controls, never, refused,
    },
    context::Context,
    http::{InconclusiveReason, Request},
};

pub(crate) const CASES: &[Case] = &[
    Case::of_blocks("get-block/responds", Level::Must, &["BLOCK-1", "HTTP-1", "HTTP-2", "NODE-1", "NODE-3", "NODE-4"],
        BlockCheck {
            look: CheckScope::Responses(responds),
            least: 1,
            otherwise: "the node has no block at index 0, 1, 2, 4, 8 and so on; name one that it has, \
                        with --fixture or --blocks",
        },
    )
    .essential(),
    Case::of_blocks("get-block/shape", Level::Must, &["BLOCK-1", "BLOCK-6"],
        BlockCheck {
            look: CheckScope::Alone(shape),
            least: 1,
            otherwise: NO_BLOCK,
        },
    ),
    Case::of_blocks("get-block/index-echo", Level::Must, &["BLOCK-1", "BLOCK-2"],
        BlockCheck {
            look: CheckScope::Indexes(index_echo),
            least: 1,
            otherwise: "no block had an index",
        },
    ),
    Case::of_blocks("get-block/timestamp-unit", Level::Must, &["FORM-1", "BLOCK-3", "RECEIPT-4"],
        BlockCheck {
            look: CheckScope::Alone(timestamp_unit),
            least: 1,
            otherwise: "no timestamp was an integer",
        },
    ),
    Case::of_blocks("get-block/receipts-of-preceding-block", Level::Must, &["BLOCK-8", "RECEIPT-1"],
        BlockCheck {
            look: CheckScope::Alone(receipts_of_preceding_block),
            least: 1,
            otherwise: "no block had a receipt",
        },
    ),
    Case::of_blocks("get-block/committee-distinct", Level::Should, &["BLOCK-11"],
        BlockCheck {
            look: CheckScope::Alone(committee_distinct),
            least: 1,
            otherwise: "no committee had a wallet",
        },
    ),
    Case::must("get-block/unknown-index", &["BLOCK-1"],
        |c| Box::pin(unknown_index(c)),
    ),
    Case::must("get-block/index-zero", &["BLOCK-1"],
        |c| Box::pin(index_zero(c)),
    ),
    Case::must("get-block/block-index-required", &["BLOCK-1"],
        |c| {
            let what = "a request without block_index";
            Box::pin(refused(c, Request::get("/get-block"), what, never))
        },
    ),
    Case::should("get-block/block-index-malformed", &["BLOCK-1", "BLOCK-13"],
        |c| {
            let what = "a block_index that is not an integer";
            Box::pin(refused(c, block_request(NO_INDEX), what, never))
        },
    ),
    Case::of_blocks("get-block/decodes", Level::Must, &["BLOCK-1"],
        BlockCheck {
            look: CheckScope::Decode(Decoding {
                client: |body| from_json::<Block>(body).map(drop),
                needed: |text| {
                    let block = BlockMembers::of(text).ok_or("it is not an object")?;
                    block.check_needed().map_err(|unread| unread.to_string())
                },
            }),
            least: 1,
            otherwise: NO_BLOCK,
        },
    ),
    Case::of_snapshot("get-block/snapshot", Level::Must, &["BLOCK-1"], Sample::Blocks),
];

/// The reason why a case is inconclusive if no block was read.
pub(crate) const NO_BLOCK: &str = "no response was a 200 with a JSON object";

fn responds(seen: &BlockResponse, result: &mut CheckResult) {
    if seen.exchange.status == 400 && seen.exchange.json().is_ok() {
        // This is how nodes were seen to refuse a block that does not exist.
        return;
    }
    match check_json_responses(std::slice::from_ref(&seen.exchange)) {
        Ok(checked) => {
            result.count += checked.examined;
            result.findings.extend(checked.findings);
        }
        Err(inconclusive) => result.inconclusive = Some(inconclusive),
    }
}

/// Checks the form as a whole. A node that returns rows gets one clear finding.
fn shape(seen: &BlockResponse, result: &mut CheckResult) {
    let exchange = &seen.exchange;
    result.count += u64::from(exchange.success_object().is_some_and(is_block));
    if exchange.success_object().is_some_and(is_row_form) {
        let what = "get-block returned a row of the node's block table instead of a Block";
        let expected = "an object with index, timestamp, proof, status, text, creator_wallet, \
                        expected_miner, committee and previous_hash";
        let actual = exchange.excerpt(160);
        result.found(Finding::new(exchange, what, expected, actual).at(""));
    }
}

fn index_echo(seen: &BlockResponse, result: &mut CheckResult) {
    let Some(reported) = seen.exchange.success_object().and_then(reported_index) else {
        return;
    };
    result.one();
    if reported != i128::from(seen.index) {
        result.found(
            Finding::new(
                &seen.exchange,
                "the response is about another block than requested",
                format!("index {}", seen.index),
                format!("index {reported}"),
            )
            .at("/index"),
        );
    }
}

fn timestamp_unit(seen: &BlockResponse, result: &mut CheckResult) {
    let Some(block) = seen.exchange.success_object() else {
        return;
    };
    let mut judge = |time: Option<&Value>, at: String| {
        // A value that is not an integer has no unit. The field's own case reports it.
        let Some(time) = time.and_then(Value::as_i64) else {
            return;
        };
        result.one();
        if MILLISECONDS.contains(&time) {
            return;
        }
        let unit = match time {
            1_000_000_000..100_000_000_000 => "seconds",
            100_000_000_000_000..100_000_000_000_000_000 => "microseconds",
            _ => "something else",
        };
        result.found(
            Finding::new(
                &seen.exchange,
                format!("a timestamp that looks like {unit}, not milliseconds"),
                "milliseconds since the Unix epoch, after 1973 and before 5138",
                time.to_string(),
            )
            .at(at),
        );
    };
    judge(block.get("timestamp"), "/timestamp".to_owned());
    for (index, receipt) in receipts(block).iter().enumerate() {
        let at = format!("/text/previous_block_receipts/{index}/data/timestamp");
        judge(of_data(receipt, "timestamp"), at);
    }
}

fn receipts(block: &Value) -> &[Value] {
    block
        .get("text")
        .and_then(|text| text.get("previous_block_receipts"))
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Checks that a wallet is in the committee at most once.
fn committee_distinct(seen: &BlockResponse, result: &mut CheckResult) {
    let body = seen.exchange.success_object();
    let committee = body.and_then(|block| block.get("committee")?.as_array());
    let mut members = BTreeSet::new();
    for (place, member) in committee.into_iter().flatten().enumerate() {
        let Some(member) = member.as_str() else {
            continue;
        };
        result.one();
        if !members.insert(member) {
            let what = "a wallet is in the committee twice";
            let expected = "each wallet once";
            let actual = shown(member, 80);
            let finding = Finding::new(&seen.exchange, what, expected, actual);
            result.found(finding.at(format!("/committee/{place}")));
            return;
        }
    }
}

fn of_data<'r>(receipt: &'r Value, name: &str) -> Option<&'r Value> {
    receipt.get("data")?.get(name)
}

fn receipts_of_preceding_block(seen: &BlockResponse, result: &mut CheckResult) {
    let Some(block) = seen.exchange.success_object() else {
        return;
    };
    let Some(index) = reported_index(block) else {
        return;
    };
    for (place, receipt) in receipts(block).iter().enumerate() {
        let about = of_data(receipt, "block_index").and_then(Value::as_i64);
        let Some(about) = about.map(i128::from) else {
            continue;
        };
        result.one();
        if about != index - 1 {
            result.found(
                Finding::new(
                    &seen.exchange,
                    "a receipt is about another block than the preceding one",
                    format!("block_index {}", index - 1),
                    format!("block_index {about}"),
                )
                .at(format!(
                    "/text/previous_block_receipts/{place}/data/block_index"
                )),
            );
        }
    }
}

/// Distance from the latest block to an index that does not exist. A node that cuts indexes to 32
/// bits returns the latest block for it.
const BEYOND: u64 = 1 << 32;

/// Checks that an index far above the latest block, and a negative one, return no block.
async fn unknown_index(context: &Context) -> Findings {
    let Some(tip) = context.discovered.tip else {
        return Err(InconclusiveReason::NoSample(
            "the latest block was not found, so no index is known to be beyond the chain".into(),
        ));
    };
    let unknown = tip.saturating_add(BEYOND);
    let holds_no_block =
        |value: &Value| reported_index(value).is_none() && value.get("previous_hash").is_none();
    let what = "an index that the chain has not reached";
    let mut findings = refused(context, block_request(unknown), what, holds_no_block).await?;
    let what = "a negative index";
    findings.extend(refused(context, block_request(-1), what, holds_no_block).await?);
    Ok(findings)
}

/// Checks that the response for index 0 is not another block. A chain may or may not have a block 0.
async fn index_zero(context: &Context) -> Findings {
    let exchange = context.node.send(block_request(0)).await?;
    // An endpoint without blocks has no block 0 either.
    controls(context, "get-block").await?;
    let Some(block) = exchange.success_object().filter(|block| is_block(block)) else {
        return Ok(Checked::passed());
    };
    // Another case reports a node with the same difference in all indexes.
    let wanted = context.discovered.offset.unwrap_or_default();
    let actual = match reported_index(block) {
        Some(index) if index == wanted => return Ok(Checked::passed()),
        Some(index) => format!("index {index}"),
        None => {
            let blocks = &context.discovered.blocks;
            let known = blocks
                .iter()
                .find(|(index, known)| *index != 0 && known.success_object() == Some(block));
            match known {
                Some((index, _)) => format!("the response for index {index}"),
                None => return Ok(Checked::passed()),
            }
        }
    };
    let what = "the response for index 0 is another block";
    let expected = "block 0, or none";
    Ok(Checked::failed(
        Finding::new(&exchange, what, expected, actual).at("/index"),
    ))
}
