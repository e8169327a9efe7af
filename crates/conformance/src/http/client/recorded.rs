//! A node that sends nothing, because its exchanges were recorded earlier.

use std::sync::atomic::Ordering;

use super::{LoggedExchange, Node};

impl Node {
    /// Adds recorded exchanges, as if this node had sent them.
    pub(crate) fn add_recorded(&self, exchanges: Vec<LoggedExchange>) {
        self.with_log(|log| {
            for LoggedExchange { exchange, .. } in &exchanges {
                log.count(exchange.request.operation);
                log.add(exchange);
            }
        });
        let sent = u64::try_from(exchanges.len()).unwrap_or(u64::MAX);
        self.requests_sent.fetch_add(sent, Ordering::Relaxed);
        if let Ok(mut log) = self.exchanges.lock() {
            log.add_recorded(exchanges);
        }
    }
}
