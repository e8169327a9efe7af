//! A node that sends nothing: the exchanges of an earlier run answer its requests.

use std::sync::{Arc, atomic::Ordering};

use super::{Exchange, InconclusiveReason, LoggedExchange, Node, Replay, Request};

impl Node {
    /// Adds recorded exchanges, as if this node had sent them. They supply all responses from now on.
    pub(crate) fn add_recorded(&self, exchanges: Vec<LoggedExchange>) {
        self.with_log(|log| {
            for LoggedExchange { exchange, .. } in &exchanges {
                log.count(exchange.request.operation);
                log.add(exchange);
            }
        });
        let sent = u64::try_from(exchanges.len()).unwrap_or(u64::MAX);
        self.requests_sent.fetch_add(sent, Ordering::Relaxed);
        self.replay.get_or_init(|| Replay::of(&exchanges));
        if let Ok(mut log) = self.exchanges.lock() {
            log.add_recorded(exchanges);
        }
    }

    /// Returns the recorded response to a request, if the node sends nothing.
    pub(super) fn replayed(
        &self,
        request: &Request,
    ) -> Option<Result<Arc<Exchange>, InconclusiveReason>> {
        let replay = self.replay.get()?;
        Some(replay.response(request, &request.url(&self.target().base_url)))
    }
}
