//! Addresses, hashes, codes and signatures: a fixed number of bytes in hexadecimal.

use std::{fmt, str::FromStr};

#[cfg(feature = "schemars")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The text is not an address, a hash or a code of the expected form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseHexError {
    /// The text does not begin with the prefix of its kind. Check that it is not another kind of
    /// value. Write it as `form` shows.
    #[error("{kind} begins with {prefix:?}, but this is {found:?}; it has the form {form}")]
    Prefix {
        /// The expected kind of value, such as "a wallet address".
        kind: &'static str,
        /// The expected prefix.
        prefix: &'static str,
        /// The start of the actual text.
        found: String,
        /// The expected form in words.
        form: &'static str,
    },
    /// The text has too few or too many hexadecimal digits. Copy the whole value again.
    #[error("{kind} has {wanted} hexadecimal digits, but this has {found}; it has the form {form}")]
    Length {
        /// The expected kind of value, such as "a wallet address".
        kind: &'static str,
        /// The expected number of digits.
        wanted: usize,
        /// The actual number of characters.
        found: usize,
        /// The expected form in words.
        form: &'static str,
    },
    /// A character is not a hexadecimal digit, or is in upper case where only lower case is allowed.
    #[error("{kind} has {found:?} at character {position}; it has the form {form}")]
    Digit {
        /// The expected kind of value, such as "a wallet address".
        kind: &'static str,
        /// The character.
        found: char,
        /// The character's position, counted from 1 and including the prefix.
        position: usize,
        /// The expected form in words.
        form: &'static str,
    },
}

/// The properties of a kind of hexadecimal value.
struct Form {
    kind: &'static str,
    prefix: &'static str,
    upper_case: bool,
    words: &'static str,
}

fn decode<const N: usize>(text: &str, form: &Form) -> Result<[u8; N], ParseHexError> {
    let Some(digits) = text.strip_prefix(form.prefix) else {
        return Err(ParseHexError::Prefix {
            kind: form.kind,
            prefix: form.prefix,
            found: text.chars().take(8).collect(),
            form: form.words,
        });
    };
    decode_plain(text, form).ok_or_else(|| explain(digits, N, form))
}

/// Decodes a text with the right form. Works at compile time, too.
#[expect(
    clippy::indexing_slicing,
    reason = "the places are within the text, and iterators do not work at compile time"
)]
const fn decode_plain<const N: usize>(text: &str, form: &Form) -> Option<[u8; N]> {
    let (text, prefix) = (text.as_bytes(), form.prefix.as_bytes());
    if text.len() != prefix.len() + 2 * N {
        return None;
    }
    let mut at = 0;
    while at < text.len() {
        let is_right = match at < prefix.len() {
            true => text[at] == prefix[at],
            false => form.upper_case || !text[at].is_ascii_uppercase(),
        };
        if !is_right {
            return None;
        }
        at += 1;
    }
    match const_hex::const_decode_to_array(text.split_at(prefix.len()).1) {
        Ok(bytes) => Some(bytes),
        Err(_) => None,
    }
}

/// Returns the first fault of `digits`. Call it only if there is one.
fn explain(digits: &str, bytes: usize, form: &Form) -> ParseHexError {
    let is_digit = |character: char| {
        character.is_ascii_hexdigit() && (form.upper_case || !character.is_ascii_uppercase())
    };
    let mut characters = digits.chars().enumerate();
    let offender = characters.find(|(_, character)| !is_digit(*character));
    match offender {
        Some((index, found)) => ParseHexError::Digit {
            kind: form.kind,
            found,
            position: form.prefix.len() + index + 1,
            form: form.words,
        },
        None => ParseHexError::Length {
            kind: form.kind,
            wanted: 2 * bytes,
            found: digits.chars().count(),
            form: form.words,
        },
    }
}

macro_rules! fixed_hex {
    ($(#[$doc:meta])* $name:ident, $bytes:literal, $kind:literal, $prefix:literal, $upper_case:literal, $words:literal, $pattern:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name([u8; $bytes]);

        impl $name {
            const FORM: Form =
                Form { kind: $kind, prefix: $prefix, upper_case: $upper_case, words: $words };

            /// Creates the value from its bytes.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; $bytes]) -> Self {
                Self(bytes)
            }

            /// Creates the value from its text, also at compile time. Returns `None` if the text
            /// has another form. [`FromStr`] has an error that names the first fault.
            #[must_use]
            pub const fn from_text(text: &str) -> Option<Self> {
                match decode_plain(text, &Self::FORM) {
                    Some(bytes) => Some(Self(bytes)),
                    None => None,
                }
            }

            /// Returns the bytes, without the prefix.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; $bytes] {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = ParseHexError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                decode(text, &Self::FORM).map(Self)
            }
        }

        impl TryFrom<&str> for $name {
            type Error = ParseHexError;

            fn try_from(text: &str) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($prefix)?;
                f.write_str(const_hex::Buffer::<$bytes>::new().format(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;

                impl de::Visitor<'_> for Text {
                    type Value = $name;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($words)
                    }

                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(E::custom)
                    }
                }

                deserializer.deserialize_str(Text)
            }
        }

        #[cfg(feature = "schemars")]
        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": $pattern, "description": $words })
            }
        }
    };
}

fixed_hex! {
    /// The address of a wallet: `0x` and 40 lower-case hexadecimal digits.
    ///
    /// Source: FORM-2 of the specification.
    ///
    /// ```
    /// use nodeproof_primitives::WalletAddress;
    ///
    /// let wallet = WalletAddress::from_bytes([0xa1; 20]);
    /// assert_eq!(wallet.as_bytes(), &[0xa1; 20]);
    /// assert_eq!(wallet.to_string(), format!("0x{}", "a1".repeat(20)));
    /// assert_eq!(WalletAddress::from_text(&wallet.to_string()), Some(wallet));
    /// assert_eq!(WalletAddress::from_text("0xa1"), None);
    /// ```
    WalletAddress, 20, "a wallet address", "0x", false,
    "0x followed by 40 lower-case hexadecimal digits", "^0x[0-9a-f]{40}$"
}

fixed_hex! {
    /// The address of a deployed contract: `ct` and 40 lower-case hexadecimal digits.
    ///
    /// Source: FORM-3 and RECORD-3 of the specification.
    ContractAddress, 20, "a contract address", "ct", false,
    "ct followed by 40 lower-case hexadecimal digits", "^ct[0-9a-f]{40}$"
}

fixed_hex! {
    /// A hash of 32 bytes: 64 hexadecimal digits.
    ///
    /// Accepts upper and lower case, because the specification leaves it open. Writes lower case.
    /// Source: FORM-4 of the specification.
    Hash256, 32, "a hash", "", true,
    "64 hexadecimal digits", "^[0-9a-fA-F]{64}$"
}

fixed_hex! {
    /// The identifier of a transaction: 40 hexadecimal digits.
    ///
    /// Accepts upper and lower case, because the specification leaves it open. Writes lower case.
    /// Source: FORM-5 of the specification.
    TransactionCode, 20, "a transaction code", "", true,
    "40 hexadecimal digits", "^[0-9a-fA-F]{40}$"
}

fixed_hex! {
    /// A signature over a message: the 64 bytes of r and s, as 128 hexadecimal digits.
    ///
    /// This type checks only the form. `nodeproof-wallet` verifies signatures. Accepts
    /// upper and lower case. Writes lower case.
    /// Source: observed, "64 bytes r‖s, hex".
    MessageSignature, 64, "a signature", "", true,
    "128 hexadecimal digits, r and then s", "^[0-9a-fA-F]{128}$"
}

#[cfg(test)]
mod tests {
    use super::*;

    const WALLET: &str = "0x00112233445566778899aabbccddeeff00112233";

    #[test]
    fn an_address_is_written_as_it_was_read() {
        let address: WalletAddress = serde_json::from_str(&format!("{WALLET:?}")).unwrap();
        assert_eq!(address.to_string(), WALLET);
        assert_eq!(
            serde_json::to_string(&address).unwrap(),
            format!("{WALLET:?}")
        );
        assert_eq!(address.as_bytes()[1], 0x11);
    }

    #[test]
    fn rejects_upper_case_in_an_address_and_names_the_place() {
        let error = WALLET
            .replace("aa", "aA")
            .parse::<WalletAddress>()
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "a wallet address has 'A' at character 24; it has the form 0x followed by 40 \
             lower-case hexadecimal digits"
        );
    }

    #[test]
    fn rejects_a_wallet_where_a_contract_is_meant() {
        let error = WALLET.parse::<ContractAddress>().unwrap_err();
        assert!(
            matches!(error, ParseHexError::Prefix { prefix: "ct", .. }),
            "{error}"
        );
    }

    #[test]
    fn rejects_a_wrong_length_and_counts_the_digits() {
        let error = WALLET[..40].parse::<WalletAddress>().unwrap_err();
        assert!(
            matches!(
                error,
                ParseHexError::Length {
                    wanted: 40,
                    found: 38,
                    ..
                }
            ),
            "{error}"
        );
    }

    #[test]
    fn rejects_digits_beyond_ascii_without_a_panic() {
        let text = format!("0x{}", "é".repeat(20));
        assert!(matches!(
            text.parse::<WalletAddress>(),
            Err(ParseHexError::Digit { .. })
        ));
    }

    #[test]
    fn constants_are_the_values_of_their_texts() {
        const ALICE: WalletAddress =
            crate::wallet_address!("0x00112233445566778899aabbccddeeff00112233");
        const CONTRACT: ContractAddress =
            crate::contract_address!("ct00112233445566778899aabbccddeeff00112233");
        assert_eq!(ALICE.to_string(), WALLET);
        assert_eq!(CONTRACT.to_string(), WALLET.replace("0x", "ct"));
        let upper = WALLET.to_uppercase();
        for text in [
            "",
            "0x",
            &WALLET[..41],
            &upper,
            "ct00112233445566778899aabbccddeeff00112233",
        ] {
            assert_eq!(WalletAddress::from_text(text), None, "{text}");
        }
    }

    #[test]
    fn a_hash_is_read_in_either_case() {
        let upper = "AB".repeat(32).parse::<Hash256>().unwrap();
        assert_eq!(upper, "ab".repeat(32).parse().unwrap());
    }
}
