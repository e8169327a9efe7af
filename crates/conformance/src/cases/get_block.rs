//! `GET /get-block`.

use serde_json::Value;

use super::Case;
use crate::{
    discovery::{block_request, reported_index},
    exchange::Request,
    field::is_row_form,
    judge::{all_answer_json, decodes, never, objects, refused},
    outcome::{Finding, Findings, Obstacle},
    sample::{Context, Sample},
    snapshot,
};

pub(super) const CASES: &[Case] = &[
    Case::must(
        "get-block/answers",
        "Response: a Block object (see Resources).",
        |c| Box::pin(answers(c)),
    ),
    Case::must("get-block/shape", "Block (returned by `/get-block`)", |c| {
        Box::pin(shape(c))
    }),
    Case::must(
        "get-block/index-echo",
        "block_index | integer | yes | index of the block to get",
        |c| Box::pin(index_echo(c)),
    ),
    Case::must(
        "get-block/timestamp-unit",
        "All timestamps are integers in milliseconds since the Unix epoch.",
        |c| Box::pin(timestamp_unit(c)),
    ),
    Case::must(
        "get-block/receipts-of-preceding-block",
        "text.previous_block_receipts | array of Receipt | votes on the preceding block",
        |c| Box::pin(receipts_of_preceding_block(c)),
    ),
    Case::must(
        "get-block/unknown-index",
        "block_index | integer | yes | index of the block to get",
        |c| Box::pin(unknown_index(c)),
    ),
    Case::must(
        "get-block/block-index-required",
        "GET /get-block: block_index | integer | yes | index of the block to get",
        |c| {
            let what = "a request without block_index";
            Box::pin(refused(c, Request::get("/get-block"), what, never))
        },
    ),
    Case::must(
        "get-block/block-index-malformed",
        "GET /get-block: block_index | integer | yes | index of the block to get",
        |c| {
            let what = "a block_index that is no integer";
            Box::pin(refused(c, block_request("newest"), what, never))
        },
    ),
    Case::must(
        "get-block/decodes",
        "Response: a Block object (see Resources).",
        |c| Box::pin(decodes(c, Sample::Blocks, read)),
    ),
    Case::must(
        "get-block/snapshot",
        "Response: a Block object (see Resources).",
        |c| Box::pin(snapshot::check(c, Sample::Blocks)),
    ),
];

/// What a client needs of a block, in whichever form it comes.
fn read(body: &[u8]) -> Result<(), String> {
    let block = node_client::Block::from_slice(body).map_err(|error| error.to_string())?;
    let needed = block
        .index()
        .map(drop)
        .and(block.timestamp().map(drop))
        .and(block.previous_hash().map(drop))
        .and(block.committee().map(drop));
    needed.map_err(|error| error.to_string())
}

async fn answers(context: &Context) -> Findings {
    let answers = context.sample(Sample::Blocks).await?;
    if context.material.blocks.is_empty()
        && let Some(first) = answers.first()
        && first.status == 400
        && first.json().is_ok()
    {
        // It answers as nodes were seen to answer for a block they do not have.
        return Err(Obstacle::NoMaterial(
            "the node has no block at index 0 or 1; name one with --fixture".to_owned(),
        ));
    }
    all_answer_json(&answers)
}

/// The form as a whole, so that a node that answers rows is told so in one line.
async fn shape(context: &Context) -> Findings {
    let row = objects(context, Sample::Blocks)
        .await?
        .into_iter()
        .find(|exchange| exchange.answered_object().is_some_and(is_row_form));
    Ok(row
        .map(|exchange| {
            Finding::new(
                &exchange,
                "get-block in row form: a row of the node's block table instead of the Block",
                "an object with index, timestamp, proof, status, text, creator_wallet, \
                 expected_miner, committee and previous_hash",
                exchange.excerpt(160),
            )
            .at("")
        })
        .into_iter()
        .collect())
}

async fn index_echo(context: &Context) -> Findings {
    let mut findings = Vec::new();
    let mut judged = false;
    let found = objects(context, Sample::Blocks).await?;
    for exchange in found.iter().chain(&context.material.odd) {
        let asked = exchange
            .request
            .query
            .first()
            .map(|(_, value)| value.as_str());
        let Some(reported) = exchange.answered_object().and_then(reported_index) else {
            continue;
        };
        judged = true;
        if asked != Some(reported.to_string().as_str()) {
            findings.push(
                Finding::new(
                    exchange,
                    "the answer is about another block than was asked for",
                    format!("index {}", asked.unwrap_or_default()),
                    format!("index {reported}"),
                )
                .at("/index"),
            );
        }
    }
    if judged {
        Ok(findings)
    } else {
        Err(Obstacle::NoMaterial("no block told its index".into()))
    }
}

/// Seconds since the epoch stay below this for three thousand years, and milliseconds passed it in
/// 1973; microseconds passed the upper bound in 1973, which milliseconds reach in 5138.
pub(super) const MILLISECONDS: std::ops::Range<i64> = 100_000_000_000..100_000_000_000_000;

async fn timestamp_unit(context: &Context) -> Findings {
    let mut findings = Vec::new();
    for exchange in objects(context, Sample::Blocks).await? {
        let Some(block) = exchange.answered_object() else {
            continue;
        };
        let mut times = vec![("/timestamp".to_owned(), block.get("timestamp"))];
        for (index, receipt) in receipts(block).iter().enumerate() {
            let at = format!("/text/previous_block_receipts/{index}/data/timestamp");
            times.push((at, receipt.pointer("/data/timestamp")));
        }
        for (at, time) in times {
            let Some(time) = time.and_then(Value::as_i64) else {
                continue;
            };
            if !MILLISECONDS.contains(&time) {
                let unit = match time {
                    1_000_000_000..100_000_000_000 => "seconds",
                    100_000_000_000_000..100_000_000_000_000_000 => "microseconds",
                    _ => "something else",
                };
                findings.push(
                    Finding::new(
                        &exchange,
                        format!("a timestamp that looks like {unit}, not milliseconds"),
                        "milliseconds since the Unix epoch, after 1973 and before 5138",
                        time.to_string(),
                    )
                    .at(at),
                );
            }
        }
    }
    Ok(findings)
}

fn receipts(block: &Value) -> &[Value] {
    block
        .pointer("/text/previous_block_receipts")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

async fn receipts_of_preceding_block(context: &Context) -> Findings {
    let mut findings = Vec::new();
    let mut judged = false;
    for exchange in objects(context, Sample::Blocks).await? {
        let Some(block) = exchange.answered_object() else {
            continue;
        };
        let Some(index) = reported_index(block) else {
            continue;
        };
        for (place, receipt) in receipts(block).iter().enumerate() {
            let about = receipt.pointer("/data/block_index").and_then(Value::as_i64);
            let Some(about) = about.map(i128::from) else {
                continue;
            };
            judged = true;
            if about != index - 1 {
                findings.push(
                    Finding::new(
                        &exchange,
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
    if judged {
        Ok(findings)
    } else {
        Err(Obstacle::NoMaterial("no receipt was seen".into()))
    }
}

/// Far beyond the newest block nothing may be answered as a block.
async fn unknown_index(context: &Context) -> Findings {
    let Some(tip) = context.material.tip else {
        return Err(Obstacle::NoMaterial(
            "the newest block was not found, so no index is known to be unknown".into(),
        ));
    };
    let unknown = tip.saturating_add(1_000_000_000);
    let holds_no_block =
        |value: &Value| reported_index(value).is_none() && value.get("previous_hash").is_none();
    let what = "an index that the chain has not reached";
    let mut findings = refused(context, block_request(unknown), what, holds_no_block).await?;
    let what = "a negative index";
    findings.extend(refused(context, block_request(-1), what, holds_no_block).await?);
    Ok(findings)
}
