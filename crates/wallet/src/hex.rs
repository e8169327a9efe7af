//! Hexadecimal text of a fixed length, without a prefix.

use const_hex::FromHexError;

/// The text is not the expected number of bytes in hexadecimal.
///
/// The error contains the position of the fault, but never the text: it may be a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HexError {
    /// The text has too few or too many characters.
    #[error("{wanted} hexadecimal digits expected, {found} characters found")]
    Length {
        /// The expected number of digits.
        wanted: usize,
        /// The actual number of characters.
        found: usize,
    },
    /// The text begins with `0x`.
    #[error("the prefix 0x does not belong here: leave it out")]
    Prefix,
    /// A character is not a hexadecimal digit.
    #[error("character {position} is not a hexadecimal digit")]
    Digit {
        /// The character's position, counted from 1.
        position: usize,
    },
}

/// Parses `N` bytes, in upper or lower case.
pub(crate) fn decode<const N: usize>(text: &str) -> Result<[u8; N], HexError> {
    let digits = without_prefix(text);
    if digits.len() == 2 * N && digits.len() < text.len() {
        return Err(HexError::Prefix);
    }
    const_hex::decode_to_array(text).map_err(|error| match error {
        FromHexError::InvalidHexCharacter { index, .. } => HexError::Digit {
            position: index + 1,
        },
        _ => HexError::Length {
            wanted: 2 * N,
            found: text.chars().count(),
        },
    })
}

/// Returns the text without a leading `0x`.
pub(crate) fn without_prefix(text: &str) -> &str {
    text.strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_either_case_and_names_what_is_wrong() {
        assert_eq!(decode::<2>("aBf0"), Ok([0xab, 0xf0]));
        assert_eq!(
            decode::<2>("aBf"),
            Err(HexError::Length {
                wanted: 4,
                found: 3
            })
        );
        assert_eq!(decode::<2>("0xabf0"), Err(HexError::Prefix));
        assert_eq!(decode::<2>("ab+1"), Err(HexError::Digit { position: 3 }));
        assert_eq!(decode::<2>("aéb"), Err(HexError::Digit { position: 2 }));
    }
}
