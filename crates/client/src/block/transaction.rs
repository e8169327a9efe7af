//! Transactions in a block.

use nodeproof_primitives::{Integer, RawJson, TransactionCode};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{
    DecodeError, RawTransaction, SignedTransaction,
    decode::{Element, Field, members},
};

/// A transaction in a block, kept as it came.
///
/// The contract says: "The element shape of `text.transactions` when non-empty is
/// not shown." Observed on a real node, it is a submitted transaction with its
/// signatures and a `status`, and that is what the typed views look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockTransaction(RawJson);

impl BlockTransaction {
    /// Its text, byte for byte.
    #[must_use]
    pub fn text(&self) -> &RawJson {
        &self.0
    }

    /// What was submitted: the transaction with its signatures.
    ///
    /// # Errors
    /// If it has not the form that was observed.
    pub fn signed(&self) -> Result<SignedTransaction, DecodeError> {
        SignedTransaction::from_text(self.0.as_str())
    }

    /// The transaction's identifier.
    ///
    /// # Errors
    /// If it has not the form that was observed, or its `trans_code` is not 40 hexadecimal digits.
    ///
    /// ```no_run
    /// # async fn example(block: nodeproof_client::Block) -> Result<(), Box<dyn std::error::Error>> {
    /// for entry in block.transactions()? {
    ///     println!("{} has the status {:?}", entry.trans_code()?, entry.status());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn trans_code(&self) -> Result<TransactionCode, DecodeError> {
        let transaction = RawTransaction::from(self.0.clone()).transaction()?;
        transaction
            .trans_code()
            .map_err(|fault| DecodeError::because("a transaction", &fault.to_string()))
    }

    /// What is in `status`, if that is an integer; seen to be 1 in a valid block.
    #[must_use]
    pub fn status(&self) -> Option<Integer> {
        let mut status = Field::<Integer>::Missing;
        let read = members(self.0.as_str(), |name, raw| {
            if name == "status" {
                status = Field::read(raw);
            }
        });
        read.ok().and_then(|()| status.value().cloned())
    }
}

impl Element for BlockTransaction {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(deserializer).map(|raw| Self(raw.to_owned().into()))
    }
}
