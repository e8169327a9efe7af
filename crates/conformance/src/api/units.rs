//! The units of the API.

/// Seconds since the epoch stay below this for three thousand years, and milliseconds passed it in
/// 1973; microseconds passed the upper bound in 1973, which milliseconds reach in 5138.
pub(crate) const MILLISECONDS: std::ops::Range<i64> = 100_000_000_000..100_000_000_000_000;
