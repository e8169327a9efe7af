//! The interval between requests.

use std::{
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    time::{Duration, Instant},
};

use tokio::sync::Mutex;

/// The interval after the first refusal, and the longest interval.
const SLOWER: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));
/// Number of responses in a row after which the interval is halved.
const ENOUGH_TAKEN: u32 = 10;
/// The longest delay that the following requests make up for.
const MAX_LATE: Duration = Duration::from_millis(50);
/// Maximum wait for a node's `Retry-After`.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(5);

/// Keeps an interval between requests: the user's, or a longer one while the node refuses requests.
#[derive(Debug)]
pub(super) struct Pacing {
    pace: Mutex<Pace>,
    /// Whether there is an interval.
    active: AtomicBool,
    /// Number of responses in a row since the node last refused a request.
    taken: AtomicU32,
}

#[derive(Debug)]
struct Pace {
    /// When the next request may be sent.
    next: tokio::time::Instant,
    interval: Duration,
    /// The shortest interval, set by the user.
    shortest: Duration,
    slowed: Instant,
}

impl Pacing {
    /// Limits requests to `rate` per second, if it is given.
    pub(super) fn new(rate: Option<f64>) -> Self {
        let shortest = rate.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate));
        Self {
            pace: Mutex::new(Pace {
                next: tokio::time::Instant::now(),
                interval: shortest,
                shortest,
                slowed: Instant::now(),
            }),
            active: AtomicBool::new(rate.is_some()),
            taken: AtomicU32::new(0),
        }
    }

    /// Whether requests have to wait for their turn.
    pub(super) fn is_active(&self) -> bool {
        self.active.load(Ordering::Relaxed)
    }

    /// Waits until the next request may be sent.
    pub(super) async fn turn(&self) {
        // The task with the lock sleeps. The others wait for the lock, so each has its own turn.
        let mut pace = self.pace.lock().await;
        tokio::time::sleep_until(pace.next).await;
        // Timers are up to a few milliseconds late. The next turns make up for it, but not for a longer
        // time without requests.
        let now = tokio::time::Instant::now();
        let latest_start = now.checked_sub(MAX_LATE).unwrap_or(now);
        pace.next = pace.next.max(latest_start) + pace.interval;
    }

    /// Slows down after the node refused a request that was sent at `began`.
    ///
    /// Requests that were refused at the same time slow down only once. After a `Retry-After`, no request
    /// is sent until that time, and the interval stays the same.
    pub(super) async fn slow_down(&self, began: Instant, retry_after: Option<Duration>) {
        let mut pace = self.pace.lock().await;
        if began < pace.slowed {
            return;
        }
        pace.slowed = Instant::now();
        self.taken.store(0, Ordering::Relaxed);
        self.active.store(true, Ordering::Relaxed);
        match retry_after {
            Some(wait) => {
                let until = tokio::time::Instant::now() + wait.min(MAX_WAIT);
                pace.next = pace.next.max(until);
            }
            None => {
                let (least, most) = SLOWER;
                let slower = (pace.interval * 2).clamp(least, most);
                pace.interval = pace.interval.max(slower);
            }
        }
    }

    /// Counts a response, and halves the interval after enough of them in a row.
    pub(super) async fn speed_up(&self) {
        if !self.is_active() || self.taken.fetch_add(1, Ordering::Relaxed) + 1 < ENOUGH_TAKEN {
            return;
        }
        self.taken.store(0, Ordering::Relaxed);
        let mut pace = self.pace.lock().await;
        let faster = pace.interval / 2;
        pace.interval = if faster >= SLOWER.0 / 2 {
            faster.max(pace.shortest)
        } else {
            pace.shortest
        };
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, advance, sleep};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn at_least_95_percent_of_the_rate_and_no_more_than_the_rate_is_reached() {
        for rate in [20.0, 90.0, 100.0, 400.0, 1_000.0, 3_000.0] {
            let pacing = Pacing::new(Some(rate));
            pacing.turn().await;
            let began = Instant::now();
            for turn in 0..(rate as u32 * 10) {
                pacing.turn().await;
                // Sending takes some time, too.
                if turn % 4 == 0 {
                    advance(Duration::from_micros(300)).await;
                }
            }
            let reached = rate * 10.0 / began.elapsed().as_secs_f64();
            let most = rate * 1.01;
            assert!((rate * 0.95..=most).contains(&reached), "{rate}: {reached}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_time_without_requests_is_not_made_up_for() {
        let pacing = Pacing::new(Some(100.0));
        pacing.turn().await;
        sleep(Duration::from_secs(60)).await;
        let began = Instant::now();
        for _ in 0..100 {
            pacing.turn().await;
        }
        let elapsed = began.elapsed();
        assert!(elapsed >= Duration::from_millis(930), "{elapsed:?}");
    }
}
