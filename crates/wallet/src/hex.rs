//! Hexadecimal text of a fixed length, without a prefix.

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
    if text.len() != 2 * N {
        if text.len() == 2 * N + 2 && without_prefix(text).len() == 2 * N {
            return Err(HexError::Prefix);
        }
        return Err(HexError::Length {
            wanted: 2 * N,
            found: text.chars().count(),
        });
    }
    let mut bytes = [0; N];
    for (index, pair) in text.as_bytes().chunks_exact(2).enumerate() {
        let nibble = |offset: usize| {
            char::from(pair[offset])
                .to_digit(16)
                .and_then(|digit| u8::try_from(digit).ok())
                .ok_or(HexError::Digit {
                    position: 2 * index + offset + 1,
                })
        };
        bytes[index] = nibble(0)? << 4 | nibble(1)?;
    }
    Ok(bytes)
}

/// Returns the text without a leading `0x`.
pub(crate) fn without_prefix(text: &str) -> &str {
    text.strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))
        .unwrap_or(text)
}

/// Appends bytes in lower-case hexadecimal.
pub(crate) fn encode_to(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.reserve(2 * bytes.len());
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

/// Writes bytes in lower-case hexadecimal.
pub(crate) fn write(bytes: &[u8], f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    let mut text = String::new();
    encode_to(bytes, &mut text);
    f.write_str(&text)
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
