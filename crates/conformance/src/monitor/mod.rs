//! Checks nodes repeatedly, and serves the results as metrics.

mod log;
mod metrics;
mod node_monitor;
mod process;
mod saved_heights;
mod server;
mod text_format;

use std::{future::Future, sync::Arc, time::Duration};

use futures_util::FutureExt;
use tokio::{net::TcpListener, task::JoinSet};

pub(crate) use log::Log;
pub use log::LogFormat;
use metrics::Metrics;
use node_monitor::NodeMonitor;
pub(crate) use saved_heights::SavedHeights;

use crate::{http::Target, run::Options};

/// Monitors nodes until `stop` is ready.
///
/// Each node has a task that runs the cases every `interval` and records the results. The check of new
/// blocks continues after the saved heights.
pub(crate) async fn monitor(
    listener: TcpListener,
    targets: Vec<Target>,
    options: &Options,
    interval: Duration,
    log: Log,
    saved: Option<SavedHeights>,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let metrics = Arc::new(Metrics::new(&targets));
    // A run may take its whole deadline. One more interval is still not a reason for an alarm.
    let overdue = options.limits.deadline + interval * 2;
    let stop = stop.shared();
    let log = Arc::new(log);
    let saved = saved.map(Arc::new);
    let mut nodes = JoinSet::new();
    for (place, target) in targets.into_iter().enumerate() {
        let node = NodeMonitor::new(
            place,
            target,
            options.clone(),
            Arc::clone(&metrics),
            Arc::clone(&log),
            saved.clone(),
        );
        nodes.spawn(node.run(interval, stop.clone()));
    }
    server::serve(listener, metrics, overdue, stop).await;
    nodes.join_all().await;
}
