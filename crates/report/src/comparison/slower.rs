//! Endpoints that have become slower.

use super::result::Slowdown;
use crate::model::LatencyReport;

/// The minimum number of responses for comparing medians.
const MIN_RESPONSES: u64 = 5;
/// The minimum number of responses for comparing 95th percentiles.
const MIN_FOR_PERCENTILE: u64 = 20;
/// An endpoint is slower if its latency is more than this many times the earlier latency …
const SLOWER_TIMES: f64 = 2.0;
/// … and at least this many milliseconds higher.
const SLOWER_MS: f64 = 20.0;

pub(super) fn slower(
    before: &[(&str, &LatencyReport)],
    after: &[(&str, &LatencyReport)],
) -> Vec<Slowdown> {
    let mut slower = Vec::new();
    for (operation, now) in after {
        let earlier = before.iter().find(|(name, _)| name == operation);
        let Some((_, was)) = earlier else { continue };
        let responses = now.responses.min(was.responses);
        let measures = [
            ("median", MIN_RESPONSES, was.median_ms, now.median_ms),
            (
                "95th percentile",
                MIN_FOR_PERCENTILE,
                was.p95_ms,
                now.p95_ms,
            ),
        ];
        let is_slower = |(_, fewest, was, now): &(_, u64, f64, f64)| {
            responses >= *fewest && *now > was * SLOWER_TIMES && now - was >= SLOWER_MS
        };
        if let Some((measure, _, before_ms, after_ms)) = measures.into_iter().find(is_slower) {
            slower.push(Slowdown {
                operation: (*operation).to_owned(),
                measure,
                before_ms,
                after_ms,
            });
        }
    }
    slower
}
