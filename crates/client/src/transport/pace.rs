//! A limit on the number of requests in a second.

use std::{
    num::NonZeroU32,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Spaces requests evenly. All clones of a client share it.
#[derive(Debug)]
pub(super) struct Pace {
    interval: Duration,
    next: Mutex<Option<Instant>>,
}

impl Pace {
    pub(super) fn new(per_second: NonZeroU32) -> Self {
        Self {
            interval: Duration::from_secs(1) / per_second.get(),
            next: Mutex::new(None),
        }
    }

    /// Waits for this request's turn.
    pub(super) async fn turn(&self) {
        let now = Instant::now();
        tokio::time::sleep(self.reserve(now).duration_since(now)).await;
    }

    /// Returns the time of this request's turn, which is not before `now`.
    fn reserve(&self, now: Instant) -> Instant {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = next.map_or(now, |next| next.max(now));
        *next = Some(turn + self.interval);
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_evenly_spaced_and_unused_ones_are_lost() {
        let pace = Pace::new(NonZeroU32::new(4).unwrap());
        let start = Instant::now();
        let quarter = Duration::from_millis(250);
        for turn in 0..5 {
            assert_eq!(pace.reserve(start), start + quarter * turn);
        }
        let later = start + Duration::from_secs(60);
        assert_eq!(pace.reserve(later), later);
        assert_eq!(pace.reserve(later), later + quarter);
    }
}
