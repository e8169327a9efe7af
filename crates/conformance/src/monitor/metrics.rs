//! Metrics of the results.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, AtomicU64},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use nodeproof_report::{Outcome, Report, Verdict};
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::{Registry, Unit},
};

use super::process::Process;
use crate::{http::Target, run::ExaminedNode};

/// The upper bounds of the latency histogram, in seconds.
const BUCKETS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct NodeLabel {
    node: String,
    network: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct VerdictLabel {
    #[prometheus(flatten)]
    node: NodeLabel,
    verdict: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabel {
    #[prometheus(flatten)]
    node: NodeLabel,
    outcome: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct EndpointLabel {
    #[prometheus(flatten)]
    node: NodeLabel,
    endpoint: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CaseLabel {
    #[prometheus(flatten)]
    node: NodeLabel,
    case: String,
    level: String,
}

/// The verdict of a run against a node that responded, but could not be checked.
const INCONCLUSIVE: &str = "inconclusive";

/// Returns the verdict of a run. A node that responded is not `unreachable`.
fn verdict_name(report: &Report) -> &'static str {
    let reason = report.reason.as_deref().unwrap_or_default();
    match report.verdict {
        Verdict::Unreachable if !reason.starts_with("unreachable: ") => INCONCLUSIVE,
        verdict => verdict.name(),
    }
}

type Latency = Family<EndpointLabel, Histogram, fn() -> Histogram>;

/// The metrics of all nodes.
pub(super) struct Metrics {
    registry: Registry,
    nodes: Vec<NodeLabel>,
    verdict: Family<VerdictLabel, Gauge>,
    cases: Family<OutcomeLabel, Gauge>,
    failed: Family<CaseLabel, Gauge>,
    latency: Latency,
    height: Family<NodeLabel, Gauge>,
    lag: Family<NodeLabel, Gauge>,
    runs: Family<NodeLabel, Counter>,
    requests: Family<NodeLabel, Counter>,
    retries: Family<NodeLabel, Counter>,
    blocks: Family<NodeLabel, Counter>,
    duration: Family<NodeLabel, Gauge<f64, AtomicU64>>,
    last_run: Family<NodeLabel, Gauge<i64, AtomicI64>>,
    states: Mutex<Vec<NodeState>>,
}

/// What is known about a node after its last run.
struct NodeState {
    /// The end of the run, or the start of the monitor.
    ended: Instant,
    has_run: bool,
    height: Option<u64>,
    failed: Vec<CaseLabel>,
}

impl Metrics {
    pub(super) fn new(targets: &[Target]) -> Self {
        let nodes: Vec<_> = targets
            .iter()
            .map(|target| NodeLabel {
                node: target.base_url.to_string().trim_end_matches('/').to_owned(),
                network: target.network.to_string(),
            })
            .collect();
        let new = |_| NodeState {
            ended: Instant::now(),
            has_run: false,
            height: None,
            failed: Vec::new(),
        };
        let mut metrics = Self {
            registry: Registry::default(),
            states: Mutex::new(nodes.iter().map(new).collect()),
            nodes,
            verdict: Family::default(),
            cases: Family::default(),
            failed: Family::default(),
            latency: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            height: Family::default(),
            lag: Family::default(),
            runs: Family::default(),
            requests: Family::default(),
            retries: Family::default(),
            blocks: Family::default(),
            duration: Family::default(),
            last_run: Family::default(),
        };
        metrics.register();
        metrics
    }

    fn register(&mut self) {
        self.registry
            .register_collector(Box::new(Process::started_now()));
        let registry = self.registry.sub_registry_with_prefix("nodeproof");
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "Version of nodeproof", build);
        let verdict = "1 for the verdict of the last run, 0 for the others";
        registry.register("verdict", verdict, self.verdict.clone());
        let cases = "Cases of the last run by outcome";
        registry.register("cases", cases, self.cases.clone());
        let failed = "1 for each case that failed in the last run";
        registry.register("case_failed", failed, self.failed.clone());
        let latency = "Time from sending a request to the last byte of the response";
        let unit = Unit::Seconds;
        registry.register_with_unit("response", latency, unit.clone(), self.latency.clone());
        let height = "Index of the latest block";
        registry.register("height", height, self.height.clone());
        let lag = "Blocks behind the highest monitored node";
        registry.register("lag_blocks", lag, self.lag.clone());
        registry.register("runs", "Completed runs", self.runs.clone());
        registry.register("requests", "Requests sent", self.requests.clone());
        let retries = "Requests that succeeded only when they were repeated after a server error";
        registry.register("retries", retries, self.retries.clone());
        let blocks = "New blocks that were checked";
        registry.register("checked_blocks", blocks, self.blocks.clone());
        let duration = "Duration of the last run";
        registry.register_with_unit(
            "run_duration",
            duration,
            unit.clone(),
            self.duration.clone(),
        );
        let last = "Time of the end of the last run, in seconds since the Unix epoch";
        registry.register_with_unit("last_run_timestamp", last, unit, self.last_run.clone());
    }

    /// Records a run of the node at `place`.
    pub(super) fn record(&self, place: usize, report: &Report, examined: Option<&ExaminedNode>) {
        let Some(label) = self.nodes.get(place) else {
            return;
        };
        let node = || label.clone();
        let of_run = verdict_name(report);
        let names = Verdict::ALL.map(Verdict::name);
        for verdict in names.into_iter().chain([INCONCLUSIVE]) {
            let is = i64::from(of_run == verdict);
            let label = VerdictLabel {
                node: node(),
                verdict: verdict.to_owned(),
            };
            self.verdict.get_or_create(&label).set(is);
        }
        for outcome in Outcome::WORST_FIRST {
            let count = i64::try_from(report.count(outcome)).unwrap_or(i64::MAX);
            let outcome = outcome.name().to_owned();
            let label = OutcomeLabel {
                node: node(),
                outcome,
            };
            self.cases.get_or_create(&label).set(count);
        }
        let failed = report
            .cases
            .iter()
            .filter(|case| case.outcome == Outcome::Fail);
        let failed = failed.map(|case| CaseLabel {
            node: node(),
            case: case.id.clone(),
            level: case.level.name().to_owned(),
        });
        self.record_failed(place, failed.collect());
        self.runs.get_or_create(label).inc();
        self.requests.get_or_create(label).inc_by(report.requests);
        let blocks = report.sweep.as_ref().map_or(0, |sweep| sweep.judged);
        self.blocks.get_or_create(label).inc_by(blocks);
        let elapsed = Duration::from_millis(report.elapsed_ms).as_secs_f64();
        self.duration.get_or_create(label).set(elapsed);
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
        self.last_run.get_or_create(label).set(now);
        if let Some(examined) = examined {
            let log = examined.node.log();
            self.retries.get_or_create(label).inc_by(log.repeated);
            for (operation, sent) in log.operations() {
                let endpoint = EndpointLabel {
                    node: node(),
                    endpoint: operation.to_owned(),
                };
                let histogram = self.latency.get_or_create(&endpoint);
                for (time, count) in sent.latencies.counts() {
                    (0..count).for_each(|_| histogram.observe(time.as_secs_f64()));
                }
            }
        }
        self.record_height(place, examined.and_then(|examined| examined.chain.tip));
    }

    /// Records the cases that failed at a node. The others have no series.
    fn record_failed(&self, place: usize, failed: Vec<CaseLabel>) {
        let mut states = self.states();
        let Some(state) = states.get_mut(place) else {
            return;
        };
        for label in state.failed.iter().filter(|label| !failed.contains(label)) {
            self.failed.remove(label);
        }
        for label in &failed {
            self.failed.get_or_create(label).set(1);
        }
        state.failed = failed;
    }

    fn states(&self) -> MutexGuard<'_, Vec<NodeState>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a node's height, and how far each node lags behind the highest of its network.
    fn record_height(&self, place: usize, height: Option<u64>) {
        let mut states = self.states();
        let Some(of_node) = states.get_mut(place) else {
            return;
        };
        of_node.ended = Instant::now();
        of_node.has_run = true;
        of_node.height = height.or(of_node.height);
        let nodes = || self.nodes.iter().zip(states.iter());
        for (label, state) in nodes() {
            let Some(height) = state.height else { continue };
            let same_network = nodes().filter(|(other, _)| other.network == label.network);
            let highest = same_network.filter_map(|(_, state)| state.height).max();
            let signed = |height: u64| i64::try_from(height).unwrap_or(i64::MAX);
            let lag = highest.unwrap_or_default().saturating_sub(height);
            self.height.get_or_create(label).set(signed(height));
            self.lag.get_or_create(label).set(signed(lag));
        }
    }

    /// Returns the nodes whose last run ended more than `longest` ago.
    pub(super) fn overdue(&self, longest: Duration) -> Vec<&str> {
        self.nodes_with(|state| state.ended.elapsed() > longest)
    }

    /// Returns the nodes without a completed run.
    pub(super) fn without_run(&self) -> Vec<&str> {
        self.nodes_with(|state| !state.has_run)
    }

    fn nodes_with(&self, property: impl Fn(&NodeState) -> bool) -> Vec<&str> {
        let states = self.states();
        let nodes = self.nodes.iter().zip(states.iter());
        nodes
            .filter(|(_, state)| property(state))
            .map(|(label, _)| label.node.as_str())
            .collect()
    }

    /// Returns the metrics as OpenMetrics text.
    pub(super) fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}
