//! Amounts of a token in whole tokens, for people.

use crate::{Integer, amount::Normal};

/// The number of decimals of a token. One whole token is ten to that power of base units.
///
/// Balances, fees and amounts in the API are in base units. The API does not return a token's
/// decimals: its users agree on them.
///
/// ```
/// use nodeproof_primitives::TokenDecimals;
///
/// const DECIMALS: TokenDecimals = TokenDecimals::new(6);
///
/// let base_units = DECIMALS.parse("1.25")?;
/// assert_eq!(base_units, 1_250_000);
/// assert_eq!(DECIMALS.format(base_units), "1.25");
/// assert_eq!(DECIMALS.get(), 6);
/// # Ok::<(), nodeproof_primitives::ParseTokensError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenDecimals(u8);

/// The text is not a number of tokens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseTokensError {
    /// The text is not a decimal number. Give digits with an optional point, such as `1.25`.
    #[error("{found:?} is not a number of tokens, such as 12 or 1.25")]
    NotANumber {
        /// The start of the text.
        found: String,
    },
    /// The number has a fraction of a base unit, or is beyond 128 bits in base units. Give at most
    /// `decimals` digits after the point.
    #[error(
        "{found:?} has more than {decimals} decimals, the number that the token has, or is beyond 128 \
         bits in its smallest unit"
    )]
    OutOfRange {
        /// The start of the text.
        found: String,
        /// The number of decimals of the token.
        decimals: u8,
    },
}

impl TokenDecimals {
    /// Creates the converter for a token with this many decimals.
    #[must_use]
    pub const fn new(decimals: u8) -> Self {
        Self(decimals)
    }

    /// Returns the number of decimals.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Writes an amount of base units as a number of whole tokens, without unnecessary zeros.
    #[must_use]
    pub fn format(self, base_units: Integer) -> String {
        let sign = if base_units.is_negative() { "-" } else { "" };
        let decimals = usize::from(self.0);
        let text = base_units.get().unsigned_abs();
        let padded = format!("{text:0>width$}", width = decimals + 1);
        let (whole, fraction) = padded.split_at(padded.len() - decimals);
        match fraction.trim_end_matches('0') {
            "" => format!("{sign}{whole}"),
            fraction => format!("{sign}{whole}.{fraction}"),
        }
    }

    /// Parses a number of whole tokens, and returns it in base units.
    ///
    /// # Errors
    /// If the text is not a decimal number, has more decimals than the token, or is beyond 128 bits in
    /// base units.
    pub fn parse(self, tokens: &str) -> Result<Integer, ParseTokensError> {
        let found = || tokens.chars().take(40).collect();
        let number =
            Normal::parse(tokens).ok_or_else(|| ParseTokensError::NotANumber { found: found() })?;
        let base_units = number.integer(self.0);
        base_units
            .map(Integer::from)
            .ok_or_else(|| ParseTokensError::OutOfRange {
                found: found(),
                decimals: self.0,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_base_units_agree_both_ways() {
        for (decimals, base_units, tokens) in [
            (6, "1500000", "1.5"),
            (6, "1", "0.000001"),
            (6, "0", "0"),
            (6, "-1", "-0.000001"),
            (6, "-2000000", "-2"),
            (0, "7", "7"),
            (
                18,
                "9007199254740993000000000001",
                "9007199254.740993000000000001",
            ),
            (255, "5", &format!("0.{}5", "0".repeat(254))),
        ] {
            let helper = TokenDecimals::new(decimals);
            let units: Integer = base_units.parse().unwrap();
            assert_eq!(helper.format(units), tokens);
            assert_eq!(helper.parse(tokens), Ok(units), "{tokens}");
        }
        let two = TokenDecimals::new(2);
        for (text, units) in [
            ("1e3", 100_000),
            ("12.30000", 1230),
            ("-0", 0),
            ("0.10", 10),
        ] {
            assert_eq!(two.parse(text).unwrap(), units, "{text}");
        }
    }

    #[test]
    fn rejects_what_is_no_whole_number_of_base_units() {
        let two = TokenDecimals::new(2);
        for text in ["0.001", "1.005", "1e-3"] {
            let error = two.parse(text).unwrap_err().to_string();
            assert!(error.contains("more than 2 decimals"), "{error}");
        }
        for text in ["", "1,5", "1.", ".5", "1 000", "five", "0x10", "+1"] {
            let error = two.parse(text).unwrap_err();
            assert!(
                matches!(error, ParseTokensError::NotANumber { .. }),
                "{text}"
            );
        }
        for text in ["1e37", "1e999999999"] {
            let error = two.parse(text).unwrap_err().to_string();
            assert!(error.contains("beyond 128 bits"), "{error}");
        }
    }
}
