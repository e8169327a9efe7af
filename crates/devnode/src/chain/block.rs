//! Blocks. Only data that can't be computed is stored. The rest is computed for each response.

use nodeproof_primitives::{Hash256, MessageSignature, sorted_message};
use sha2::{Digest, Sha256};

use super::committee::{Committee, MEMBERS};

/// The proof of empty blocks. Observed on a real node.
const PROOF_OF_AN_EMPTY_BLOCK: u32 = 42;

/// The proof of blocks on another chain, which is a fault.
const PROOF_OF_A_FORK: u32 = 43;

/// The status of a valid block. Observed on a real node.
const STATUS_VALID: u32 = 1;

/// The stored data of a block. The rest follows from its index, the block before it and the committee.
///
/// A complete block is ten times as large.
#[derive(Debug)]
pub(crate) struct Block {
    /// Whether it is on another chain, because of a fault.
    pub(crate) is_forked: bool,
    pub(crate) timestamp: i64,
    pub(crate) previous_hash: Hash256,
    /// The members' signatures of their receipts for the previous block. The first block has none.
    pub(crate) receipts: Option<Box<[[u8; 64]; MEMBERS]>>,
    /// Elements of `text.transactions`, as JSON without spaces.
    pub(crate) transactions: Box<[Box<str>]>,
}

/// A block with everything that is needed to write it as JSON.
pub(crate) struct BlockView<'a> {
    pub(crate) index: u64,
    pub(crate) block: &'a Block,
    /// The timestamp of the previous block.
    pub(crate) previous_timestamp: Option<i64>,
    pub(crate) committee: &'a Committee,
}

/// A vote on a block, without its signature.
pub(crate) struct Vote<'a> {
    pub(crate) block_index: u64,
    pub(crate) block_hash: Hash256,
    pub(crate) timestamp: i64,
    pub(crate) voter: usize,
    pub(crate) committee: &'a Committee,
}

impl Vote<'_> {
    /// Returns the votes on a block. `next` is the timestamp of the block after it.
    pub(crate) fn all(
        committee: &Committee,
        block_index: u64,
        block_hash: Hash256,
        timestamp: i64,
        next: i64,
    ) -> [Vote<'_>; MEMBERS] {
        let gap = next.saturating_sub(timestamp);
        std::array::from_fn(|voter| Vote {
            block_index,
            block_hash,
            // The votes are spread over the time between the two blocks, in the order of the members.
            timestamp: timestamp
                + i64::try_from(voter + 1).map_or(0, |place| {
                    gap / i64::try_from(MEMBERS + 1).unwrap_or(i64::MAX) * place
                }),
            voter,
            committee,
        })
    }

    /// Returns 9 for the creator's own receipt, else 1. Observed on a real node.
    fn value(&self) -> u32 {
        if Committee::turn(self.block_index) == self.voter {
            9
        } else {
            1
        }
    }

    /// Returns the text of `data` in the receipt. The voter signs it as CPython writes it.
    pub(crate) fn data(&self) -> String {
        let Self {
            block_index,
            block_hash,
            timestamp,
            ..
        } = self;
        let (vote, wallet) = (self.value(), &self.committee.members()[self.voter].address);
        format!(
            "{{\"block_index\":{block_index},\"block_hash\":\"{block_hash}\",\"vote\":{vote},\
             \"timestamp\":{timestamp},\"wallet_address\":\"{wallet}\"}}"
        )
    }
}

impl BlockView<'_> {
    fn creator(&self) -> &str {
        &self.committee.members()[Committee::turn(self.index)].address
    }

    fn proof(&self) -> u32 {
        if self.block.is_forked {
            PROOF_OF_A_FORK
        } else if self.block.transactions.is_empty() {
            PROOF_OF_AN_EMPTY_BLOCK
        } else {
            1
        }
    }

    fn receipts(&self) -> Vec<String> {
        let (Some(signatures), Some(previous)) = (&self.block.receipts, self.previous_timestamp)
        else {
            return Vec::new();
        };
        let votes = Vote::all(
            self.committee,
            self.index.saturating_sub(1),
            self.block.previous_hash,
            previous,
            self.block.timestamp,
        );
        votes
            .iter()
            .zip(signatures.iter())
            .map(|(vote, signature)| {
                let (data, key) = (
                    vote.data(),
                    &self.committee.members()[vote.voter].public_key,
                );
                let signature = MessageSignature::from_bytes(*signature);
                format!(
                    "{{\"data\":{data},\"public_key\":\"{key}\",\"signature\":\"{signature}\"}}"
                )
            })
            .collect()
    }

    /// Returns the block as `/get-block` does: the documented fields, in the documented order.
    pub(crate) fn text(&self) -> String {
        let creator = self.creator();
        let members = self.committee.members().each_ref();
        format!(
            "{{\"index\":{},\"timestamp\":{},\"proof\":{},\"status\":{STATUS_VALID},\
             \"text\":{{\"transactions\":[{}],\"previous_block_receipts\":[{}]}},\
             \"creator_wallet\":\"{creator}\",\"expected_miner\":\"{creator}\",\
             \"committee\":[\"{}\"],\"previous_hash\":\"{}\"}}",
            self.index,
            self.block.timestamp,
            self.proof(),
            self.block.transactions.join(","),
            self.receipts().join(","),
            members.map(|member| member.address.as_str()).join("\",\""),
            self.block.previous_hash,
        )
    }
}

/// Returns the hash of a block's text: SHA-256 of the block with sorted members. Observed on a real
/// node.
pub(crate) fn block_hash(text: &str) -> Hash256 {
    // The chain's own blocks are JSON, so this can't fail for them.
    let sorted = sorted_message(text).unwrap_or_default();
    Hash256::from_bytes(Sha256::digest(sorted).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{seed::Seed, test_wallet::TestWallet};

    #[test]
    fn votes_lie_between_the_blocks_and_one_is_the_makers() {
        let wallets = ["a", "b", "c"].map(|name| TestWallet::new(Seed(1), name));
        let committee = Committee::new(wallets.each_ref());
        for gap in [1, 3, 1000] {
            let votes = Vote::all(&committee, 1, Hash256::from_bytes([0; 32]), 100, 100 + gap);
            assert!(
                votes
                    .iter()
                    .all(|vote| (100..100 + gap).contains(&vote.timestamp))
            );
            let makers = votes.iter().filter(|vote| vote.value() == 9).count();
            assert_eq!(makers, 1);
        }
    }
}
