//! Exact integers of any size.

mod arithmetic;
pub(crate) mod convert;

use std::{cmp::Ordering, fmt, str::FromStr};

#[cfg(feature = "schemars")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;

use crate::Amount;

/// The maximum number of digits of an integer that is written with an exponent, such as `1e9999`.
const MAX_DIGITS: usize = 10_000;

/// The text is not a JSON integer. Give digits with an optional minus sign, such as `42` or `-7`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is not a JSON integer, such as 42 or -7")]
pub struct ParseIntegerError {
    found: String,
}

/// An exact integer of any size: an index, a balance, a vote or a score.
///
/// Neither JSON nor the specification limits integers, so no value is rounded or rejected for its
/// size. A number with a fraction or an exponent is accepted if its value is an integer: `1e3`
/// is 1000.
///
/// Sums and differences are exact, whatever the size. To multiply, convert it: `TryFrom` converts to
/// every integer type of Rust, and fails if the value does not fit.
///
/// It can be deserialized from JSON text only, and not inside a flattened or an untagged type.
///
/// ```
/// use nodeproof_primitives::Integer;
///
/// let balance: Integer = "9007199254740993".parse()?;
/// assert!(balance > 1_000_000);
/// assert_eq!(u64::try_from(balance)?, 9_007_199_254_740_993);
///
/// let difference = Integer::from(-5);
/// assert!(difference.is_negative());
/// assert_eq!(difference.abs(), 5);
/// assert_eq!(difference.as_i64(), Some(-5));
/// assert_eq!(difference.as_u64(), None);
///
/// let beyond: Integer = "18446744073709551616".parse()?;
/// assert_eq!(beyond.as_u64(), None);
/// assert_eq!(beyond.as_i128(), Some(18_446_744_073_709_551_616));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Integer(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// Nearly all integers. Large blocks have many of them, so they take little memory.
    Small(i64),
    /// Digits with an optional minus sign and no leading zeros, for values that do not fit `Small`.
    Big(Box<str>),
}

impl Integer {
    /// Returns the value if it fits into an `i64`.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(value) => Some(value),
            Repr::Big(_) => None,
        }
    }

    /// Returns the value if it fits into a `u64`.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_i128().and_then(|value| u64::try_from(value).ok())
    }

    /// Returns whether the number is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small(value) => *value < 0,
            Repr::Big(digits) => digits.starts_with('-'),
        }
    }

    /// Returns the number without its sign.
    #[must_use]
    pub fn abs(&self) -> Self {
        match &self.0 {
            Repr::Small(value) => Self::from(value.unsigned_abs()),
            Repr::Big(digits) => match digits.strip_prefix('-') {
                // This is -2^63 or less, so it does not fit without its sign either.
                Some(digits) => Self(Repr::Big(digits.into())),
                None => self.clone(),
            },
        }
    }

    /// Returns the value if it fits into an `i128`.
    #[must_use]
    pub fn as_i128(&self) -> Option<i128> {
        match &self.0 {
            Repr::Small(value) => Some(i128::from(*value)),
            Repr::Big(digits) => digits.parse().ok(),
        }
    }
}

impl FromStr for Integer {
    type Err = ParseIntegerError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rejected = || ParseIntegerError {
            found: text.chars().take(40).collect(),
        };
        let number: Amount = text.parse().map_err(|_| rejected())?;
        if let Ok(value) = text.parse::<i64>() {
            return Ok(Self(Repr::Small(value)));
        }
        let normal = number.normal();
        let zeros = usize::try_from(normal.power).map_err(|_| rejected())?;
        let written = text.len();
        if zeros > MAX_DIGITS.max(written) {
            return Err(rejected());
        }
        let sign = if normal.negative { "-" } else { "" };
        let digits = match normal.digits.as_str() {
            "" => "0",
            digits => digits,
        };
        let spelt = format!("{sign}{digits}{}", "0".repeat(zeros));
        Ok(Self(
            spelt
                .parse()
                .map_or_else(|_| Repr::Big(spelt.into()), Repr::Small),
        ))
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> Ordering {
        let negative = |digits: &str| digits.starts_with('-');
        match (&self.0, &other.0) {
            (Repr::Small(left), Repr::Small(right)) => left.cmp(right),
            (Repr::Big(big), Repr::Small(_)) if negative(big) => Ordering::Less,
            (Repr::Big(_), Repr::Small(_)) => Ordering::Greater,
            (Repr::Small(_), Repr::Big(_)) => other.cmp(self).reverse(),
            (Repr::Big(left), Repr::Big(right)) => {
                let by_size = |a: &str, b: &str| a.len().cmp(&b.len()).then_with(|| a.cmp(b));
                match (negative(left), negative(right)) {
                    (false, true) => Ordering::Greater,
                    (true, false) => Ordering::Less,
                    (false, false) => by_size(left, right),
                    (true, true) => by_size(right, left),
                }
            }
        }
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(value) => value.fmt(f),
            Repr::Big(digits) => f.pad(digits),
        }
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Integer({self})")
    }
}

impl Serialize for Integer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::Error;
        let raw = RawValue::from_string(self.to_string()).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        raw.get().parse().map_err(de::Error::custom)
    }
}

#[cfg(feature = "schemars")]
impl JsonSchema for Integer {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Integer".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(text: &str) -> Integer {
        text.parse().unwrap()
    }

    #[test]
    fn every_digit_survives() {
        let long = "9".repeat(5000);
        for text in ["0", "-7", "9007199254740993", "18446744073709551616", &long] {
            let read: Integer = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
    }

    #[test]
    fn the_value_is_returned_in_every_type_that_it_fits_into() {
        let at_edges = [
            (i128::from(i64::MIN) - 1, None, None),
            (i64::MIN.into(), Some(i64::MIN), None),
            (i64::MAX.into(), Some(i64::MAX), Some(i64::MAX as u64)),
            (i128::from(i64::MAX) + 1, None, Some(i64::MAX as u64 + 1)),
            (u64::MAX.into(), None, Some(u64::MAX)),
            (i128::from(u64::MAX) + 1, None, None),
            (i128::MAX, None, None),
            (i128::MIN, None, None),
        ];
        for (value, signed, unsigned) in at_edges {
            let read = integer(&value.to_string());
            assert_eq!(read, Integer::from(value));
            assert_eq!(read.as_i64(), signed, "{value}");
            assert_eq!(read.as_u64(), unsigned, "{value}");
            assert_eq!(read.as_i128(), Some(value));
        }
        assert_eq!(integer("1e40").as_i128(), None);
    }

    #[test]
    fn a_number_without_its_sign_has_one_form() {
        for text in [
            "0",
            "7",
            "9223372036854775807",
            "9223372036854775808",
            "1e40",
        ] {
            let (positive, negative) = (integer(text), integer(&format!("-{text}")));
            assert_eq!(negative.abs(), positive);
            assert_eq!(positive.abs(), positive);
            assert_eq!(negative.is_negative(), text != "0");
            assert!(!positive.is_negative());
        }
    }

    #[test]
    fn a_whole_number_is_an_integer_however_it_is_written() {
        assert_eq!(integer("1e3"), Integer::from(1000));
        assert_eq!(integer("5.0"), Integer::from(5));
        assert_eq!(integer("-0"), Integer::from(0));
        assert_eq!(integer("120.50E1"), Integer::from(1205));
    }

    #[test]
    fn rejects_fractions_words_and_an_exponent_that_would_fill_the_memory() {
        for text in ["0.5", "1e-1", "true", "\"1\"", "1e999999999", "", "--1"] {
            assert!(text.parse::<Integer>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn order_is_by_value_at_every_size() {
        let huge = format!("1{}", "0".repeat(60));
        let rising = [
            format!("-{huge}"),
            "-5".into(),
            "0".into(),
            "5".into(),
            huge.clone(),
            format!("{huge}0"),
        ];
        for pair in rising.windows(2) {
            assert!(integer(&pair[0]) < integer(&pair[1]), "{pair:?}");
        }
    }
}
