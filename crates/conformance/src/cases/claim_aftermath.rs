//! The effects of an accepted claim, its block and its fee, and of the submission that was refused before it.

use std::{collections::BTreeMap, time::Duration};

use nodeproof_client::VerificationRecord;
use nodeproof_primitives::TimestampMs;
use nodeproof_report::{Aspect, Level};
use serde_json::Value;

use super::{
    case::{Case, Example},
    cause::Cause,
    check::Check::Own,
    claim::{BASE, OTHER_ACCEPTED, held, promised_by},
    claim_blocks::{as_signed, claim_in_block},
    claim_record::found,
    sc_state,
};
use crate::{
    api::{
        Transaction, in_block, lists_transactions, member_named, requested, requested_index, stored,
    },
    checks::{Examination, Finding, Findings, changed},
    context::Context,
    history::{ClaimSteps, History, MIN_NEW_BLOCKS, Settled},
    http::{Act, Exchange, InconclusiveReason, unknown},
};

/// A node that does not return all its blocks. The claim may be in such a block.
const MISSING_BLOCK: Cause = Cause::of(&["chain/repeat-read"]);

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "submit-transaction/claim-readable",
        requirements: &["RECORD-13", "RECORD-1"],
        checks: "`/sc-state` returns the claim's record within `--settle-timeout`, before several more blocks are made, and the same record at the end of the run's claims. An accepted claim does not stop the chain.",
        example: Example::Named("/sc-state", "verification_row"),
        matters: sc_state::BASE.matters,
        // A record that is gone.
        explained_by: &[Cause::of(&["sc-state/repeat-read"])],
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
        explained_by: &[MISSING_BLOCK],
        check: Own(|c| Box::pin(stored_by_block(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/claim-changes-no-other-record",
        requirements: &["CONSISTENT-6", "STATE-2", "RECORD-13"],
        checks: "Up to three other records are the same before and after the claim, and an asset without a claim has no record. The case is inconclusive if a block since then may explain a change.",
        example: Example::Named("/sc-state", "verification_row"),
        matters: sc_state::BASE.matters,
        aspect: Aspect::Consistency,
        check: Own(|c| Box::pin(other_records(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/claim-in-block",
        level: Level::Should,
        requirements: &["BLOCK-7"],
        checks: "A later block has the `trans_code` of a claim among its transactions. No claim is in the blocks more than once.",
        example: Example::Named("/get-block", "block_with_a_claim"),
        matters: "Readers of the chain find claims in its blocks. A claim that differs from what was signed proves nothing.",
        explained_by: &[MISSING_BLOCK, Cause::of(&["chain/new-blocks"])],
        check: Own(|c| Box::pin(claim_in_block(c))),
        ..BASE
    },
    Case {
        id: "submit-transaction/claim-in-block-as-signed",
        requirements: &["CONSISTENT-5", "BLOCK-7"],
        checks: "Each accepted transaction in a block has the values that were signed, and exactly the signatures that were submitted, whenever the block is read. If blocks list one of the claims, they list them all.",
        example: Example::Named("/get-block", "block_with_a_claim"),
        matters: "Readers of the chain find claims in its blocks. A claim that differs from what was signed proves nothing.",
        is_last: true,
        explained_by: &[OTHER_ACCEPTED],
        check: Own(|c| Box::pin(as_signed(c))),
        ..BASE
    },
];

async fn readable(context: &Context) -> Findings {
    let claims = context.submissions.claims().await?;
    claims.first().settled()?;
    let mut findings = Examination::default();
    let usual = context
        .discovered
        .tip
        .and_then(|tip| longest_gap(&context.history(), tip));
    let of_same_asset = claims.of_same_asset().map(|[first, _]| first.number);
    let mut undecided = None;
    for claim in claims.all() {
        let Ok(settled) = claim.settled() else {
            continue;
        };
        let code = claim.code().unwrap_or_default();
        // What is in no block was not deleted.
        if settled.record.is_none() && may_be_deleted(&claim) && !is_in_no_block(&settled, &code) {
            continue;
        }
        findings.count_item();
        if let Some(finding) = unreadable(&settled, &code, usual)? {
            match overdrawn(&claim, &code, &context.history()) {
                Some(reason) => undecided = Some(reason),
                None => findings.push(finding),
            }
        }
        findings
            .findings
            .extend(late(&settled, &code, &context.history()));
        let (Some(record), Ok(again)) = (settled.record, claim.get(Act::RecordAgain)) else {
            continue;
        };
        if of_same_asset == Some(claim.number) {
            continue;
        }
        findings.count_item();
        if !is_same_record(record, again) {
            let what = "the claim's record is gone or has changed when it is read again";
            findings.push(changed(what, record, again, |_, _| true));
        }
    }
    match undecided {
        Some(reason) if findings.has_no_findings() => unknown(reason),
        _ => Ok(findings),
    }
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
    let claims = context.submissions.claims().await?;
    let (mut checked, mut may_be_explained) = (Examination::default(), false);
    for [before, after] in claims.other_records() {
        checked.count_item();
        if is_same_record(before, after) {
            continue;
        }
        let asset = requested(before, "unique_value").unwrap_or_default();
        let asset = Value::from(asset).to_string();
        let mut bodies = claims
            .new_blocks()
            .filter_map(|(_, block)| block.success_object());
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
    let settled = context.submissions.claims().await?.first().settled()?;
    if settled.blocks.is_empty() {
        return unknown("no block was found since the claim was submitted");
    }
    if !settled.record_before_block {
        return Ok(Examination::passed());
    }
    let what = "the claim's record could be read before a block was made";
    let expected = "no record until a block has the claim";
    Ok(Examination::failed(Finding::of_body(
        record, what, expected,
    )))
}

/// A chain has stopped if it makes no block in this multiple of the longest time between two blocks.
const STOPPED: u32 = 10;
/// The smallest number of times between two blocks that shows how fast a chain makes them.
const LEAST_GAPS: usize = 3;

/// Number of blocks above that of a claim, and how long they have been there, after which the claim's record is late.
const LATE_BLOCKS: u64 = 8;
const LATE: Duration = Duration::from_secs(5);

/// The shortest time between two blocks that is believed.
const SHORTEST_GAP: Duration = Duration::from_millis(50);

/// Returns the longest time between two blocks that were made during the run, from the latest one `before` it, if the
/// run has read enough of them.
fn longest_gap(history: &History, before: u64) -> Option<Duration> {
    let times: BTreeMap<u64, u64> = history
        .blocks()
        .filter(|(index, _)| *index >= before)
        .filter_map(|(index, entry)| {
            let time = entry
                .exchange
                .success_object()?
                .get("timestamp")?
                .as_u64()?;
            Some((index, time))
        })
        .collect();
    let times: Vec<_> = times.into_iter().collect();
    let neighbours = times.windows(2).filter(|pair| pair[0].0 + 1 == pair[1].0);
    let gaps: Vec<_> = neighbours
        .map(|pair| pair[1].1.saturating_sub(pair[0].1))
        .collect();
    let longest = gaps.iter().max().filter(|_| gaps.len() >= LEAST_GAPS)?;
    // Shorter ones may be in another unit.
    Some(Duration::from_millis(*longest)).filter(|longest| *longest >= SHORTEST_GAP)
}

/// Whether the threshold of a claim may be past, in the smallest unit that nodes may have.
fn may_be_deleted(claim: &ClaimSteps<'_>) -> bool {
    let threshold = claim.call()["params"]["deletable_after"].as_i64();
    threshold.is_some_and(|threshold| threshold < TimestampMs::now().as_millis())
}

/// Returns the block since a claim that has the transaction with this code.
fn block_with<'s>(settled: &'s Settled<'_>, code: &str) -> Option<&'s Exchange> {
    let mut blocks = settled.blocks.iter().map(|block| &***block);
    blocks.find(|block| {
        block
            .success_object()
            .is_some_and(|body| in_block(body, code).is_some())
    })
}

/// Whether the blocks since a claim list transactions, and not the one with this code.
fn is_in_no_block(settled: &Settled<'_>, code: &str) -> bool {
    let mut bodies = settled
        .blocks
        .iter()
        .filter_map(|block| block.success_object());
    bodies.any(lists_transactions) && block_with(settled, code).is_none()
}

/// Returns the reason if the wallet of an accepted claim may not have been able to pay all that the run had submitted when a
/// block with the claim was read. Such a claim may fail when its block is made.
fn overdrawn(claim: &ClaimSteps<'_>, code: &str, history: &History) -> Option<String> {
    let wallet = Transaction::first_signer(claim.submitted().ok()?)?;
    let balance = held(claim.get(Act::Balance).ok()?)?;
    let blocks = history.blocks().map(|(_, entry)| entry);
    let shown = blocks.filter(|entry| entry.shows(code));
    let read = shown.map(|entry| entry.ended).min();
    (balance < promised_by(wallet, history, read.unwrap_or(Duration::MAX))).then(|| {
        format!(
            "the wallet {wallet} held {balance}, which may not pay all of the run's transactions"
        )
    })
}

/// Returns a finding if the record of a claim was still missing although several blocks above that of the claim had been
/// read for some time.
fn late(settled: &Settled<'_>, code: &str, history: &History) -> Option<Finding> {
    let without = settled.without.filter(|_| settled.record.is_some())?;
    let index = requested_index(&block_with(settled, code)?.request)?;
    let moment = history.ended(without)?.checked_sub(LATE)?;
    let above = history.height_before(moment)?.saturating_sub(index);
    (above >= LATE_BLOCKS).then(|| {
        let what = format!("the claim's record can't be read, although block {index} has the claim, and {above} blocks are above it");
        Finding::of_response(without, what, "the record of the claim")
    })
}

/// Returns the finding about a claim whose record can't be read.
fn unreadable(
    settled: &Settled<'_>,
    code: &str,
    usual: Option<Duration>,
) -> Result<Option<Finding>, InconclusiveReason> {
    let Some(response) = settled.without.filter(|_| settled.record.is_none()) else {
        return Ok(None);
    };
    let waited = settled.waited;
    let has_stopped = usual.is_some_and(|usual| usual * STOPPED < waited);
    let waited = format!("{:.1}", waited.as_secs_f64());
    let what = match block_with(settled, code) {
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
        None if has_stopped => {
            let usual = usual.unwrap_or_default().as_secs_f64();
            format!(
                "the claim was accepted, and the chain has stopped: fewer than {MIN_NEW_BLOCKS} blocks were made within \
                 {waited} s, and before, at most {usual} s passed between two"
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
    let finding = Finding::of_response(response, what, expected);
    Ok(Some(finding))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        api::{block_request, contract_state_request},
        history::{Claims, recorded},
        http::{Request, Step},
    };

    #[test]
    fn a_record_comes_before_several_more_blocks() {
        const CODE: &str = "00112233445566778899aabbccddeeff00112233";
        let block = |index: u64| {
            let code = if index == 2 { CODE } else { "another" };
            format!(r#"{{"index":{index},"text":{{"transactions":[{{"trans_code":"{code}"}}]}}}}"#)
        };
        let record = || {
            let request = contract_state_request("ct", "lot");
            request.for_step(Step::Claim(0, Act::Record))
        };
        let submit = Request::post("/submit-transaction", "{}".to_owned());
        let submit = submit.for_step(Step::Claim(0, Act::Submit));
        for (blocks, missing_at, is_late) in [
            (10, 6_000, true),
            (10, 4_000, false),
            (9, 6_000, false),
            (10, 0, false),
        ] {
            let blocks: Vec<_> = (1..=blocks).map(|index| (index, block(index))).collect();
            let valid = r#"{"response":{"valid":true}}"#;
            let mut rows = vec![(15, submit.clone(), 200, valid)];
            rows.extend(
                blocks
                    .iter()
                    .map(|(index, body)| (index * 10, block_request(*index), 200, body.as_str())),
            );
            if missing_at > 0 {
                rows.push((missing_at, record(), 200, r#"{"data":null}"#));
            }
            rows.push((7_000, record(), 200, r#"{"data":["ct","lot"]}"#));
            let history = Arc::new(recorded(rows));
            let claims = Claims::of(Arc::clone(&history));
            let settled = claims.first().settled().unwrap();
            let found = late(&settled, CODE, &history);
            assert_eq!(found.is_some(), is_late, "{} {missing_at}", blocks.len());
        }
    }

    #[test]
    fn the_time_between_blocks_is_that_of_blocks_of_the_run() {
        let gap = |times: &[(u64, u64)]| {
            let blocks: Vec<_> = times
                .iter()
                .map(|(index, time)| (*index, format!(r#"{{"index":{index},"timestamp":{time}}}"#)))
                .collect();
            let rows = blocks
                .iter()
                .enumerate()
                .map(|(at, (index, body))| (at as u64, block_request(*index), 200, body.as_str()));
            longest_gap(&recorded(rows.collect()), 5).map(|gap| gap.as_millis())
        };
        let fast = [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5)];
        assert_eq!(gap(&fast), None);
        assert_eq!(gap(&[(5, 1_000), (6, 3_000), (7, 4_000)]), None);
        assert_eq!(
            gap(&[(5, 1_000), (6, 3_000), (7, 4_000), (8, 4_500)]),
            Some(2_000)
        );
        // These are seconds.
        assert_eq!(gap(&[(5, 10), (6, 15), (7, 20), (8, 25)]), None);
        // Block 7 was not read.
        assert_eq!(gap(&[(5, 1_000), (6, 3_000), (8, 9_000), (9, 9_500)]), None);
    }
}
