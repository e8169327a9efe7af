//! Exact arithmetic on amounts.

use std::iter::Sum;

use super::{Amount, Normal, length};
use crate::{compare::compare_with, digits::Signed};

/// The maximum number of digits of a result, before and after the decimal point together.
const MAX_DIGITS: i64 = 10_000;

impl Amount {
    /// Returns the exact sum of two amounts of the same unit, or `None` if it would have more than
    /// 10,000 digits.
    ///
    /// ```
    /// use nodeproof_primitives::Amount;
    ///
    /// let fee: Amount = "0.1".parse()?;
    /// assert_eq!(fee.checked_add(&"0.2".parse()?), Some("0.3".parse()?));
    /// # Ok::<(), nodeproof_primitives::ParseAmountError>(())
    /// ```
    #[must_use]
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        combined(&self.normal(), &other.normal(), Signed::plus)
    }

    /// Returns the exact difference of two amounts of the same unit, or `None` if it would have
    /// more than 10,000 digits.
    #[must_use]
    pub fn checked_sub(&self, other: &Self) -> Option<Self> {
        let minus = |left: &Signed, right: &Signed| left.plus(&right.clone().negated());
        combined(&self.normal(), &other.normal(), minus)
    }

    /// Returns the exact product of an amount and a factor, in the amount's unit, or `None` if it
    /// would have more than 10,000 digits.
    #[must_use]
    pub fn checked_mul(&self, factor: &Self) -> Option<Self> {
        let (left, right) = (self.normal(), factor.normal());
        let power = left.power.saturating_add(right.power);
        let most = length(left.digits.len()) + length(right.digits.len());
        fits(most.saturating_add(power), power).then_some(())?;
        Some(written(&signed(&left, 0).times(&signed(&right, 0)), power))
    }
}

/// Returns whether a number is short enough to be written out. `top` is the power of ten of its
/// first digit, and `last` that of its last digit.
fn fits(top: i64, last: i64) -> bool {
    top.max(1).saturating_sub(last.min(0)) <= MAX_DIGITS
}

fn combined(
    left: &Normal,
    right: &Normal,
    combine: impl Fn(&Signed, &Signed) -> Signed,
) -> Option<Amount> {
    // Zero is stored with the power 0. Here it gets the power of the other number.
    let power = match (left.digits.is_empty(), right.digits.is_empty()) {
        (true, _) => right.power,
        (_, true) => left.power,
        (false, false) => left.power.min(right.power),
    };
    let top = |normal: &Normal| length(normal.digits.len()).saturating_add(normal.power);
    let highest = top(left).max(top(right)).saturating_add(1);
    fits(highest, power).then_some(())?;
    let aligned = |normal: &Normal| signed(normal, zeros(normal.power.saturating_sub(power)));
    Some(written(&combine(&aligned(left), &aligned(right)), power))
}

/// Returns a number of zeros, which is known to be small. It can be negative for the number zero.
fn zeros(count: i64) -> usize {
    usize::try_from(count).unwrap_or(0)
}

fn signed(normal: &Normal, zeros: usize) -> Signed {
    let digits = format!("{}{}", normal.digits, "0".repeat(zeros));
    Signed::new(normal.negative, &digits)
}

/// Writes `value` times ten to the `power`, without an exponent and unnecessary zeros.
fn written(value: &Signed, power: i64) -> Amount {
    let sign = if value.is_negative() { "-" } else { "" };
    let digits = value.digits();
    if digits.is_empty() {
        return Amount::from(0_u8);
    }
    if power >= 0 {
        return Amount(format!("{sign}{digits}{}", "0".repeat(zeros(power))).into());
    }
    let places = zeros(power.saturating_neg());
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    let text = match fraction.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    };
    Amount(text.into())
}

compare_with!(Amount: u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);

impl Default for Amount {
    /// Returns zero.
    fn default() -> Self {
        Self::from(0_u8)
    }
}

/// Returns the exact sum of amounts of the same unit, or `None` if it would have more than 10,000
/// digits.
///
/// ```
/// use nodeproof_primitives::Amount;
///
/// let fees: Vec<Amount> = vec![1_000_000.into(), "0.5".parse()?];
/// let total: Option<Amount> = fees.into_iter().sum();
/// assert_eq!(total, Some("1000000.5".parse()?));
/// # Ok::<(), nodeproof_primitives::ParseAmountError>(())
/// ```
impl Sum<Amount> for Option<Amount> {
    fn sum<I: Iterator<Item = Amount>>(mut amounts: I) -> Self {
        amounts.try_fold(Amount::default(), |sum, amount| sum.checked_add(&amount))
    }
}

impl<'a> Sum<&'a Amount> for Option<Amount> {
    fn sum<I: Iterator<Item = &'a Amount>>(mut amounts: I) -> Self {
        amounts.try_fold(Amount::default(), |sum, amount| sum.checked_add(amount))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str) -> Amount {
        text.parse().unwrap()
    }

    #[test]
    fn results_are_exact_and_written_plainly() {
        for (left, right, sum, difference, product) in [
            ("0.1", "0.2", "0.3", "-0.1", "0.02"),
            ("1e6", "1", "1000001", "999999", "1000000"),
            ("-2.50", "2.5", "0", "-5", "-6.25"),
            (
                "9007199254740993",
                "0.5",
                "9007199254740993.5",
                "9007199254740992.5",
                "4503599627370496.5",
            ),
            ("0", "1e-3", "0.001", "-0.001", "0"),
            (
                "1e30",
                "-1e-5",
                "999999999999999999999999999999.99999",
                "1000000000000000000000000000000.00001",
                "-10000000000000000000000000",
            ),
            ("0.0", "-0", "0", "0", "0"),
        ] {
            let (a, b) = (amount(left), amount(right));
            let results = [a.checked_add(&b), a.checked_sub(&b), a.checked_mul(&b)];
            let texts = results.map(|result| result.unwrap().as_str().to_owned());
            assert_eq!(texts, [sum, difference, product], "{left} {right}");
        }
    }

    #[test]
    fn the_rules_of_arithmetic_hold() {
        let samples = [
            "0",
            "1",
            "-7",
            "0.125",
            "1e20",
            "-3e-20",
            "99999.99999",
            "18446744073709551616",
        ];
        let samples = samples.map(amount);
        for a in &samples {
            for b in &samples {
                let sum = a.checked_add(b).unwrap();
                assert_eq!(Some(&sum), b.checked_add(a).as_ref());
                assert_eq!(sum.checked_sub(b).as_ref(), Some(a), "{a} {b}");
                let product = a.checked_mul(b).unwrap();
                let more = a.checked_add(&Amount::from(1)).unwrap().checked_mul(b);
                assert_eq!(more, product.checked_add(b), "{a} {b}");
                // The result of arithmetic is a JSON number of the same value.
                assert_eq!(amount(sum.as_str()), sum);
            }
        }
        let total: Option<Amount> = samples.iter().sum();
        let backwards: Option<Amount> = samples.into_iter().rev().sum();
        assert_eq!(total, backwards);
    }

    #[test]
    fn what_would_fill_the_memory_is_refused() {
        for (left, right) in [
            ("1e999999999", "1"),
            ("1e9999999999999999999999", "1"),
            ("1", "1e-20000"),
            ("1e-9999999999999999999999", "-1e9999999999999999999999"),
            ("1e9000", "1e-9000"),
        ] {
            assert_eq!(
                amount(left).checked_add(&amount(right)),
                None,
                "{left} {right}"
            );
            assert_eq!(amount(right).checked_sub(&amount(left)), None);
        }
        assert_eq!(amount("1e6000").checked_mul(&amount("1e6000")), None);
        assert_eq!(amount("1e-6000").checked_mul(&amount("1e-6000")), None);
        assert_eq!(
            amount("1e6000").checked_mul(&amount("1e-6000")),
            Some(1.into())
        );
        let sum: Option<Amount> = [amount("1"), amount("1e20000"), amount("1")]
            .into_iter()
            .sum();
        assert_eq!(sum, None);
    }

    #[test]
    fn is_compared_with_integers_by_value() {
        assert_eq!(amount("1e6"), 1_000_000);
        assert!(amount("0.5") < 1 && amount("0.5") > 0_u8 && amount("-0.5") < 0_i64);
        assert!(amount("1e40") > u128::MAX && amount("-1e40") < i128::MIN);
        assert_ne!(amount("9007199254740993.5"), 9_007_199_254_740_993_u64);
        assert_eq!(Amount::default(), 0);
    }
}
