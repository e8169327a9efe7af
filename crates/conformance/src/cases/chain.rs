//! What blocks say about one another: links, receipts, signatures, time.
//!
//! The contract shows the fields and says what they mean; it leaves the signature's algorithm open.
//! That is taken as it was observed on the network: nodes of one network have to agree on it.

use std::collections::BTreeSet;

use node_client::{Block, Receipt, escape::escaped_up_to as shown};
use node_primitives::{Hash256, WalletAddress};
use node_wallet::{PublicKey, ReceiptError, Signature, verify_receipt};

use super::Case;
use crate::{
    judge::objects,
    outcome::{Finding, Findings, Obstacle},
    sample::{Context, Sample},
};

const RECEIPTS: &str =
    "text.previous_block_receipts | array of Receipt | votes on the preceding block";
const SIGNATURE: &str = "Receipt: public_key, signature (signed by the voter, as observed)";

pub(super) const CASES: &[Case] = &[
    Case::must(
        "chain/repeat-read",
        "GET /get-block: block_index | integer | yes | index of the block to get",
        |c| Box::pin(repeat_read(c)),
    ),
    Case::must(
        "chain/no-holes",
        "GET /get-block: block_index | integer | yes | index of the block to get",
        |c| Box::pin(no_holes(c)),
    ),
    Case::must(
        "chain/distinct-blocks",
        "previous_hash | string | 64 hex characters",
        |c| Box::pin(distinct_blocks(c)),
    ),
    Case::must(
        "chain/time-goes-on",
        "All timestamps are integers in milliseconds since the Unix epoch.",
        |c| Box::pin(time_goes_on(c)),
    ),
    Case::must("chain/receipt-links", RECEIPTS, |c| {
        Box::pin(receipt_links(c))
    }),
    Case::must("chain/one-vote-a-voter", RECEIPTS, |c| {
        Box::pin(one_vote_a_voter(c))
    }),
    Case::must(
        "chain/voter-address",
        "Receipt: data.wallet_address | string | voter's wallet address",
        |c| Box::pin(voter_address(c)),
    ),
    Case::must("chain/receipt-signatures", SIGNATURE, |c| {
        Box::pin(receipt_signatures(c))
    }),
];

fn nothing(what: &str) -> Obstacle {
    Obstacle::NoMaterial(what.to_owned())
}

async fn repeat_read(context: &Context) -> Findings {
    let mut findings = Vec::new();
    // The newest block may still gather votes on some nodes; older ones are history.
    let blocks = objects(context, Sample::Blocks).await?;
    let settled = blocks.len().saturating_sub(1).max(1);
    for exchange in blocks.iter().take(settled).rev().take(1) {
        let again = context.node.ask(exchange.request.clone()).await?;
        if again.json().ok() != exchange.json().ok() || again.status != exchange.status {
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
async fn no_holes(context: &Context) -> Findings {
    objects(context, Sample::Blocks).await?;
    let holes = context.material.holes.iter().map(|exchange| {
        let what = "there is no block at an index below that of another block, or that was named";
        Finding::new(exchange, what, "200 with the block", exchange.summary())
    });
    Ok(holes.collect())
}

async fn distinct_blocks(context: &Context) -> Findings {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    let mut judged = 0;
    for (exchange, block) in context.decoded_blocks().await?.iter() {
        let Ok(previous) = block.previous_hash() else {
            continue;
        };
        judged += 1;
        if !seen.insert(previous.to_string()) {
            findings.push(
                Finding::new(
                    exchange,
                    "two blocks of different index follow the same block",
                    "a previous_hash that no other block has",
                    shown(&previous.to_string(), 80),
                )
                .at("/previous_hash"),
            );
        }
    }
    if judged < 2 {
        return Err(nothing(
            "fewer than two blocks with a previous_hash were seen",
        ));
    }
    Ok(findings)
}

async fn time_goes_on(context: &Context) -> Findings {
    let mut findings = Vec::new();
    let mut newest = None;
    let mut judged = 0;
    for (exchange, block) in context.decoded_blocks().await?.iter() {
        let Ok(time) = block.timestamp() else {
            continue;
        };
        judged += 1;
        if let Some(before) = newest.filter(|before| time < *before) {
            findings.push(
                Finding::new(
                    exchange,
                    "the block is older than one with a lower index",
                    format!("a timestamp of at least {before}"),
                    time.to_string(),
                )
                .at("/timestamp"),
            );
        }
        newest = newest.max(Some(time));
    }
    if judged < 2 {
        return Err(nothing("fewer than two blocks with a timestamp were seen"));
    }
    Ok(findings)
}

/// Judges every receipt of every block; inconclusive where there is none to judge.
async fn each_receipt(
    context: &Context,
    judge: impl Fn(&Block, &Receipt) -> Option<Result<(), (String, String, String)>>,
    place: &str,
) -> Findings {
    let mut findings = Vec::new();
    let mut judged = false;
    for (exchange, block) in context.decoded_blocks().await?.iter() {
        let Ok(receipts) = block.receipts() else {
            continue;
        };
        for (index, receipt) in receipts.iter().enumerate().take(MOST_RECEIPTS) {
            match judge(block, receipt) {
                None => {}
                Some(Ok(())) => judged = true,
                Some(Err((what, expected, actual))) => {
                    judged = true;
                    let at = format!("/text/previous_block_receipts/{index}{place}");
                    findings.push(Finding::new(exchange, what, expected, actual).at(at));
                }
            }
        }
    }
    if judged {
        Ok(findings)
    } else {
        Err(nothing("no receipt was seen that could be judged"))
    }
}

/// The most receipts of one block whose signatures are verified.
const MOST_RECEIPTS: usize = 2_000;

/// A receipt in block k+1 is about block k, whose hash that block names as its previous one.
async fn receipt_links(context: &Context) -> Findings {
    let judge = |block: &Block, receipt: &Receipt| {
        // What is no hash at all is told elsewhere.
        let previous: Hash256 = block.previous_hash().ok()?.to_string().parse().ok()?;
        let voted = receipt.block_hash().ok()?;
        Some(if *voted == previous {
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
    each_receipt(context, judge, "/data/block_hash").await
}

async fn one_vote_a_voter(context: &Context) -> Findings {
    let mut findings = Vec::new();
    let mut judged = false;
    for (exchange, block) in context.decoded_blocks().await?.iter() {
        let mut voters: BTreeSet<WalletAddress> = BTreeSet::new();
        let Ok(receipts) = block.receipts() else {
            continue;
        };
        for (index, receipt) in receipts.iter().enumerate() {
            let Ok(voter) = receipt.wallet_address() else {
                continue;
            };
            judged = true;
            if !voters.insert(*voter) {
                findings.push(
                    Finding::new(
                        exchange,
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
    if judged {
        Ok(findings)
    } else {
        Err(nothing("no receipt was seen"))
    }
}

/// What verifying a receipt says; nothing where a field is malformed, which other cases tell.
fn verified(receipt: &Receipt) -> Option<Result<(), ReceiptError>> {
    let public_key: PublicKey = receipt.public_key().ok()?.text().parse().ok()?;
    let signature: Signature = receipt.signature().ok()?.text().parse().ok()?;
    receipt.wallet_address().ok()?;
    Some(verify_receipt(
        receipt.data_text().ok()?,
        &public_key,
        &signature,
    ))
}

async fn voter_address(context: &Context) -> Findings {
    let judge = |_: &Block, receipt: &Receipt| {
        Some(match verified(receipt)? {
            Err(ReceiptError::OtherWallet { claimed, actual }) => Err((
                "the voter's address is not that of the public key".to_owned(),
                format!("{actual}, which follows from the public key"),
                claimed.to_string(),
            )),
            _ => Ok(()),
        })
    };
    each_receipt(context, judge, "/data/wallet_address").await
}

async fn receipt_signatures(context: &Context) -> Findings {
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
        Some(match verified {
            Ok(()) | Err(ReceiptError::OtherWallet { .. }) => Ok(()),
            Err(error) => Err((
                "the signature is not the voter's over this receipt's data".to_owned(),
                "the voter's signature of `data`".to_owned(),
                error.to_string(),
            )),
        })
    };
    each_receipt(context, judge, "/signature").await
}
