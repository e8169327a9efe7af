//! A limit on the number of requests in a second.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, sleep_until};

/// The longest delay of a turn that the next turns make up for. Timers are up to a few milliseconds late.
const MAX_LATE: Duration = Duration::from_millis(50);

/// Spaces requests evenly.
///
/// ```
/// # async fn example() {
/// use std::time::Duration;
/// use nodeproof_client::transport::Pace;
///
/// let pace = Pace::new(Duration::from_millis(100));
/// for _ in 0..3 {
///     pace.turn().await;
///     println!("a request");
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct Pace(Mutex<Turns>);

#[derive(Debug)]
struct Turns {
    interval: Duration,
    /// The time of the next turn. The first request after it gets the turn. So a request that is
    /// dropped, or that nobody polls, delays no other.
    next: Instant,
}

impl Pace {
    /// Spaces requests by this interval.
    #[must_use]
    pub fn new(interval: Duration) -> Self {
        Self(Mutex::new(Turns {
            interval,
            next: Instant::now(),
        }))
    }

    /// Waits for this request's turn.
    pub async fn turn(&self) {
        while let Err(next) = self.take(Instant::now()) {
            sleep_until(next).await;
        }
    }

    /// Returns the interval.
    #[must_use]
    pub fn interval(&self) -> Duration {
        self.with_turns(|turns| turns.interval)
    }

    /// Changes the interval after the next turn.
    ///
    /// ```
    /// use std::time::Duration;
    /// use nodeproof_client::transport::Pace;
    ///
    /// let pace = Pace::new(Duration::from_millis(100));
    /// pace.set_interval(pace.interval() * 2);
    /// assert_eq!(pace.interval(), Duration::from_millis(200));
    /// ```
    pub fn set_interval(&self, interval: Duration) {
        self.with_turns(|turns| turns.interval = interval);
    }

    /// Delays the next turn until this time has passed.
    pub fn pause(&self, pause: Duration) {
        let until = Instant::now() + pause;
        self.with_turns(|turns| turns.next = turns.next.max(until));
    }

    /// Takes the next turn, or returns its time.
    fn take(&self, now: Instant) -> Result<(), Instant> {
        self.with_turns(|turns| {
            if now < turns.next {
                return Err(turns.next);
            }
            // After a late request, the next turns stay where they were. Unused turns are lost.
            let is_late = now.duration_since(turns.next) < MAX_LATE;
            turns.next = if is_late { turns.next } else { now } + turns.interval;
            Ok(())
        })
    }

    fn with_turns<T>(&self, work: impl FnOnce(&mut Turns) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn turns_are_evenly_spaced_and_unused_ones_are_lost() {
        let quarter = Duration::from_millis(250);
        let (pace, start) = (Pace::new(quarter), Instant::now());
        for turn in 0..5 {
            pace.turn().await;
            assert_eq!(start.elapsed(), quarter * turn);
        }
        advance(Duration::from_secs(60)).await;
        let later = Instant::now();
        for turn in 0..2 {
            pace.turn().await;
            assert_eq!(later.elapsed(), quarter * turn);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn at_least_95_percent_of_the_rate_and_no_more_than_the_rate_is_reached() {
        for rate in [20_u32, 90, 400, 3_000] {
            let pace = Pace::new(Duration::from_secs(1) / rate);
            pace.turn().await;
            let began = Instant::now();
            for turn in 0..rate * 10 {
                pace.turn().await;
                // Sending takes some time, too.
                if turn % 4 == 0 {
                    advance(Duration::from_micros(300)).await;
                }
            }
            let reached = f64::from(rate) * 10.0 / began.elapsed().as_secs_f64();
            let most = f64::from(rate);
            assert!(
                (most * 0.95..=most * 1.01).contains(&reached),
                "{rate}: {reached}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_does_not_go_on_keeps_no_turn() {
        let pace = Pace::new(Duration::from_secs(1));
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
