//! A block, parsed leniently.

use std::fmt;

use nodeproof_primitives::{
    Hash256, Integer, TimestampMs, TransactionCode, WalletAddress, escape::escaped_up_to,
};

use super::{
    committee::{self, Member},
    receipt::Receipt,
    text::Text,
    transaction::BlockTransaction,
};
use crate::{
    DecodeError,
    decode::{ExtraFields, Field, FieldError, FieldFault, Leaf, List, text_in},
};

/// A block, parsed leniently.
///
/// The contract documents one form. Real nodes leave fields out, return null, name the index
/// `block_index`, write the committee as text, or put the contents in another place. So each
/// accessor returns its value, or an error if the field is missing, null or malformed.
/// [`mismatches`](Self::mismatches) lists every mismatch with the contract, and
/// [`extra`](Self::extra) has the undocumented fields. Only a body that is not a JSON object
/// can't be parsed as a block.
///
/// Source: the contract, "Block (returned by `/get-block`)".
///
/// ```
/// let block = nodeproof_client::Block::from_slice(
///     br#"{"block_index": 7, "timestamp": 1767225600000, "previous_hash": "0",
///          "committee": "[\"0xe8cf534e934cf1d5fb523b8c3134a501037d470e\"]"}"#,
/// )?;
/// assert_eq!(*block.index()?, 7);
/// assert_eq!(block.committee()?.len(), 1);
/// assert!(block.text_mismatch().is_some_and(|fault| fault.is_missing()));
/// assert!(block.is_row());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The fields of a block:
///
/// ```
/// use nodeproof_client::Block;
///
/// let block = Block::from_slice(
///     br#"{"index": 1200, "timestamp": 1767225600000, "proof": 42, "status": 1,
///          "text": {"transactions": [], "previous_block_receipts": [], "size": 2},
///          "creator_wallet": "0xb21854c8df7c314b3778036b532c5438abfeff03",
///          "expected_miner": "0xb21854c8df7c314b3778036b532c5438abfeff03",
///          "committee": ["0xe8cf534e934cf1d5fb523b8c3134a501037d470e", "treasury"],
///          "previous_hash": "21f7581d94352dd63d9f5b0c5a7800573aa405d3f97755d249fb0548ca68e1c7",
///          "hash": "5d0e3b9f7c21a8460b1f9d3c6e7a5248d90c4f1b8e3a7265c0d49b17fe82a36d", "version": 3}"#,
/// )?;
/// assert_eq!(block.timestamp()?.to_string(), "2026-01-01T00:00:00.000Z");
/// assert_eq!(*block.proof()?, 42);
/// assert_eq!(*block.status()?, 1);
/// assert!(block.transactions()?.is_empty() && block.receipts()?.is_empty());
/// assert_eq!(block.expected_miner()?, block.creator_wallet()?);
/// assert_eq!(block.committee_faults()[0].field(), "committee[1]");
/// assert_ne!(block.previous_hash()?.hash(), Some(block.hash()?));
/// assert_eq!((block.extra().len(), block.text_extra().len()), (1, 1));
/// assert!(Block::from_slice(b"{}")?.is_blank());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It can be deserialized from a string or a slice of bytes. For a reader or a
/// `serde_json::Value`, use [`from_slice`](Self::from_slice).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    pub(super) index: Field<Integer>,
    pub(super) block_index: Field<Integer>,
    pub(super) timestamp: Field<TimestampMs>,
    pub(super) proof: Field<Integer>,
    pub(super) status: Field<Integer>,
    pub(super) text: Text,
    /// Fields outside of `text` that belong inside it.
    pub(super) beside: Text,
    pub(super) creator_wallet: Field<WalletAddress>,
    pub(super) expected_miner: Field<WalletAddress>,
    pub(super) committee: Field<List<Member>>,
    pub(super) good_members: Vec<WalletAddress>,
    pub(super) previous_hash: Field<PreviousHash>,
    pub(super) hash: Field<Hash256>,
    pub(super) extra: ExtraFields,
}

/// The link from a block to the one before it.
///
/// ```
/// let first = nodeproof_client::Block::from_slice(br#"{"index": 1, "previous_hash": "0"}"#)?;
/// assert_eq!(first.previous_hash()?.hash(), None);
/// assert_eq!(first.previous_hash()?.to_string(), "0");
/// # Ok::<(), nodeproof_client::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PreviousHash {
    /// The hash of the block before.
    Hash(Hash256),
    /// There is no block before. Observed on a real node: the first block has the text `0`.
    None,
}

impl PreviousHash {
    /// Returns the hash of the block before, if there is one.
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
            Self::None => f.write_str("0"),
        }
    }
}

impl Leaf for PreviousHash {
    fn read(text: &str) -> Result<Self, String> {
        if text_in(text).as_deref() == Some("0") {
            return Ok(Self::None);
        }
        Hash256::read(text).map(Self::Hash)
    }
}

impl Block {
    /// Parses a block from the bytes of a response.
    ///
    /// # Errors
    /// If they are not one JSON object.
    pub fn from_slice(body: &[u8]) -> Result<Self, DecodeError> {
        let read = match std::str::from_utf8(body) {
            // This checks the UTF-8 of the whole body at once, and not string by string.
            Ok(text) => serde_json::from_str(text),
            Err(_) => serde_json::from_slice(body),
        };
        read.map_err(|source| DecodeError::new("a block", body, source))
    }

    /// Returns the index of the block in the chain, from `index` or `block_index`.
    ///
    /// # Errors
    /// If neither is an integer.
    #[doc(alias = "block_index")]
    pub fn index(&self) -> Result<&Integer, FieldError> {
        match (&self.index, &self.block_index) {
            (Field::Value(index), _) | (_, Field::Value(index)) => Ok(index),
            (Field::Missing, row) if !matches!(row, Field::Missing) => row.require("block_index"),
            (index, _) => index.require("index"),
        }
    }

    /// Returns the time at which the block was made.
    ///
    /// # Errors
    /// If `timestamp` is not an integer of milliseconds.
    pub fn timestamp(&self) -> Result<TimestampMs, FieldError> {
        self.timestamp.require("timestamp").copied()
    }

    /// Returns the hash of the block before, or [`PreviousHash::None`].
    ///
    /// # Errors
    /// If `previous_hash` is neither 64 hexadecimal digits nor `0`.
    pub fn previous_hash(&self) -> Result<&PreviousHash, FieldError> {
        self.previous_hash.require("previous_hash")
    }

    /// Returns the wallets of the committee, from an array or from an array inside a string.
    ///
    /// Members that are not wallet addresses are left out. See
    /// [`committee_faults`](Self::committee_faults).
    ///
    /// # Errors
    /// If `committee` is not an array in either form.
    pub fn committee(&self) -> Result<&[WalletAddress], FieldError> {
        self.committee
            .require("committee")
            .map(|_| self.good_members.as_slice())
    }

    /// Returns the faults of the committee's members that are not wallet addresses.
    #[must_use]
    pub fn committee_faults(&self) -> Vec<FieldError> {
        committee::faults(self.committee.value())
    }

    /// Returns `proof`. The contract does not show what it means.
    ///
    /// # Errors
    /// If it is not an integer.
    pub fn proof(&self) -> Result<&Integer, FieldError> {
        self.proof.require("proof")
    }

    /// Returns `status`. The contract does not show what it means.
    ///
    /// # Errors
    /// If it is not an integer. Null was observed on a real node.
    pub fn status(&self) -> Result<&Integer, FieldError> {
        self.status.require("status")
    }

    /// Returns the wallet that made the block.
    ///
    /// # Errors
    /// If it is not a wallet address. Null was observed on a real node.
    pub fn creator_wallet(&self) -> Result<WalletAddress, FieldError> {
        self.creator_wallet.require("creator_wallet").copied()
    }

    /// Returns the wallet whose turn it was to make the block.
    ///
    /// # Errors
    /// If it is not a wallet address.
    pub fn expected_miner(&self) -> Result<WalletAddress, FieldError> {
        self.expected_miner.require("expected_miner").copied()
    }

    /// Returns the block's own hash. It is not documented, and only some nodes return it.
    ///
    /// # Errors
    /// If it is not a hash, or is missing, as on most nodes.
    pub fn hash(&self) -> Result<&Hash256, FieldError> {
        self.hash.require("hash")
    }

    /// Returns the transactions in the block.
    ///
    /// They come from `text.transactions` or, if that is not an array, from `transactions`.
    ///
    /// # Errors
    /// If neither is an array.
    pub fn transactions(&self) -> Result<&[BlockTransaction], FieldError> {
        match (&self.text.transactions, &self.beside.transactions) {
            (Field::Value(list), _) | (_, Field::Value(list)) => Ok(&list.items),
            (Field::Missing, beside) if !matches!(beside, Field::Missing) => beside
                .require("transactions")
                .map(|list| list.items.as_slice()),
            (inside, _) => inside
                .require("text.transactions")
                .map(|list| list.items.as_slice()),
        }
    }

    /// Returns the transaction with this code, or `None` if the block does not contain it.
    ///
    /// Transactions whose code can't be read are skipped.
    ///
    /// # Errors
    /// If the block's [transactions](Self::transactions) can't be read.
    ///
    /// ```no_run
    /// # fn example(
    /// #     block: nodeproof_client::Block,
    /// #     code: nodeproof_client::nodeproof_primitives::TransactionCode,
    /// # ) -> Result<(), nodeproof_client::FieldError> {
    /// if let Some(entry) = block.transaction(code)? {
    ///     println!("{:?}", entry.status());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn transaction(
        &self,
        code: TransactionCode,
    ) -> Result<Option<&BlockTransaction>, FieldError> {
        let mut transactions = self.transactions()?.iter();
        Ok(transactions.find(|entry| entry.trans_code().is_ok_and(|found| found == code)))
    }

    /// Returns whether the block contains the transaction with this code.
    ///
    /// # Errors
    /// If the block's [transactions](Self::transactions) can't be read.
    ///
    /// ```
    /// let block = nodeproof_client::Block::from_slice(
    ///     br#"{"text": {"transactions": [
    ///         {"transaction": {"trans_code": "04087cb4c58f389c80bef882e3392f1b3b0e9e3c"}}]}}"#,
    /// )?;
    /// assert!(block.contains("04087cb4c58f389c80bef882e3392f1b3b0e9e3c".parse()?)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contains(&self, code: TransactionCode) -> Result<bool, FieldError> {
        Ok(self.transaction(code)?.is_some())
    }

    /// Returns the votes on the block before.
    ///
    /// They come from `text.previous_block_receipts` or, if that is not an array, from
    /// `previous_block_receipts`. The list includes receipts with parts that can't be read. See
    /// [`Receipt::faults`].
    ///
    /// # Errors
    /// If neither is an array.
    #[doc(alias = "previous_block_receipts")]
    pub fn receipts(&self) -> Result<&[Receipt], FieldError> {
        match (&self.text.receipts, &self.beside.receipts) {
            (Field::Value(list), _) | (_, Field::Value(list)) => Ok(&list.items),
            (Field::Missing, beside) if !matches!(beside, Field::Missing) => beside
                .require("previous_block_receipts")
                .map(|list| list.items.as_slice()),
            (inside, _) => inside
                .require("text.previous_block_receipts")
                .map(|list| list.items.as_slice()),
        }
    }

    /// Returns the fault of `text` itself, if it is missing, null or not an object.
    #[must_use]
    pub fn text_mismatch(&self) -> Option<FieldError> {
        self.text.found.fault("text")
    }

    /// Returns the undocumented fields, unchanged.
    #[must_use]
    pub fn extra(&self) -> &ExtraFields {
        &self.extra
    }

    /// Returns the undocumented fields of `text`, unchanged.
    #[must_use]
    pub fn text_extra(&self) -> &ExtraFields {
        &self.text.extra
    }

    /// Checks that the block has the requested index, if its index can be read.
    pub(crate) fn check_index(&self, requested: &Integer) -> Result<(), FieldError> {
        match self.index() {
            Ok(found) if found != requested => {
                let [requested, found] = [requested, found].map(|index| {
                    // An index can be as long as a response.
                    escaped_up_to(&index.to_string(), 40)
                });
                let reason = format!("block {requested} was requested, and this is block {found}");
                Err(FieldError::new("index", FieldFault::Doubtful(reason)))
            }
            _ => Ok(()),
        }
    }

    /// Returns whether all fields of a block are missing or null. The response is then another object,
    /// such as an empty one or the report of a failure. `status` alone does not make a block.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        fn absent<T>(field: &Field<T>) -> bool {
            matches!(field, Field::Missing | Field::Null)
        }
        absent(&self.index)
            && absent(&self.block_index)
            && absent(&self.timestamp)
            && absent(&self.proof)
            && absent(&self.previous_hash)
            && absent(&self.hash)
            && absent(&self.creator_wallet)
            && absent(&self.expected_miner)
            && absent(&self.committee)
            && [&self.text, &self.beside].iter().all(|part| {
                absent(&part.found) && absent(&part.transactions) && absent(&part.receipts)
            })
    }

    /// Returns whether this is a row of the node's block table and not the documented block.
    ///
    /// Observed on a real node: the index is `block_index`, and there is no `text`.
    #[must_use]
    pub fn is_row(&self) -> bool {
        self.index.value().is_none()
            && self.block_index.value().is_some()
            && self.text.found == Field::Missing
    }
}
