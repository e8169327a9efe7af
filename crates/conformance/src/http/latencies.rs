//! Response times of the node.

use std::time::Duration;

use nodeproof_report::LatencyReport;

/// Number of histogram steps for each doubling. A step is at most 7% longer than the previous one.
const STEPS: f64 = 11.0;

/// A histogram of response times, in constant memory.
///
/// Each time counts in the bucket of the next longer step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies {
    buckets: Vec<u64>,
    max: Duration,
}

impl Latencies {
    pub(super) fn add(&mut self, elapsed: Duration) {
        let bucket = bucket_of(elapsed);
        if self.buckets.len() <= bucket {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
        self.max = self.max.max(elapsed);
    }

    /// Adds another histogram, such as that of another endpoint.
    pub(crate) fn extend(&mut self, other: &Self) {
        let length = self.buckets.len().max(other.buckets.len());
        self.buckets.resize(length, 0);
        for (all, more) in self.buckets.iter_mut().zip(&other.buckets) {
            *all += more;
        }
        self.max = self.max.max(other.max);
    }

    /// Returns the non-empty buckets: the longest time of each, and its number of responses.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (Duration, u64)> {
        let buckets = self.buckets.iter().enumerate();
        buckets
            .map(|(bucket, count)| (Duration::from_secs_f64(longest_of(bucket) / 1e3), *count))
            .filter(|(_, count)| *count > 0)
    }

    pub(crate) fn report(&self) -> LatencyReport {
        let max_ms = milliseconds(self.max);
        LatencyReport {
            responses: self.buckets.iter().sum(),
            median_ms: self.percentile(50).min(max_ms),
            p95_ms: self.percentile(95).min(max_ms),
            max_ms,
        }
    }

    /// Returns the time within which `percent` of the responses arrived, in milliseconds.
    fn percentile(&self, percent: u64) -> f64 {
        let all: u64 = self.buckets.iter().sum();
        let wanted = (all * percent).div_ceil(100);
        let mut counted = 0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            counted += count;
            if counted >= wanted {
                return longest_of(bucket);
            }
        }
        0.0
    }
}

/// Returns the bucket of a time. Bucket 0 has all times up to a microsecond.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the logarithm of a time is neither negative nor large"
)]
fn bucket_of(elapsed: Duration) -> usize {
    let microseconds = elapsed.as_secs_f64() * 1e6;
    (microseconds.max(1.0).log2() * STEPS).ceil() as usize
}

/// Returns the longest time of a bucket, in milliseconds.
#[expect(clippy::cast_precision_loss, reason = "there are some hundred buckets")]
fn longest_of(bucket: usize) -> f64 {
    rounded((bucket as f64 / STEPS).exp2() / 1e3)
}

fn milliseconds(time: Duration) -> f64 {
    rounded(time.as_secs_f64() * 1e3)
}

/// Rounds milliseconds to three decimals.
fn rounded(milliseconds: f64) -> f64 {
    (milliseconds * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_at_most_seven_percent_too_high() {
        let mut latencies = Latencies::default();
        for millisecond in 1..=1000 {
            latencies.add(Duration::from_millis(millisecond));
        }
        let report = latencies.report();
        assert_eq!(report.responses, 1000);
        assert!((500.0..535.0).contains(&report.median_ms), "{report:?}");
        assert!((950.0..=1000.0).contains(&report.p95_ms), "{report:?}");
        assert!((report.max_ms - 1000.0).abs() < 1e-9, "{report:?}");
    }

    #[test]
    fn endpoints_add_up_and_odd_times_are_counted() {
        let mut one = Latencies::default();
        one.add(Duration::ZERO);
        let mut other = Latencies::default();
        other.add(Duration::from_secs(86_400));
        one.extend(&other);
        let report = one.report();
        assert_eq!(report.responses, 2);
        assert!(
            report.median_ms <= 0.001 && report.p95_ms > 8e7,
            "{report:?}"
        );
        assert_eq!(Latencies::default().report().responses, 0);
    }
}
