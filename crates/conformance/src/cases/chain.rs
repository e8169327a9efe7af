//! What blocks say about one another: links, receipts, signatures, time.
//!
//! The contract shows the fields and says what they mean; it leaves the signature's algorithm open.
//! That is taken as it was observed on the network: nodes of one network have to agree on it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
    time::{SystemTime, UNIX_EPOCH},
};

use nodeproof_client::{Block, Receipt};
use nodeproof_primitives::{RawJson, TimestampMs, WalletAddress, escape::escaped_up_to as shown};
use nodeproof_report::Level;
use nodeproof_wallet::{KnownKeys, PublicKey, ReceiptError, Signature, verify_receipt};
use serde_json::Value;

use super::{case::Case, get_block::NO_BLOCK};
use crate::{
    api::{BlockResponse, ResponseKind, Sample, is_block},
    checks::{
        BlockCheck, Bound, CheckResult, CheckScope, Checked, Evidence, Finding, Findings, InOrder,
        Links, Memory, Misplaced, Timed, described, objects, reads_alike,
    },
    context::Context,
};

pub(crate) const CASES: &[Case] = &[
    Case::should("chain/repeat-read", &["BLOCK-1"], |c| {
        Box::pin(repeat_read(c))
    }),
    Case::of_blocks(
        "chain/no-holes",
        Level::Should,
        &["BLOCK-1"],
        BlockCheck {
            look: CheckScope::Holes(no_holes),
            least: 1,
            otherwise: NO_BLOCK,
        },
    ),
    Case::of_blocks(
        "chain/distinct-blocks",
        Level::Should,
        &["BLOCK-12"],
        BlockCheck {
            look: CheckScope::InOrder(InOrder {
                follow: distinct_blocks,
                end: |_, _| {},
            }),
            least: 2,
            otherwise: "fewer than two blocks with a previous_hash were seen",
        },
    ),
    Case::of_blocks(
        "chain/time-goes-on",
        Level::Should,
        &["BLOCK-3"],
        BlockCheck {
            look: CheckScope::InOrder(InOrder {
                follow: time_goes_on,
                end: time_is_over,
            }),
            least: 2,
            otherwise: "fewer than two blocks with a timestamp were seen",
        },
    ),
    of_receipts(
        "chain/receipt-links",
        Level::Should,
        &["BLOCK-8", "RECEIPT-9"],
        receipt_links,
    ),
    of_receipts(
        "chain/one-vote-a-voter",
        Level::Should,
        &["BLOCK-8", "RECEIPT-5"],
        one_vote_a_voter,
    ),
    of_receipts(
        "chain/voter-address",
        Level::Should,
        &["RECEIPT-5", "RECEIPT-8"],
        voter_address,
    ),
    of_receipts(
        "chain/receipt-signatures",
        Level::Must,
        &["RECEIPT-7", "RECEIPT-8"],
        receipt_signatures,
    ),
];

const fn of_receipts(
    id: &'static str,
    level: Level,
    requirements: &'static [&'static str],
    look: fn(&BlockResponse, &mut CheckResult),
) -> Case {
    let check = BlockCheck {
        look: CheckScope::Alone(look),
        least: 1,
        otherwise: "no receipt was seen that could be result",
    };
    Case::of_blocks(id, level, requirements, check)
}

async fn repeat_read(context: &Context) -> Findings {
    let mut findings = Checked::default();
    // The newest block may still gather votes on some nodes; older ones are history.
    let blocks = objects(context, Sample::Blocks).await?;
    let settled = blocks.len().saturating_sub(1).max(1);
    for exchange in blocks.iter().take(settled).rev().take(1) {
        let again = context.node.send(exchange.request.clone()).await?;
        findings.examined += u64::from(exchange.answered_object().is_some_and(is_block));
        if !reads_alike(&again, exchange, &described(context, Sample::Blocks)) {
            findings.push(Finding::new(
                &again,
                "the same block reads differently a second time",
                exchange.excerpt(160),
                again.summary(),
            ));
        }
    }
    Ok(findings)
}

/// Below a block that there is, and where the user says so, there is a block.
fn no_holes(seen: &BlockResponse, result: &mut CheckResult) {
    let is_there = seen.exchange.answered_object().is_some_and(is_block);
    result.count += u64::from(is_there || seen.kind == ResponseKind::Missing);
    // The contract does not say with which index a chain begins.
    if seen.kind == ResponseKind::Missing && seen.index > 0 {
        let what = "there is no block at an index below that of another block, or that was named";
        let actual = seen.exchange.summary();
        result.found(Finding::new(
            &seen.exchange,
            what,
            "200 with the block",
            actual,
        ));
    }
}

fn distinct_blocks(
    links: &Links,
    memory: &mut Memory,
    evidence: &Evidence,
    result: &mut CheckResult,
) {
    let Some(previous) = &links.previous else {
        return;
    };
    result.one();
    let place = (links.index, 0);
    let before = memory.previous.seen_before(previous.fingerprint, place);
    if before.is_some() {
        result.found(
            Finding::of_report(
                evidence.report(),
                "two blocks of different index follow the same block",
                "a previous_hash that no other block has",
                previous.text.clone(),
            )
            .at("/previous_hash"),
        );
    }
}

fn time_goes_on(links: &Links, memory: &mut Memory, evidence: &Evidence, result: &mut CheckResult) {
    let Some(time) = links.time.map(TimestampMs::as_millis) else {
        return;
    };
    result.one();
    let misplaced = memory.times.follow(Timed {
        block: links.index,
        time,
        evidence: evidence.clone(),
    });
    misplaced
        .into_iter()
        .for_each(|wrong| result.found(out_of_time(wrong)));
}

fn time_is_over(memory: &mut Memory, result: &mut CheckResult) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| i64::try_from(now.as_millis()).unwrap_or(i64::MAX));
    let misplaced = memory.times.end(now);
    misplaced
        .into_iter()
        .for_each(|wrong| result.found(out_of_time(wrong)));
}

fn out_of_time(wrong: Misplaced) -> Finding {
    let (what, expected) = match wrong.bound {
        Bound::AtLeast(least) => (
            "the block is older than one with a lower index",
            format!("a timestamp of at least {least}"),
        ),
        Bound::AtMost(most) => (
            "the block is newer than those behind it, or than the present",
            format!("a timestamp of at most {most}"),
        ),
    };
    let Timed {
        block,
        time,
        evidence,
    } = wrong.timed;
    Finding {
        block: Some(block),
        ..Finding::of_report(evidence.report(), what, expected, time.to_string()).at("/timestamp")
    }
}

/// Judges every receipt of a block.
fn each_receipt(
    seen: &BlockResponse,
    result: &mut CheckResult,
    judge: impl Fn(&Block, &Receipt) -> Option<Result<(), (String, String, String)>>,
    place: &str,
) {
    let Some(block) = seen.block() else { return };
    let Ok(receipts) = block.receipts() else {
        return;
    };
    for (index, receipt) in receipts.iter().enumerate().take(MOST_RECEIPTS) {
        let Some(verdict) = judge(block, receipt) else {
            continue;
        };
        result.one();
        if let Err((what, expected, actual)) = verdict {
            let at = format!("/text/previous_block_receipts/{index}{place}");
            result.found(Finding::new(&seen.exchange, what, expected, actual).at(at));
        }
    }
}

/// The most receipts of one block whose signatures are verified.
const MOST_RECEIPTS: usize = 2_000;

/// A receipt in block k+1 is about block k, whose hash that block names as its previous one.
fn receipt_links(seen: &BlockResponse, result: &mut CheckResult) {
    let judge = |block: &Block, receipt: &Receipt| {
        // What is no hash at all is told elsewhere.
        let previous = block.previous_hash().ok()?.hash()?;
        let voted = receipt.block_hash().ok()?;
        Some(if voted == previous {
            Ok(())
        } else {
            let what = "a vote is about another block than the one that this block follows";
            Err((
                what.to_owned(),
                format!("{previous}, the previous_hash"),
                voted.to_string(),
            ))
        })
    };
    each_receipt(seen, result, judge, "/data/block_hash");
}

fn one_vote_a_voter(seen: &BlockResponse, result: &mut CheckResult) {
    let Some(Ok(receipts)) = seen.block().map(Block::receipts) else {
        return;
    };
    let mut voters: BTreeSet<&WalletAddress> = BTreeSet::new();
    for (index, receipt) in receipts.iter().enumerate() {
        let Ok(voter) = receipt.wallet_address() else {
            continue;
        };
        result.one();
        if !voters.insert(voter) {
            result.found(
                Finding::new(
                    &seen.exchange,
                    "a wallet votes twice on one block",
                    "one receipt a voter",
                    voter.to_string(),
                )
                .at(format!(
                    "/text/previous_block_receipts/{index}/data/wallet_address"
                )),
            );
        }
    }
}

/// Returns the public key of a receipt, or `None` if it is missing or malformed.
fn voter_key(receipt: &Receipt) -> Option<PublicKey> {
    // The same wallets vote on block after block.
    static VOTERS: LazyLock<KnownKeys> = LazyLock::new(KnownKeys::default);
    VOTERS.parse(&receipt.public_key().ok()?.text()).ok()
}

/// The address follows from the public key. Malformed ones are told by other cases.
fn voter_address(seen: &BlockResponse, result: &mut CheckResult) {
    let judge = |_: &Block, receipt: &Receipt| {
        let public_key = voter_key(receipt)?;
        let claimed = receipt.wallet_address().ok()?;
        let actual = public_key.address();
        Some(if *claimed == actual {
            Ok(())
        } else {
            Err((
                "the voter's address is not that of the public key".to_owned(),
                format!("{actual}, which follows from the public key"),
                claimed.to_string(),
            ))
        })
    };
    each_receipt(seen, result, judge, "/data/wallet_address");
}

/// The members of a receipt's data as the contract lists them.
const OF_DATA: [&str; 5] = [
    "block_index",
    "block_hash",
    "vote",
    "timestamp",
    "wallet_address",
];

/// The same data with its members in other orders: as the contract lists them, and sorted.
///
/// What is signed was observed to be `data` with its members in order. The order of an object's
/// members says nothing in JSON, so a node may answer them in another one than was signed.
fn reordered(data: &str) -> Vec<String> {
    let Ok(members) = serde_json::from_str::<BTreeMap<String, RawJson>>(data) else {
        return Vec::new();
    };
    let text = |names: Vec<&str>| {
        let member = |name: &str| {
            Some(format!(
                "{}:{}",
                Value::from(name),
                members.get(name)?.as_str()
            ))
        };
        let listed: Option<Vec<_>> = names.into_iter().map(member).collect();
        listed.map(|members| format!("{{{}}}", members.join(",")))
    };
    let known = members.len() == OF_DATA.len();
    let documented = text(OF_DATA.to_vec()).filter(|_| known);
    let sorted = text(members.keys().map(String::as_str).collect());
    documented.into_iter().chain(sorted).collect()
}

/// What verifying a receipt says; nothing where a field is malformed, which other cases tell.
fn verified(receipt: &Receipt) -> Option<Result<(), ReceiptError>> {
    let public_key = voter_key(receipt)?;
    let signature: Signature = receipt.signature().ok()?.text().parse().ok()?;
    receipt.wallet_address().ok()?;
    let data = receipt.data_text().ok()?;
    let verify = |data: &str| verify_receipt(data, &public_key, &signature);
    let as_served = verify(data);
    // The address is the same in any order, and told by another case.
    if !matches!(as_served, Err(ReceiptError::Wrong(_))) {
        return Some(as_served);
    }
    let right = reordered(data).iter().any(|data| verify(data).is_ok());
    Some(if right { Ok(()) } else { as_served })
}

fn receipt_signatures(seen: &BlockResponse, result: &mut CheckResult) {
    let judge = |_: &Block, receipt: &Receipt| {
        // A key or a signature of another form than the network's can't be the voter's either.
        let malformed = || {
            let parts = [receipt.public_key().ok()?, receipt.signature().ok()?];
            let actual = shown(&parts[1].text(), 160);
            Some(Err((
                "the public key or the signature is not of the network's form".to_owned(),
                "64 bytes each, in hexadecimal".to_owned(),
                actual,
            )))
        };
        let Some(verified) = verified(receipt) else {
            receipt.wallet_address().ok()?;
            receipt.data_text().ok()?;
            return malformed();
        };
        // Whose signature it should be is open where the address is another wallet's.
        if matches!(verified, Err(ReceiptError::OtherWallet { .. })) {
            return None;
        }
        Some(match verified {
            Ok(()) => Ok(()),
            Err(error) => Err((
                "the signature is not the voter's over this receipt's data".to_owned(),
                "the voter's signature of `data`".to_owned(),
                error.to_string(),
            )),
        })
    };
    each_receipt(seen, result, judge, "/signature");
}
