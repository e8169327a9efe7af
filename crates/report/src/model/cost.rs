//! What a run cost the node.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run cost the node: how many requests it got, and how long it took to respond.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostReport {
    /// Number of requests per second, on average over the run.
    pub requests_per_second: f64,
    /// Number of requests that were sent again, because the node was busy (429 or 503), failed (5xx), or closed the connection.
    #[serde(default)]
    pub retries: u64,
    /// The latency of all responses.
    pub latency: LatencyReport,
    /// The latency of each endpoint that responded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub endpoints: Vec<EndpointCost>,
}

/// The latency of one endpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EndpointCost {
    /// The operation's name in case IDs, such as `get-block`.
    pub operation: String,
    /// The latency of its responses.
    pub latency: LatencyReport,
}

/// The time from sending a request to the last byte of its response, in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyReport {
    /// Number of responses.
    pub responses: u64,
    /// The median. It is up to 7% too high.
    pub median_ms: f64,
    /// The 95th percentile. It is up to 7% too high.
    pub p95_ms: f64,
    /// The maximum.
    pub max_ms: f64,
}

impl CostReport {
    /// Returns the cost in words, such as `150 requests/s; latency: median 0.4 ms, 95% within 2.1
    /// ms, maximum 14 ms`.
    pub(crate) fn in_words(&self) -> String {
        let LatencyReport {
            responses,
            median_ms,
            p95_ms,
            max_ms,
        } = self.latency;
        let rate = figure(self.requests_per_second);
        if responses == 0 {
            return format!("{rate} requests/s; no response");
        }
        let retries = match self.retries {
            0 => String::new(),
            1 => "; 1 request was sent again".to_owned(),
            retries => format!("; {retries} requests were sent again"),
        };
        format!(
            "{rate} requests/s; latency: median {} ms, 95% within {} ms, maximum {} ms{retries}",
            figure(median_ms),
            figure(p95_ms),
            figure(max_ms)
        )
    }
}

/// Writes a number, with one decimal if it is below 10.
pub(crate) fn figure(value: f64) -> String {
    if value < 9.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_figures_have_a_decimal_and_no_response_has_no_latency() {
        let mut cost = CostReport {
            requests_per_second: 151.26,
            retries: 0,
            latency: LatencyReport {
                responses: 7,
                median_ms: 0.44,
                p95_ms: 9.96,
                max_ms: 1234.5,
            },
            endpoints: vec![],
        };
        assert_eq!(
            cost.in_words(),
            "151 requests/s; latency: median 0.4 ms, 95% within 10 ms, maximum 1234 ms"
        );
        cost.retries = 17;
        let words = cost.in_words();
        assert!(words.ends_with(", maximum 1234 ms; 17 requests were sent again"));
        cost.latency.responses = 0;
        assert_eq!(cost.in_words(), "151 requests/s; no response");
    }
}
