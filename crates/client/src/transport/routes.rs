//! Choosing a node for each read.

use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::{Client, Request, Url};

use crate::BaseUrl;

/// A node, and the HTTP client that reaches it.
pub(crate) type Route = (BaseUrl, Client);

/// The nodes that a client reads from: its own, and its fallbacks. All clones of a client share the
/// choice.
#[derive(Debug)]
pub(super) struct Routes {
    /// The first is the client's own node.
    all: Vec<Route>,
    /// The node that responded last.
    current: AtomicUsize,
}

impl Routes {
    pub(super) fn new(own: Route, fallbacks: Vec<Route>) -> Self {
        Self {
            all: std::iter::once(own).chain(fallbacks).collect(),
            current: AtomicUsize::new(0),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns the index of the node that reads go to first.
    pub(super) fn current(&self) -> usize {
        self.current.load(Ordering::Relaxed)
    }

    /// Sends later reads to this node first.
    pub(super) fn stay(&self, at: usize) {
        self.current.store(at, Ordering::Relaxed);
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
