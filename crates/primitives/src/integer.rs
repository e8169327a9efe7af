//! Exact integers.

use std::{fmt, str::FromStr};

#[cfg(feature = "schemars")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;

use crate::{Amount, amount::Normal};

/// The text is not a JSON integer, or does not fit into 128 bits. Give digits with an optional minus
/// sign, such as `42` or `-7`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} {fault}")]
pub struct ParseIntegerError {
    found: String,
    fault: &'static str,
}

/// The number does not fit into the type. Use a larger type, or keep the [`Integer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{value} does not fit into {kind}")]
pub struct IntegerRangeError {
    value: Integer,
    kind: &'static str,
}

/// An exact integer of up to 128 bits: an index, a balance, a vote or a score.
///
/// Neither JSON nor the specification limits integers. No value is rounded: a larger one is an error. A
/// number with a fraction or an exponent is accepted if its value is an integer: `1e3` is 1000.
///
/// It can be deserialized from JSON text only, and not inside a flattened or an untagged type.
///
/// ```
/// use nodeproof_primitives::Integer;
///
/// let balance: Integer = "9007199254740993".parse()?;
/// assert!(balance > 1_000_000);
/// assert_eq!(u64::try_from(balance)?, 9_007_199_254_740_993);
/// assert_eq!(balance.checked_sub(3), Some(9_007_199_254_740_990_u64.into()));
///
/// let difference = Integer::from(-5);
/// assert!(difference.is_negative());
/// assert_eq!(difference.as_i64(), Some(-5));
/// assert_eq!(difference.as_u64(), None);
/// assert_eq!(difference.get(), -5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Integer(i128);

impl Integer {
    /// Returns the value.
    #[must_use]
    pub const fn get(self) -> i128 {
        self.0
    }

    /// Returns the value if it fits into an `i64`.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        self.0.try_into().ok()
    }

    /// Returns the value if it fits into a `u64`.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        self.0.try_into().ok()
    }

    /// Returns whether the number is below zero.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Returns the sum, or `None` if it does not fit into 128 bits.
    #[must_use]
    pub fn checked_add(self, other: impl Into<Self>) -> Option<Self> {
        self.0.checked_add(other.into().0).map(Self)
    }

    /// Returns the difference, or `None` if it does not fit into 128 bits.
    #[must_use]
    pub fn checked_sub(self, other: impl Into<Self>) -> Option<Self> {
        self.0.checked_sub(other.into().0).map(Self)
    }
}

macro_rules! from_integers {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Integer {
            fn from(value: $kind) -> Self {
                Self(value.into())
            }
        }

        impl PartialEq<$kind> for Integer {
            fn eq(&self, other: &$kind) -> bool {
                self.0 == (*other).into()
            }
        }

        // The reverse, such as `5 < integer`, is left out. It would make the type of `text.parse()?`
        // ambiguous in every comparison with an integer, in each program that depends on this crate.
        impl PartialOrd<$kind> for Integer {
            fn partial_cmp(&self, other: &$kind) -> Option<std::cmp::Ordering> {
                self.0.partial_cmp(&(*other).into())
            }
        }
    )*};
}

macro_rules! into_integers {
    ($($kind:ty),*) => {$(
        impl TryFrom<Integer> for $kind {
            type Error = IntegerRangeError;

            fn try_from(value: Integer) -> Result<Self, IntegerRangeError> {
                value.0.try_into().map_err(|_| IntegerRangeError {
                    value,
                    kind: stringify!($kind),
                })
            }
        }
    )*};
}

from_integers!(u8, u16, u32, u64, i8, i16, i32, i64, i128);
into_integers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, isize);

impl From<Integer> for i128 {
    fn from(value: Integer) -> Self {
        value.0
    }
}

/// Converts to the same number.
impl From<Integer> for Amount {
    fn from(value: Integer) -> Self {
        value.0.into()
    }
}

/// Converts to the same number, if it is an integer of at most 128 bits.
impl TryFrom<&Amount> for Integer {
    type Error = ParseIntegerError;

    fn try_from(amount: &Amount) -> Result<Self, ParseIntegerError> {
        amount.as_str().parse()
    }
}

impl FromStr for Integer {
    type Err = ParseIntegerError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = Normal::parse(text).filter(Normal::is_integer);
        let fault = match number.map(|number| number.integer(0)) {
            Some(Some(value)) => return Ok(Self(value)),
            Some(None) => "does not fit into 128 bits",
            None => "is not a JSON integer, such as 42 or -7",
        };
        Err(ParseIntegerError {
            found: text.chars().take(40).collect(),
            fault,
        })
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Integer({self})")
    }
}

impl Serialize for Integer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Unlike an `i128`, a raw number can become any `serde_json::Value`.
        Amount::from(*self).serialize(serializer)
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

    #[test]
    fn every_digit_survives() {
        let (least, most) = (i128::MIN.to_string(), i128::MAX.to_string());
        for text in ["0", "-7", "9007199254740993", &least, &most] {
            let read: Integer = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
            assert_eq!(read.to_string(), text);
            assert_eq!(Integer::try_from(&Amount::from(read)), Ok(read));
        }
    }

    #[test]
    fn a_whole_number_is_an_integer_however_it_is_written() {
        for (text, value) in [("1e3", 1000), ("5.0", 5), ("-0", 0), ("-120.50E1", -1205)] {
            assert_eq!(text.parse::<Integer>().unwrap(), value, "{text}");
        }
    }

    #[test]
    fn rejects_fractions_words_and_what_has_more_than_128_bits() {
        let (form, size) = ("is not a JSON integer, such as 42 or -7", "128 bits");
        for (text, reason) in [
            ("0.5", form),
            ("1e-1", form),
            ("true", form),
            ("\"1\"", form),
            ("", form),
            ("--1", form),
            ("+1", form),
            ("01", form),
            ("1e39", size),
            ("1e999999999", size),
            ("170141183460469231731687303715884105728", size),
            ("-170141183460469231731687303715884105729", size),
        ] {
            let error = text.parse::<Integer>().unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
            assert!(serde_json::from_str::<Integer>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sums_and_differences_do_not_wrap() {
        let (least, most) = (Integer::from(i128::MIN), Integer::from(i128::MAX));
        assert_eq!(most.checked_add(1), None);
        assert_eq!(least.checked_sub(1), None);
        assert_eq!(most.checked_add(least), Some((-1).into()));
        assert_eq!(Integer::from(5).checked_sub(7_u64), Some((-2).into()));
    }

    #[test]
    fn the_value_is_returned_in_every_type_that_it_fits_into() {
        let beyond = Integer::from(u64::MAX).checked_add(1).unwrap();
        assert_eq!((beyond.as_u64(), beyond.as_i64()), (None, None));
        assert_eq!(Integer::from(u64::MAX).as_u64(), Some(u64::MAX));
        assert_eq!(Integer::from(i64::MIN).as_i64(), Some(i64::MIN));
        assert_eq!(Integer::from(-1).as_u64(), None);
        assert_eq!(
            u8::try_from(Integer::from(256)).unwrap_err().to_string(),
            "256 does not fit into u8"
        );
    }
}
