//! Transactions in a block.

use nodeproof_primitives::{Integer, RawJson, TransactionCode};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{
    DecodeError, RawTransaction, SignedTransaction,
    decode::{Element, Field, members},
};

/// A transaction in a block, unchanged.
///
/// The contract says: "The element shape of `text.transactions` when non-empty is
/// not shown." Observed on a real node: a submitted transaction with its signatures and a
/// `status`. The methods here expect this form.
///
/// ```
/// let block = nodeproof_client::Block::from_slice(
///     br#"{"text": {"transactions": [{"transaction": {"type": 3, "fee": 1500000.0,
///              "trans_code": "04087cb4c58f389c80bef882e3392f1b3b0e9e3c"},
///          "signatures": [], "status": 1}]}}"#,
/// )?;
/// let entry = &block.transactions()?[0];
/// assert_eq!(entry.trans_code()?.to_string(), "04087cb4c58f389c80bef882e3392f1b3b0e9e3c");
/// assert_eq!(entry.status(), Some(1.into()));
/// assert!(entry.text().as_str().ends_with(r#""status": 1}"#));
/// assert!(entry.signed()?.signatures()?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockTransaction(RawJson);

impl BlockTransaction {
    /// Returns the text, byte for byte.
    #[must_use]
    pub fn text(&self) -> &RawJson {
        &self.0
    }

    /// Returns the submitted transaction with its signatures.
    ///
    /// # Errors
    /// If it does not have the observed form.
    pub fn signed(&self) -> Result<SignedTransaction, DecodeError> {
        SignedTransaction::from_text(self.0.as_str())
    }

    /// Returns the transaction's identifier.
    ///
    /// # Errors
    /// If it does not have the observed form, or `trans_code` is not 40 hexadecimal digits.
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

    /// Returns `status` if it is an integer. Observed in valid blocks: 1.
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
