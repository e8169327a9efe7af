//! A block, read leniently.

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

/// A block, read for what is there.
///
/// The contract documents one form. Real nodes leave fields out, answer null,
/// name the index `block_index`, write the committee as text, or put the contents
/// elsewhere. So each accessor yields its value, or says that the field is
/// missing, null, or malformed and how; [`departures`](Self::departures) lists
/// all that is not as documented, and [`extra`](Self::extra) has what nobody
/// described. Only a body that is not a JSON object can't be read as a block.
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
/// assert!(block.text_departure().is_some_and(|fault| fault.is_missing()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It is read from a string or a slice of bytes; from a reader, or from a
/// `serde_json::Value`, go by way of [`from_slice`](Self::from_slice).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    pub(super) index: Field<Integer>,
    pub(super) block_index: Field<Integer>,
    pub(super) timestamp: Field<TimestampMs>,
    pub(super) proof: Field<Integer>,
    pub(super) status: Field<Integer>,
    pub(super) text: Text,
    /// What stands beside `text` although it belongs inside.
    pub(super) beside: Text,
    pub(super) creator_wallet: Field<WalletAddress>,
    pub(super) expected_miner: Field<WalletAddress>,
    pub(super) committee: Field<List<Member>>,
    pub(super) good_members: Vec<WalletAddress>,
    pub(super) previous_hash: Field<PreviousHash>,
    pub(super) hash: Field<Hash256>,
    pub(super) extra: ExtraFields,
}

/// What links a block to the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PreviousHash {
    /// The hash of the block before.
    Hash(Hash256),
    /// There is no block before: observed on a real node, the first block has the text `0`.
    None,
}

impl PreviousHash {
    /// The hash of the block before, if there is one.
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
    /// Reads a block from the bytes of an answer.
    ///
    /// # Errors
    /// If they are not one JSON object.
    pub fn from_slice(body: &[u8]) -> Result<Self, DecodeError> {
        let read = match std::str::from_utf8(body) {
            // The whole is checked at once here, and not string by string.
            Ok(text) => serde_json::from_str(text),
            Err(_) => serde_json::from_slice(body),
        };
        read.map_err(|source| DecodeError::new("a block", body, source))
    }

    /// Index of the block in the chain, from `index` or `block_index`.
    ///
    /// # Errors
    /// If neither holds an integer.
    pub fn index(&self) -> Result<&Integer, FieldError> {
        match (&self.index, &self.block_index) {
            (Field::Value(index), _) | (_, Field::Value(index)) => Ok(index),
            (Field::Missing, row) if !matches!(row, Field::Missing) => row.require("block_index"),
            (index, _) => index.require("index"),
        }
    }

    /// When the block was made.
    ///
    /// # Errors
    /// If `timestamp` is not an integer of milliseconds.
    pub fn timestamp(&self) -> Result<TimestampMs, FieldError> {
        self.timestamp.require("timestamp").copied()
    }

    /// The hash of the block before, or that there is none.
    ///
    /// # Errors
    /// If `previous_hash` is neither 64 hexadecimal digits nor `0`.
    pub fn previous_hash(&self) -> Result<&PreviousHash, FieldError> {
        self.previous_hash.require("previous_hash")
    }

    /// The wallets of the committee, from an array or from an array inside a string.
    ///
    /// Members that are not wallet addresses are left out here, and told by
    /// [`committee_faults`](Self::committee_faults).
    ///
    /// # Errors
    /// If `committee` is not an array in either form.
    pub fn committee(&self) -> Result<&[WalletAddress], FieldError> {
        self.committee
            .require("committee")
            .map(|_| self.good_members.as_slice())
    }

    /// The members of the committee that are not wallet addresses.
    #[must_use]
    pub fn committee_faults(&self) -> Vec<FieldError> {
        committee::faults(self.committee.value())
    }

    /// What is in `proof`; the contract does not show what it means.
    ///
    /// # Errors
    /// If it is not an integer.
    pub fn proof(&self) -> Result<&Integer, FieldError> {
        self.proof.require("proof")
    }

    /// What is in `status`; the contract does not show what it means.
    ///
    /// # Errors
    /// If it is not an integer. Null was observed on a real node.
    pub fn status(&self) -> Result<&Integer, FieldError> {
        self.status.require("status")
    }

    /// The wallet that made the block.
    ///
    /// # Errors
    /// If it is not a wallet address. Null was observed on a real node.
    pub fn creator_wallet(&self) -> Result<WalletAddress, FieldError> {
        self.creator_wallet.require("creator_wallet").copied()
    }

    /// The wallet whose turn it was to make the block.
    ///
    /// # Errors
    /// If it is not a wallet address.
    pub fn expected_miner(&self) -> Result<WalletAddress, FieldError> {
        self.expected_miner.require("expected_miner").copied()
    }

    /// The block's own hash, which only some nodes tell. Not documented.
    ///
    /// # Errors
    /// If it is not a hash; on most nodes, because it is missing.
    pub fn hash(&self) -> Result<&Hash256, FieldError> {
        self.hash.require("hash")
    }

    /// The transactions in the block.
    ///
    /// They are in `text.transactions`, or, if `text` has none, in `transactions`.
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
    /// A transaction whose code can't be read does not count.
    ///
    /// # Errors
    /// If the block does not show its [transactions](Self::transactions).
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
    /// If the block does not show its [transactions](Self::transactions).
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

    /// The votes on the block before.
    ///
    /// They are in `text.previous_block_receipts`, or, if `text` has none, in
    /// `previous_block_receipts`. A receipt of which something can't be read is in
    /// the list, and says so itself.
    ///
    /// # Errors
    /// If neither is an array.
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

    /// What is wrong with `text` itself, if it is missing, null or no object.
    #[must_use]
    pub fn text_departure(&self) -> Option<FieldError> {
        self.text.found.fault("text")
    }

    /// The fields that nobody described, as they came.
    #[must_use]
    pub fn extra(&self) -> &ExtraFields {
        &self.extra
    }

    /// The fields of `text` that nobody described, as they came.
    #[must_use]
    pub fn text_extra(&self) -> &ExtraFields {
        &self.text.extra
    }

    /// Checks that the block has the requested index, as far as it has one.
    pub(crate) fn check_index(&self, requested: &Integer) -> Result<(), FieldError> {
        match self.index() {
            Ok(found) if found != requested => {
                let [requested, found] = [requested, found].map(|index| {
                    // An index may be as long as a response.
                    escaped_up_to(&index.to_string(), 40)
                });
                let reason = format!("block {requested} was requested, and this is block {found}");
                Err(FieldError::new("index", FieldFault::Doubtful(reason)))
            }
            _ => Ok(()),
        }
    }

    /// Whether none of the fields is there that make a block: what came is another object, such as
    /// an empty one or one that tells of a failure. A `status` alone is none.
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

    /// Whether the node told the row of its table of blocks rather than the documented block.
    ///
    /// Observed on a real node: the index is `block_index`, and there is no `text`.
    #[must_use]
    pub fn is_row(&self) -> bool {
        self.index.value().is_none()
            && self.block_index.value().is_some()
            && self.text.found == Field::Missing
    }
}
