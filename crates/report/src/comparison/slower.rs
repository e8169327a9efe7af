//! Endpoints that have become slower.

use crate::model::{EndpointCost, LatencyReport, NodeReport};

/// The minimum number of responses for comparing medians.
const MIN_RESPONSES: u64 = 5;
/// The minimum number of responses for comparing 95th percentiles.
const MIN_FOR_PERCENTILE: u64 = 20;
/// An endpoint is slower if its latency is more than this many times the earlier latency …
const SLOWER_TIMES: f64 = 2.0;
/// … and at least this many milliseconds higher.
const SLOWER_MS: f64 = 20.0;

/// An endpoint that has become slower.
#[derive(Clone, Debug)]
pub struct Slowdown<'r> {
    /// The operation's name in case IDs, such as `get-block`.
    pub operation: &'r str,
    /// What was measured: `median` or `95th percentile`.
    pub measure: &'static str,
    /// The latency before, in milliseconds.
    pub before_ms: f64,
    /// The latency now, in milliseconds.
    pub after_ms: f64,
}

pub(super) fn slower<'r>(before: &NodeReport, after: &'r NodeReport) -> Vec<Slowdown<'r>> {
    let earlier: Vec<_> = before
        .cost
        .iter()
        .flat_map(|cost| &cost.endpoints)
        .collect();
    let slowdown = |now: &'r EndpointCost| {
        let was = earlier.iter().find(|was| was.operation == now.operation)?;
        let (was, latency) = (&was.latency, &now.latency);
        let responses = latency.responses.min(was.responses);
        let measure = |name, fewest, of: fn(&LatencyReport) -> f64| {
            let (before_ms, after_ms) = (of(was), of(latency));
            let is_slower = responses >= fewest
                && after_ms > before_ms * SLOWER_TIMES
                && after_ms - before_ms >= SLOWER_MS;
            is_slower.then_some(Slowdown {
                operation: &now.operation,
                measure: name,
                before_ms,
                after_ms,
            })
        };
        measure("median", MIN_RESPONSES, |latency| latency.median_ms).or_else(|| {
            measure("95th percentile", MIN_FOR_PERCENTILE, |latency| {
                latency.p95_ms
            })
        })
    };
    let endpoints = after.cost.iter().flat_map(|cost| &cost.endpoints);
    endpoints.filter_map(slowdown).collect()
}
