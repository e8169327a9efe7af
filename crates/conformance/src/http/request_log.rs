//! Statistics of all requests of a run, by operation.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::Value;

use super::{
    exchange::{Exchange, Method, Request},
    latencies::Latencies,
    request_line::request_line,
};

/// Maximum number of requests without a response to keep.
const MOST_UNANSWERED: usize = 10;
/// Maximum number of them that took too long.
const MOST_SLOW: usize = 2;
/// Maximum number of requests to list.
const MOST_LISTED: usize = 1_000;

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

impl Sent {
    /// Returns the number of requests whose response has not arrived.
    pub(crate) fn without_response(&self) -> u64 {
        let responses: u64 = self.latencies.counts().map(|(_, count)| count).sum();
        self.requests.saturating_sub(responses)
    }
}

/// A request that got no response.
#[derive(Clone, Debug)]
pub(crate) struct Unanswered {
    pub(crate) request: Request,
    /// The latest exchange with the same path before it.
    pub(crate) before: Option<Arc<Exchange>>,
}

/// Statistics of all requests of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestLog {
    /// The operations, by their name in case IDs.
    operations: BTreeMap<&'static str, Sent>,
    /// Number of requests that were sent again: the node was busy, failed, or closed the connection.
    pub(crate) retries: u64,
    /// Number of requests that succeeded only in the retry after a server error.
    pub(crate) repeated: u64,
    /// The first of these server errors.
    pub(crate) first_error: Option<Arc<Exchange>>,
    /// The first requests after which the node closed the connection, or could not be reached, or that took too long.
    pub(crate) unanswered: Vec<Unanswered>,
    /// How many of them took too long.
    slow: usize,
    /// The GETs with parameters that got a response, up to [`MOST_LISTED`].
    pub(crate) requested: BTreeSet<String>,
    /// The requests of earlier findings that got no response yet.
    pub(crate) pending: BTreeSet<String>,
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

    /// Sets the requests of earlier findings, in the form of [`request_line`].
    pub(super) fn expect_again(&mut self, requests: impl IntoIterator<Item = String>) {
        self.pending = requests.into_iter().collect();
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

    /// Adds a request that got no response. Each slow one takes a time-out again when it is repeated.
    pub(super) fn add_unanswered(&mut self, unanswered: Unanswered, is_slow: bool) {
        if self.unanswered.len() < MOST_UNANSWERED && (!is_slow || self.slow < MOST_SLOW) {
            self.slow += usize::from(is_slow);
            self.unanswered.push(unanswered);
        }
    }

    /// Adds an exchange.
    pub(super) fn add(&mut self, exchange: &Exchange) {
        let is_listed = self.requested.len() < MOST_LISTED || !self.pending.is_empty();
        let request = &exchange.request;
        if is_listed && request.method == Method::Get && !request.query.is_empty() {
            let query = request
                .query
                .iter()
                .map(|(name, value)| (*name, value.as_str()));
            let line = request_line(request.path, query);
            self.pending.remove(&line);
            if self.requested.len() < MOST_LISTED {
                self.requested.insert(line);
            }
        }
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
        if let Some(Value::Object(members)) = exchange.sent() {
            sent.parameters.extend(members.keys().cloned());
        }
    }
}
