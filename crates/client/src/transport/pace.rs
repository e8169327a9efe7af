//! A limit on the number of requests in a second.

use std::{
    num::NonZeroU32,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, sleep_until};

/// Spaces requests evenly. All clones of a client share it.
#[derive(Debug)]
pub(super) struct Pace {
    interval: Duration,
    /// The time of the next turn. The first request to ask after it has the turn. So a request that is
    /// dropped, or that nobody polls, delays no other.
    next: Mutex<Instant>,
}

impl Pace {
    pub(super) fn new(per_second: NonZeroU32) -> Self {
        Self {
            interval: Duration::from_secs(1) / per_second.get(),
            next: Mutex::new(Instant::now()),
        }
    }

    /// Waits for this request's turn.
    pub(super) async fn turn(&self) {
        let mut waited = false;
        while let Err(next) = self.take(Instant::now(), waited) {
            sleep_until(next).await;
            waited = true;
        }
    }

    /// Takes the next turn, or returns its time.
    fn take(&self, now: Instant, waited: bool) -> Result<(), Instant> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if now < *next {
            return Err(*next);
        }
        // A timer wakes a request a little late. The turns after it stay where they were.
        let late = now.duration_since(*next);
        let start = if waited && late < self.interval {
            *next
        } else {
            now
        };
        *next = start + self.interval;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn turns_are_evenly_spaced_and_unused_ones_are_lost() {
        let pace = Pace::new(NonZeroU32::new(4).unwrap());
        let (start, quarter) = (Instant::now(), Duration::from_millis(250));
        for turn in 0..5 {
            pace.turn().await;
            assert_eq!(start.elapsed(), quarter * turn);
        }
        tokio::time::advance(Duration::from_secs(60)).await;
        let later = Instant::now();
        for turn in 0..2 {
            pace.turn().await;
            assert_eq!(later.elapsed(), quarter * turn);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_does_not_go_on_keeps_no_turn() {
        let pace = Pace::new(NonZeroU32::new(1).unwrap());
        pace.turn().await;
        let start = Instant::now();
        let waiting = std::iter::repeat_with(|| Box::pin(pace.turn())).take(600);
        let mut waiting: Vec<_> = waiting.collect();
        for turn in &mut waiting {
            assert!(turn.now_or_never().is_none());
        }
        // Neither a request that nobody polls nor one that is dropped delays another.
        pace.turn().await;
        assert_eq!(start.elapsed(), Duration::from_secs(1));
        drop(waiting);
        pace.turn().await;
        assert_eq!(start.elapsed(), Duration::from_secs(2));
    }
}
