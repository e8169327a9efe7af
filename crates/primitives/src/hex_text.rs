//! Hexadecimal text of any length.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::MessageSignature;

/// Hexadecimal text of a length that the specification does not show: a public key or a signature.
///
/// The text stays as written. Equality ignores the difference between upper and lower case.
///
/// Source: FORM-6 of the specification.
///
/// ```
/// use nodeproof_primitives::HexText;
///
/// let key: HexText = "aBcD".parse()?;
/// assert_eq!(key.as_str(), "aBcD");
/// assert_eq!(key.to_bytes(), Some(vec![0xab, 0xcd]));
/// assert_eq!(key, HexText::from_bytes(&[0xab, 0xcd])?);
/// # Ok::<(), nodeproof_primitives::ParseHexTextError>(())
/// ```
#[derive(Clone)]
pub struct HexText(Box<str>);

/// Text that is not hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseHexTextError {
    /// The text is empty.
    #[error("expected hexadecimal text, found an empty text")]
    Empty,
    /// A character is not a hexadecimal digit.
    #[error("hexadecimal text has {found:?} at character {position}")]
    Digit {
        /// The character.
        found: char,
        /// The character's position, counted from 1.
        position: usize,
    },
}

impl HexText {
    /// Creates the hexadecimal text of bytes, in lower case.
    ///
    /// # Errors
    /// If there are no bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParseHexTextError> {
        const_hex::encode(bytes).parse()
    }

    /// Returns the unchanged text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the bytes, or `None` if the number of digits is odd.
    #[must_use]
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        const_hex::decode(&*self.0).ok()
    }
}

impl From<MessageSignature> for HexText {
    fn from(signature: MessageSignature) -> Self {
        Self(signature.to_string().into())
    }
}

impl FromStr for HexText {
    type Err = ParseHexTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Err(ParseHexTextError::Empty);
        }
        // A block has thousands of these. A loop that never ends early is several times as fast.
        if text
            .bytes()
            .fold(true, |valid, byte| valid & byte.is_ascii_hexdigit())
        {
            return Ok(Self(text.into()));
        }
        let mut characters = text.chars().enumerate();
        match characters.find(|(_, character)| !character.is_ascii_hexdigit()) {
            None => Ok(Self(text.into())),
            Some((index, found)) => Err(ParseHexTextError::Digit {
                found,
                position: index + 1,
            }),
        }
    }
}

impl PartialEq for HexText {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for HexText {}

impl fmt::Display for HexText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for HexText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HexText({})", self.0)
    }
}

impl Serialize for HexText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for HexText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl de::Visitor<'_> for Text {
            type Value = HexText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("hexadecimal text")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<HexText, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_text_and_compares_without_upper_and_lower_case() {
        let text: HexText = "aBcD".parse().unwrap();
        assert_eq!(text.as_str(), "aBcD");
        assert_eq!(text, "ABCD".parse().unwrap());
        assert_eq!(text.to_bytes(), Some(vec![0xab, 0xcd]));
        assert_eq!(HexText::from_bytes(&[0xab, 0xcd]).unwrap(), text);
        assert_eq!("abc".parse::<HexText>().unwrap().to_bytes(), None);
        assert_eq!(serde_json::to_string(&text).unwrap(), "\"aBcD\"");
    }

    #[test]
    fn rejects_other_text_and_names_the_place() {
        assert_eq!("".parse::<HexText>(), Err(ParseHexTextError::Empty));
        assert_eq!(
            "ab\u{e9}".parse::<HexText>(),
            Err(ParseHexTextError::Digit {
                found: '\u{e9}',
                position: 3
            })
        );
    }
}
