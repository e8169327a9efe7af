//! Transactions with their signatures.

use nodeproof_primitives::RawJson;
use serde::{Deserialize, Deserializer, Serialize, de};

use super::{SignatureEntry, Transaction, edit};
use crate::DecodeError;

/// A transaction with the signatures of its signers: the text that is submitted, byte for byte.
///
/// Source: the contract, "Transaction (body of `/submit-transaction`)".
///
/// ```
/// use nodeproof_client::{SignatureEntry, SignedTransaction};
///
/// let text = r#"{"transaction": {"fee": 1.50}, "signatures": [
///     {"wallet_address": "0xc8111e8386bed918b8068b3f719c53a2e76810c3", "msgsign": "30c4"}]}"#;
/// let signed = SignedTransaction::from_text(text)?;
/// assert_eq!(signed.text().as_str(), text);
/// assert_eq!(signed.transaction_text(), r#"{"fee": 1.50}"#);
/// assert_eq!(signed.transaction()?.fee()?.as_str(), "1.50");
/// assert_eq!(signed.signatures()?[0].msgsign.text(), "30c4");
///
/// let second = SignatureEntry {
///     wallet_address: "0xe8cf534e934cf1d5fb523b8c3134a501037d470e".parse()?,
///     msgsign: "7e01".parse()?,
/// };
/// let both = signed.and_signature(&second)?;
/// assert_eq!(both.signatures()?[1], second);
/// assert_eq!(both.transaction_text(), signed.transaction_text());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedTransaction {
    text: RawJson,
    transaction: std::ops::Range<usize>,
}

const WHAT: &str = "a signed transaction";

impl SignedTransaction {
    /// Reads a signed transaction from its text, such as a saved one.
    ///
    /// # Errors
    /// If it is not an object with an object `transaction` and an array `signatures`.
    pub fn from_text(text: &str) -> Result<Self, DecodeError> {
        let read = RawJson::from_text(text.to_owned());
        read.map_err(|source| DecodeError::new(WHAT, text.as_bytes(), source))
            .and_then(Self::check)
    }

    /// Returns the text that is submitted.
    #[must_use]
    pub fn text(&self) -> &RawJson {
        &self.text
    }

    /// Returns the signed text: the transaction, byte for byte.
    #[must_use]
    pub fn transaction_text(&self) -> &str {
        self.text
            .as_str()
            .get(self.transaction.clone())
            .unwrap_or_default()
    }

    /// Returns a typed view of the transaction.
    ///
    /// # Errors
    /// Never, because the constructor checks that the transaction is an object.
    pub fn transaction(&self) -> Result<Transaction, DecodeError> {
        Transaction::from_text(self.transaction_text())
    }

    /// Returns the signatures.
    ///
    /// # Errors
    /// If one of them is not a wallet address with a hexadecimal signature.
    pub fn signatures(&self) -> Result<Vec<SignatureEntry>, DecodeError> {
        serde_json::from_str(self.signatures_text())
            .map_err(|error| DecodeError::because("a list of signatures", &error.to_string()))
    }

    /// Returns the same transaction with one more signature. The earlier ones do not change.
    ///
    /// # Errors
    /// If the entry is not serialized as a signature.
    pub fn and_signature(&self, entry: &impl Serialize) -> Result<Self, DecodeError> {
        let earlier: Vec<RawJson> = serde_json::from_str(self.signatures_text())
            .map_err(|error| DecodeError::because(WHAT, &error.to_string()))?;
        let entry = checked(entry)?;
        Self::assembled(self.transaction_text(), earlier.into_iter().chain([entry]))
    }

    /// Combines a transaction's text with signatures.
    pub(super) fn assemble<S: Serialize>(
        transaction: &str,
        signatures: impl IntoIterator<Item = S>,
    ) -> Result<Self, DecodeError> {
        let entries = signatures.into_iter().map(|entry| checked(&entry));
        Self::assembled(transaction, entries.collect::<Result<Vec<_>, _>>()?)
    }

    fn assembled(
        transaction: &str,
        entries: impl IntoIterator<Item = RawJson>,
    ) -> Result<Self, DecodeError> {
        let entries: Vec<String> = entries.into_iter().map(|entry| entry.to_string()).collect();
        let entries = entries.join(",");
        Self::from_text(&format!(
            r#"{{"transaction":{transaction},"signatures":[{entries}]}}"#
        ))
    }

    fn signatures_text(&self) -> &str {
        let text = self.text.as_str();
        edit::find(text, "signatures")
            .and_then(|place| text.get(place))
            .unwrap_or("[]")
    }

    fn check(text: RawJson) -> Result<Self, DecodeError> {
        let member = |name: &str, opening: char| {
            edit::find(text.as_str(), name).filter(|place| {
                text.as_str()
                    .get(place.clone())
                    .is_some_and(|t| t.starts_with(opening))
            })
        };
        let Some(transaction) = member("transaction", '{') else {
            return Err(DecodeError::because(
                WHAT,
                "it has no member `transaction` that is an object",
            ));
        };
        if member("signatures", '[').is_none() {
            return Err(DecodeError::because(
                WHAT,
                "it has no member `signatures` that is an array",
            ));
        }
        Ok(Self { text, transaction })
    }
}

/// Returns an entry's text, if it is that of a signature.
fn checked(entry: &impl Serialize) -> Result<RawJson, DecodeError> {
    const ENTRY: &str = "a signature";
    let text = RawJson::from_value(entry)
        .map_err(|error| DecodeError::because(ENTRY, &error.to_string()))?;
    match text.decode::<SignatureEntry>() {
        Ok(_) => Ok(text),
        Err(error) => Err(DecodeError::because(ENTRY, &error.to_string())),
    }
}

impl Serialize for SignedTransaction {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SignedTransaction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawJson::deserialize(deserializer)
            .and_then(|text| Self::check(text).map_err(de::Error::custom))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{\"signatures\" : [ {\"wallet_address\":\"0xc8111e8386bed918b8068b3f719c53a2e76810c3\",\"msgsign\":\"aB\"} ],\n \"transaction\":{\"fee\":1.50}, \"more\":1}";

    #[test]
    fn what_is_submitted_is_the_text_that_was_given() {
        let signed = SignedTransaction::from_text(TEXT).unwrap();
        assert_eq!(serde_json::to_string(&signed).unwrap(), TEXT);
        assert_eq!(
            serde_json::to_string(&vec![&signed]).unwrap(),
            format!("[{TEXT}]")
        );
        assert_eq!(signed.transaction_text(), "{\"fee\":1.50}");
    }

    #[test]
    fn another_signer_leaves_the_first_one_alone() {
        let signed = SignedTransaction::from_text(TEXT).unwrap();
        let entry = SignatureEntry {
            wallet_address: "0xe8cf534e934cf1d5fb523b8c3134a501037d470e"
                .parse()
                .unwrap(),
            msgsign: "01".parse().unwrap(),
        };
        let both = signed.and_signature(&entry).unwrap();
        assert_eq!(both.transaction_text(), signed.transaction_text());
        let signatures = both.signatures().unwrap();
        assert_eq!(signatures[0].msgsign.text(), "aB");
        assert_eq!(signatures[1], entry);
        assert_eq!(signatures.len(), 2);
        assert!(
            both.and_signature(&"ab")
                .unwrap_err()
                .to_string()
                .starts_with("not a signature")
        );
    }

    #[test]
    fn rejects_what_is_not_submitted_like_that() {
        for text in [
            "",
            "{}",
            "[]",
            r#"{"transaction":{}}"#,
            r#"{"transaction":[],"signatures":[]}"#,
            r#"{"transaction":{},"signatures":{}}"#,
            r#"{"transaction":{},"signatures":[]} x"#,
        ] {
            assert!(SignedTransaction::from_text(text).is_err(), "{text}");
        }
    }
}
