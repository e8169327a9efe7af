//! Pauses that double.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

/// Returns the pause after `earlier` pauses: `first`, then twice as long each time, up to `longest`.
/// It is shortened by a random part of up to a quarter: clients that failed together should not retry
/// together.
pub(crate) fn doubled(first: Duration, longest: Duration, earlier: u32) -> Duration {
    let pause = first.saturating_mul(1 << earlier.min(20)).min(longest);
    let random = u32::try_from(RandomState::new().hash_one(earlier) % 256);
    pause - pause / 1024 * random.unwrap_or(0)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns whether a pause is one that can take the place of `longest`.
    pub(crate) fn is_up_to(pause: Duration, longest: Duration) -> bool {
        pause <= longest && pause >= longest * 3 / 4
    }

    #[test]
    fn pauses_double_up_to_the_longest() {
        let pause = |earlier| doubled(Duration::from_millis(100), Duration::from_secs(1), earlier);
        for (earlier, longest) in [
            (0, 100),
            (1, 200),
            (2, 400),
            (3, 800),
            (4, 1000),
            (99, 1000),
        ] {
            let longest = Duration::from_millis(longest);
            assert!(is_up_to(pause(earlier), longest), "{:?}", pause(earlier));
        }
    }

    #[test]
    fn clients_that_failed_together_pause_for_different_times() {
        let second = Duration::from_secs(1);
        let pauses: std::collections::HashSet<_> =
            (0..50).map(|_| doubled(second, second, 0)).collect();
        assert!(pauses.len() > 1);
    }
}
