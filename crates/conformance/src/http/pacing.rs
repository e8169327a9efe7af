//! The interval between requests.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use nodeproof_client::transport::Pace;

/// The interval after the first refusal, and the longest interval.
const SLOWER: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));
/// Number of responses in a row after which the interval is halved.
const ENOUGH_TAKEN: u32 = 10;
/// Maximum wait for a node's `Retry-After`.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(5);

/// Keeps an interval between requests: the user's, or a longer one while the node refuses requests.
#[derive(Debug)]
pub(super) struct Pacing {
    pace: Pace,
    /// The shortest interval, set by the user.
    shortest: Duration,
    refusals: Mutex<Refusals>,
}

#[derive(Debug)]
struct Refusals {
    /// When the node last refused a request.
    last: Instant,
    /// Number of responses in a row since then.
    taken: u32,
}

impl Pacing {
    /// Limits requests to `rate` per second, if it is given.
    pub(super) fn new(rate: Option<f64>) -> Self {
        let shortest = rate.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate));
        Self {
            pace: Pace::new(shortest),
            shortest,
            refusals: Mutex::new(Refusals {
                last: Instant::now(),
                taken: 0,
            }),
        }
    }

    /// Waits until the next request may be sent.
    pub(super) async fn turn(&self) {
        self.pace.turn().await;
    }

    /// Slows down after the node refused a request that was sent at `began`.
    ///
    /// Requests that were refused at the same time slow down only once. After a `Retry-After`, no request
    /// is sent until that time, and the interval stays the same.
    pub(super) fn slow_down(&self, began: Instant, retry_after: Option<Duration>) {
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        if began < refusals.last {
            return;
        }
        *refusals = Refusals {
            last: Instant::now(),
            taken: 0,
        };
        match retry_after {
            Some(wait) => self.pace.pause(wait.min(MAX_WAIT)),
            None => {
                let interval = self.pace.interval();
                let (least, most) = SLOWER;
                let slower = (interval * 2).clamp(least, most);
                self.pace.set_interval(interval.max(slower));
            }
        }
    }

    /// Counts a response, and halves the interval after enough of them in a row.
    pub(super) fn speed_up(&self) {
        let interval = self.pace.interval();
        if interval == self.shortest {
            return;
        }
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        refusals.taken += 1;
        if refusals.taken >= ENOUGH_TAKEN {
            refusals.taken = 0;
            let faster = interval / 2;
            let faster = if faster < SLOWER.0 / 2 {
                self.shortest
            } else {
                faster
            };
            self.pace.set_interval(faster.max(self.shortest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_double_the_interval_and_responses_halve_it() {
        let pacing = Pacing::new(Some(100.0));
        let interval = || pacing.pace.interval().as_millis();
        assert_eq!(interval(), 10);
        let began = Instant::now();
        pacing.slow_down(began, None);
        // It was sent before the node refused the other one.
        pacing.slow_down(began, None);
        assert_eq!(interval(), 50);
        pacing.slow_down(Instant::now(), Some(Duration::ZERO));
        assert_eq!(interval(), 50);
        pacing.slow_down(Instant::now(), None);
        assert_eq!(interval(), 100);
        for millis in [50, 25, 10, 10] {
            (0..ENOUGH_TAKEN).for_each(|_| pacing.speed_up());
            assert_eq!(interval(), millis);
        }
    }
}
