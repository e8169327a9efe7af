//! Cases about the relations between blocks: links, receipts, signatures, time.
//!
//! The specification shows the fields and their meaning, but leaves the signature algorithm open.
//! These cases use the algorithm that was observed. Nodes of one network must agree on it.

use std::{collections::BTreeSet, sync::Arc};

use nodeproof_openapi::Spec;
use nodeproof_primitives::WalletAddress;
use nodeproof_report::{Aspect, Level};

use super::{
    case::{Case, Example},
    cause::{Cause, When},
    check::Check::{self, Blocks, Responses, Same},
    get_block::{NO_BLOCK, NO_BLOCKS, NO_RECEIPTS, OTHER_FORM},
};
use crate::{
    api::{BlockMembers, BlockResponse, ReceiptMembers, ResponseKind, Sample, is_block},
    checks::{
        BlockCheck, CheckScope, Evidence, Examination, Finding, Findings, Links, MAX_RECEIPTS,
        Memory, NamedHash, signed_receipt, verified, voter_key,
    },
    http::{Exchange, unknown},
};

/// What most of these cases share.
pub(super) const BASE: Case = Case {
    matters: "Blocks prove one another: by order, by hashes and by signed votes. Without a valid proof, the reader has to trust the node.",
    example: Example::Of("/get-block"),
    aspect: Aspect::Consistency,
    needs: &[NO_BLOCKS, OTHER_FORM, NO_RECEIPTS],
    ..Case::BASE
};

pub(crate) const CASES: &[Case] = &[
    Case {
        id: "chain/repeat-read",
        requirements: &["CONSISTENT-1", "BLOCK-1"],
        checks: "A block is the same each time that the run requests it, from its first read on, and it is still there at the end.",
        explained_by: &[
            // A block that gets a refused transaction later.
            Cause::of(&["submit-transaction/refused-not-stored"]),
        ],
        check: Same(Sample::Blocks),
        ..BASE
    },
    Case {
        id: "chain/no-holes",
        requirements: &["CONSISTENT-2", "BLOCK-1"],
        checks: "Every index between two blocks has a block.",
        check: Blocks(BlockCheck {
            scope: CheckScope::Holes(no_holes),
            least: 1,
            otherwise: NO_BLOCK,
        }),
        ..BASE
    },
    Case {
        id: "chain/distinct-blocks",
        requirements: &["CONSISTENT-3", "BLOCK-12"],
        checks: "No two blocks have the same `previous_hash`.",
        check: Check::in_order(
            distinct_blocks,
            2,
            "fewer than two blocks had a previous_hash",
        ),
        ..BASE
    },
    Case {
        id: "chain/receipt-links",
        requirements: &["CONSISTENT-3", "BLOCK-8", "RECEIPT-9"],
        checks: "`data.block_hash` of each receipt is the `previous_hash` of the block that carries it. If this is so for no receipt, that is a warning: the node may vote on another hash.",
        if_none_fits: "no vote could be matched with its block",
        check: Check::alone(receipt_links, NO_RECEIPT),
        ..BASE
    },
    Case {
        id: "chain/altered-blocks",
        requirements: &["CONSISTENT-3", "BLOCK-15"],
        checks: "A block has the hash that the next block names, if three of four blocks of its form have it, and two or more of those have transactions. A hash may leave out the `status` of transactions. Blocks of more than 1 MiB are left out.",
        exception: Some(
            "CONSISTENT-3 is the requirement: a hash that fits elsewhere has to fit here. How it is computed is only observed.",
        ),
        explained_by: OTHER_HASH,
        check: Responses(Sample::Blocks, altered_blocks),
        ..BASE
    },
    Case {
        id: "chain/block-hashes",
        level: Level::Observed,
        requirements: &["BLOCK-15"],
        checks: "`previous_hash` of a block is the hash of the block before it, as known nodes compute it. If this is so for no block, the case is inconclusive: a node may compute hashes in another way, or add members to blocks later. Blocks of more than 1 MiB are left out.",
        explained_by: OTHER_HASH,
        check: Responses(Sample::Blocks, block_hashes),
        ..BASE
    },
    Case {
        id: "chain/one-vote-a-voter",
        requirements: &["CONSISTENT-3", "BLOCK-8", "RECEIPT-5"],
        checks: "No wallet has two receipts in one block. If one has in each block with two receipts or more, that is a warning: the chain may count votes in another way.",
        if_none_fits: "each block has two votes of one wallet",
        explained_by: &[Cause::of(&["get-block/receipts-of-preceding-block"])],
        check: Check::alone(one_vote_a_voter, NO_RECEIPT),
        ..BASE
    },
    Case {
        id: "chain/voter-address",
        requirements: &["CONSISTENT-3", "RECEIPT-5", "RECEIPT-8"],
        checks: "`data.wallet_address` of each receipt follows from its `public_key`: the last 40 digits of its Keccak-256 digest. If this is so for no receipt, that is a warning: the node may derive addresses in another way.",
        if_none_fits: "no address of a voter could be verified",
        check: Check::alone(voter_address, NO_RECEIPT),
        ..BASE
    },
    Case {
        id: "chain/receipt-signatures",
        requirements: &["RECEIPT-7", "RECEIPT-8", "OPEN-13"],
        checks: "Each receipt verifies with the algorithm of known nodes: ECDSA on secp256k1 over the SHA-1 digest of `data`. If none does, that is a warning: the node may use another algorithm.",
        if_none_fits: "no signature of a vote could be verified",
        exception: Some(
            "The specification states that `signature` is one. The algorithm is only observed, but nodes of one network have to agree on it.",
        ),
        explained_by: &[Cause::of(&["get-block/index-echo"])],
        check: Check::alone(receipt_signatures, NO_RECEIPT),
        ..BASE
    },
];

/// A block with another fault has another hash, too.
const OTHER_HASH: &[Cause] = &[
    Cause::fields_below(Sample::Blocks, &[], When::Always),
    Cause::of(&[
        "get-block/receipts-of-preceding-block",
        "chain/receipt-links",
        "chain/one-vote-a-voter",
        "chain/voter-address",
        "chain/receipt-signatures",
        "chain/transaction-time-unit",
        "chain/distinct-transactions",
        "chain/transaction-signatures",
        "chain/altered-blocks",
    ]),
];

pub(super) const NO_RECEIPT: &str = "no block had a receipt that could be checked";

const NO_HASH: &str = "no block has the hash that known nodes compute";

/// Checks the hash of each block of a form in which most blocks have the hash that the next one names.
fn altered_blocks(_: &Spec, blocks: &[Arc<Exchange>]) -> Findings {
    let blocks = NamedHash::all(blocks);
    let mut checked = Examination::default();
    for block in blocks
        .iter()
        .filter(|block| block.fits || block.has_known_form(&blocks))
    {
        checked.count_item();
        if !block.fits {
            let (altered, next) = (block.index, block.index + 1);
            let what = format!(
                "block {altered} does not have the hash that block {next} names, although others like it have"
            );
            let hash = format!("{}, the hash of block {altered}", block.hash);
            // The block may be wrong anywhere.
            checked.push(Finding::new(&block.next, what, hash, block.named.clone()));
        }
    }
    match checked.examined {
        0 => unknown(NO_HASH),
        _ => Ok(checked),
    }
}

/// Compares the hash of each block with the `previous_hash` of the next block.
fn block_hashes(_: &Spec, blocks: &[Arc<Exchange>]) -> Findings {
    let blocks = NamedHash::all(blocks);
    if !blocks.iter().any(|block| block.fits) {
        return unknown(NO_HASH);
    }
    let mut checked = Examination::default();
    for block in blocks {
        checked.count_item();
        if !block.fits {
            let what =
                "previous_hash is not the hash of the block before, as known nodes compute it";
            // The block before may be wrong, anywhere.
            checked.push(Finding::new(&block.next, what, block.hash, block.named));
        }
    }
    Ok(checked)
}

/// Checks that a block exists at every index below another block.
fn no_holes(seen: &BlockResponse, result: &mut Examination) {
    let is_there = seen.exchange.success_object().is_some_and(is_block);
    result.examined += u64::from(is_there || seen.kind == ResponseKind::Missing);
    // The specification does not define the first index of a chain.
    if seen.kind == ResponseKind::Missing && seen.index > 0 {
        let what = "a block is missing at an index below that of another block";
        result.push(Finding::of_response(
            &seen.exchange,
            what,
            "200 with the block",
        ));
    }
}

fn distinct_blocks(
    links: &Links,
    memory: &mut Memory,
    evidence: &Evidence,
    result: &mut Examination,
) {
    let Some(previous) = &links.previous else {
        return;
    };
    result.count_item();
    let place = (links.index, 0);
    let before = memory.previous.seen_before(previous.fingerprint, place);
    if before.is_some() {
        result.push(
            Finding::of_report(
                evidence.report(),
                "two blocks with different indexes have the same predecessor",
                "a previous_hash that no other block has",
                previous.text.clone(),
            )
            .at("/previous_hash"),
        );
    }
}

/// Checks every receipt of a block.
fn each_receipt(
    seen: &BlockResponse,
    result: &mut Examination,
    judge: impl Fn(&BlockMembers, &ReceiptMembers) -> Option<Result<(), (String, String, String)>>,
    place: &str,
) {
    let Some(block) = seen.block() else { return };
    let Ok(receipts) = &block.receipts else {
        return;
    };
    for (index, receipt) in receipts.iter().enumerate().take(MAX_RECEIPTS) {
        let Some(verdict) = judge(block, receipt) else {
            continue;
        };
        result.count_item();
        if let Err((what, expected, actual)) = verdict {
            let at = format!("/text/previous_block_receipts/{index}{place}");
            result.push(Finding::new(&seen.exchange, what, expected, actual).at(at));
        }
    }
}

/// Checks that a receipt in block k+1 is about block k, whose hash is the `previous_hash` of block k+1.
fn receipt_links(seen: &BlockResponse, result: &mut Examination) {
    let judge = |block: &BlockMembers, receipt: &ReceiptMembers| {
        // Another case reports a malformed hash.
        let previous = block.previous_hash.as_ref().ok()?;
        let voted = receipt.block_hash.as_ref().ok()?;
        Some(if voted == previous {
            Ok(())
        } else {
            let what = "a vote is not about the preceding block";
            Err((
                what.to_owned(),
                format!("{previous}, the previous_hash"),
                voted.to_string(),
            ))
        })
    };
    each_receipt(seen, result, judge, "/data/block_hash");
}

fn one_vote_a_voter(seen: &BlockResponse, result: &mut Examination) {
    let Some(Ok(receipts)) = seen.block().map(|block| &block.receipts) else {
        return;
    };
    let voters = receipts.iter().enumerate();
    let voters = voters.filter_map(|(at, one)| Some((at, one.wallet_address.as_ref().ok()?)));
    let mut known: BTreeSet<&WalletAddress> = BTreeSet::new();
    let again = voters.clone().find(|(_, voter)| !known.insert(voter));
    if voters.count() < 2 {
        return;
    }
    result.count_item();
    if let Some((index, voter)) = again {
        result.push(
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

/// Checks that the address follows from the public key. Other cases report malformed ones.
fn voter_address(seen: &BlockResponse, result: &mut Examination) {
    let judge = |_: &BlockMembers, receipt: &ReceiptMembers| {
        let public_key = voter_key(receipt)?;
        let claimed = receipt.wallet_address.as_ref().ok()?;
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

/// Maximum number of wrong receipts of one block that are reported with the signed message.
const MAX_SIGNED: usize = 5;

fn receipt_signatures(seen: &BlockResponse, result: &mut Examination) {
    let Some(Ok(receipts)) = seen.block().map(|block| &block.receipts) else {
        return;
    };
    for (index, receipt) in receipts.iter().enumerate().take(MAX_RECEIPTS) {
        let Some(verified) = verified(receipt) else {
            continue;
        };
        result.count_item();
        if let Err((what, actual)) = verified {
            let is_shown = result.findings.len() < MAX_SIGNED;
            let signed = is_shown.then(|| signed_receipt(receipt)).flatten();
            let expected = "the voter's signature of `data` (see docs/signing.md)";
            let finding = Finding::new(&seen.exchange, what, expected, actual);
            let at = format!("/text/previous_block_receipts/{index}/signature");
            result.push(finding.at(at).with_signed_message(signed));
        }
    }
}
