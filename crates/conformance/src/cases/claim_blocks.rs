//! The claims of a run in the blocks that were made since.

use std::sync::Arc;

use nodeproof_primitives::escape::escaped_up_to as shown;

use super::claim_record::found;
use crate::{
    api::{Transaction, in_block, lists_transactions, times_in_block},
    checks::{Examination, Finding, Findings},
    context::Context,
    history::{Claims, Settled},
    http::{Exchange, InconclusiveReason, unknown},
    rules::included,
};

/// An accepted claim, and whether its transaction is in a block.
struct Accepted<'c> {
    settled: Settled<'c>,
    is_in_block: bool,
}

/// Returns the accepted claims whose transactions have a code.
async fn accepted(context: &Context) -> Result<(&Claims, Vec<Accepted<'_>>), InconclusiveReason> {
    let claims = context.submissions.claims().await?;
    claims.first().settled()?;
    let with_code = claims.accepted().filter_map(|(submitted, settled)| {
        let code = Transaction::sent_in(submitted)?.code()?;
        let code = Some(code).filter(|code| !code.is_empty())?;
        let is_in = |block: &Exchange| Some(in_block(block.success_object()?, code).is_some());
        // Another program may have submitted something before it read a block.
        let blocks = claims.new_blocks().map(|(_, block)| block);
        let mut blocks = blocks.chain(settled.blocks.iter().copied());
        let is_in_block = blocks.any(|block| is_in(block) == Some(true));
        Some(Accepted {
            settled,
            is_in_block,
        })
    });
    let accepted: Vec<_> = with_code.collect();
    if accepted.is_empty() {
        return unknown("the transaction has no code to find it by");
    }
    Ok((claims, accepted))
}

/// Checks that each claim that can be read is in a later block, and in one only.
pub(super) async fn claim_in_block(context: &Context) -> Findings {
    let (claims, accepted) = accepted(context).await?;
    if accepted.iter().any(|one| !one.is_in_block) {
        found(context).await?;
    }
    let mut checked = only_once(claims);
    let lists_one = accepted.iter().any(|one| one.is_in_block);
    if !lists_one {
        let missing = missing(&accepted);
        if missing.is_empty() {
            return unknown("no block since then lists its transactions");
        }
        checked.findings.extend(missing);
    }
    Ok(checked)
}

/// Returns a finding for each claim that can be read, and that no block since then contains, although blocks list
/// transactions.
fn missing(accepted: &[Accepted<'_>]) -> Vec<Finding> {
    let missing = accepted
        .iter()
        .filter(|one| !one.is_in_block && one.settled.record.is_some());
    let found = missing.filter_map(|one| {
        let lists =
            |block: &&&Arc<Exchange>| block.success_object().is_some_and(lists_transactions);
        let block = one.settled.blocks.iter().rfind(lists)?;
        let what = "the claim can be read, and no later block contains its transaction";
        let expected = "a block with the transaction's trans_code";
        let finding = Finding::of_body(block, what, expected);
        Some(finding.at("/text/transactions"))
    });
    found.collect()
}

/// Checks that no claim is in the blocks more than once.
fn only_once(claims: &Claims) -> Examination {
    let mut checked = Examination::default();
    for code in claims.codes() {
        checked.count_item();
        let blocks = claims.new_blocks();
        let places: Vec<_> = blocks
            .flat_map(|(index, block)| {
                let body = block.success_object();
                let times = body.map_or(0, |body| times_in_block(body, &code));
                std::iter::repeat_n((index.to_string(), block), times)
            })
            .collect();
        if let [_, .., (_, last)] = &places[..] {
            let what = "the claim's transaction is in the blocks more than once";
            let indexes: Vec<_> = places.iter().map(|(index, _)| index.as_str()).collect();
            let actual = format!("{code} in the blocks {}", shown(&indexes.join(", "), 160));
            let finding = Finding::new(last, what, "each transaction once", actual);
            checked.push(finding.at("/text/transactions"));
        }
    }
    checked
}

/// Checks that the transactions in the blocks are those that were submitted. A node that lists one claim has to list all.
pub(super) async fn as_signed(context: &Context) -> Findings {
    let (_, accepted) = accepted(context).await?;
    let mut result = included(&context.history());
    if result.examined == 0 {
        return unknown("no block contained the claim's transaction");
    }
    if accepted.iter().any(|one| one.is_in_block) {
        result.findings.extend(missing(&accepted));
    }
    Ok(result)
}
