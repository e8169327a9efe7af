//! Blocks. Only data that can't be computed is stored. The rest is computed for each response.

use nodeproof_primitives::{Hash256, MessageSignature, sorted_message};
use sha2::{Digest, Sha256};

use super::committee::{Committee, MEMBERS};

/// The proof of empty blocks. Observed on a real node.
const PROOF_OF_AN_EMPTY_BLOCK: u32 = 42;

/// The status of a valid block. Observed on a real node.
const STATUS_VALID: u32 = 1;

/// The stored data of a block. The rest follows from its index, the block before it and the committee.
///
/// A complete block is ten times as large.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) timestamp: i64,
    pub(crate) previous_hash: Hash256,
    /// The members' signatures of their receipts for the previous block. The first block has none.
    pub(crate) receipts: Option<Box<[[u8; 64]; MEMBERS]>>,
    /// Elements of `text.transactions`, as JSON without spaces.
    pub(crate) transactions: Box<[Box<str>]>,
}

/// The separators of JSON text.
struct Layout {
    comma: &'static str,
    colon: &'static str,
}

const DENSE: Layout = Layout {
    comma: ",",
    colon: ":",
};
const AS_PYTHON: Layout = Layout {
    comma: ", ",
    colon: ": ",
};

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

    /// Returns the message that the voter signs: `data` as CPython writes it.
    pub(crate) fn message(&self) -> String {
        self.data(&AS_PYTHON)
    }

    fn data(&self, Layout { comma, colon }: &Layout) -> String {
        let Self {
            block_index,
            block_hash,
            timestamp,
            ..
        } = self;
        let (vote, wallet) = (self.value(), &self.committee.members()[self.voter].address);
        format!(
            "{{\"block_index\"{colon}{block_index}{comma}\"block_hash\"{colon}\"{block_hash}\"{comma}\
             \"vote\"{colon}{vote}{comma}\"timestamp\"{colon}{timestamp}{comma}\
             \"wallet_address\"{colon}\"{wallet}\"}}"
        )
    }

    /// Returns `data` with sorted members, as the text for the block's hash contains it.
    pub(crate) fn sorted_data(&self) -> String {
        let Self {
            block_index,
            block_hash,
            timestamp,
            ..
        } = self;
        let (vote, wallet) = (self.value(), &self.committee.members()[self.voter].address);
        format!(
            "{{\"block_hash\": \"{block_hash}\", \"block_index\": {block_index}, \
             \"timestamp\": {timestamp}, \"vote\": {vote}, \"wallet_address\": \"{wallet}\"}}"
        )
    }
}

impl BlockView<'_> {
    fn creator(&self) -> &str {
        &self.committee.members()[Committee::turn(self.index)].address
    }

    fn proof(&self) -> u32 {
        if self.block.transactions.is_empty() {
            PROOF_OF_AN_EMPTY_BLOCK
        } else {
            1
        }
    }

    fn members(&self, layout: &Layout) -> String {
        let quoted = self
            .committee
            .members()
            .each_ref()
            .map(|member| format!("\"{}\"", member.address));
        quoted.join(layout.comma)
    }

    fn receipts(&self, layout: &Layout, data: fn(&Vote<'_>) -> String) -> String {
        let (Some(signatures), Some(previous)) = (&self.block.receipts, self.previous_timestamp)
        else {
            return String::new();
        };
        let votes = Vote::all(
            self.committee,
            self.index.saturating_sub(1),
            self.block.previous_hash,
            previous,
            self.block.timestamp,
        );
        let Layout { comma, colon } = layout;
        let receipts: Vec<String> = votes
            .iter()
            .zip(signatures.iter())
            .map(|(vote, signature)| {
                let (data, key) = (data(vote), &self.committee.members()[vote.voter].public_key);
                let signature = MessageSignature::from_bytes(*signature);
                format!(
                    "{{\"data\"{colon}{data}{comma}\"public_key\"{colon}\"{key}\"{comma}\
                     \"signature\"{colon}\"{signature}\"}}"
                )
            })
            .collect();
        receipts.join(comma)
    }

    /// Returns the block as `/get-block` does: the documented fields, in the documented order.
    pub(crate) fn text(&self) -> String {
        self.document(str::to_owned)
    }

    /// Returns the documented fields, with arrays and objects as JSON inside strings.
    pub(crate) fn text_of_strings(&self) -> String {
        self.document(quoted)
    }

    fn document(&self, form: fn(&str) -> String) -> String {
        let creator = self.creator();
        let contents = form(&format!(
            "{{\"transactions\":[{}],\"previous_block_receipts\":[{}]}}",
            self.block.transactions.join(","),
            self.receipts(&DENSE, |vote| vote.data(&DENSE)),
        ));
        let committee = form(&format!("[{}]", self.members(&DENSE)));
        format!(
            "{{\"index\":{},\"timestamp\":{},\"proof\":{},\"status\":{STATUS_VALID},\
             \"text\":{contents},\
             \"creator_wallet\":\"{creator}\",\"expected_miner\":\"{creator}\",\
             \"committee\":{committee},\"previous_hash\":\"{}\"}}",
            self.index,
            self.block.timestamp,
            self.proof(),
            self.block.previous_hash,
        )
    }

    /// Returns the block as a row of the block table, with its own hash. Observed on a real node.
    pub(crate) fn row(&self, hash: &Hash256) -> String {
        let previous = match self.index {
            1 => "0".to_owned(),
            _ => self.block.previous_hash.to_string(),
        };
        format!(
            "{{\"block_index\":{},\"timestamp\":{},\"proof\":{},\"status\":null,\
             \"previous_hash\":\"{previous}\",\"hash\":\"{hash}\",\"creator_wallet\":null,\
             \"expected_miner\":\"{}\",\"committee\":{}}}",
            self.index,
            self.block.timestamp,
            self.proof(),
            self.creator(),
            quoted(&format!("[{}]", self.members(&AS_PYTHON))),
        )
    }

    /// Returns the same text as [`sorted_message`] for [`text`](Self::text), without parsing it again.
    ///
    /// A test compares the two.
    fn sorted_text(&self) -> String {
        let (creator, committee) = (self.creator(), self.members(&AS_PYTHON));
        let receipts = self.receipts(&AS_PYTHON, |vote| vote.sorted_data());
        let transactions: Vec<String> = self
            .block
            .transactions
            .iter()
            // This can't fail: the transaction was read in the same way before it got into the block.
            .map(|entry| sorted_message(entry).unwrap_or_default())
            .collect();
        format!(
            "{{\"committee\": [{committee}], \"creator_wallet\": \"{creator}\", \
             \"expected_miner\": \"{creator}\", \"index\": {}, \"previous_hash\": \"{}\", \
             \"proof\": {}, \"status\": {STATUS_VALID}, \"text\": \
             {{\"previous_block_receipts\": [{receipts}], \"transactions\": [{}]}}, \
             \"timestamp\": {}}}",
            self.index,
            self.block.previous_hash,
            self.proof(),
            transactions.join(", "),
            self.block.timestamp,
        )
    }

    /// Returns the block's hash: SHA-256 of the block with sorted members. Observed on a real node.
    pub(crate) fn hash(&self) -> Hash256 {
        Hash256::from_bytes(Sha256::digest(self.sorted_text()).into())
    }
}

/// Returns JSON as a JSON string.
fn quoted(json: &str) -> String {
    serde_json::Value::from(json).to_string()
}

#[cfg(test)]
mod tests {
    use nodeproof_primitives::signed_message;

    use super::*;
    use crate::{seed::Seed, test_wallet::TestWallet};

    fn committee() -> Committee {
        let wallets = ["a", "b", "c"].map(|name| TestWallet::new(Seed(1), name));
        Committee::new(wallets.each_ref())
    }

    fn with_view<T>(transactions: &[&str], run: impl FnOnce(BlockView<'_>) -> T) -> T {
        let block = Block {
            timestamp: 5000,
            previous_hash: Hash256::from_bytes([7; 32]),
            receipts: Some(Box::new([[1; 64], [2; 64], [3; 64]])),
            transactions: transactions.iter().map(|text| Box::from(*text)).collect(),
        };
        run(BlockView {
            index: 2,
            block: &block,
            previous_timestamp: Some(4000),
            committee: &committee(),
        })
    }

    #[test]
    fn the_hashed_text_is_the_sorted_text_of_the_response() {
        for transactions in [&[][..], &[r#"{"b":1.50,"a":"é"}"#, r#"{"z":[],"c":{}}"#]] {
            with_view(transactions, |view| {
                assert_eq!(view.sorted_text(), sorted_message(&view.text()).unwrap());
            });
        }
    }

    #[test]
    fn a_vote_is_signed_as_the_message_in_the_response() {
        let committee = committee();
        for vote in Vote::all(&committee, 1, Hash256::from_bytes([7; 32]), 4000, 5000) {
            assert_eq!(vote.message(), signed_message(&vote.data(&DENSE)).unwrap());
        }
    }

    #[test]
    fn votes_lie_between_the_blocks_and_one_is_the_makers() {
        let committee = committee();
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
