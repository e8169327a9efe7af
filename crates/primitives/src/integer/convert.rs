//! Conversion from and to Rust's integer types.

use super::{Integer, Repr};
use crate::{Amount, ParseIntegerError, compare::compare_with};

/// The number does not fit into the type. Use a larger type, or keep the [`Integer`] or the
/// [`Amount`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{value} does not fit into {kind}, which holds the integers from {least} to {most}")]
pub struct IntegerRangeError {
    value: String,
    kind: &'static str,
    least: String,
    most: String,
}

macro_rules! out_of_range {
    ($value:expr, $kind:ty) => {
        IntegerRangeError {
            value: $value.to_string().chars().take(60).collect(),
            kind: stringify!($kind),
            least: <$kind>::MIN.to_string(),
            most: <$kind>::MAX.to_string(),
        }
    };
}

macro_rules! from_integers {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Integer {
            fn from(value: $kind) -> Self {
                Self(Repr::Small(i64::from(value)))
            }
        }
    )*};
}

macro_rules! from_wide_integers {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Integer {
            fn from(value: $kind) -> Self {
                let small = i64::try_from(value).map(Repr::Small);
                Self(small.unwrap_or_else(|_| Repr::Big(value.to_string().into())))
            }
        }
    )*};
}

macro_rules! into_integers {
    ($($kind:ty),*) => {$(
        impl TryFrom<&Integer> for $kind {
            type Error = IntegerRangeError;

            fn try_from(value: &Integer) -> Result<Self, IntegerRangeError> {
                let fitting = match &value.0 {
                    Repr::Small(value) => Self::try_from(*value).ok(),
                    Repr::Big(digits) => digits.parse().ok(),
                };
                fitting.ok_or_else(|| out_of_range!(value, $kind))
            }
        }

        impl TryFrom<Integer> for $kind {
            type Error = IntegerRangeError;

            fn try_from(value: Integer) -> Result<Self, IntegerRangeError> {
                Self::try_from(&value)
            }
        }

        impl TryFrom<Amount> for $kind {
            type Error = IntegerRangeError;

            fn try_from(amount: Amount) -> Result<Self, IntegerRangeError> {
                Self::try_from(&amount)
            }
        }

        impl TryFrom<&Amount> for $kind {
            type Error = IntegerRangeError;

            fn try_from(amount: &Amount) -> Result<Self, IntegerRangeError> {
                let whole = Integer::try_from(amount).ok();
                whole
                    .and_then(|whole| Self::try_from(whole).ok())
                    .ok_or_else(|| out_of_range!(amount, $kind))
            }
        }
    )*};
}

from_integers!(u8, u16, u32, i8, i16, i32, i64);
from_wide_integers!(u64, u128, usize, i128, isize);
into_integers!(
    u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize
);
compare_with!(Integer: u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);
compare_with!(Amount: Integer);

/// Converts to the same number.
impl From<Integer> for Amount {
    fn from(value: Integer) -> Self {
        Self::from(&value)
    }
}

/// Converts to the same number.
impl From<&Integer> for Amount {
    fn from(value: &Integer) -> Self {
        match &value.0 {
            Repr::Small(value) => Self::from(*value),
            Repr::Big(digits) => Self::from_digits(digits),
        }
    }
}

/// Converts to the same number, if it is an integer.
impl TryFrom<&Amount> for Integer {
    type Error = ParseIntegerError;

    fn try_from(amount: &Amount) -> Result<Self, ParseIntegerError> {
        amount.as_str().parse()
    }
}

/// Converts to the same number, if it is an integer.
impl TryFrom<Amount> for Integer {
    type Error = ParseIntegerError;

    fn try_from(amount: Amount) -> Result<Self, ParseIntegerError> {
        Self::try_from(&amount)
    }
}

/// Clones the number, so that conversions take a reference as well.
impl From<&Self> for Integer {
    fn from(value: &Self) -> Self {
        value.clone()
    }
}

impl Default for Integer {
    /// Returns zero.
    fn default() -> Self {
        Self(Repr::Small(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! round_trips {
        ($($kind:ty),*) => {$(
            for value in [<$kind>::MIN, 0, 1, <$kind>::MAX] {
                let integer = Integer::from(value);
                assert_eq!(integer.to_string(), value.to_string());
                assert_eq!(<$kind>::try_from(&integer), Ok(value));
                assert_eq!(integer, value);
                assert!(integer >= <$kind>::MIN);
                assert!(integer <= <$kind>::MAX);
                assert_eq!(<$kind>::try_from(Amount::from(&integer)), Ok(value));
            }
            // The last digit of every edge is less than 9, except the edges that are 0.
            for edge in [<$kind>::MAX.to_string(), <$kind>::MIN.to_string()] {
                let (begin, last) = edge.split_at(edge.len() - 1);
                let outside = match last.parse::<u8>().unwrap() {
                    0 => "-1".to_owned(),
                    last => format!("{begin}{}", last + 1),
                };
                let outside: Integer = outside.parse().unwrap();
                assert!(<$kind>::try_from(&outside).is_err(), "{outside}");
                assert_ne!(outside > <$kind>::MAX, outside < <$kind>::MIN, "{outside}");
                assert_ne!(outside, <$kind>::MAX);
            }
        )*};
    }

    #[test]
    fn every_type_is_converted_to_and_from_at_its_edges() {
        round_trips!(
            u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize
        );
        let large: Integer = "123456789012345678901234567890".parse().unwrap();
        for integer in [large, (-5).into()] {
            let amount = Amount::from(&integer);
            assert_eq!(amount.as_str(), integer.to_string());
            assert!(amount == integer);
            assert_eq!(Integer::try_from(amount), Ok(integer));
        }
        let half: Amount = "0.5".parse().unwrap();
        assert!(Integer::try_from(&half).is_err() && u8::try_from(&half).is_err());
        assert_eq!(
            u32::try_from(&"1e6".parse::<Amount>().unwrap()),
            Ok(1_000_000)
        );
        assert_eq!(
            u8::try_from(Integer::from(256)).unwrap_err().to_string(),
            "256 does not fit into u8, which holds the integers from 0 to 255"
        );
    }
}
