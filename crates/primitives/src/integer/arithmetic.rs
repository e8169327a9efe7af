//! Sums and differences of integers: exact, whatever their size.

use std::ops::{Add, Sub};

use super::{Integer, Repr};
use crate::digits::Signed;

impl Integer {
    fn plus(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Repr::Small(left), Repr::Small(right)) => {
                Self::from(i128::from(*left) + i128::from(*right))
            }
            _ => Self::from_signed(&self.signed().plus(&other.signed())),
        }
    }

    fn minus(&self, other: &Self) -> Self {
        self.plus(&Self::from_signed(&other.signed().negated()))
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

macro_rules! operators {
    ($($operation:ident $method:ident $exact:ident),*) => {$(
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
    )*};
}

operators!(Add add plus, Sub sub minus);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_arithmetic_hold_at_every_size() {
        let edges = [0, 1, i128::from(i64::MAX), i128::from(u64::MAX), i128::MAX];
        let edges = edges
            .into_iter()
            .flat_map(|edge| [edge, -edge, edge - 1, 1 - edge]);
        let mut samples: Vec<Integer> = edges.map(Integer::from).collect();
        samples.extend(["1e40", "-1e40", "123456789e30"].map(|text| text.parse().unwrap()));
        for a in &samples {
            assert_eq!(a - a, 0);
            assert_eq!(a + 0_u8, *a);
            for b in &samples {
                let sum = a + b;
                assert_eq!(sum, b + a, "{a} {b}");
                assert_eq!(&sum - b, *a, "{a} {b}");
                assert_eq!(a.cmp(b), (a - b).cmp(&0.into()), "{a} {b}");
                // Each number has one form, so equal numbers compare as equal.
                assert_eq!(sum.to_string().parse(), Ok(sum));
            }
        }
    }
}
