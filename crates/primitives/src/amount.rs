//! Exact decimal numbers.

use std::{cmp::Ordering, fmt, str::FromStr};

#[cfg(feature = "schemars")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;

/// The text is not a JSON number. Give digits with an optional point, such as `1000000` or `0.5`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is not a JSON number, such as 1000000 or 0.5")]
pub struct ParseAmountError {
    found: String,
}

impl ParseAmountError {
    fn new(text: &str) -> Self {
        Self {
            found: text.chars().take(40).collect(),
        }
    }
}

/// The amount has more digits than a 64-bit float, so nodes would read another value. Give an
/// integer, or at most 15 digits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{written} has more digits than a JSON number keeps: nodes would read {read}; give an integer, \
     or at most 15 digits"
)]
pub struct InexactAmountError {
    written: String,
    read: String,
}

/// An exact decimal number: a fee, a balance or an amount to send.
///
/// All digits stay as written. Nothing is rounded to a binary fraction. Amounts are compared and
/// ordered by value: `1e6` equals `1000000.0`.
///
/// The documentation of each function that takes or returns an amount names the unit: base units of
/// a token, unless stated otherwise. To calculate with whole base units, convert the amount to an
/// [`Integer`](crate::Integer).
///
/// It can be deserialized from JSON text only, and not inside a flattened or an untagged type.
///
/// Source: TX-5 of the specification.
///
/// ```
/// use nodeproof_primitives::Amount;
///
/// let balance: Amount = "1e6".parse()?;
/// assert_eq!(balance.as_str(), "1e6");
/// assert_eq!(balance, 1_000_000.into());
///
/// let spent: Amount = "1000000.5".parse()?;
/// assert!(spent > balance && !spent.is_negative());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Amount(Box<str>);

impl Amount {
    /// Returns the number as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the number is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.normal().negative
    }

    /// Checks that nodes read exactly this value.
    ///
    /// Nodes read integers of any size exactly. They read a number with a point or an exponent as
    /// a 64-bit float, and a wallet signs the text of that float. A number with more digits would
    /// be signed, and paid, as another amount.
    ///
    /// ```
    /// use nodeproof_primitives::Amount;
    ///
    /// assert!("1000000.25".parse::<Amount>()?.check_exact().is_ok());
    /// assert!("1000000.00000000001".parse::<Amount>()?.check_exact().is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If nodes would read another value. The error has that value.
    pub fn check_exact(&self) -> Result<(), InexactAmountError> {
        if !self.0.contains(['.', 'e', 'E']) {
            return Ok(());
        }
        let inexact = |read: String| InexactAmountError {
            written: self.0.chars().take(60).collect(),
            read,
        };
        let Some(read) = self.0.parse::<f64>().ok().filter(|read| read.is_finite()) else {
            return Err(inexact("nothing finite".to_owned()));
        };
        let mut buffer = ryu::Buffer::new();
        let shortest = buffer.format_finite(read);
        if Normal::of(shortest) == self.normal() {
            Ok(())
        } else {
            Err(inexact(shortest.to_owned()))
        }
    }

    pub(crate) fn normal(&self) -> Normal {
        Normal::of(&self.0)
    }
}

/// The value of a number: `digits` times ten to the `power`. `digits` has no zeros at either end.
#[derive(PartialEq, Eq)]
pub(crate) struct Normal {
    negative: bool,
    digits: String,
    power: i64,
}

impl Normal {
    /// Parses a JSON number.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        is_json_number(text).then(|| Self::of(text))
    }

    /// Returns whether the value has no fraction.
    pub(crate) fn is_integer(&self) -> bool {
        self.power >= 0
    }

    /// Returns the value times ten to the `power`, if that is an integer of at most 128 bits.
    pub(crate) fn integer(&self, power: u8) -> Option<i128> {
        if self.digits.is_empty() {
            return Some(0);
        }
        let zeros = u32::try_from(self.power.checked_add(power.into())?).ok()?;
        let sign = if self.negative { "-" } else { "" };
        let digits: i128 = format!("{sign}{}", self.digits).parse().ok()?;
        digits.checked_mul(10_i128.checked_pow(zeros)?)
    }

    /// Parses a text that is known to be a JSON number.
    fn of(text: &str) -> Self {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent_of(exponent)),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let kept = all.trim_end_matches('0');
        let dropped = all.len() - kept.len();
        let digits = kept.trim_start_matches('0');
        if digits.is_empty() {
            return Self {
                negative: false,
                digits: String::new(),
                power: 0,
            };
        }
        let shift = length(dropped).saturating_sub(length(fraction.len()));
        Self {
            negative,
            digits: digits.to_owned(),
            power: exponent.saturating_add(shift),
        }
    }

    fn magnitude_cmp(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (false, false) => {}
        }
        let top = |normal: &Self| length(normal.digits.len()).saturating_add(normal.power);
        top(self)
            .cmp(&top(other))
            .then_with(|| self.digits.cmp(&other.digits))
    }
}

/// The maximum number of zeros that are written at the end of an integer.
const MAX_ZEROS: usize = 60;

/// Writes the one text that all forms of a number have. An integer is written plainly. Any other number, or
/// one with too many zeros, is written as its digits and a power of ten.
impl fmt::Display for Normal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, digits) = (if self.negative { "-" } else { "" }, &self.digits);
        match usize::try_from(self.power) {
            _ if digits.is_empty() => f.write_str("0"),
            Ok(zeros) if zeros <= MAX_ZEROS => write!(f, "{sign}{digits}{}", "0".repeat(zeros)),
            _ => write!(f, "{sign}{digits}e{}", self.power),
        }
    }
}

fn length(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Parses an exponent. One that does not fit into an `i64` counts as infinite.
fn exponent_of(text: &str) -> i64 {
    text.strip_prefix('+')
        .unwrap_or(text)
        .parse()
        .unwrap_or_else(|_| {
            if text.starts_with('-') {
                i64::MIN / 2
            } else {
                i64::MAX / 2
            }
        })
}

/// Returns whether the text is a JSON number.
fn is_json_number(text: &str) -> bool {
    fn digits(text: &str) -> Option<&str> {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        (rest.len() < text.len()).then_some(rest)
    }
    fn scan(text: &str) -> Option<bool> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let mut rest = match unsigned.strip_prefix('0') {
            Some(rest) => rest,
            None => digits(unsigned)?,
        };
        if let Some(fraction) = rest.strip_prefix('.') {
            rest = digits(fraction)?;
        }
        if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
            rest = digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))?;
        }
        Some(rest.is_empty())
    }
    scan(text).unwrap_or(false)
}

impl FromStr for Amount {
    type Err = ParseAmountError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if is_json_number(text) {
            Ok(Self(text.into()))
        } else {
            Err(ParseAmountError::new(text))
        }
    }
}

macro_rules! from_integers {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Amount {
            fn from(value: $kind) -> Self {
                Self(value.to_string().into())
            }
        }
    )*};
}

from_integers!(u8, u16, u32, u64, u128, usize, i32, i64, i128);

impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.normal() == other.normal()
    }
}

impl Eq for Amount {}

impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Amount {
    fn cmp(&self, other: &Self) -> Ordering {
        let (left, right) = (self.normal(), other.normal());
        match (left.negative, right.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => left.magnitude_cmp(&right),
            (true, true) => right.magnitude_cmp(&left),
        }
    }
}

impl Default for Amount {
    /// Returns 0.
    fn default() -> Self {
        Self::from(0_u8)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Amount({})", self.0)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::Error;
        let raw = RawValue::from_string(self.0.to_string()).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        raw.get().parse().map_err(de::Error::custom)
    }
}

#[cfg(feature = "schemars")]
impl JsonSchema for Amount {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "description": "an exact decimal number" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str) -> Amount {
        text.parse().unwrap()
    }

    #[test]
    fn text_survives_a_round_trip() {
        for text in [
            "0",
            "-0.0",
            "1e400",
            "9007199254740993",
            "0.1000",
            "12345678901234567890.5",
        ] {
            let read: Amount = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
    }

    #[test]
    fn order_is_by_value_beyond_what_a_float_holds() {
        let rising = [
            "-1e9",
            "-2.50",
            "-1",
            "0",
            "1e-400",
            "0.5",
            "9007199254740992",
            "9007199254740993",
            "1e400",
        ];
        for pair in rising.windows(2) {
            assert!(amount(pair[0]) < amount(pair[1]), "{pair:?}");
        }
        assert_eq!(amount("1E6"), amount("1000000.00"));
        assert_eq!(amount("-0"), amount("0e99999999999999999999"));
        assert_eq!(Amount::default(), amount("0"));
        assert_ne!(amount("1e99999999999999999999"), amount("1"));
    }

    #[test]
    fn rejects_amounts_that_nodes_would_read_as_others() {
        for exact in [
            "0",
            "-0.0",
            "9007199254740993",
            "123456789012345678901234567890",
            "1e6",
            "0.1",
            "1500000.000",
            "1E22",
        ] {
            assert_eq!(amount(exact).check_exact(), Ok(()), "{exact}");
        }
        for inexact in [
            "0.10000000000000000001",
            "9007199254740993.0",
            "1e400",
            "1e-400",
        ] {
            assert!(amount(inexact).check_exact().is_err(), "{inexact}");
        }
        assert_eq!(
            amount("1000000.00000000001")
                .check_exact()
                .unwrap_err()
                .to_string(),
            "1000000.00000000001 has more digits than a JSON number keeps: nodes would read \
             1000000.0; give an integer, or at most 15 digits"
        );
    }

    #[test]
    fn rejects_what_json_does_not_write() {
        for text in [
            "", "-", "01", "1.", ".5", "+1", "1e", "NaN", "0x10", "1 ", "١",
        ] {
            assert!(text.parse::<Amount>().is_err(), "{text:?}");
        }
        assert!(serde_json::from_str::<Amount>("\"1\"").is_err());
    }
}
