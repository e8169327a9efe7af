//! Blocks.

use std::{fmt, marker::PhantomData};

use nodeproof_primitives::{
    Hash256, Integer, ParseHexError, TimestampMs, TransactionCode, WalletAddress,
};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, DeserializeOwned, Visitor},
};

use crate::{
    BlockText, BlockTransaction, Error, Receipt, from_json::first_mismatch, json_text::check_inner,
};

/// A block, in any of the three observed forms.
///
/// - The documented form has every field but `hash`.
/// - A node of 2022 returned this form without `status`, and with `committee` inside a string.
/// - Some nodes return a row of their block table: `block_index` instead of `index`, no `text`, a
///   `hash`, the committee inside a string, and null for some fields.
///
/// Fields that are not in every form are `Option`.
///
/// Source: BLOCK-1 to BLOCK-12 of the specification. The other forms are observed.
///
/// ```
/// use nodeproof_client::{Block, from_json};
///
/// let row: Block = from_json(br#"{"block_index": 2, "timestamp": 1767225600000, "proof": 1,
///     "status": null, "hash": null, "previous_hash": "0", "creator_wallet": null,
///     "expected_miner": null, "committee": "[\"0xe8cf534e934cf1d5fb523b8c3134a501037d470e\"]"}"#)?;
/// assert_eq!(row.index, 2);
/// assert_eq!(row.committee.len(), 1);
/// assert!(row.text.is_none() && row.transactions().is_err());
/// # Ok::<(), nodeproof_client::InputError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a block, which is an object")]
#[non_exhaustive]
pub struct Block {
    /// Index of the block in the chain.
    #[serde(alias = "block_index")]
    pub index: Integer,
    /// Time at which the block was created.
    pub timestamp: TimestampMs,
    /// Hash of the preceding block.
    pub previous_hash: PreviousHash,
    /// Proof. The specification does not show its meaning. Observed: 42 in empty blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Integer>,
    /// Status. The specification does not show its values. Observed: 1 for a valid block, -1 for an
    /// invalid one, -2 if mining timed out, -3 if consensus timed out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Integer>,
    /// The transactions of the block, and the receipts for the preceding block. `None` in a row.
    #[serde(
        default,
        deserialize_with = "or_in_a_string",
        skip_serializing_if = "Option::is_none"
    )]
    pub text: Option<BlockText>,
    /// Wallet of the creator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creator_wallet: Option<WalletAddress>,
    /// Wallet of the expected miner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_miner: Option<WalletAddress>,
    /// Wallets of the committee. Empty if the node returns none.
    #[serde(default, deserialize_with = "committee")]
    pub committee: Vec<WalletAddress>,
    /// Hash of this block. Observed in rows only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<Hash256>,
    /// Undocumented fields.
    #[serde(flatten)]
    pub extra: serde_json::Map<String, serde_json::Value>,
}

impl Block {
    /// Returns the transactions of the block.
    ///
    /// # Errors
    /// [`ErrorKind::NoTransactions`](crate::ErrorKind::NoTransactions) if the node does not show them.
    /// The error names the block.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// if let Some(block) = node.block(8_u64).await? {
    ///     println!("{} transactions", block.transactions()?.len());
    ///     println!("{} votes on block 7", block.receipts()?.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn transactions(&self) -> Result<&[BlockTransaction], Error> {
        Ok(&self.shown()?.transactions)
    }

    /// Returns the receipts of the block, which are votes on the preceding block.
    ///
    /// # Errors
    /// As for [`transactions`](Self::transactions).
    #[doc(alias = "previous_block_receipts")]
    pub fn receipts(&self) -> Result<&[Receipt], Error> {
        Ok(&self.shown()?.previous_block_receipts)
    }

    fn shown(&self) -> Result<&BlockText, Error> {
        let text = self.text.as_ref();
        text.ok_or_else(|| Error::no_transactions(&self.index))
    }

    /// Returns the transaction with this code, or `None` if the block has no such transaction or the
    /// node does not show its transactions.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// if let Some(block) = node.block(8_u64).await? {
    ///     let code = "04087cb4c58f389c80bef882e3392f1b3b0e9e3c".parse()?;
    ///     println!("{:?}", block.transaction(code));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn transaction(&self, code: TransactionCode) -> Option<&BlockTransaction> {
        let mut transactions = self.text.as_ref()?.transactions.iter();
        transactions.find(|entry| entry.trans_code() == Some(code))
    }
}

/// The hash of the block before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PreviousHash {
    /// The hash.
    Hash(Hash256),
    /// No hash: the first block of a chain has `0`. Observed on real nodes.
    None,
}

impl PreviousHash {
    /// Returns the hash, or `None` in the first block.
    #[must_use]
    pub fn hash(&self) -> Option<&Hash256> {
        match self {
            Self::Hash(hash) => Some(hash),
            Self::None => None,
        }
    }
}

impl fmt::Display for PreviousHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hash(hash) => hash.fmt(f),
            Self::None => f.pad("0"),
        }
    }
}

impl Serialize for PreviousHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PreviousHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = PreviousHash;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("64 hexadecimal digits, or \"0\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<PreviousHash, E> {
                if text == "0" {
                    return Ok(PreviousHash::None);
                }
                let hash = text
                    .parse()
                    .map_err(|error: ParseHexError| E::custom(error))?;
                Ok(PreviousHash::Hash(hash))
            }
        }

        deserializer.deserialize_str(Text)
    }
}

fn committee<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<WalletAddress>, D::Error> {
    or_in_a_string(deserializer).map(Option::unwrap_or_default)
}

/// Reads a value, or JSON inside a string, or null.
fn or_in_a_string<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    struct Either<T>(PhantomData<T>);

    impl<'de, T: DeserializeOwned> Visitor<'de> for Either<T> {
        type Value = Option<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object or an array, or one inside a string")
        }

        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
            check_inner(text).map_err(E::custom)?;
            serde_json::from_str(text)
                .map_err(|error| E::custom(first_mismatch::<Option<T>>(text.as_bytes(), &error)))
        }

        fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            T::deserialize(de::value::MapAccessDeserializer::new(map)).map(Some)
        }

        fn visit_seq<A: de::SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
            T::deserialize(de::value::SeqAccessDeserializer::new(seq)).map(Some)
        }
    }

    deserializer.deserialize_any(Either(PhantomData))
}

#[cfg(test)]
mod tests;
