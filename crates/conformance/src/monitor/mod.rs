//! Checks nodes repeatedly, and serves the results as metrics.

mod comparison;
mod log;
mod metrics;
mod node_monitor;
mod process;
mod saved_heights;
mod server;
mod text_format;

use std::{
    collections::{BTreeMap, BTreeSet},
    future::Future,
    sync::Arc,
    time::Duration,
};

use futures_util::FutureExt;
use tokio::{
    net::TcpListener,
    sync::{mpsc, watch},
    task::JoinHandle,
};

use comparison::{Comparison, LastRuns};
pub(crate) use log::Log;
pub use log::LogFormat;
use metrics::{Metrics, NodeLabel};
use node_monitor::{NodeConfiguration, NodeMonitor};
pub(crate) use saved_heights::SavedHeights;

use crate::{http::Target, run::Options};

/// What a monitor needs apart from its configuration.
pub(crate) struct Setup {
    /// Where the metrics are served.
    pub(crate) listener: TcpListener,
    /// Time from the start of a run to the start of the next one.
    pub(crate) interval: Duration,
    pub(crate) log: Log,
    /// Where the check of new blocks continues.
    pub(crate) saved: Option<SavedHeights>,
}

/// The configuration of a monitor, which can be read again.
pub(crate) struct Configuration {
    pub(crate) targets: Vec<Target>,
    pub(crate) options: Options,
}

/// Monitors nodes until `stop` is ready.
///
/// Each node has a task that runs the cases every `interval` and records the results. One more task
/// compares the nodes. Each element of `reloads` is a new configuration, or the reason why it is invalid.
pub(crate) async fn monitor(
    setup: Setup,
    configuration: Configuration,
    mut reloads: mpsc::Receiver<Result<Configuration, String>>,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let limits = &configuration.options.limits;
    // A run may take its whole deadline. One more interval is still not a reason for an alarm.
    let (longest, overdue) = (limits.deadline, limits.deadline + setup.interval * 2);
    let metrics = Arc::new(Metrics::new());
    let mut nodes = Nodes {
        metrics: Arc::clone(&metrics),
        log: Arc::new(setup.log),
        last_runs: Arc::default(),
        saved: setup.saved.map(Arc::new),
        interval: setup.interval,
        tasks: BTreeMap::new(),
    };
    let stop = stop.shared();
    let comparison = Comparison {
        last_runs: Arc::clone(&nodes.last_runs),
        metrics: Arc::clone(&metrics),
        log: Arc::clone(&nodes.log),
        redactor: configuration.options.submitting.redactor.clone(),
        differing: BTreeSet::new(),
    };
    nodes.configure(configuration).await;
    let comparing = tokio::spawn(comparison.run(setup.interval, longest, stop.clone()));
    let reloading = async {
        while let Some(reload) = reloads.recv().await {
            match reload {
                Ok(configuration) => {
                    let changes = nodes.configure(configuration).await;
                    nodes.log.configuration("reloaded", &changes);
                }
                Err(reason) => nodes.log.configuration("rejected", &reason),
            }
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = server::serve(setup.listener, metrics, overdue, stop) => {}
        () = reloading => {}
    }
    nodes.end().await;
    // It ends with `stop`. If it failed, there is nothing left to do.
    let _ended = comparing.await;
}

/// A task that monitors a node. It ends when the sender is dropped.
struct NodeTask {
    configuration: watch::Sender<NodeConfiguration>,
    task: JoinHandle<()>,
}

/// The monitored nodes.
struct Nodes {
    metrics: Arc<Metrics>,
    log: Arc<Log>,
    last_runs: Arc<LastRuns>,
    saved: Option<Arc<SavedHeights>>,
    interval: Duration,
    tasks: BTreeMap<NodeLabel, NodeTask>,
}

impl Nodes {
    /// Ends the tasks of nodes that are not in the configuration, changes the configuration of the others,
    /// and starts tasks for new nodes. Returns a description of the changes.
    async fn configure(&mut self, configuration: Configuration) -> String {
        let Configuration { targets, options } = configuration;
        let mut named: BTreeMap<_, _> = targets
            .into_iter()
            .map(|target| (NodeLabel::of(&target), target))
            .collect();
        let gone: Vec<_> = self
            .tasks
            .keys()
            .filter(|label| !named.contains_key(label))
            .cloned()
            .collect();
        let removed = gone.len();
        for label in gone {
            if let Some(task) = self.tasks.remove(&label) {
                task.end().await;
            }
            self.last_runs.remove(&label);
            self.metrics.remove(&label);
        }
        let kept = self.tasks.len();
        for (label, task) in &self.tasks {
            if let Some(target) = named.remove(label) {
                let options = options.clone();
                task.configuration
                    .send_replace(NodeConfiguration { target, options });
            }
        }
        let added = named.len();
        for (label, target) in named {
            let options = options.clone();
            self.start(label, NodeConfiguration { target, options });
        }
        format!("nodes added: {added}, removed: {removed}, kept: {kept}")
    }

    fn start(&mut self, label: NodeLabel, configuration: NodeConfiguration) {
        self.metrics.add(label.clone());
        let (sender, receiver) = watch::channel(configuration);
        let monitor = NodeMonitor::new(
            label.clone(),
            receiver,
            Arc::clone(&self.metrics),
            Arc::clone(&self.log),
            Arc::clone(&self.last_runs),
            self.saved.clone(),
        );
        let task = NodeTask {
            configuration: sender,
            task: tokio::spawn(monitor.run(self.interval)),
        };
        self.tasks.insert(label, task);
    }

    async fn end(self) {
        for (_, task) in self.tasks {
            task.end().await;
        }
    }
}

impl NodeTask {
    async fn end(self) {
        drop(self.configuration);
        // If the task failed, its node is not monitored anyway.
        let _ended = self.task.await;
    }
}
