//! Statistics of all requests of a run, by operation.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::Value;

use super::{exchange::Exchange, latencies::Latencies};

/// The requests of one operation, and the statuses of the responses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sent {
    /// Number of requests.
    pub(crate) requests: u64,
    /// The statuses of the responses.
    pub(crate) statuses: BTreeSet<u16>,
    /// The names of the query parameters and of the body's members.
    pub(crate) parameters: BTreeSet<String>,
    /// The response times.
    pub(crate) latencies: Latencies,
}

/// Statistics of all requests of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestLog {
    /// The operations, by their name in case IDs.
    operations: BTreeMap<&'static str, Sent>,
    /// Number of requests that succeeded only in the retry after a server error.
    pub(crate) repeated: u64,
    /// The first of these server errors.
    pub(crate) first_error: Option<Arc<Exchange>>,
}

impl RequestLog {
    /// Returns the statistics of an operation.
    pub(crate) fn of(&self, operation: &str) -> Sent {
        self.operations.get(operation).cloned().unwrap_or_default()
    }

    /// Returns the statistics of all operations.
    pub(crate) fn operations(&self) -> impl Iterator<Item = (&'static str, &Sent)> {
        self.operations.iter().map(|(name, sent)| (*name, sent))
    }

    /// Counts a request before it is sent.
    pub(super) fn count(&mut self, operation: &'static str) {
        self.operations.entry(operation).or_default().requests += 1;
    }

    /// Counts a server error after which the retry succeeded.
    pub(super) fn repeated(&mut self, error: Arc<Exchange>) {
        self.repeated += 1;
        self.first_error.get_or_insert(error);
    }

    /// Adds an exchange.
    pub(super) fn add(&mut self, exchange: &Exchange) {
        let sent = self
            .operations
            .entry(exchange.request.operation)
            .or_default();
        sent.statuses.insert(exchange.status);
        sent.latencies.add(exchange.elapsed);
        for (name, _) in &exchange.request.query {
            // This avoids an allocation for names that are already known.
            if !sent.parameters.contains(*name) {
                sent.parameters.insert((*name).to_owned());
            }
        }
        let body = exchange.request.body.as_deref();
        let body = body.and_then(|body| serde_json::from_str(body).ok());
        if let Some(Value::Object(members)) = body {
            let names = members.into_iter().map(|(name, _)| name);
            sent.parameters.extend(names);
        }
    }
}
