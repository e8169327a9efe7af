//! The blocks that are made during the run. The cases about blocks also apply to them.

use std::{collections::BTreeMap, sync::Arc};

use nodeproof_report::{Aspect, Level};

use super::{
    block_cases::block_cases,
    case::{Case, Example},
    cause::Cause,
    chain_times::OF_NEW_BLOCKS,
    check::Check::AtEnd,
    claim,
    submit_transaction::{UNVERIFIED, UNVERIFIED_PAYER},
};
use crate::{
    api::{BlockResponse, ResponseKind, Sample, is_block, requested_index},
    checks::{Examination, Finding, Findings, Memory, PreparedCheck},
    context::Context,
    http::unknown,
    rules::{included, refused},
};

/// What these cases share.
const BASE: Case = Case {
    matters: "A node can have copied old blocks from others. The blocks that are made now show what it makes or accepts itself.",
    example: Example::Of("/get-block"),
    aspect: Aspect::Consistency,
    is_last: true,
    ..claim::BASE
};

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "chain/new-blocks",
        requirements: &[
            "BLOCK-1",
            "BLOCK-2",
            "BLOCK-3",
            "BLOCK-4",
            "BLOCK-5",
            "BLOCK-6",
            "BLOCK-7",
            "BLOCK-8",
            "BLOCK-9",
            "BLOCK-10",
            "BLOCK-11",
            "BLOCK-12",
            "RECEIPT-4",
            "RECEIPT-7",
            "RECEIPT-8",
            "CONSISTENT-8",
        ],
        checks: "Every MUST case about blocks that passes for older blocks also passes for all blocks that are made and read during the run. So each transaction is in one of them, once. Their receipts are not all dated more than 15 minutes before or after them. None is more than 10 s older than the one before it.",
        exception: Some(
            "The algorithm of receipts' signatures is only observed. It counts if older receipts of the node verify with it.",
        ),
        explained_by: &[
            Cause::of(&[
                "submit-transaction/half-signed",
                "submit-transaction/unlisted-signer",
                "submit-transaction/authority",
            ]),
            // What is accepted with a wrong signature is in a block.
            UNVERIFIED,
            UNVERIFIED_PAYER,
        ],
        check: AtEnd(|c| Box::pin(new_blocks(c, Level::Must))),
        ..BASE
    },
    Case {
        id: "chain/new-blocks-as-expected",
        level: Level::Should,
        requirements: &["BLOCK-3", "BLOCK-8", "BLOCK-11", "BLOCK-12", "RECEIPT-9"],
        checks: "Every SHOULD case about blocks and their receipts that passes for older blocks also passes for all blocks that are made and read during the run.",
        check: AtEnd(|c| Box::pin(new_blocks(c, Level::Should))),
        ..BASE
    },
];

const SIGNATURES: &str = "chain/transaction-signatures";

/// Not for new blocks: a node may accept signatures of others beside those of the signers, and the run sends some. The
/// run's own transactions are compared with what was signed.
const FORM: &str = "chain/transaction-form";

/// Runs the checks of the cases of this level on the blocks that were made during the run. Each has at
/// most one finding.
async fn new_blocks(context: &Context, level: Level) -> Findings {
    context.submissions.claims().await?.first().settled()?;
    let responses = context.sample(Sample::Blocks).await?;
    let older = context.seen_blocks(&responses);
    let new = made_meanwhile(context);
    if new.is_empty() {
        return unknown("no block was found since the claim was submitted");
    }
    let mut checked = Examination::default();
    // Signatures do not fit what another case reports as changed since it was signed, or as refused.
    let history = context.history();
    let is_as_signed = || {
        let mut rules = [included, refused].iter();
        rules.all(|rule| rule(&history).findings.is_empty())
    };
    let cases = block_cases()
        .into_iter()
        .filter(|case| case.level == level && case.id != FORM)
        .filter(|case| case.id != SIGNATURES || is_as_signed());
    let cases = cases.filter_map(|case| Some((case.id, case.check.block_check()?, true)));
    let of_new = OF_NEW_BLOCKS.iter().filter(|_| level == Level::Must);
    let of_new = of_new.filter_map(|(case, check)| Some((*case, check.block_check()?, false)));
    for (case, check, also_for_older) in cases.chain(of_new) {
        let check = PreparedCheck::new(check, &context.spec)?;
        let mut memory = Memory::default();
        let before = check.check_all(&older, &mut memory)?;
        // The case itself reports older blocks.
        if also_for_older && !before.findings.is_empty() {
            continue;
        }
        let found = check.check_all(&new, &mut memory)?;
        checked.examined += found.examined;
        checked
            .findings
            .extend(found.findings.into_iter().next().map(|finding| {
                let is_new = finding
                    .block
                    .is_some_and(|block| new.iter().any(|seen| seen.index == block));
                named(finding, is_new, case)
            }));
    }
    Ok(checked)
}

/// Returns the blocks above those that the run began with, each as it was read last, and the response to the request
/// for the next one if it has another block.
fn made_meanwhile(context: &Context) -> Vec<BlockResponse> {
    let returns_any = context.discovered.unknown.other_blocks;
    let Some(mut latest) = context.discovered.tip else {
        return Vec::new();
    };
    let tip = latest;
    let mut new = BTreeMap::new();
    for entry in context.history().of_path("/get-block") {
        let exchange = &entry.exchange;
        let index = requested_index(&exchange.request).filter(|index| *index > tip);
        let is_some_block = exchange.success_object().is_some_and(is_block);
        let Some(index) = index.filter(|_| is_some_block && exchange.request.raw_query.is_none())
        else {
            continue;
        };
        let kind = match entry.block_index {
            Some(_) => ResponseKind::Block,
            // Another case reports a node that returns some block for every index.
            None if !returns_any && index <= latest.saturating_add(1) => ResponseKind::WrongIndex,
            None => continue,
        };
        latest = latest.max(index);
        new.insert(index, BlockResponse::new(index, kind, Arc::clone(exchange)));
    }
    new.into_values().collect()
}

/// Adds the block and the case to a finding.
fn named(finding: Finding, is_new: bool, case: &str) -> Finding {
    let block = finding
        .block
        .map_or_else(|| "a block".to_owned(), |block| format!("block {block}"));
    let when = if is_new {
        "made during the run"
    } else {
        "compared with those made during the run"
    };
    Finding {
        what: format!("{block}, {when}: {} (as {case} checks it)", finding.what),
        block: None,
        ..finding
    }
}
