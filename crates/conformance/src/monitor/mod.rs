//! Checks nodes repeatedly, and serves the results as metrics.

mod comparison;
mod known_nodes;
mod log;
mod metrics;
mod node_monitor;
mod probe;
mod process;
mod saved_state;
mod server;
mod text_format;

use std::{collections::BTreeMap, future::Future, sync::Arc, time::Duration};

use futures_util::{FutureExt, future::join_all};
use tokio::{
    net::TcpListener,
    sync::{mpsc, watch},
    task::JoinHandle,
};

use comparison::NodeComparer;
use known_nodes::KnownNodes;
pub(crate) use log::Log;
pub use log::LogFormat;
use metrics::{Metrics, NodeLabel};
use node_monitor::{NodeConfiguration, NodeMonitor};
use probe::Probe;
pub(crate) use saved_state::SavedState;

use crate::{http::Target, run::Options};

/// What a monitor needs apart from its configuration.
pub(crate) struct Setup {
    /// Where the metrics are served.
    pub(crate) listener: TcpListener,
    /// Time from the start of a probe, or of a comparison, to the start of the next one.
    pub(crate) interval: Duration,
    /// Time from the start of a run to the start of the next one.
    pub(crate) run_interval: Duration,
    pub(crate) log: Log,
    /// What an earlier monitor found.
    pub(crate) saved: Option<SavedState>,
}

/// The configuration of a monitor, which can be read again.
pub(crate) struct Configuration {
    pub(crate) targets: Vec<Target>,
    pub(crate) options: Options,
}

/// Monitors nodes until `stop` is ready.
///
/// Each node has two tasks: one probes it every `interval`, and one runs the cases every `run_interval`. One more
/// task compares the nodes. Each element of `reloads` is a new configuration, or the reason why it is invalid.
pub(crate) async fn monitor(
    setup: Setup,
    configuration: Configuration,
    mut reloads: mpsc::Receiver<Result<Configuration, String>>,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let limits = &configuration.options.limits;
    // A run may take its whole deadline. One more interval is still not a reason for an alarm.
    let overdue = limits.deadline + setup.run_interval * 2;
    // So a node that does not respond delays a comparison only by its time limit.
    let longest = setup.interval.max(limits.request_timeout);
    let metrics = Arc::new(Metrics::new(setup.run_interval));
    let mut nodes = Nodes {
        metrics: Arc::clone(&metrics),
        log: Arc::new(setup.log),
        known: Arc::default(),
        saved: setup.saved.map(Arc::new),
        interval: setup.interval,
        run_interval: setup.run_interval,
        tasks: BTreeMap::new(),
    };
    let stop = stop.shared();
    let comparison = NodeComparer {
        known: Arc::clone(&nodes.known),
        metrics: Arc::clone(&metrics),
        log: Arc::clone(&nodes.log),
        redactor: configuration.options.submitting.redactor.clone(),
        saved: nodes.saved.clone(),
        left: BTreeMap::new(),
    };
    nodes.configure(configuration).await;
    let comparing = tokio::spawn(comparison.run(setup.interval, longest, stop.clone()));
    let reloading = async {
        while let Some(reload) = reloads.recv().await {
            let (result, message) = match reload {
                Ok(configuration) => ("reloaded", nodes.configure(configuration).await),
                Err(reason) => ("rejected", reason),
            };
            nodes
                .log
                .change("nodeproof", "configuration", result, &message);
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

/// The tasks of a node: its runs and its probes. They end when the sender is dropped.
struct NodeTasks {
    configuration: watch::Sender<NodeConfiguration>,
    tasks: [JoinHandle<()>; 2],
}

/// The monitored nodes.
struct Nodes {
    metrics: Arc<Metrics>,
    log: Arc<Log>,
    known: Arc<KnownNodes>,
    saved: Option<Arc<SavedState>>,
    interval: Duration,
    run_interval: Duration,
    tasks: BTreeMap<NodeLabel, NodeTasks>,
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
            self.known.remove(&label);
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
        self.known.add(label.clone());
        let (sender, receiver) = watch::channel(configuration);
        let probe = Probe {
            label: label.clone(),
            configuration: receiver.clone(),
            known: Arc::clone(&self.known),
            metrics: Arc::clone(&self.metrics),
            log: Arc::clone(&self.log),
            is_up: true,
        };
        let monitor = NodeMonitor::new(
            label.clone(),
            receiver,
            Arc::clone(&self.metrics),
            Arc::clone(&self.log),
            Arc::clone(&self.known),
            self.saved.clone(),
        );
        let tasks = NodeTasks {
            configuration: sender,
            tasks: [
                tokio::spawn(monitor.run(self.run_interval)),
                tokio::spawn(probe.run(self.interval)),
            ],
        };
        self.tasks.insert(label, tasks);
    }

    async fn end(self) {
        for (_, task) in self.tasks {
            task.end().await;
        }
    }
}

impl NodeTasks {
    async fn end(self) {
        drop(self.configuration);
        // If a task failed, its node is not monitored anyway.
        let _ended = join_all(self.tasks).await;
    }
}
