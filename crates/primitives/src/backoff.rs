//! Pauses that double.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

/// Returns the pause after `earlier` pauses: `first`, then twice as long each time, up to `longest`.
/// It is shortened by a random part of up to a quarter: clients that failed together should not retry
/// together.
///
/// ```
/// use nodeproof_primitives::doubled_pause;
/// use std::time::Duration;
///
/// let second = Duration::from_secs(1);
/// assert!(doubled_pause(second, 30 * second, 2) <= 4 * second);
/// assert!(doubled_pause(second, 30 * second, 2) >= 3 * second);
/// ```
#[must_use]
pub fn doubled_pause(first: Duration, longest: Duration, earlier: u32) -> Duration {
    let pause = first.saturating_mul(1 << earlier.min(20)).min(longest);
    let random = u32::try_from(RandomState::new().hash_one(earlier) % 256);
    pause - pause / 1024 * random.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let (first, most) = (Duration::from_millis(100), Duration::from_secs(1));
        for (earlier, longest) in [
            (0, 100),
            (1, 200),
            (2, 400),
            (3, 800),
            (4, 1000),
            (99, 1000),
        ] {
            let longest = Duration::from_millis(longest);
            let pause = doubled_pause(first, most, earlier);
            assert!(pause <= longest && pause >= longest * 3 / 4, "{pause:?}");
        }
    }

    #[test]
    fn clients_that_failed_together_pause_for_different_times() {
        let second = Duration::from_secs(1);
        let pauses: std::collections::HashSet<_> =
            (0..50).map(|_| doubled_pause(second, second, 0)).collect();
        assert!(pauses.len() > 1);
    }
}
