//! Comparison with other types of numbers.

/// Implements comparison of a number type with the types that it can be made from.
///
/// The reverse, such as `5 < integer`, is left out. It would make the type of `text.parse()?` ambiguous
/// in every comparison with an integer, in each program that depends on this crate.
macro_rules! compare_with {
    ($name:ty: $($kind:ty),*) => {$(
        impl PartialEq<$kind> for $name {
            fn eq(&self, other: &$kind) -> bool {
                self.partial_cmp(other) == Some(std::cmp::Ordering::Equal)
            }
        }

        impl PartialOrd<$kind> for $name {
            fn partial_cmp(&self, other: &$kind) -> Option<std::cmp::Ordering> {
                Some(self.cmp(&<$name>::from(other.clone())))
            }
        }
    )*};
}

pub(crate) use compare_with;
