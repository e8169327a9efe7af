//! The units of the API.

/// Plausible timestamps in milliseconds. They passed the lower bound in 1973 and reach the upper
/// one in 5138. Seconds stay below the lower bound for three thousand years. Microseconds passed
/// the upper bound in 1973.
pub(crate) const MILLISECONDS: std::ops::Range<i64> = 100_000_000_000..100_000_000_000_000;
