//! Comparison with Rust's integer types.

/// Implements comparison of a number type with the types that it can be made from.
macro_rules! compare_with {
    ($name:ty: $($kind:ty),*) => {$(
        impl PartialEq<$kind> for $name {
            fn eq(&self, other: &$kind) -> bool {
                self.partial_cmp(other) == Some(std::cmp::Ordering::Equal)
            }
        }

        impl PartialOrd<$kind> for $name {
            fn partial_cmp(&self, other: &$kind) -> Option<std::cmp::Ordering> {
                Some(self.cmp(&<$name>::from(*other)))
            }
        }
    )*};
}

pub(crate) use compare_with;
