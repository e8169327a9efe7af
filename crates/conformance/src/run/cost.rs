//! The requests, times and bytes that a run took.

use std::time::Duration;

use nodeproof_report::{CostReport, EndpointCost};

use crate::http::{Latencies, Node};

/// Returns the cost of a run, or `None` if no request was sent.
pub(crate) fn cost(node: &Node, elapsed: Duration) -> Option<CostReport> {
    let log = node.log();
    let mut all = Latencies::default();
    let mut endpoints = Vec::new();
    for (operation, sent) in log.operations() {
        let latency = sent.latencies.report();
        all.extend(&sent.latencies);
        if latency.responses > 0 {
            endpoints.push(EndpointCost {
                operation: operation.to_owned(),
                latency,
            });
        }
    }
    let requests = node.requests();
    #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
    let rate = requests as f64 / elapsed.as_secs_f64().max(0.001);
    (requests > 0).then(|| CostReport {
        requests_per_second: (rate * 10.0).round() / 10.0,
        retries: log.retries,
        latency: all.report(),
        endpoints,
    })
}
