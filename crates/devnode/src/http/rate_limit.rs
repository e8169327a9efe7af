//! Limits submissions, as nodes of the network do.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Allows a maximum number of submissions within a second, counted from the first one.
#[derive(Debug)]
pub(crate) struct RateLimit {
    per_second: u32,
    window: Mutex<Option<(Instant, u32)>>,
}

impl RateLimit {
    pub(crate) const fn new(per_second: u32) -> Self {
        Self {
            per_second,
            window: Mutex::new(None),
        }
    }

    pub(crate) const fn per_second(&self) -> u32 {
        self.per_second
    }

    /// Counts a submission, and returns whether it is allowed.
    pub(crate) fn admits(&self, now: Instant) -> bool {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        let (start, count) = match *window {
            Some((start, count)) if now.duration_since(start) < Duration::from_secs(1) => {
                (start, count)
            }
            _ => (now, 0),
        };
        *window = Some((start, count.saturating_add(1)));
        count < self.per_second
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_second_admits_again() {
        let (limit, start) = (RateLimit::new(2), Instant::now());
        let admitted =
            [0, 1, 2, 999, 1000].map(|ms| limit.admits(start + Duration::from_millis(ms)));
        assert_eq!(admitted, [true, true, false, false, true]);
    }
}
