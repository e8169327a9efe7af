//! The effects of an accepted claim, its block and its fee, and of the submission that was refused before it.

use std::{sync::Arc, time::Duration};

use nodeproof_client::{VerificationRecord, contract_call::shown_apart};
use nodeproof_primitives::{Amount, escape::escaped_up_to as shown};
use nodeproof_report::{Aspect, Level};
use serde_json::{Value, json};

use super::{
    call_sc::NO_CALLS,
    case::{Case, Example},
    cause::{Cause, When},
    check::Check::Own,
    claim::{BASE, EARLIER_STEP, REFUSED_STORED, held},
    claim_record::found,
    inconclusive::unknown,
    sc_state::{self, NO_STATE},
    submit_transaction::NO_RESPONSES,
};
use crate::{
    api::{
        FirstDifference, InBlock, in_block, is_valid, lists_transactions, member_named, requested,
        stored, submitted_code, times_in_block,
    },
    checks::{Checked, Finding, Findings, changed, refused_in_blocks, signed_transaction},
    context::{Context, Refused, Settled},
    http::{Exchange, InconclusiveReason},
};

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "submit-transaction/claim-readable",
        requirements: &["RECORD-13", "RECORD-1"],
        checks: "`/sc-state` returns the claim's record within `--settle-timeout`, and the same record at the end of the run's claims.",
        example: Example::Named("/sc-state", "verification_row"),
        matters: sc_state::BASE.matters,
        check: Own(|c| Box::pin(readable(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/claim-stored-by-block",
        level: Level::Should,
        requirements: &["RECORD-1", "RECORD-13"],
        checks: "The claim's record can't be read before a block is made.",
        example: Example::Named("/sc-state", "verification_row"),
        matters: "A record that no block contains proves nothing. The network may never accept it.",
        aspect: Aspect::Consistency,
        check: Own(|c| Box::pin(stored_by_block(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/claim-changes-no-other-record",
        level: Level::Should,
        requirements: &["STATE-2", "RECORD-13"],
        checks: "Up to three other records are the same before and after the claim, and an asset without a claim has no record. The case is inconclusive if a block since then may explain a change.",
        example: Example::Named("/sc-state", "verification_row"),
        matters: sc_state::BASE.matters,
        aspect: Aspect::Consistency,
        explained_by: &[
            NO_RESPONSES,
            NO_STATE,
            NO_CALLS,
            Cause::new(&["sc-state/repeat-read"], When::Always),
            EARLIER_STEP,
            REFUSED_STORED,
        ],
        check: Own(|c| Box::pin(other_records(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/claim-in-block",
        level: Level::Should,
        requirements: &["BLOCK-7"],
        checks: "A later block has the claim's `trans_code` among its transactions. No claim is in the blocks more than once.",
        example: Example::Named("/get-block", "block_with_a_claim"),
        matters: "Who reads the chain finds claims in its blocks. What is not there as it was signed proves nothing.",
        check: Own(|c| Box::pin(claim_in_block(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/claim-in-block-as-signed",
        level: Level::Should,
        requirements: &["BLOCK-7"],
        checks: "The transaction in the block has the values that were signed, and only that signature.",
        example: Example::Named("/get-block", "block_with_a_claim"),
        matters: "Who reads the chain finds claims in its blocks. What is not there as it was signed proves nothing.",
        check: Own(|c| Box::pin(as_signed(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/fee-paid",
        level: Level::Should,
        requirements: &["TX-5"],
        checks: "The wallet's balance goes down by exactly the fee.",
        example: Example::Text("Balance before: 5000000. Fee: 1000000. Balance after: 4000000."),
        matters: "A wallet agrees to a fee by its signature. A node that takes more takes what is not its own.",
        check: Own(|c| Box::pin(fee_paid(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/claim-refused-not-stored",
        requirements: &["SUBMIT-3"],
        checks: "A claim that was refused just before the accepted one has no record. Later blocks contain no transaction that was refused.",
        example: Example::REFUSED,
        aspect: Aspect::Refusals,
        explained_by: &[
            NO_RESPONSES,
            NO_STATE,
            NO_CALLS,
            REFUSED_STORED,
            EARLIER_STEP,
        ],
        check: Own(|c| Box::pin(refused_not_stored(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/claim-refused-costs-nothing",
        requirements: &["SUBMIT-3"],
        checks: "A refused submission does not reduce the wallet's balance.",
        example: Example::Text("Balance before: 5000000. Balance after: 5000000."),
        matters: "A fee for a claim that was refused is a payment that nobody agreed to.",
        aspect: Aspect::Refusals,
        check: Own(|c| Box::pin(refused_costs_nothing(c))),
        ..BASE
    },
];

async fn readable(context: &Context) -> Findings {
    let claim = context.submissions.claim().await?;
    let settled = claim.settled.as_ref().map_err(Clone::clone)?;
    let mut findings = Checked::default();
    let further = claim.further.iter().filter_map(|further| {
        let settled = further.settled.as_ref().ok()?;
        Some((settled, further.code.clone()))
    });
    for (settled, code) in [(settled, claim.code())].into_iter().chain(further) {
        findings.count_item();
        let waited = context.submissions.submitter.with.settle_timeout;
        if let Some(finding) = unreadable(settled, &code.unwrap_or_default(), waited)? {
            findings.push(finding);
        }
    }
    if let (Some(record), Some(again)) = (&settled.record, &claim.record_again) {
        findings.count_item();
        if !is_same_record(record, again) {
            let what = "the claim's record is gone or has changed when it is read again";
            findings.push(changed(what, record, again, |_, _| true));
        }
    }
    Ok(findings)
}

/// Whether two responses have the same record. Members of a record that are not documented may be about
/// the response.
fn is_same_record(one: &Exchange, other: &Exchange) -> bool {
    let record = |exchange: &'_ Exchange| exchange.success_object().and_then(stored).cloned();
    match (record(one), record(other)) {
        (Some(one), Some(other)) if member_named(&one, "asset_id").is_some() => {
            VerificationRecord::COLUMNS
                .iter()
                .all(|name| member_named(&one, name) == member_named(&other, name))
        }
        (one, other) => one == other,
    }
}

/// Checks that the claim left other records as they were.
async fn other_records(context: &Context) -> Findings {
    found(context).await?;
    let claim = context.submissions.claim().await?;
    let (mut checked, mut may_be_explained) = (Checked::default(), false);
    for [before, after] in &claim.other_records {
        checked.count_item();
        if is_same_record(before, after) {
            continue;
        }
        let asset = requested(before, "unique_value").unwrap_or_default();
        let asset = Value::from(asset).to_string();
        let mut bodies = claim
            .new_blocks()
            .into_values()
            .filter_map(|block| block.success_object());
        if bodies.any(|body| !lists_transactions(body) || body.to_string().contains(&asset)) {
            may_be_explained = true;
            continue;
        }
        let what = "another asset's record changed when the claim was made";
        checked.push(changed(what, before, after, |_, _| true));
    }
    if may_be_explained && checked.has_no_findings() {
        return unknown("another record changed, and a block since then may be the reason");
    }
    Ok(checked)
}

async fn stored_by_block(context: &Context) -> Findings {
    let (record, _) = found(context).await?;
    let claim = context.submissions.claim().await?;
    let settled = claim.settled.as_ref().map_err(Clone::clone)?;
    if settled.blocks.is_empty() {
        return unknown("no block was found since the claim was submitted");
    }
    if !settled.record_before_block {
        return Ok(Checked::passed());
    }
    let what = "the claim's record could be read before a block was made";
    let expected = "no record until a block has the claim";
    Ok(Checked::failed(Finding::new(
        record,
        what,
        expected,
        record.excerpt(160),
    )))
}

/// Returns the finding about a claim whose record can't be read.
fn unreadable(
    settled: &Settled,
    code: &str,
    waited: Duration,
) -> Result<Option<Finding>, InconclusiveReason> {
    let Some(response) = settled
        .without
        .as_ref()
        .filter(|_| settled.record.is_none())
    else {
        return Ok(None);
    };
    let block = settled.blocks.iter().find(|block| {
        block
            .success_object()
            .is_some_and(|body| in_block(body, code).is_some())
    });
    let waited = waited.as_secs_f64();
    let what = match block {
        Some(block) => format!(
            "the claim is in {}, but its record can't be read",
            block.request.query_text()
        ),
        None if settled.enough_blocks => {
            format!(
                "the claim was accepted, but its record can't be read after {waited} s and \
            several blocks"
            )
        }
        None => {
            return unknown(format!(
                "the chain did not grow enough within {waited} s; wait longer with \
                 --settle-timeout"
            ));
        }
    };
    let expected = "the record of the claim";
    let finding = Finding::new(response, what, expected, response.summary());
    Ok(Some(finding))
}

/// Returns the block with the claim and the transaction in it, if there is one.
async fn entry(
    context: &Context,
) -> Result<Option<(&Arc<Exchange>, InBlock<'_>)>, InconclusiveReason> {
    let claim = context.submissions.claim().await?;
    let settled = claim.settled.as_ref().map_err(Clone::clone)?;
    let Some(code) = claim.code() else {
        return unknown("the transaction has no code to find it by");
    };
    Ok(settled
        .blocks
        .iter()
        .find_map(|block| Some((block, in_block(block.success_object()?, &code)?))))
}

async fn claim_in_block(context: &Context) -> Findings {
    if entry(context).await?.is_some() {
        return only_once(context).await;
    }
    found(context).await?;
    let settled = context
        .submissions
        .claim()
        .await?
        .settled
        .as_ref()
        .map_err(Clone::clone)?;
    let lists = |block: &&Arc<Exchange>| block.success_object().is_some_and(lists_transactions);
    let Some(block) = settled.blocks.iter().rfind(lists) else {
        return unknown("no block since then lists its transactions");
    };
    let what = "the claim can be read, and no later block contains its transaction";
    let expected = "a block with the transaction's trans_code";
    Ok(Checked::failed(
        Finding::new(block, what, expected, block.excerpt(160)).at("/text/transactions"),
    ))
}

/// Checks that no claim is in the blocks more than once.
async fn only_once(context: &Context) -> Findings {
    let claim = context.submissions.claim().await?;
    let blocks = claim.new_blocks();
    let mut checked = Checked::default();
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
    Ok(checked)
}

async fn as_signed(context: &Context) -> Findings {
    let claim = context.submissions.claim().await?;
    let Some((block, found)) = entry(context).await? else {
        return unknown("no block contained the claim's transaction");
    };
    let checked = claim.checked.as_ref().map_err(Clone::clone)?;
    let text = checked.transaction_text();
    let signed: Value = serde_json::from_str(text).unwrap_or_default();
    let mut findings = Checked::default();
    for (name, signed) in signed.as_object().into_iter().flatten() {
        // The specification does not show the shape. A member that the block omits is not a wrong
        // value.
        let Some(value) = found.transaction.get(name) else {
            continue;
        };
        findings.count_item();
        if value == signed || (name == "fee" && amount(value) == amount(signed)) {
            continue;
        }
        let what = format!("the transaction in the block has another {name} than was signed");
        if let Some(first) = FirstDifference::between(signed, value) {
            findings.push(Finding::new(block, what, first.expected, first.actual));
        }
    }
    if let (Some(signatures), Some(entry)) = (found.signatures, &claim.entry) {
        findings.count_item();
        if !is_only(signatures, entry) {
            let what = "the transaction in the block has other signatures than were submitted";
            let (expected, actual) = shown_apart(&format!("[{entry}]"), &signatures.to_string());
            let document = json!({"transaction": found.transaction, "signatures": signatures});
            let signed = signed_transaction(&document.to_string());
            findings.push(Finding::new(block, what, expected, actual).with_signed_message(signed));
        }
    }
    Ok(findings)
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

async fn fee_paid(context: &Context) -> Findings {
    let claim = context.submissions.claim().await?;
    let [before, after, later] = claim.balances.as_ref().map_err(Clone::clone)?;
    let fee: Result<i128, _> = context.submissions.submitter.with.fee.as_str().parse();
    let (Some(had), Some(has), Ok(fee)) = (held(before), held(after), fee) else {
        return unknown(
            "the wallet's balances before and after are not integers, so they cannot be compared",
        );
    };
    if had - has == fee {
        return Ok(Checked::passed());
    }
    let settled = claim.settled.as_ref().map_err(Clone::clone)?;
    let code = claim.code().unwrap_or_default();
    let wallet = claim.wallet.to_string();
    if let Some(reason) = other_reasons(&settled.blocks, &wallet, &code) {
        return unknown(format!(
            "the balance went from {had} to {has} with a fee of {fee}, and {reason}"
        ));
    }
    if held(later) != Some(has) {
        return unknown("the wallet's balance changes, and no block shows why");
    }
    let what = if had - has < fee {
        "the balance did not go down by the fee"
    } else {
        "the balance went down by more than the fee"
    };
    let expected = (had - fee).to_string();
    Ok(Checked::failed(Finding::new(
        after,
        what,
        expected,
        has.to_string(),
    )))
}

/// Returns a reason, other than this transaction, for which a wallet's balance may have changed.
fn other_reasons(blocks: &[Arc<Exchange>], wallet: &str, code: &str) -> Option<&'static str> {
    let mut listed = false;
    for block in blocks.iter().filter_map(|block| block.success_object()) {
        let made_it = |name| block.get(name).and_then(Value::as_str) == Some(wallet);
        if made_it("creator_wallet") || made_it("expected_miner") {
            return Some("the wallet made a block, which may be rewarded");
        }
        let list = block
            .pointer("/text/transactions")
            .and_then(Value::as_array);
        listed |= list.is_some();
        let of_others = |entry: &&Value| in_block(entry, code).is_none();
        let mut others = list.into_iter().flatten().filter(of_others);
        if others.any(|entry| entry.to_string().contains(wallet)) {
            return Some("the wallet has other transactions in the blocks since");
        }
    }
    (!listed).then_some("blocks do not show whether the wallet has other transactions")
}

/// Returns the result of the submission that was refused just before the claim.
async fn refused(context: &Context) -> Result<&Refused, InconclusiveReason> {
    let refused = context.submissions.claim().await?.refused.as_ref();
    let refused = refused.map_err(Clone::clone)?;
    if is_valid(&refused.response) {
        return unknown("the invalid submission was accepted; another case reports that");
    }
    Ok(refused)
}

async fn refused_not_stored(context: &Context) -> Findings {
    let refused = refused(context).await?;
    let state = refused.state.as_ref().map_err(Clone::clone)?;
    // A missing record counts only if the claim itself can be read.
    found(context).await?;
    let claim = context.submissions.claim().await?;
    let mut codes = context.submissions.refused_codes();
    codes.extend(submitted_code(&refused.response));
    for accepted in claim.codes() {
        codes.remove(&accepted);
    }
    if let Some(finding) = refused_in_blocks(&codes, claim.new_blocks().into_values()) {
        return Ok(Checked::failed(finding));
    }
    if state.success_object().and_then(stored).is_none() {
        return Ok(Checked::passed());
    }
    let what = "a claim that was refused is stored anyway";
    Ok(Checked::failed(Finding::new(
        state,
        what,
        "no record",
        state.summary(),
    )))
}

async fn refused_costs_nothing(context: &Context) -> Findings {
    let (before, after) = &refused(context).await?.balances;
    let (Some(had), Some(has)) = (held(before), held(after)) else {
        return unknown(
            "the wallet's balances before and after are not integers, so they cannot be compared",
        );
    };
    if has >= had {
        return Ok(Checked::passed());
    }
    let claim = context.submissions.claim().await?;
    let blocks = claim.settled.as_ref().map_or(&[][..], |s| &s.blocks);
    let (wallet, code) = (claim.wallet.to_string(), claim.code().unwrap_or_default());
    if let Some(reason) = other_reasons(blocks, &wallet, &code) {
        return unknown(format!(
            "the balance went from {had} to {has}, and {reason}"
        ));
    }
    let what = "the balance went down when a submission was refused";
    Ok(Checked::failed(Finding::new(
        after,
        what,
        had.to_string(),
        has.to_string(),
    )))
}
