//! How long to wait for a path that did not respond.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// The number of requests in a row that each get the whole time limit.
const PATIENT: u32 = 2;
/// The number of requests in a row after which the time limit gets even shorter.
const MANY: u32 = 30;

/// The paths whose last requests had no response in time.
#[derive(Debug, Default)]
pub(super) struct SilentPaths(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The number of requests in a row without a response in time.
    in_a_row: BTreeMap<&'static str, u32>,
    slowest: Duration,
}

impl SilentPaths {
    /// Returns how long to wait for a response. After some requests in a row without one, it is a tenth of the time limit, and
    /// then a hundredth, but at least three times as long as any response took so far: a run must still end.
    pub(super) fn limit(&self, path: &str, usual: Duration) -> Duration {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let shorter = match known.in_a_row.get(path) {
            Some(MANY..) => usual / 100,
            Some(PATIENT..) => usual / 10,
            _ => usual,
        };
        shorter.max(known.slowest * 3).min(usual)
    }

    /// Gives all paths the whole time limit again.
    pub(super) fn forget(&self) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.in_a_row.clear();
    }

    /// Notes how long a response took, or that there was none in time.
    pub(super) fn note(&self, path: &'static str, took: Option<Duration>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match took {
            Some(took) => {
                known.in_a_row.remove(path);
                known.slowest = known.slowest.max(took);
            }
            None => *known.in_a_row.entry(path).or_default() += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_two_requests_without_a_response_a_path_gets_less_time() {
        let tenths = |tenths: u64| Duration::from_millis(tenths * 100);
        for (rows, limit) in [
            (&[][..], 100),
            (&[None], 100),
            (&[None, None], 10),
            (&[None; 29], 10),
            (&[None; 30], 1),
            (&[None, None, None, Some(2)], 100),
            (&[Some(7), None, None, None], 21),
            (&[Some(70), None, None, None], 100),
        ] {
            let paths = SilentPaths::default();
            for took in rows {
                paths.note("/call-sc", took.map(tenths));
            }
            assert_eq!(
                paths.limit("/call-sc", tenths(100)),
                tenths(limit),
                "{rows:?}"
            );
            assert_eq!(paths.limit("/get-block", tenths(100)), tenths(100));
            paths.forget();
            assert_eq!(paths.limit("/call-sc", tenths(100)), tenths(100));
        }
    }
}
