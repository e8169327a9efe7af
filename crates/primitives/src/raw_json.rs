//! Unchanged JSON text.

use std::{fmt, str::FromStr};

#[cfg(feature = "schemars")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

/// A JSON value with its text unchanged, byte for byte.
///
/// Member order, spacing, the digits of numbers and duplicate members all stay. A text that will be
/// signed needs this. Two values are equal if their texts are equal. It can't be deserialized inside
/// a flattened or an untagged type.
///
/// ```
/// use nodeproof_primitives::{Integer, RawJson};
///
/// let list = RawJson::from_text("[1.0,  1E3]".to_owned())?;
/// assert_eq!(list.as_str(), "[1.0,  1E3]");
/// assert_eq!(list.decode::<Vec<Integer>>()?, [1, 1000]);
///
/// let missing = RawJson::from_value(&None::<Integer>)?;
/// assert!(missing.is_null());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Creates a value from a text. The text must be exactly one JSON value.
    ///
    /// # Errors
    /// If the text is not JSON. The error has the line and column.
    pub fn from_text(text: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text).map(Self)
    }

    /// Serializes a value as JSON, and stores that text.
    ///
    /// # Errors
    /// If the value can't be written as JSON, such as a map whose keys are not strings.
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// Returns the unchanged text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Deserializes the text. The text itself does not change.
    ///
    /// # Errors
    /// If the text does not have the form of `T`.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }

    /// Returns whether the value is JSON's `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.as_str() == "null"
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for RawJson {}

impl AsRef<str> for RawJson {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(value: Box<RawValue>) -> Self {
        Self(value)
    }
}

impl FromStr for RawJson {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_text(text.to_owned())
    }
}

impl fmt::Display for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Shows only the start of the text, to keep log lines short.
impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 120;
        let text = self.as_str();
        match text.char_indices().nth(SHOWN) {
            Some((end, _)) => {
                write!(
                    f,
                    "RawJson({:?}… {} bytes in all)",
                    &text[..end],
                    text.len()
                )
            }
            None => write!(f, "RawJson({text:?})"),
        }
    }
}

#[cfg(feature = "schemars")]
impl JsonSchema for RawJson {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RawJson".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "any JSON value, kept as it was written" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_survives_a_round_trip_byte_for_byte() {
        let text = r#"{ "b":1E3,"a" : 1.0, "b":12345678901234567890123,"é":"\u00e9"}"#;
        let raw: RawJson = serde_json::from_str(text).unwrap();
        assert_eq!(raw.as_str(), text);
        assert_eq!(serde_json::to_string(&raw).unwrap(), text);
    }

    #[test]
    fn debug_is_short_and_cuts_between_characters() {
        let raw = RawJson::from_value(&"é".repeat(1000)).unwrap();
        assert!(format!("{raw:?}").len() < 400);
    }

    #[test]
    fn rejects_text_that_is_not_one_value() {
        assert!(RawJson::from_text("{} {}".into()).is_err());
    }
}
