//! The hash of a block.

use nodeproof_primitives::{Hash256, Integer, TimestampMs, WalletAddress, sorted_message};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{Block, BlockText, PreviousHash};

impl Block {
    /// Returns the hash of the block: the one in the response, or else the computed one. `None` if the
    /// response has neither a hash nor the documented form.
    ///
    /// Observed: the hash is SHA-256 of the block as CPython's `json.dumps(block, sort_keys=True)`
    /// writes it. The next block's `previous_hash` and the receipts for the block carry it. Some nodes
    /// add the `status` of transactions after hashing. So a computed hash that differs from
    /// `previous_hash` does not prove that a block was changed.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// use nodeproof_client::FollowOptions;
    ///
    /// if let Some(block) = node.block(8_u64).await?
    ///     && let Some(hash) = block.block_hash()
    /// {
    ///     // A later run reads on after this block.
    ///     let options = FollowOptions { after: Some((8, hash)), ..FollowOptions::default() };
    /// #   let _ = options;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn block_hash(&self) -> Option<Hash256> {
        /// The documented members. A node writes a missing value as null.
        #[derive(Serialize)]
        struct Documented<'b> {
            index: &'b Integer,
            timestamp: TimestampMs,
            proof: &'b Option<Integer>,
            status: &'b Option<Integer>,
            text: &'b BlockText,
            creator_wallet: Option<WalletAddress>,
            expected_miner: Option<WalletAddress>,
            committee: &'b [WalletAddress],
            previous_hash: PreviousHash,
            #[serde(flatten)]
            extra: &'b serde_json::Map<String, serde_json::Value>,
        }
        if let Some(hash) = self.hash {
            return Some(hash);
        }
        let documented = Documented {
            index: &self.index,
            timestamp: self.timestamp,
            proof: &self.proof,
            status: &self.status,
            text: self.text.as_ref()?,
            creator_wallet: self.creator_wallet,
            expected_miner: self.expected_miner,
            committee: &self.committee,
            previous_hash: self.previous_hash,
            extra: &self.extra,
        };
        let text = serde_json::to_string(&documented).ok()?;
        let digest = Sha256::digest(sorted_message(&text).ok()?);
        Some(Hash256::from_bytes(digest.into()))
    }
}
