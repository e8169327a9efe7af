//! Counting the votes on a block.

use std::collections::BTreeSet;

use nodeproof_primitives::{Hash256, ReceiptText, WalletAddress, signed_message};
use serde::Deserialize;

use crate::{message::members_of, public_key_cache::PublicKeyCache, receipt::verify_receipts};

/// A vote for the block.
const VALID: i64 = 1;
/// A vote against the block.
const INVALID: i64 = 5;
/// The miner's own vote.
const MINER: i64 = 9;

/// The votes on a block, each wallet's counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Votes {
    /// Votes of the committee for the block, the miner's own included.
    pub valid: usize,
    /// Votes of the committee against the block.
    pub invalid: usize,
    /// Votes of wallets that are not in the committee.
    pub outside: usize,
    /// Receipts that are not votes on the block: with a wrong key or signature, of another block, with
    /// another value, or a further one of the same wallet.
    pub not_counted: usize,
}

/// Counts the votes on a block, from the receipts of the next one.
///
/// A receipt counts if its key is the voter's and its signature is valid (RECEIPT-8), if it names
/// `block_hash`, which is the `previous_hash` of the next block (RECEIPT-9), and if its vote is 1 for valid, 5
/// for invalid, or 9 for the miner's own (RECEIPT-10). These three requirements were observed.
///
/// ```
/// use nodeproof_wallet::{KeyPair, PublicKeyCache, ReceiptText, votes_in};
///
/// let (member, stranger) = (KeyPair::from_bytes(&[1; 32])?, KeyPair::from_bytes(&[2; 32])?);
/// let hash = "ab".repeat(32);
/// let receipts = [&member, &stranger].map(|voter| {
///     let address = voter.address();
///     let data = format!(r#"{{"block_hash": "{hash}", "vote": 1, "wallet_address": "{address}"}}"#);
///     let signature = voter.sign(data.as_bytes()).to_string();
///     (data, voter.public_key().to_string(), signature)
/// });
/// let texts = receipts.iter().map(|(data, public_key, signature)| ReceiptText {
///     data,
///     public_key,
///     signature,
/// });
/// let votes = votes_in(hash.parse()?, &[member.address()], texts, &PublicKeyCache::default());
/// assert_eq!((votes.valid, votes.invalid, votes.outside), (1, 0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// With the crate `nodeproof-client`, for a `block` and the `next` one:
///
/// ```text
/// let hash = *next.previous_hash.hash().ok_or("the first block")?;
/// let votes = votes_in(hash, &block.committee, next.receipts()?, &voters);
/// ```
pub fn votes_in<'r, R: Into<ReceiptText<'r>>>(
    block_hash: Hash256,
    committee: &[WalletAddress],
    receipts: impl IntoIterator<Item = R>,
    voters: &PublicKeyCache,
) -> Votes {
    let receipts: Vec<ReceiptText<'r>> = receipts.into_iter().map(Into::into).collect();
    let verified = verify_receipts(receipts.iter().copied(), voters);
    let (mut votes, mut counted) = (Votes::default(), BTreeSet::new());
    for (receipt, verified) in receipts.iter().zip(verified) {
        let vote = verified.ok().and_then(|()| vote(receipt.data));
        let vote = vote.filter(|vote| vote.block_hash == block_hash);
        let Some(vote) = vote.filter(|vote| counted.insert(vote.wallet_address.to_string())) else {
            votes.not_counted += 1;
            continue;
        };
        let is_member = committee.contains(&vote.wallet_address);
        *match vote.vote {
            VALID | INVALID | MINER if !is_member => &mut votes.outside,
            VALID | MINER => &mut votes.valid,
            INVALID => &mut votes.invalid,
            _ => &mut votes.not_counted,
        } += 1;
    }
    votes
}

/// What a receipt votes.
#[derive(Deserialize)]
struct Vote {
    block_hash: Hash256,
    vote: i64,
    wallet_address: WalletAddress,
}

/// Reads a vote from the signed message, which has no member twice.
fn vote(data: &str) -> Option<Vote> {
    members_of(&signed_message(data).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::private_key::KeyPair;

    const HASH: &str = "abababababababababababababababababababababababababababababababab";
    const OTHER: &str = "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd";

    fn wallet(byte: u8) -> KeyPair {
        KeyPair::from_bytes(&[byte; 32]).unwrap()
    }

    #[test]
    fn each_vote_counts_once_if_it_is_signed_and_on_the_block() {
        let committee = [1, 2, 3, 4, 5].map(|byte| wallet(byte).address());
        // The voter, who signs, the block, the vote, and where it is counted.
        let rows = [
            (1, 1, HASH, "1", "valid"),
            (2, 2, HASH, "9", "valid"),
            (3, 3, HASH, "5", "invalid"),
            (9, 9, HASH, "1", "outside"),
            (8, 8, HASH, "5", "outside"),
            // A second vote of the same wallet, another block, a wrong signature, and other values.
            (1, 1, HASH, "5", ""),
            (4, 4, OTHER, "1", ""),
            (4, 5, HASH, "1", ""),
            (5, 5, HASH, "2", ""),
            (5, 5, HASH, "null", ""),
        ];
        let receipts = rows.map(|(voter, signer, hash, vote, _)| {
            let (voter, signer) = (wallet(voter), wallet(signer));
            let address = voter.address();
            let data = format!(
                r#"{{"block_hash": "{hash}", "vote": {vote}, "wallet_address": "{address}"}}"#
            );
            let signature = signer.sign(data.as_bytes()).to_string();
            (data, voter.public_key().to_string(), signature)
        });
        let voters = PublicKeyCache::default();
        let texts = receipts
            .iter()
            .map(|(data, public_key, signature)| ReceiptText {
                data,
                public_key,
                signature,
            });
        let votes = votes_in(HASH.parse().unwrap(), &committee, texts, &voters);
        let counted = |name| rows.iter().filter(|row| row.4 == name).count();
        let expected = Votes {
            valid: counted("valid"),
            invalid: counted("invalid"),
            outside: counted("outside"),
            not_counted: counted(""),
        };
        assert_eq!(votes, expected);
    }
}
