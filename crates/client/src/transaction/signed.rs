//! Transactions with their signatures.

use nodeproof_primitives::RawJson;
use serde::{Deserialize, Deserializer, Serialize, de};

use super::edit;
use crate::{InputError, SignatureEntry, Transaction, from_json};

/// A transaction with the signatures of its signers: the text that is submitted, byte for byte.
///
/// Source: SUBMIT-2 and TX-1 to TX-11 of the specification.
///
/// ```
/// use nodeproof_client::{SignatureEntry, SignedTransaction, MessageSignature};
///
/// let text = r#"{"transaction": {"fee": 1.50}, "signatures": [
///     {"wallet_address": "0xc8111e8386bed918b8068b3f719c53a2e76810c3", "msgsign": "30c4"}]}"#;
/// let signed = SignedTransaction::from_json(text)?;
/// assert_eq!(signed.text().as_str(), text);
/// assert_eq!(signed.transaction_text(), r#"{"fee": 1.50}"#);
/// assert_eq!(signed.signatures()?[0].msgsign.as_str(), "30c4");
///
/// let wallet = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e".parse()?;
/// let second = SignatureEntry::new(wallet, MessageSignature::from_bytes([0x7e; 64]));
/// let both = signed.with_signatures([&second])?;
/// assert_eq!(both.signatures()?[1], second);
/// assert_eq!(both.transaction_text(), signed.transaction_text());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedTransaction {
    text: RawJson,
    transaction: std::ops::Range<usize>,
}

impl SignedTransaction {
    /// Reads a signed transaction from its text, such as a saved one.
    ///
    /// # Errors
    /// If it is not an object with an object `transaction` and an array `signatures`.
    pub fn from_json(text: &str) -> Result<Self, InputError> {
        from_json::<RawJson>(text.as_bytes()).and_then(Self::check)
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
    /// If it does not have the documented form.
    pub fn transaction(&self) -> Result<Transaction, InputError> {
        from_json(self.transaction_text().as_bytes())
    }

    /// Returns the signatures.
    ///
    /// # Errors
    /// If one of them is not a wallet address with a hexadecimal signature.
    pub fn signatures(&self) -> Result<Vec<SignatureEntry>, InputError> {
        from_json(self.signatures_text().as_bytes())
    }

    /// Returns the same transaction with one more signature. The earlier ones do not change.
    ///
    /// # Errors
    /// If the entry is not serialized as a signature.
    pub fn with_signatures<S: Serialize>(
        &self,
        signatures: impl IntoIterator<Item = S>,
    ) -> Result<Self, InputError> {
        let earlier = from_json(self.signatures_text().as_bytes())?;
        Self::assemble(self.transaction_text(), earlier, signatures)
    }

    /// Combines a transaction's text with earlier and new signatures.
    pub(super) fn assemble<S: Serialize>(
        transaction: &str,
        earlier: Vec<RawJson>,
        signatures: impl IntoIterator<Item = S>,
    ) -> Result<Self, InputError> {
        let mut entries = earlier;
        for entry in signatures {
            entries.push(checked(&entry)?);
        }
        let entries: Vec<&str> = entries.iter().map(RawJson::as_str).collect();
        let entries = entries.join(",");
        Self::from_json(&format!(
            r#"{{"transaction":{transaction},"signatures":[{entries}]}}"#
        ))
    }

    fn signatures_text(&self) -> &str {
        let text = self.text.as_str();
        edit::find(text, "signatures")
            .and_then(|place| text.get(place))
            .unwrap_or("[]")
    }

    fn check(text: RawJson) -> Result<Self, InputError> {
        let member = |name: &str, opening: char| {
            edit::find(text.as_str(), name).filter(|place| {
                text.as_str()
                    .get(place.clone())
                    .is_some_and(|t| t.starts_with(opening))
            })
        };
        let Some(transaction) = member("transaction", '{') else {
            return Err(InputError::new(
                "not a signed transaction: it has no member `transaction` that is an object",
            ));
        };
        if member("signatures", '[').is_none() {
            return Err(InputError::new(
                "not a signed transaction: it has no member `signatures` that is an array",
            ));
        }
        Ok(Self { text, transaction })
    }
}

/// Returns an entry's text, if it is that of a signature.
fn checked(entry: &impl Serialize) -> Result<RawJson, InputError> {
    let text = RawJson::from_value(entry)?;
    match from_json::<SignatureEntry>(text.as_str().as_bytes()) {
        Ok(_) => Ok(text),
        Err(fault) => Err(InputError::new(format!("not a signature: {fault}"))),
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
        let signed = SignedTransaction::from_json(TEXT).unwrap();
        assert_eq!(serde_json::to_string(&signed).unwrap(), TEXT);
        assert_eq!(
            serde_json::to_string(&vec![&signed]).unwrap(),
            format!("[{TEXT}]")
        );
        assert_eq!(signed.transaction_text(), "{\"fee\":1.50}");
    }

    #[test]
    fn another_signer_leaves_the_first_one_alone() {
        let signed = SignedTransaction::from_json(TEXT).unwrap();
        let entry = SignatureEntry {
            wallet_address: "0xe8cf534e934cf1d5fb523b8c3134a501037d470e"
                .parse()
                .unwrap(),
            msgsign: "01".parse().unwrap(),
            extra: serde_json::Map::new(),
        };
        let both = signed.with_signatures([&entry]).unwrap();
        assert_eq!(both.transaction_text(), signed.transaction_text());
        let signatures = both.signatures().unwrap();
        assert_eq!(signatures[0].msgsign.as_str(), "aB");
        assert_eq!(signatures[1], entry);
        assert_eq!(signatures.len(), 2);
        assert!(
            both.with_signatures(["ab"])
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
            assert!(SignedTransaction::from_json(text).is_err(), "{text}");
        }
    }
}
