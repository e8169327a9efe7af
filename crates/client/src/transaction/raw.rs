//! Transactions that are still to be signed.

use std::ops::Range;

use nodeproof_primitives::{Amount, RawJson};
use serde::{Deserialize, Deserializer, Serialize};

use super::{SignedTransaction, Transaction, edit};
use crate::DecodeError;

/// A raw transaction, as `/call-sc` built it: its text, byte for byte.
///
/// The contract says of it: "Its shape is not shown." Nodes were seen to answer
/// what `/submit-transaction` takes, with no signatures in it; a transaction that
/// comes without that envelope is understood as well. An answer that is neither is
/// kept, and every question about its transaction says so.
///
/// Nodes leave the fee to be set before signing: [`with_fee`](Self::with_fee).
///
/// ```
/// use nodeproof_client::{RawTransaction, SignatureEntry};
///
/// let raw = RawTransaction::from_slice(
///     br#"{"transaction":{"type":3,"trans_code":"04087cb4c58f389c80bef882e3392f1b3b0e9e3c",
///          "fee":0.0,"specific_data":{}},"signatures":[]}"#,
/// )?;
/// let raw = raw.with_fee(&"1500000".parse()?)?;
/// assert!(raw.transaction_text()?.contains("\"fee\":1500000,"));
///
/// let entry = SignatureEntry {
///     wallet_address: "0xc8111e8386bed918b8068b3f719c53a2e76810c3".parse()?,
///     msgsign: "30c4".parse()?,
/// };
/// let signed = raw.with_signatures(vec![entry])?;
/// assert_eq!(signed.transaction_text(), raw.transaction_text()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawTransaction {
    text: RawJson,
    /// Where in the text the transaction stands, if there is one.
    transaction: Option<Range<usize>>,
}

const WHAT: &str = "a raw transaction";

impl RawTransaction {
    /// Takes the answer of `/call-sc` from its bytes.
    ///
    /// # Errors
    /// If they are no JSON.
    pub fn from_slice(body: &[u8]) -> Result<Self, DecodeError> {
        serde_json::from_slice(body).map_err(|source| DecodeError::new(WHAT, body, source))
    }

    /// Takes a raw transaction from its text, such as one that was kept in a file.
    ///
    /// # Errors
    /// If it is not JSON.
    pub fn from_text(text: &str) -> Result<Self, DecodeError> {
        Self::from_slice(text.as_bytes())
    }

    /// All that the node answered, byte for byte.
    #[must_use]
    pub fn text(&self) -> &RawJson {
        &self.text
    }

    /// What is to be signed: the transaction's text, byte for byte.
    ///
    /// # Errors
    /// If the answer has no transaction in it.
    pub fn transaction_text(&self) -> Result<&str, DecodeError> {
        let place = self.transaction.clone();
        place.and_then(|place| self.text.as_str().get(place)).ok_or_else(|| {
            DecodeError::because(
                WHAT,
                "it has no member `transaction` that is an object, and is not a transaction itself",
            )
        })
    }

    /// A typed view of the transaction.
    ///
    /// # Errors
    /// If the answer has no transaction in it.
    pub fn transaction(&self) -> Result<Transaction, DecodeError> {
        Transaction::from_text(self.transaction_text()?)
    }

    /// The same transaction with another fee, written exactly as it is given. It is in base units
    /// of the transaction's currency.
    ///
    /// Nothing else in the text changes. Sign after this, not before.
    ///
    /// # Errors
    /// If the transaction has not exactly one `fee`.
    pub fn with_fee(&self, fee: &Amount) -> Result<Self, DecodeError> {
        self.with_member("fee", fee.as_str())
    }

    /// The same transaction with its fee to be paid in another token.
    ///
    /// Nothing else in the text changes. Sign after this, not before.
    ///
    /// # Errors
    /// If the transaction has not exactly one `currency`.
    pub fn with_currency(&self, token_code: &str) -> Result<Self, DecodeError> {
        let text = serde_json::to_string(token_code)
            .map_err(|error| DecodeError::because(WHAT, &error.to_string()))?;
        self.with_member("currency", &text)
    }

    /// The transaction with these signatures, ready to be submitted.
    ///
    /// An entry is a [`SignatureEntry`](crate::SignatureEntry), or whatever else is
    /// written as one, such as what `nodeproof-wallet` signs with.
    ///
    /// # Errors
    /// If the answer has no transaction in it, or an entry is not written as a signature.
    pub fn with_signatures<S: Serialize>(
        &self,
        signatures: impl IntoIterator<Item = S>,
    ) -> Result<SignedTransaction, DecodeError> {
        SignedTransaction::assemble(self.transaction_text()?, signatures)
    }

    /// The same, for a chain of calls that has no more use for the raw transaction.
    ///
    /// # Errors
    /// As for [`with_signatures`](Self::with_signatures).
    pub fn into_signed<S: Serialize>(
        self,
        signatures: impl IntoIterator<Item = S>,
    ) -> Result<SignedTransaction, DecodeError> {
        self.with_signatures(signatures)
    }

    fn with_member(&self, name: &str, value: &str) -> Result<Self, DecodeError> {
        let transaction = self.transaction_text()?;
        let changed = edit::replace(transaction, name, value).ok_or_else(|| {
            DecodeError::because(
                WHAT,
                &format!("its transaction has not exactly one `{name}`"),
            )
        })?;
        let mut text = self.text.as_str().to_owned();
        if let Some(place) = &self.transaction {
            text.replace_range(place.clone(), &changed);
        }
        Self::from_text(&text)
    }
}

impl From<RawJson> for RawTransaction {
    fn from(text: RawJson) -> Self {
        let transaction = place(text.as_str());
        Self { text, transaction }
    }
}

/// Where the transaction stands in an answer.
fn place(text: &str) -> Option<Range<usize>> {
    if let Some(inner) = edit::find(text, "transaction") {
        let object = text
            .get(inner.clone())
            .is_some_and(|inner| inner.starts_with('{'));
        return object.then_some(inner);
    }
    // Without an envelope, it must at least look like one.
    let is_one = ["type", "specific_data"]
        .iter()
        .all(|name| edit::find(text, name).is_some());
    is_one.then_some(0..text.len())
}

impl<'de> Deserialize<'de> for RawTransaction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawJson::deserialize(deserializer).map(Self::from)
    }
}

impl Serialize for RawTransaction {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SignatureEntry;

    const NONE: [SignatureEntry; 0] = [];

    #[test]
    fn keeps_every_byte_of_the_answer() {
        let text = "{ \"transaction\" : {\"fee\":0.0, \"x\":\"\u{e9}\\u00e9\", \"n\":1E2},\"signatures\":[ ]}";
        let raw = RawTransaction::from_text(text).unwrap();
        assert_eq!(raw.text().as_str(), text);
        assert_eq!(
            raw.transaction_text().unwrap(),
            "{\"fee\":0.0, \"x\":\"\u{e9}\\u00e9\", \"n\":1E2}"
        );
        let signed = raw.with_signatures(NONE).unwrap();
        assert_eq!(signed.transaction_text(), raw.transaction_text().unwrap());
    }

    #[test]
    fn understands_a_transaction_without_its_envelope() {
        let bare = r#"{"type":3,"specific_data":{"params":{}},"fee":0.0}"#;
        let raw = RawTransaction::from_text(bare).unwrap();
        assert_eq!(raw.transaction_text().unwrap(), bare);
        let raw = raw.with_fee(&"7.50".parse().unwrap()).unwrap();
        assert!(raw.transaction_text().unwrap().ends_with(r#""fee":7.50}"#));
    }

    #[test]
    fn an_answer_without_a_transaction_says_so_when_asked() {
        for text in [
            "{}",
            "[]",
            "null",
            r#"{"transaction":null}"#,
            r#"{"transaction":"x","type":3,"specific_data":{}}"#,
        ] {
            let raw = RawTransaction::from_text(text).unwrap();
            assert!(raw.transaction_text().is_err(), "{text}");
            assert!(raw.with_signatures(NONE).is_err(), "{text}");
        }
        assert!(RawTransaction::from_text("{").is_err());
    }

    #[test]
    fn a_fee_that_is_there_twice_is_not_guessed_at() {
        let raw = RawTransaction::from_text(r#"{"transaction":{"fee":1,"fee":2}}"#).unwrap();
        let error = raw.with_fee(&1.into()).unwrap_err().to_string();
        assert_eq!(
            error,
            "not a raw transaction: its transaction has not exactly one `fee`"
        );
    }

    #[test]
    fn a_currency_is_written_as_json() {
        let raw = RawTransaction::from_text(r#"{"transaction":{"currency":"A"}}"#).unwrap();
        let raw = raw.with_currency("B\"").unwrap();
        assert_eq!(raw.transaction_text().unwrap(), r#"{"currency":"B\""}"#);
    }
}
