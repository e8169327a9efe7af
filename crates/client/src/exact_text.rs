//! A value whose text is kept.

use std::{fmt, ops::Deref};

use nodeproof_primitives::RawJson;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _},
};

use crate::{from_json, json_text::text_in};

/// A value of a response, with its text.
///
/// A signature depends on the order of members and on how numbers are written. So the text is kept
/// byte for byte, and serialized unchanged. If the value is inside a string, the text is the content
/// of the string.
///
/// ```
/// use nodeproof_client::{Receipt, from_json};
///
/// let receipt: Receipt = from_json(br#"{"public_key": "02ab", "signature": "30c4", "data":
///     {"vote": 1, "block_index": 7, "timestamp": 1767225600000,
///      "block_hash": "21f7581d94352dd63d9f5b0c5a7800573aa405d3f97755d249fb0548ca68e1c7",
///      "wallet_address": "0xe8cf534e934cf1d5fb523b8c3134a501037d470e"}}"#)?;
/// assert_eq!(receipt.data.vote, 1);
/// assert!(receipt.data.text().starts_with(r#"{"vote": 1, "block_index": 7"#));
/// # Ok::<(), nodeproof_client::InputError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ExactText<T> {
    text: RawJson,
    value: T,
}

impl<T> ExactText<T> {
    /// Returns the text, byte for byte.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.as_str()
    }
}

/// The value.
impl<T> Deref for ExactText<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for ExactText<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<T> Serialize for ExactText<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for ExactText<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut text = RawJson::deserialize(deserializer)?;
        if let Some(inner) = text_in(text.as_str()) {
            text = inner.trim().parse().map_err(D::Error::custom)?;
        }
        match text.decode() {
            Ok(value) => Ok(Self { text, value }),
            Err(error) => {
                let place = from_json::first_mismatch::<T>(text.as_str().as_bytes(), &error);
                Err(D::Error::custom(place))
            }
        }
    }
}
