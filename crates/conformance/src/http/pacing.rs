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
        pace.next = tokio::time::Instant::now() + pace.interval;
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
