//! Transactions before they are signed.

use std::ops::Range;

use nodeproof_primitives::{Amount, RawJson};
use serde::{Deserialize, Deserializer, Serialize};

use super::{SignedTransaction, edit};
use crate::{InputError, Transaction, from_json};

/// A raw transaction from `/call-sc`: its text, byte for byte.
///
/// The specification does not show its shape (OPEN-9). Nodes were seen to return the body of
/// `/submit-transaction`, without signatures. A transaction without that outer object is accepted as
/// well. Any other response is stored, and each method that needs its transaction returns an error.
///
///
/// ```
/// use nodeproof_client::{
///     RawTransaction, SignatureEntry, MessageSignature,
/// };
///
/// let raw = RawTransaction::from_json(
///     r#"{"transaction":{"type":3,"trans_code":"04087cb4c58f389c80bef882e3392f1b3b0e9e3c",
///         "timestamp":1767225593000,"fee":1500000,"currency":"TKN","descr":"","valid":1,
///         "specific_data":{}},"signatures":[]}"#,
/// )?;
/// assert_eq!(raw.transaction()?.currency, "TKN");
///
/// let wallet = "0xc8111e8386bed918b8068b3f719c53a2e76810c3".parse()?;
/// let entry = SignatureEntry::new(wallet, MessageSignature::from_bytes([0x7e; 64]));
/// let signed = raw.with_signatures([entry])?;
/// assert_eq!(signed.transaction_text(), raw.transaction_text()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawTransaction {
    text: RawJson,
    /// The position of the transaction in the text, if there is one.
    transaction: Option<Range<usize>>,
}

impl RawTransaction {
    /// Reads a raw transaction from its text, such as a saved one.
    ///
    /// # Errors
    /// If it is not JSON.
    pub fn from_json(text: &str) -> Result<Self, InputError> {
        from_json(text.as_bytes())
    }

    /// Returns the whole response, byte for byte.
    #[must_use]
    pub fn text(&self) -> &RawJson {
        &self.text
    }

    /// Returns the text to be signed: the transaction, byte for byte.
    ///
    /// # Errors
    /// If the response has no transaction.
    pub fn transaction_text(&self) -> Result<&str, InputError> {
        let place = self.transaction.clone();
        place.and_then(|place| self.text.as_str().get(place)).ok_or_else(|| {
            InputError::new(
                "not a raw transaction: it has no member `transaction` that is an object, and is not \
                 a transaction itself",
            )
        })
    }

    /// Returns a typed view of the transaction.
    ///
    /// # Errors
    /// If the response has no transaction, or it does not have the documented form.
    pub fn transaction(&self) -> Result<Transaction, InputError> {
        from_json(self.transaction_text()?.as_bytes())
    }

    /// Returns the same transaction with another fee, written exactly as given. It is in base units
    /// of the transaction's currency.
    ///
    /// Nothing else in the text changes. Set the fee before you sign.
    ///
    /// # Errors
    /// If the transaction does not have exactly one `fee`.
    pub(crate) fn with_fee(&self, fee: &Amount) -> Result<Self, InputError> {
        self.with_member("fee", fee.as_str())
    }

    /// Returns the same transaction with another token for its fee.
    ///
    /// Nothing else in the text changes. Set the currency before you sign.
    ///
    /// # Errors
    /// If the transaction does not have exactly one `currency`.
    pub(crate) fn with_currency(&self, token_code: &str) -> Result<Self, InputError> {
        let text = serde_json::to_string(token_code)?;
        self.with_member("currency", &text)
    }

    /// Returns the same transaction with an empty `descr`.
    ///
    /// Nothing else in the text changes.
    ///
    /// # Errors
    /// If the transaction does not have exactly one `descr`.
    pub(crate) fn without_description(&self) -> Result<Self, InputError> {
        self.with_member("descr", "\"\"")
    }

    /// Returns the transaction with these signatures, ready to be submitted.
    ///
    /// An entry is a [`SignatureEntry`](crate::SignatureEntry), or any value that is serialized like
    /// one, such as the entries of `nodeproof-wallet`.
    ///
    /// # Errors
    /// If the response has no transaction, or an entry is not serialized as a signature.
    pub fn with_signatures<S: Serialize>(
        &self,
        signatures: impl IntoIterator<Item = S>,
    ) -> Result<SignedTransaction, InputError> {
        SignedTransaction::assemble(self.transaction_text()?, Vec::new(), signatures)
    }

    fn with_member(&self, name: &str, value: &str) -> Result<Self, InputError> {
        let transaction = self.transaction_text()?;
        let changed = edit::replace(transaction, name, value).ok_or_else(|| {
            InputError::new(format!(
                "not a raw transaction: its transaction has not exactly one `{name}`"
            ))
        })?;
        let mut text = self.text.as_str().to_owned();
        if let Some(place) = &self.transaction {
            text.replace_range(place.clone(), &changed);
        }
        Self::from_json(&text)
    }
}

impl From<RawJson> for RawTransaction {
    fn from(text: RawJson) -> Self {
        let transaction = place(text.as_str());
        Self { text, transaction }
    }
}

/// Returns the position of the transaction in a response.
fn place(text: &str) -> Option<Range<usize>> {
    if let Some(inner) = edit::find(text, "transaction") {
        let object = text
            .get(inner.clone())
            .is_some_and(|inner| inner.starts_with('{'));
        return object.then_some(inner);
    }
    // Without an outer object, the text must have these members of a transaction.
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
    fn keeps_every_byte_of_the_response() {
        let text = "{ \"transaction\" : {\"fee\":0.0, \"x\":\"\u{e9}\\u00e9\", \"n\":1E2},\"signatures\":[ ]}";
        let raw = RawTransaction::from_json(text).unwrap();
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
        let raw = RawTransaction::from_json(bare).unwrap();
        assert_eq!(raw.transaction_text().unwrap(), bare);
        let raw = raw.with_fee(&"7.50".parse().unwrap()).unwrap();
        assert!(raw.transaction_text().unwrap().ends_with(r#""fee":7.50}"#));
    }

    #[test]
    fn a_response_without_a_transaction_is_an_error_when_it_is_read() {
        for text in [
            "{}",
            "[]",
            "null",
            r#"{"transaction":null}"#,
            r#"{"transaction":"x","type":3,"specific_data":{}}"#,
        ] {
            let raw = RawTransaction::from_json(text).unwrap();
            assert!(raw.transaction_text().is_err(), "{text}");
            assert!(raw.with_signatures(NONE).is_err(), "{text}");
        }
        assert!(RawTransaction::from_json("{").is_err());
    }

    #[test]
    fn a_fee_that_is_there_twice_is_not_guessed_at() {
        let raw = RawTransaction::from_json(r#"{"transaction":{"fee":1,"fee":2}}"#).unwrap();
        let error = raw.with_fee(&1.into()).unwrap_err().to_string();
        assert_eq!(
            error,
            "not a raw transaction: its transaction has not exactly one `fee`"
        );
    }

    #[test]
    fn a_currency_is_written_as_json() {
        let raw = RawTransaction::from_json(r#"{"transaction":{"currency":"A"}}"#).unwrap();
        let raw = raw.with_currency("B\"").unwrap();
        assert_eq!(raw.transaction_text().unwrap(), r#"{"currency":"B\""}"#);
    }
}
