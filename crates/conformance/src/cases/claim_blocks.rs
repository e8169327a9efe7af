//! The claims of a run in the blocks that were made since.

use std::sync::Arc;

use nodeproof_client::contract_call::shown_apart;
use nodeproof_primitives::{Amount, escape::escaped_up_to as shown};
use serde_json::{Value, json};

use super::{claim_record::found, inconclusive::unknown};
use crate::{
    api::{FirstDifference, InBlock, in_block, is_not_found, lists_transactions, times_in_block},
    checks::{Examination, Finding, Findings, signed_transaction},
    context::{Claim, Context, Settled},
    http::{Exchange, InconclusiveReason},
};

/// An accepted claim, and its transaction in a block, if there is one.
struct Accepted<'c> {
    submitted: &'c Arc<Exchange>,
    settled: &'c Settled,
    in_block: Option<(&'c Arc<Exchange>, InBlock<'c>)>,
}

/// Returns the accepted claims whose transactions have a code.
async fn accepted(context: &Context) -> Result<(&Claim, Vec<Accepted<'_>>), InconclusiveReason> {
    let claim = context.submissions.claim().await?;
    claim.settled.as_ref().map_err(Clone::clone)?;
    let blocks = claim.new_blocks();
    let with_code = claim.accepted().filter_map(|(submitted, settled)| {
        let body: Value = serde_json::from_str(submitted.request.body.as_deref()?).ok()?;
        let code = body.pointer("/transaction/trans_code")?.as_str()?;
        let code = Some(code).filter(|code| !code.is_empty())?;
        let in_block = blocks
            .values()
            .find_map(|block| Some((*block, in_block(block.success_object()?, code)?)));
        Some(Accepted {
            submitted,
            settled,
            in_block,
        })
    });
    let accepted: Vec<_> = with_code.collect();
    if accepted.is_empty() {
        return unknown("the transaction has no code to find it by");
    }
    Ok((claim, accepted))
}

/// Checks that each claim that can be read is in a later block, and in one only.
pub(super) async fn claim_in_block(context: &Context) -> Findings {
    let (claim, accepted) = accepted(context).await?;
    if accepted.iter().any(|one| one.in_block.is_none()) {
        found(context).await?;
    }
    let mut checked = only_once(claim);
    let mut none_lists = true;
    for Accepted {
        settled, in_block, ..
    } in &accepted
    {
        none_lists &= in_block.is_none();
        if in_block.is_some() || settled.record.is_none() {
            continue;
        }
        let lists = |block: &&Arc<Exchange>| block.success_object().is_some_and(lists_transactions);
        let Some(block) = settled.blocks.iter().rfind(lists) else {
            continue;
        };
        none_lists = false;
        let what = "the claim can be read, and no later block contains its transaction";
        let expected = "a block with the transaction's trans_code";
        let finding = Finding::new(block, what, expected, block.excerpt(160));
        checked.push(finding.at("/text/transactions"));
    }
    if none_lists {
        return unknown("no block since then lists its transactions");
    }
    if let Some(again) = &claim.block_again {
        checked.count_item();
        let code = claim.code().unwrap_or_default();
        let is_gone = match again.success_object() {
            Some(body) => in_block(body, &code).is_none(),
            None => is_not_found(again.status),
        };
        if is_gone {
            let what = "the claim is gone from its block when the block is read again";
            let expected = "a block with the transaction's trans_code";
            let finding = Finding::new(again, what, expected, again.excerpt(160));
            checked.push(finding.at("/text/transactions"));
        }
    }
    Ok(checked)
}

/// Checks that no claim is in the blocks more than once.
fn only_once(claim: &Claim) -> Examination {
    let blocks = claim.new_blocks();
    let mut checked = Examination::default();
    for code in claim.codes() {
        checked.count_item();
        let places: Vec<_> = blocks
            .iter()
            .flat_map(|(index, block)| {
                let body = block.success_object();
                let times = body.map_or(0, |body| times_in_block(body, &code));
                std::iter::repeat_n((index.to_string(), *block), times)
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

/// Checks that the transactions in the blocks are those that were submitted.
pub(super) async fn as_signed(context: &Context) -> Findings {
    let (claim, accepted) = accepted(context).await?;
    let mut checked = Examination::default();
    for one in &accepted {
        if let Some((block, found)) = one.in_block {
            checked.extend(compare(one.submitted, block, found));
        }
    }
    // The first claim is read again after all others.
    if let (Ok(submitted), Some(again)) = (&claim.submitted, &claim.block_again) {
        let code = claim.code().unwrap_or_default();
        let body = again.success_object();
        if let Some(found) = body.and_then(|body| in_block(body, &code))
            && checked.has_no_findings()
        {
            checked.extend(compare(submitted, again, found));
        }
    }
    if accepted.iter().all(|one| one.in_block.is_none()) {
        return unknown("no block contained the claim's transaction");
    }
    Ok(checked)
}

/// Compares a transaction in a block with what was submitted.
fn compare(submitted: &Exchange, block: &Arc<Exchange>, found: InBlock<'_>) -> Examination {
    let body = submitted.request.body.as_deref().unwrap_or_default();
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let mut checked = Examination::default();
    for (name, signed) in body["transaction"].as_object().into_iter().flatten() {
        // The specification does not show the shape. A member that the block omits is not a wrong
        // value.
        let Some(value) = found.transaction.get(name) else {
            continue;
        };
        checked.count_item();
        if value == signed || (name == "fee" && amount(value) == amount(signed)) {
            continue;
        }
        let what = format!("the transaction in the block has another {name} than was signed");
        if let Some(first) = FirstDifference::between(signed, value) {
            checked.push(Finding::new(block, what, first.expected, first.actual));
        }
    }
    if let (Some(signatures), Some(entry)) = (found.signatures, body["signatures"].get(0)) {
        checked.count_item();
        if !is_only(signatures, entry) {
            let what = "the transaction in the block has other signatures than were submitted";
            let (expected, actual) = shown_apart(&format!("[{entry}]"), &signatures.to_string());
            let document = json!({"transaction": found.transaction, "signatures": signatures});
            let signed = signed_transaction(&document.to_string());
            let finding = Finding::new(block, what, expected, actual);
            checked.push(finding.with_signed_message(signed));
        }
    }
    checked
}

/// Returns a number in any notation.
fn amount(value: &Value) -> Option<Amount> {
    value.is_number().then(|| value.to_string().parse().ok())?
}

/// Whether a list of signatures has this entry and no other.
fn is_only(signatures: &Value, entry: &Value) -> bool {
    let text = |value: &Value, name: &str| value[name].as_str().map(str::to_lowercase);
    signatures.as_array().is_some_and(|list| {
        list.len() == 1
            && ["wallet_address", "msgsign"]
                .iter()
                .all(|name| text(&list[0], name) == text(entry, name))
    })
}
