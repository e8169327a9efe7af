//! Pauses that double.

use std::time::Duration;

/// Returns the pause after `earlier` pauses: `first`, then twice as long each time, up to `longest`.
pub(crate) fn doubled(first: Duration, longest: Duration, earlier: u32) -> Duration {
    first.saturating_mul(1 << earlier.min(20)).min(longest)
}
