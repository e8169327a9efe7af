//! Hexadecimal text of any length.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Hexadecimal text of a length that the contract does not show: a public key or a signature.
///
/// It is kept in the case in which it came. Equality is by value, whatever the case.
///
/// Source: the contract, "`public_key` … hexadecimal", "`msgsign` … hexadecimal".
#[derive(Clone)]
pub struct HexText(Box<str>);

/// Text that is not hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseHexTextError {
    /// There is nothing.
    #[error("hexadecimal text belongs here, and this is empty")]
    Empty,
    /// A character is no hexadecimal digit.
    #[error("hexadecimal text has {found:?} at character {position}")]
    Digit {
        /// The character.
        found: char,
        /// Where it stands, counted from 1.
        position: usize,
    },
}

impl HexText {
    /// The hexadecimal text of bytes, in lower case.
    ///
    /// # Errors
    /// If there are no bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ParseHexTextError> {
        use fmt::Write;

        let mut text = String::with_capacity(bytes.len() * 2);
        for byte in bytes {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
        }
        text.parse()
    }

    /// The text, if it has digits and nothing else.
    pub(crate) fn of_digits(text: &str) -> Option<Self> {
        let good = crate::decode::all_hex(text.as_bytes(), true);
        (good && !text.is_empty()).then(|| Self(text.into()))
    }

    /// The text as it came.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The bytes; `None` if there is half a byte in it.
    #[must_use]
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        if !self.0.len().is_multiple_of(2) {
            return None;
        }
        let pairs = self.0.as_bytes().chunks_exact(2);
        pairs
            .map(|pair| {
                let pair = std::str::from_utf8(pair).ok()?;
                u8::from_str_radix(pair, 16).ok()
            })
            .collect()
    }
}

impl FromStr for HexText {
    type Err = ParseHexTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Err(ParseHexTextError::Empty);
        }
        if let Some(digits) = Self::of_digits(text) {
            return Ok(digits);
        }
        let offender = text
            .chars()
            .enumerate()
            .find(|(_, digit)| !digit.is_ascii_hexdigit());
        let (index, found) = offender.unwrap_or_default();
        Err(ParseHexTextError::Digit {
            found,
            position: index + 1,
        })
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
    fn keeps_its_case_and_compares_without_it() {
        let text: HexText = "aBcD".parse().unwrap();
        assert_eq!(text.as_str(), "aBcD");
        assert_eq!(text, "ABCD".parse().unwrap());
        assert_eq!(text.to_bytes(), Some(vec![0xab, 0xcd]));
        assert_eq!(HexText::from_bytes(&[0xab, 0xcd]).unwrap(), text);
        assert_eq!("abc".parse::<HexText>().unwrap().to_bytes(), None);
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
