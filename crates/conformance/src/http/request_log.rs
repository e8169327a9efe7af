//! The log of all requests of a run, by operation.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::Value;

use super::{exchange::Exchange, latencies::Latencies};

/// What was sent for one operation, and which statuses came back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sent {
    /// How many requests were sent.
    pub(crate) requests: u64,
    /// The statuses of the responses.
    pub(crate) statuses: BTreeSet<u16>,
    /// The names of the query's parameters and of the body's members.
    pub(crate) parameters: BTreeSet<String>,
    /// How long the responses took.
    pub(crate) latencies: Latencies,
}

/// The requests of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestLog {
    /// By the operation's name in case IDs.
    operations: BTreeMap<&'static str, Sent>,
    /// How many requests succeeded only when they were repeated after a server error.
    pub(crate) repeated: u64,
    /// The first of these server errors.
    pub(crate) first_error: Option<Arc<Exchange>>,
}

impl RequestLog {
    /// Returns what was sent for an operation.
    pub(crate) fn of(&self, operation: &str) -> Sent {
        self.operations.get(operation).cloned().unwrap_or_default()
    }

    /// Returns what was sent, by operation.
    pub(crate) fn operations(&self) -> impl Iterator<Item = (&'static str, &Sent)> {
        self.operations.iter().map(|(name, sent)| (*name, sent))
    }

    /// Counts a request that is about to be sent.
    pub(super) fn count(&mut self, operation: &'static str) {
        self.operations.entry(operation).or_default().requests += 1;
    }

    /// Counts a server error after which the same request succeeded.
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
            // A sweep adds the same names again and again.
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
