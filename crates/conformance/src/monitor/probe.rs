//! Probes one node: whether it responds, how fast, its height, and how far it lags.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::FutureExt;
use tokio::{
    sync::watch,
    time::{MissedTickBehavior, timeout},
};

use super::{
    known_nodes::{KnownNodes, Others},
    log::Log,
    metrics::{Measured, Metrics, NodeLabel},
    node_monitor::NodeConfiguration,
};
use crate::{
    api::block_request,
    context::Redactor,
    http::Node,
    nodes::{Side, height_now, is_block, lag_behind, read_height},
};

/// Number of requests at a time.
const JOBS: usize = 4;
/// Maximum duration of the search for the height, in time limits of one request.
const SEARCH: u32 = 4;
/// The block that is requested from a node before its first run has ended.
const FIRST_BLOCK: u64 = 1;

/// The probe of one node. It has its own connections and its own pace.
pub(super) struct Probe {
    pub(super) label: NodeLabel,
    pub(super) configuration: watch::Receiver<NodeConfiguration>,
    pub(super) known: Arc<KnownNodes>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) log: Arc<Log>,
    /// Whether the node responded to the last probe. Nothing is logged about a node that always responds.
    pub(super) is_up: bool,
}

impl Probe {
    /// Probes the node every `interval`, until the sender of the configuration is dropped.
    pub(super) async fn run(mut self, interval: Duration) {
        let mut configuration = self.configuration.clone();
        let stop = async move { while configuration.changed().await.is_ok() {} };
        let stop = stop.boxed().shared();
        let mut ticks = tokio::time::interval(interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let probe = async {
                ticks.tick().await;
                self.probe().await;
            };
            tokio::select! {
                biased;
                () = stop.clone() => return,
                () = probe => {}
            }
        }
    }

    async fn probe(&mut self) {
        let NodeConfiguration { target, options } = self.configuration.borrow().clone();
        let redactor = &options.submitting.redactor;
        redactor.add_headers(target.access.headers());
        let side = self.known.side(&self.label);
        let node = match &side {
            Some(side) => Arc::clone(&side.examined.node),
            // This fails only with wrong certificates, which the run reports.
            None => match Node::new(target, options.limits.of_requests(false)) {
                Ok(node) => Arc::new(node),
                Err(_) => return,
            },
        };
        let limit = options.limits.request_timeout;
        node.forget_silence();
        let began = Instant::now();
        let block = side.as_ref().map_or(FIRST_BLOCK, Side::last_height);
        let response = timeout(limit, node.send(block_request(block))).await;
        let has_known = match (&side, &response) {
            (Some(side), Ok(Ok(exchange))) => is_block(side, block, exchange),
            _ => false,
        };
        let reason = match response {
            Ok(Ok(exchange)) if exchange.status < 500 => None,
            Ok(Ok(exchange)) => Some(exchange.summary()),
            Ok(Err(inconclusive)) => Some(inconclusive.reason().to_owned()),
            Err(_) => Some(format!("no response within {} s", limit.as_secs_f64())),
        };
        self.log_change(reason.as_deref(), redactor);
        let mut measured = None;
        if let Some(side) = side.filter(|_| self.is_up) {
            let measuring = timeout(limit * SEARCH, self.height_and_lag(&side, has_known, limit));
            measured = measuring.await.ok().flatten();
        }
        self.known.probed(&self.label, measured, began.elapsed());
        self.metrics
            .record_probe(&self.label, self.is_up, measured, &node.log());
        self.metrics.add_requests(&self.label, node.requests());
    }

    fn log_change(&mut self, reason: Option<&str>, redactor: &Redactor) {
        let is_up = reason.is_none();
        if is_up != self.is_up {
            let result = if is_up { "reachable" } else { "unreachable" };
            let message = redactor.redact(reason.unwrap_or_default().to_owned());
            self.log.change(&self.label.node, "probe", result, &message);
        }
        self.is_up = is_up;
    }

    /// Returns the height of the node, and the number of blocks that another node had and this one did not have
    /// later.
    ///
    /// The height of the fastest of the other nodes is read first. So both heights are of one moment, however
    /// long the responses of this node take.
    async fn height_and_lag(
        &self,
        side: &Side,
        has_known: bool,
        limit: Duration,
    ) -> Option<Measured> {
        let height = read_height(side, has_known, JOBS).await.ok()?;
        let (known, other) = match self.known.others(&self.label) {
            Others::Known { highest, fastest } => (highest, fastest),
            Others::Unknown => return Some(Measured { height, lag: None }),
            Others::None => {
                let lag = Some(0);
                return Some(Measured { height, lag });
            }
        };
        let now = timeout(limit, height_now(&other)).await;
        let now = now.ok().and_then(Result::ok);
        let highest = now.map_or(known, |now| now.max(known));
        let lag = lag_behind(side, highest, JOBS).await.ok()?;
        Some(Measured {
            height: side.last_height(),
            lag: Some(lag),
        })
    }
}
