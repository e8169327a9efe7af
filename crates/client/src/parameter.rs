//! Integers in a query string.

use std::fmt;

use nodeproof_primitives::Integer;
use serde::{Serialize, Serializer};

/// An integer as a parameter of a generated method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegerParameter(pub Integer);

impl<T: Into<Integer>> From<T> for IntegerParameter {
    fn from(value: T) -> Self {
        Self(value.into())
    }
}

impl fmt::Display for IntegerParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Writes the integer as text, for a query string.
impl Serialize for IntegerParameter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
