//! Pauses between retries, each twice as long as the one before.

use std::time::Duration;

/// The lengths of the pauses before retries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackOff {
    next: Duration,
    longest: Duration,
}

impl BackOff {
    /// Creates pauses that start with `first` and double up to `longest`.
    pub(crate) const fn new(first: Duration, longest: Duration) -> Self {
        Self {
            next: first,
            longest,
        }
    }

    /// Creates pauses that start with `first` and double without a limit.
    pub(crate) const fn unbounded(first: Duration) -> Self {
        Self::new(first, Duration::MAX)
    }

    /// Returns the length of the next pause, and doubles the one after it.
    pub(crate) fn pause(&mut self) -> Duration {
        let pause = self.peek();
        self.next = pause.saturating_mul(2);
        pause
    }

    /// Returns the length of the next pause.
    pub(crate) fn peek(&self) -> Duration {
        self.next.min(self.longest)
    }

    /// Waits for the next pause.
    pub(crate) async fn wait(&mut self) {
        tokio::time::sleep(self.pause()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let millis = Duration::from_millis;
        let mut back_off = BackOff::new(millis(250), millis(900));
        let pauses = [(); 4].map(|()| back_off.pause());
        assert_eq!(pauses, [250, 500, 900, 900].map(millis));
    }
}
