//! Choosing a node for each read.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use reqwest::{Client, Request, Url};

use crate::BaseUrl;

/// A node, and the HTTP client that reaches it.
pub(crate) type Route = (BaseUrl, Client);

/// The time after which reads return to the client's own node.
const RETURN_AFTER: Duration = Duration::from_secs(60);

/// The nodes that a client reads from: its own, and its fallbacks. All clones of a client share the
/// choice.
#[derive(Debug)]
pub(super) struct Routes {
    /// The first is the client's own node.
    all: Vec<Route>,
    /// The fallback that responded last, and the time of the change to it.
    current: Mutex<Option<(usize, Instant)>>,
}

impl Routes {
    pub(super) fn new(own: Route, fallbacks: Vec<Route>) -> Self {
        Self {
            all: std::iter::once(own).chain(fallbacks).collect(),
            current: Mutex::new(None),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns the index of the node that reads go to first. It is the client's own node again some
    /// time after a fallback took its place.
    pub(super) fn current(&self, now: Instant) -> usize {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        match *current {
            Some((at, since)) if now.duration_since(since) < RETURN_AFTER => at,
            _ => 0,
        }
    }

    /// Sends later reads to this node first.
    pub(super) fn stay(&self, at: usize, now: Instant) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = (at > 0).then_some((at, now));
    }

    /// Changes a request for the client's own node into one for another node.
    pub(super) fn readdress(&self, mut request: Request, at: usize) -> Option<(Request, &Client)> {
        let ((own, _), (base, http)) = (self.all.first()?, self.all.get(at)?);
        if at > 0 {
            let requested = request.url().as_str();
            let rest = requested.strip_prefix(own.as_str().trim_end_matches('/'))?;
            let url = format!("{}{rest}", base.as_str().trim_end_matches('/'));
            *request.url_mut() = url.parse::<Url>().ok()?;
        }
        Some((request, http))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{TransportOptions, http_client};

    #[test]
    fn reads_return_to_the_own_node_after_a_time() {
        let base: BaseUrl = "http://localhost:1".parse().unwrap();
        let http = http_client(&base, &TransportOptions::default()).unwrap();
        let route = || (base.clone(), http.clone());
        let routes = Routes::new(route(), vec![route(), route()]);
        let start = Instant::now();
        assert_eq!(routes.current(start), 0);
        routes.stay(2, start);
        let later = start + RETURN_AFTER / 2;
        assert_eq!(routes.current(later), 2);
        assert_eq!(routes.current(start + RETURN_AFTER), 0);
        routes.stay(1, later);
        routes.stay(0, later);
        assert_eq!(routes.current(later), 0);
    }
}
