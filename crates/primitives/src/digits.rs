//! Arithmetic on whole numbers of any size, written as decimal digits.

use std::cmp::Ordering;

/// A whole number: its sign, and digits without leading zeros. Zero has no digits and no sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signed {
    negative: bool,
    digits: String,
}

impl Signed {
    /// Creates a number from its sign and digits, which may begin with zeros.
    pub(crate) fn new(negative: bool, digits: &str) -> Self {
        let digits = digits.trim_start_matches('0');
        Self {
            negative: negative && !digits.is_empty(),
            digits: digits.to_owned(),
        }
    }

    /// Parses digits with an optional minus sign.
    pub(crate) fn of(text: &str) -> Self {
        match text.strip_prefix('-') {
            Some(digits) => Self::new(true, digits),
            None => Self::new(false, text),
        }
    }

    pub(crate) fn negated(self) -> Self {
        Self::new(!self.negative, &self.digits)
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let (left, right) = (&*self.digits, &*other.digits);
        if self.negative == other.negative {
            return Self::new(self.negative, &sum(left, right));
        }
        match compare(left, right) {
            Ordering::Less => Self::new(other.negative, &difference(right, left)),
            Ordering::Equal => Self::new(false, ""),
            Ordering::Greater => Self::new(self.negative, &difference(left, right)),
        }
    }
}

impl std::fmt::Display for Signed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        let digits = if self.digits.is_empty() {
            "0"
        } else {
            &self.digits
        };
        write!(f, "{sign}{digits}")
    }
}

/// Compares digits without leading zeros.
fn compare(left: &str, right: &str) -> Ordering {
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}

/// Returns the values of digits, from the last to the first.
fn reversed(digits: &str) -> impl Iterator<Item = u8> {
    digits.bytes().rev().map(|digit| digit - b'0')
}

/// Returns digits from their values, which are in reverse order.
fn text(mut values: Vec<u8>) -> String {
    values.reverse();
    values
        .into_iter()
        .map(|value| char::from(value + b'0'))
        .collect()
}

fn sum(left: &str, right: &str) -> String {
    let (mut left, mut right) = (reversed(left), reversed(right));
    let (mut values, mut carry) = (Vec::new(), 0);
    loop {
        let pair = (left.next(), right.next());
        if pair == (None, None) {
            break;
        }
        let value = pair.0.unwrap_or(0) + pair.1.unwrap_or(0) + carry;
        values.push(value % 10);
        carry = value / 10;
    }
    values.push(carry);
    text(values)
}

/// Returns the difference of two numbers. The first must not be the smaller one.
fn difference(larger: &str, smaller: &str) -> String {
    let (mut smaller, mut borrow) = (reversed(smaller), 0);
    let values = reversed(larger).map(|digit| {
        let taken = smaller.next().unwrap_or(0) + borrow;
        borrow = u8::from(digit < taken);
        digit + 10 * borrow - taken
    });
    text(values.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns numbers at the edges of carries and signs, and some pseudorandom ones.
    fn samples() -> Vec<i128> {
        let mut samples: Vec<i128> = vec![0, 1, 9, 10, 99, 100, 101, 999_999_999, 1_000_000_000];
        let mut state = 7_u64;
        for _ in 0..40 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            samples.push(i128::from(state >> (state % 60)));
        }
        let negative: Vec<_> = samples.iter().map(|sample| -sample).collect();
        samples.extend(negative);
        samples
    }

    #[test]
    fn agrees_with_the_machine_wherever_that_has_the_digits() {
        let read = |value: i128| Signed::of(&value.to_string());
        for left in samples() {
            assert_eq!(read(left).to_string(), left.to_string());
            assert_eq!(read(left).negated(), read(-left));
            for right in samples() {
                let (a, b) = (read(left), read(right));
                assert_eq!(a.plus(&b), read(left + right), "{left} + {right}");
            }
        }
    }

    #[test]
    fn carries_go_through_all_digits() {
        let nines = "9".repeat(300);
        let power = format!("1{}", "0".repeat(300));
        assert_eq!(
            Signed::of(&nines).plus(&Signed::of("1")),
            Signed::of(&power)
        );
        assert_eq!(
            Signed::of(&power).plus(&Signed::of("-1")),
            Signed::of(&nines)
        );
    }
}
