//! Hexadecimal text of any length.

use std::{borrow::Cow, fmt, str::FromStr};

use nodeproof_primitives::MessageSignature;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::decode::{all_hex, hex_bytes};

/// Hexadecimal text of a length that the contract does not show: a public key or a signature.
///
/// The case of the digits does not change. Equality is by value, whatever the case.
///
/// Source: the contract, "`public_key` … hexadecimal", "`msgsign` … hexadecimal".
///
/// ```
/// use nodeproof_client::HexText;
///
/// let key: HexText = "aBcD".parse()?;
/// assert_eq!(key.text(), "aBcD");
/// assert_eq!(key.to_bytes(), Some(vec![0xab, 0xcd]));
/// assert_eq!(key, HexText::from_bytes(&[0xab, 0xcd])?);
/// # Ok::<(), nodeproof_client::ParseHexTextError>(())
/// ```
#[derive(Clone)]
pub struct HexText(Repr);

#[derive(Clone)]
enum Repr {
    /// 128 digits in lower case. Public keys and signatures were seen to have this form, and large
    /// blocks have many of them.
    Lower64([u8; 64]),
    Text(Box<str>),
}

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
        lower(bytes).parse()
    }

    /// Creates the text, if it has only digits.
    pub(crate) fn of_digits(text: &str) -> Option<Self> {
        if let Ok(digits) = <&[u8; 128]>::try_from(text.as_bytes())
            && let Some(bytes) = hex_bytes(digits, false)
        {
            return Some(Self(Repr::Lower64(bytes)));
        }
        let good = all_hex(text.as_bytes(), true);
        (good && !text.is_empty()).then(|| Self(Repr::Text(text.into())))
    }

    /// Returns the unchanged text.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Lower64(bytes) => Cow::Owned(lower(bytes)),
            Repr::Text(text) => Cow::Borrowed(text),
        }
    }

    /// Returns the bytes, or `None` if the number of digits is odd.
    #[must_use]
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let text = match &self.0 {
            Repr::Lower64(bytes) => return Some(bytes.to_vec()),
            Repr::Text(text) if !text.len().is_multiple_of(2) => return None,
            Repr::Text(text) => text.as_bytes(),
        };
        text.chunks_exact(2)
            .map(|pair| {
                let pair = std::str::from_utf8(pair).ok()?;
                u8::from_str_radix(pair, 16).ok()
            })
            .collect()
    }
}

impl From<MessageSignature> for HexText {
    fn from(signature: MessageSignature) -> Self {
        Self(Repr::Lower64(*signature.as_bytes()))
    }
}

fn lower(bytes: &[u8]) -> String {
    use fmt::Write;

    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
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
        match (&self.0, &other.0) {
            (Repr::Lower64(left), Repr::Lower64(right)) => left == right,
            _ => self.text().eq_ignore_ascii_case(&other.text()),
        }
    }
}

impl Eq for HexText {}

impl fmt::Display for HexText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text())
    }
}

impl fmt::Debug for HexText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HexText({})", self.text())
    }
}

impl Serialize for HexText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
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
        assert_eq!(text.text(), "aBcD");
        assert_eq!(text, "ABCD".parse().unwrap());
        assert_eq!(text.to_bytes(), Some(vec![0xab, 0xcd]));
        assert_eq!(HexText::from_bytes(&[0xab, 0xcd]).unwrap(), text);
        assert_eq!("abc".parse::<HexText>().unwrap().to_bytes(), None);
    }

    #[test]
    fn what_public_keys_look_like_is_the_same_text_as_any_other() {
        let lower = "0123456789abcdef".repeat(8);
        let (short, long) = (&lower[2..], format!("{lower}ab"));
        for text in [&*lower, &lower.to_uppercase(), short, &long] {
            let read: HexText = text.parse().unwrap();
            assert_eq!(read.to_string(), text);
            assert_eq!(serde_json::to_string(&read).unwrap(), format!("{text:?}"));
            assert_eq!(read, text.to_lowercase().parse().unwrap());
            assert_eq!(read.to_bytes().unwrap()[..2], {
                u16::from_str_radix(&text[..4], 16).unwrap().to_be_bytes()
            });
        }
        let other: HexText = lower.replacen('0', "1", 1).parse().unwrap();
        assert_ne!(lower.parse::<HexText>().unwrap(), other);
        assert!(lower.replacen('0', "g", 1).parse::<HexText>().is_err());
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
