//! `GET /get-block`.

use std::{collections::BTreeSet, sync::Arc};

use nodeproof_primitives::escape::escaped_up_to as shown;
use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    case::{Case, Example},
    cause::{Cause, When},
    check::Check::{self, Blocks, Near, Read, Refused, Snapshot},
    request_kind::RequestKind,
};
use crate::{
    api::{
        BlockResponse, MILLISECONDS, NO_INDEX, Sample, block_request, is_block, is_row_form,
        reported_index,
    },
    checks::{
        BlockCheck, CheckScope, Examination, Field, Finding, Findings, WrongRequest, WrongRequests,
        check_json_responses, controls,
    },
    context::Samples,
    discovery::BEYOND_EVERY_CHAIN,
    http::{Exchange, unknown},
};

/// What most of these cases share.
pub(super) const BASE: Case = Case {
    matters: "Wallets, explorers and other nodes read blocks to follow the chain. A field that is missing or wrong stops them all.",
    example: Example::Of("/get-block"),
    needs: &[NO_BLOCKS, OTHER_FORM],
    ..Case::BASE
};

/// A request for a block.
pub(super) const BLOCK: RequestKind = RequestKind::get(
    "/get-block",
    &[(
        "block_index",
        "an index of the chain, beyond it, or no index",
    )],
);
pub(super) const WITHOUT_INDEX: RequestKind = RequestKind::get("/get-block", &[]);

/// Without a usable response, there is no block.
pub(super) const NO_BLOCKS: Cause = Cause::new(&["get-block/responds"], When::Unusable);
/// A block in another form does not have what a case looks at.
pub(super) const OTHER_FORM: Cause = Cause::new(
    &[
        "get-block/shape",
        "get-block/text",
        "get-block/previous-block-receipts",
    ],
    When::Inconclusive,
);
/// The causes of a block that cannot be read as a whole.
const BY_FIELDS: &[Cause] = &[Cause::fields_below(Sample::Blocks, &[], When::Always)];
/// A node that returns a block for every index.
pub(super) const ANY_INDEX: Cause = Cause::of(&["get-block/unknown-index"]);
/// The path of a receipt in a block.
pub(super) const RECEIPT: &[&str] = &["text", "previous_block_receipts", "*"];

/// A receipt that lacks a field has nothing to check.
pub(super) const NO_RECEIPTS: Cause =
    Cause::fields_below(Sample::Blocks, RECEIPT, When::Inconclusive);

/// A receipt without `data` has no vote to check.
const NO_DATA: Cause = Cause::new(&["get-block/receipt-data"], When::Inconclusive);

/// Returns the case about a documented field of a block.
pub(super) fn of_field(field: &'static Field) -> Case {
    let explained_by: &[Cause] = match field.is_below(RECEIPT) {
        true => &[NO_DATA],
        false => &[],
    };
    Case {
        explained_by,
        ..BASE.about_field(field)
    }
}

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "get-block/responds",
        requirements: &["BLOCK-1", "HTTP-1", "HTTP-2", "NODE-1", "NODE-3", "NODE-4"],
        checks: "Every response to an index that the chain has is a success with one JSON object, without duplicate members. Its status does not mean an incomplete block, as 202 and 206 do.",
        aspect: Aspect::Endpoint,
        is_essential: true,
        check: Blocks(BlockCheck {
            scope: CheckScope::Responses(responds),
            least: 1,
            otherwise: "the node has no block at index 0, 1, 2, 4, 8 and so on; name one that it has, \
                        with --fixture or --blocks",
        }),
        ..BASE
    },
    Case {
        id: "get-block/shape",
        requirements: &["BLOCK-1", "BLOCK-6"],
        checks: "The response is the Block, and not a row of the node's block table, which has `block_index` and no `text`.",
        aspect: Aspect::Shape,
        check: Check::alone(shape, NO_BLOCK),
        ..BASE
    },
    Case {
        id: "get-block/index-echo",
        requirements: &["BLOCK-1", "BLOCK-2"],
        checks: "`index` of the response is the requested index.",
        aspect: Aspect::Consistency,
        check: Blocks(BlockCheck {
            scope: CheckScope::Indexes(index_echo),
            least: 1,
            otherwise: "no block had an index",
        }),
        ..BASE
    },
    Case {
        id: "get-block/timestamp-unit",
        requirements: &["FORM-1", "BLOCK-3", "RECEIPT-4"],
        checks: "`timestamp` of blocks and receipts lies between 1973 and 5138 in milliseconds. Seconds and microseconds do not.",
        check: Check::alone(timestamp_unit, "no timestamp was an integer"),
        ..BASE
    },
    Case {
        id: "get-block/receipts-of-preceding-block",
        requirements: &["BLOCK-8", "RECEIPT-1"],
        checks: "`data.block_index` of each receipt is the block's index minus 1, and no receipt is in a block twice.",
        aspect: Aspect::Consistency,
        explained_by: &[NO_RECEIPTS],
        check: Check::alone(receipts_of_preceding_block, "no block had a receipt"),
        ..BASE
    },
    Case {
        id: "get-block/committee-distinct",
        level: Level::Should,
        requirements: &["BLOCK-11"],
        checks: "`committee` has each wallet once.",
        check: Check::alone(committee_distinct, "no committee had a wallet"),
        ..BASE
    },
    Case {
        id: "get-block/unknown-index",
        requirements: &["BLOCK-1"],
        checks: "An index far beyond the chain, and -1, do not return a block.",
        example: Example::REFUSED,
        check: Refused(unknown_index),
        ..BASE
    },
    Case {
        id: "get-block/index-zero",
        requirements: &["BLOCK-1"],
        checks: "Index 0 returns block 0 or none. Whether a chain begins with 0 or 1 is open.",
        example: Example::Text("The block with index 0, or a refusal."),
        aspect: Aspect::Refusals,
        explained_by: &[ANY_INDEX],
        check: Read(|c| Box::pin(index_zero(c))),
        ..BASE
    },
    Case {
        id: "get-block/near",
        requirements: &["CONSISTENT-7", "BLOCK-1"],
        checks: "No request of the whole run gets a block for a text that is almost an index, or without `block_index`. Other forms of the same number, such as `07`, are not judged.",
        example: Example::REFUSED,
        aspect: Aspect::Consistency,
        sends: &[WITHOUT_INDEX],
        explained_by: &[Cause::of(&["http/probes-only-requested"]), ANY_INDEX],
        check: Near(Sample::Blocks),
        ..BASE
    },
    Case {
        id: "get-block/block-index-malformed",
        level: Level::Should,
        requirements: &["BLOCK-1", "BLOCK-13"],
        checks: "A request with `no-index-5a5a` as `block_index` is refused, or returns nothing.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        explained_by: &[ANY_INDEX],
        check: Refused(|_| {
            let what = "a block_index that is not an integer";
            WrongRequest::new(block_request(NO_INDEX), what).only()
        }),
        ..BASE
    },
    Case {
        id: "get-block/snapshot",
        requirements: &["BLOCK-1"],
        checks: "The members of the response and the kinds of their values are those of the shared snapshot. Members that are not documented do not count.",
        aspect: Aspect::Shape,
        explained_by: BY_FIELDS,
        check: Snapshot(Sample::Blocks),
        ..BASE
    },
];

/// The reason why a case is inconclusive if no block was read.
pub(crate) const NO_BLOCK: &str = "no response was a 200 with a JSON object";

fn responds(seen: &BlockResponse) -> Findings {
    if seen.exchange.status == 400 && seen.exchange.json().is_ok() {
        // This is how nodes were seen to refuse a block that does not exist.
        return Ok(Examination::default());
    }
    let mut findings = check_json_responses(std::slice::from_ref(&seen.exchange))?;
    findings.findings.extend(incomplete(&seen.exchange));
    Ok(findings)
}

/// A success whose status means that the block is still being made, or that it is a part of the block.
fn incomplete(exchange: &Arc<Exchange>) -> Option<Finding> {
    let says = match exchange.status {
        202 => "that the block is not ready",
        206 => "that this is a part of the block",
        _ => return None,
    };
    let what = format!("the status of a block says {says}");
    Some(Finding::new(
        exchange,
        what,
        "200",
        exchange.status.to_string(),
    ))
}

/// Checks the form as a whole. A node that returns rows gets one clear finding.
fn shape(seen: &BlockResponse, result: &mut Examination) {
    let exchange = &seen.exchange;
    result.examined += u64::from(exchange.success_object().is_some_and(is_block));
    if exchange.success_object().is_some_and(is_row_form) {
        let what = "get-block returned a row of the node's block table instead of a Block";
        let expected = "an object with index, timestamp, proof, status, text, creator_wallet, \
                        expected_miner, committee and previous_hash";
        result.push(Finding::of_body(exchange, what, expected).at(""));
    }
}

fn index_echo(seen: &BlockResponse, result: &mut Examination) {
    let Some(reported) = seen.exchange.success_object().and_then(reported_index) else {
        return;
    };
    result.count_item();
    if reported != i128::from(seen.index) {
        result.push(
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

fn timestamp_unit(seen: &BlockResponse, result: &mut Examination) {
    let Some(block) = seen.exchange.success_object() else {
        return;
    };
    let mut judge = |time: Option<&Value>, at: String| {
        // A value that is not an integer has no unit. The field's own case reports it.
        let Some(time) = time.and_then(Value::as_i64) else {
            return;
        };
        result.count_item();
        if MILLISECONDS.contains(&time) {
            return;
        }
        let unit = match time {
            1_000_000_000..100_000_000_000 => "seconds",
            100_000_000_000_000..100_000_000_000_000_000 => "microseconds",
            _ => "something else",
        };
        result.push(
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
fn committee_distinct(seen: &BlockResponse, result: &mut Examination) {
    let body = seen.exchange.success_object();
    let committee = body.and_then(|block| block.get("committee")?.as_array());
    let mut members = BTreeSet::new();
    for (place, member) in committee.into_iter().flatten().enumerate() {
        let Some(member) = member.as_str() else {
            continue;
        };
        result.count_item();
        if !members.insert(member) {
            let what = "a wallet is in the committee twice";
            let expected = "each wallet once";
            let actual = shown(member, 80);
            let finding = Finding::new(&seen.exchange, what, expected, actual);
            result.push(finding.at(format!("/committee/{place}")));
            return;
        }
    }
}

fn of_data<'r>(receipt: &'r Value, name: &str) -> Option<&'r Value> {
    receipt.get("data")?.get(name)
}

fn receipts_of_preceding_block(seen: &BlockResponse, result: &mut Examination) {
    let Some(block) = seen.exchange.success_object() else {
        return;
    };
    let Some(index) = reported_index(block) else {
        return;
    };
    let mut earlier = BTreeSet::new();
    for (place, receipt) in receipts(block).iter().enumerate() {
        if !earlier.insert(receipt.to_string()) {
            let what = "a receipt is in the block twice";
            let finding = Finding::of_body(&seen.exchange, what, "each receipt once");
            result.push(finding.at(format!("/text/previous_block_receipts/{place}")));
            break;
        }
        let about = of_data(receipt, "block_index").and_then(Value::as_i64);
        let Some(about) = about.map(i128::from) else {
            continue;
        };
        result.count_item();
        if about != index - 1 {
            result.push(
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
/// Distances to nearer ones. They are multiples of the numbers of blocks for which nodes have space.
const FURTHER: [u64; 3] = [10_000, 1 << 16, 1_000_000];

/// Checks that an index far above the latest block, and a negative one, return no block.
fn unknown_index(context: &Samples) -> WrongRequests {
    let discovered = &context.discovered;
    let beyond_all = discovered
        .blocks
        .last()
        .filter(|_| discovered.tip.is_none());
    let unknown = match (discovered.tip, beyond_all) {
        (Some(tip), _) => tip.saturating_add(BEYOND),
        // The search for the latest block ends here.
        (None, Some((index, _))) if *index >= BEYOND_EVERY_CHAIN => *index,
        (None, _) => {
            return unknown(
                "the latest block was not found, so no index is known to be beyond the chain",
            );
        }
    };
    let holds_no_block =
        |value: &Value| reported_index(value).is_none() && value.get("previous_hash").is_none();
    let what = "an index that the chain has not reached";
    // A node may keep its blocks in a ring, or count in a small type.
    let tip = discovered.tip.into_iter();
    let further = tip.flat_map(|tip| FURTHER.map(|more| tip.saturating_add(more)));
    let unknown = [unknown].into_iter().chain(further);
    let unknown = unknown.map(|index| WrongRequest::new(block_request(index), what));
    let negative = WrongRequest::new(block_request(-1), "a negative index");
    let all = unknown.chain([negative]);
    Ok(all.map(|wrong| wrong.or(holds_no_block)).collect())
}

/// Checks that the response for index 0 is not another block. A chain may or may not have a block 0.
async fn index_zero(context: &Samples) -> Findings {
    let exchange = context.node.send(block_request(0)).await?;
    // An endpoint without blocks has no block 0 either.
    controls(context, "get-block").await?;
    let Some(block) = exchange.success_object().filter(|block| is_block(block)) else {
        return Ok(Examination::passed());
    };
    // Another case reports a node with the same difference in all indexes.
    let wanted = context.discovered.offset.unwrap_or_default();
    let actual = match reported_index(block) {
        Some(index) if index == wanted => return Ok(Examination::passed()),
        Some(index) => format!("index {index}"),
        None => {
            let blocks = &context.discovered.blocks;
            let known = blocks
                .iter()
                .find(|(index, known)| *index != 0 && known.success_object() == Some(block));
            match known {
                Some((index, _)) => format!("the response for index {index}"),
                None => return Ok(Examination::passed()),
            }
        }
    };
    let what = "the response for index 0 is another block";
    let expected = "block 0, or none";
    Ok(Examination::failed(
        Finding::new(&exchange, what, expected, actual).at("/index"),
    ))
}
