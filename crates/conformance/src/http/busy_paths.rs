//! Since when each path has been busy.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How long a path may be busy until requests for it are no longer repeated. A limit of requests in a minute has
/// passed by then.
const PATIENCE: Duration = Duration::from_secs(70);

/// The paths whose last response was that the node is busy, with the time of the first such response.
#[derive(Debug, Default)]
pub(super) struct BusyPaths(Mutex<BTreeMap<&'static str, Instant>>);

impl BusyPaths {
    /// Notes a response of a path: whether the node was busy.
    pub(super) fn note(&self, path: &'static str, is_busy: bool, now: Instant) {
        let mut paths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if is_busy {
            paths.entry(path).or_insert(now);
        } else {
            paths.remove(path);
        }
    }

    /// Returns the paths whose last response was that the node is busy.
    pub(super) fn busy(&self) -> Vec<&'static str> {
        let paths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        paths.keys().copied().collect()
    }

    /// Whether a path has been busy for so long that waiting is of no use.
    pub(super) fn is_stuck(&self, path: &str, now: Instant) -> bool {
        let paths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let since = paths.get(path);
        since.is_some_and(|since| now.duration_since(*since) >= PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_stuck_once_it_was_busy_for_long_and_until_it_responds() {
        let start = Instant::now();
        let paths = BusyPaths::default();
        for (seconds, is_busy, is_stuck) in [
            (0, true, false),
            (60, true, false),
            (71, true, true),
            (72, false, false),
            (73, true, false),
            (142, true, false),
            (144, true, true),
        ] {
            let now = start + Duration::from_secs(seconds);
            paths.note("/call-sc", is_busy, now);
            assert_eq!(paths.is_stuck("/call-sc", now), is_stuck, "{seconds}");
            assert!(!paths.is_stuck("/get-block", now), "{seconds}");
        }
    }
}
