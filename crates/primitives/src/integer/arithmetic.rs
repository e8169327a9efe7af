//! Arithmetic on integers: exact, whatever their size.

use std::{
    iter::Sum,
    ops::{Add, AddAssign, Neg, Sub, SubAssign},
};

use super::{Integer, MAX_DIGITS, Repr};
use crate::digits::Signed;

impl Integer {
    /// Returns whether the number is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small(value) => *value < 0,
            Repr::Big(digits) => digits.starts_with('-'),
        }
    }

    /// Returns the absolute value.
    #[must_use]
    pub fn abs(&self) -> Self {
        if self.is_negative() {
            -self
        } else {
            self.clone()
        }
    }

    /// Returns the product, or `None` if it could have more than 10,000 digits.
    ///
    /// ```
    /// use nodeproof_primitives::Integer;
    ///
    /// let large: Integer = "9007199254740993000000".parse()?;
    /// assert_eq!(large.checked_mul(&2.into()), Some("18014398509481986000000".parse()?));
    /// # Ok::<(), nodeproof_primitives::ParseIntegerError>(())
    /// ```
    #[must_use]
    pub fn checked_mul(&self, other: &Self) -> Option<Self> {
        if let (Repr::Small(left), Repr::Small(right)) = (&self.0, &other.0) {
            return Some(Self::from(i128::from(*left) * i128::from(*right)));
        }
        let (left, right) = (self.signed(), other.signed());
        (left.digits().len() + right.digits().len() <= MAX_DIGITS)
            .then(|| Self::from_signed(&left.times(&right)))
    }

    fn plus(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Repr::Small(left), Repr::Small(right)) => {
                Self::from(i128::from(*left) + i128::from(*right))
            }
            _ => Self::from_signed(&self.signed().plus(&other.signed())),
        }
    }

    fn minus(&self, other: &Self) -> Self {
        self.plus(&-other)
    }

    fn signed(&self) -> Signed {
        Signed::of(&self.to_string())
    }

    fn from_signed(value: &Signed) -> Self {
        let text = value.to_string();
        Self(
            text.parse()
                .map_or_else(|_| Repr::Big(text.into()), Repr::Small),
        )
    }
}

impl Neg for &Integer {
    type Output = Integer;

    fn neg(self) -> Integer {
        match &self.0 {
            Repr::Small(value) => Integer::from(-i128::from(*value)),
            Repr::Big(_) => Integer::from_signed(&self.signed().negated()),
        }
    }
}

impl Neg for Integer {
    type Output = Self;

    fn neg(self) -> Self {
        -&self
    }
}

macro_rules! operators {
    ($($operation:ident $method:ident $assigning:ident $assign:ident $exact:ident),*) => {$(
        /// The operation is exact, whatever the size of the numbers.
        impl<T: Into<Integer>> $operation<T> for Integer {
            type Output = Self;

            fn $method(self, other: T) -> Self {
                self.$exact(&other.into())
            }
        }

        /// The operation is exact, whatever the size of the numbers.
        impl<T: Into<Integer>> $operation<T> for &Integer {
            type Output = Integer;

            fn $method(self, other: T) -> Integer {
                self.$exact(&other.into())
            }
        }

        impl<T: Into<Integer>> $assigning<T> for Integer {
            fn $assign(&mut self, other: T) {
                *self = self.$exact(&other.into());
            }
        }
    )*};
}

operators!(Add add AddAssign add_assign plus, Sub sub SubAssign sub_assign minus);

impl Sum for Integer {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::default(), |sum, number| sum.plus(&number))
    }
}

impl<'a> Sum<&'a Integer> for Integer {
    fn sum<I: Iterator<Item = &'a Integer>>(numbers: I) -> Self {
        numbers.fold(Self::default(), |sum, number| sum.plus(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns numbers around the limits of the integer types, and numbers beyond all of them.
    fn samples() -> Vec<Integer> {
        let edges = [0, 1, i128::from(i64::MAX), i128::from(u64::MAX), i128::MAX];
        let mut samples: Vec<Integer> = edges
            .into_iter()
            .flat_map(|edge| [edge, -edge, edge - 1, 1 - edge])
            .map(Integer::from)
            .collect();
        samples.extend(["1e40", "-1e40", "123456789e30"].map(|text| text.parse().unwrap()));
        samples
    }

    #[test]
    fn the_rules_of_arithmetic_hold_at_every_size() {
        let zero = Integer::default();
        for a in &samples() {
            assert_eq!(a + &zero, *a);
            assert_eq!(a - a, zero);
            assert_eq!(-(-a), *a);
            assert!(!a.abs().is_negative());
            for b in &samples() {
                let sum = a + b;
                assert_eq!(sum, b + a, "{a} {b}");
                assert_eq!(&sum - b, *a, "{a} {b}");
                assert_eq!(a - b, -(b - a), "{a} {b}");
                assert_eq!(a.cmp(b), (a - b).cmp(&zero), "{a} {b}");
                let product = a.checked_mul(b).unwrap();
                assert_eq!(b.checked_mul(a), Some(product.clone()));
                // (a + 1) b = ab + b
                let more = (a + &1.into()).checked_mul(b);
                assert_eq!(more, Some(&product + b), "{a} {b}");
                // Each number has one form, so equal numbers compare as equal.
                assert_eq!(sum.to_string().parse(), Ok(sum));
            }
        }
    }

    #[test]
    fn a_sum_is_exact_beyond_every_type() {
        let balances = vec![Integer::from(i128::MAX); 4];
        let total: Integer = balances.iter().sum();
        assert_eq!(total.to_string(), "680564733841876926926749214863536422908");
        assert_eq!(balances.into_iter().sum::<Integer>(), total);
        assert_eq!(Vec::<Integer>::new().into_iter().sum::<Integer>(), 0);
        let mut changed = total.clone() + 1 - 2;
        changed += 3_u64;
        changed -= Integer::from(2);
        assert_eq!(changed, total);
        let one = Integer::from(1);
        changed += &one;
        assert_eq!(&changed - 1, total);
        assert_eq!(changed - &one, &total + 0_u8);
    }

    #[test]
    fn a_product_that_would_fill_the_memory_is_none() {
        let long: Integer = "9".repeat(6_000).parse().unwrap();
        assert_eq!(long.checked_mul(&long), None);
        assert!(long.checked_mul(&9.into()).is_some());
    }
}
