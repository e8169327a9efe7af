//! Metrics of the results.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, AtomicU64},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use nodeproof_report::{NodeReport, Outcome, Verdict};
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::{Registry, Unit},
};

use super::process::Process;
use crate::{http::Target, nodes::MeasuredHeight, run::ExaminedNode};

/// The upper bounds of the latency histogram, in seconds.
const BUCKETS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];

/// The labels of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EncodeLabelSet)]
pub(super) struct NodeLabel {
    pub(super) node: String,
    network: String,
}

impl NodeLabel {
    pub(super) fn of(target: &Target) -> Self {
        Self {
            node: target.base_url.to_string().trim_end_matches('/').to_owned(),
            network: target.network.to_string(),
        }
    }
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

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EncodeLabelSet)]
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
pub(super) fn verdict_name(report: &NodeReport) -> &'static str {
    let reason = report.reason.as_deref().unwrap_or_default();
    match report.verdict {
        Verdict::Unreachable if !reason.starts_with("unreachable: ") => INCONCLUSIVE,
        verdict => verdict.name(),
    }
}

fn verdict_names() -> impl Iterator<Item = &'static str> {
    let names = Verdict::ALL.map(Verdict::name).into_iter();
    names.chain([INCONCLUSIVE])
}

fn verdict_label(node: &NodeLabel, verdict: &str) -> VerdictLabel {
    VerdictLabel {
        node: node.clone(),
        verdict: verdict.to_owned(),
    }
}

fn outcome_label(node: &NodeLabel, outcome: Outcome) -> OutcomeLabel {
    OutcomeLabel {
        node: node.clone(),
        outcome: outcome.name().to_owned(),
    }
}

type Latency = Family<EndpointLabel, Histogram, fn() -> Histogram>;

/// The metrics of all nodes.
pub(super) struct Metrics {
    registry: Registry,
    verdict: Family<VerdictLabel, Gauge>,
    cases: Family<OutcomeLabel, Gauge>,
    failed: Family<CaseLabel, Gauge>,
    latency: Latency,
    height: Family<NodeLabel, Gauge>,
    lag: Family<NodeLabel, Gauge>,
    differs: Family<NodeLabel, Gauge>,
    runs: Family<NodeLabel, Counter>,
    requests: Family<NodeLabel, Counter>,
    retries: Family<NodeLabel, Counter>,
    blocks: Family<NodeLabel, Counter>,
    duration: Family<NodeLabel, Gauge<f64, AtomicU64>>,
    last_run: Family<NodeLabel, Gauge<i64, AtomicI64>>,
    /// The monitored nodes. Other nodes get no series.
    states: Mutex<BTreeMap<NodeLabel, NodeState>>,
}

/// What is known about a node after its last run.
struct NodeState {
    /// The end of the run, or the time since which the node is monitored.
    ended: Instant,
    has_run: bool,
    failed: Vec<CaseLabel>,
    endpoints: BTreeSet<EndpointLabel>,
}

impl Metrics {
    pub(super) fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::default(),
            states: Mutex::default(),
            verdict: Family::default(),
            cases: Family::default(),
            failed: Family::default(),
            latency: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            height: Family::default(),
            lag: Family::default(),
            differs: Family::default(),
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
        self.registry.register_collector(Box::new(Process));
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
        let differs = "1 if the node has another block than other nodes at the same height";
        registry.register("blocks_differ", differs, self.differs.clone());
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

    /// Begins to monitor a node.
    pub(super) fn add(&self, label: NodeLabel) {
        let state = NodeState {
            ended: Instant::now(),
            has_run: false,
            failed: Vec::new(),
            endpoints: BTreeSet::new(),
        };
        self.states().insert(label, state);
    }

    /// Removes a node and all its series.
    pub(super) fn remove(&self, label: &NodeLabel) {
        let Some(state) = self.states().remove(label) else {
            return;
        };
        for verdict in verdict_names() {
            self.verdict.remove(&verdict_label(label, verdict));
        }
        for outcome in Outcome::WORST_FIRST {
            self.cases.remove(&outcome_label(label, outcome));
        }
        for case in &state.failed {
            self.failed.remove(case);
        }
        for endpoint in &state.endpoints {
            self.latency.remove(endpoint);
        }
        for gauges in [&self.height, &self.lag, &self.differs] {
            gauges.remove(label);
        }
        for counters in [&self.runs, &self.requests, &self.retries, &self.blocks] {
            counters.remove(label);
        }
        self.duration.remove(label);
        self.last_run.remove(label);
    }

    /// Records a run of a node.
    pub(super) fn record(
        &self,
        label: &NodeLabel,
        report: &NodeReport,
        examined: Option<&ExaminedNode>,
    ) {
        let mut states = self.states();
        let Some(state) = states.get_mut(label) else {
            return;
        };
        state.ended = Instant::now();
        state.has_run = true;
        let of_run = verdict_name(report);
        for verdict in verdict_names() {
            let is = i64::from(of_run == verdict);
            let label = verdict_label(label, verdict);
            self.verdict.get_or_create(&label).set(is);
        }
        for outcome in Outcome::WORST_FIRST {
            let count = i64::try_from(report.count(outcome)).unwrap_or(i64::MAX);
            let label = outcome_label(label, outcome);
            self.cases.get_or_create(&label).set(count);
        }
        let failed = report
            .cases
            .iter()
            .filter(|case| case.outcome == Outcome::Fail);
        let failed = failed.map(|case| CaseLabel {
            node: label.clone(),
            case: case.id.clone(),
            level: case.level.name().to_owned(),
        });
        self.record_failed(state, failed.collect());
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
                    node: label.clone(),
                    endpoint: operation.to_owned(),
                };
                let histogram = self.latency.get_or_create(&endpoint);
                for (time, count) in sent.latencies.counts() {
                    (0..count).for_each(|_| histogram.observe(time.as_secs_f64()));
                }
                drop(histogram);
                state.endpoints.insert(endpoint);
            }
        }
    }

    /// Records the cases that failed at a node. The others have no series.
    fn record_failed(&self, state: &mut NodeState, failed: Vec<CaseLabel>) {
        for label in state.failed.iter().filter(|label| !failed.contains(label)) {
            self.failed.remove(label);
        }
        for label in &failed {
            self.failed.get_or_create(label).set(1);
        }
        state.failed = failed;
    }

    fn states(&self) -> MutexGuard<'_, BTreeMap<NodeLabel, NodeState>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a node's height, and how far it lags.
    pub(super) fn record_height(&self, label: &NodeLabel, measured: MeasuredHeight) {
        let states = self.states();
        if states.contains_key(label) {
            let signed = |height: u64| i64::try_from(height).unwrap_or(i64::MAX);
            self.height
                .get_or_create(label)
                .set(signed(measured.height));
            self.lag.get_or_create(label).set(signed(measured.lag));
        }
    }

    /// Records whether a node's blocks differ from those of other nodes. Returns whether this is new.
    pub(super) fn record_difference(&self, label: &NodeLabel, differs: bool) -> bool {
        let states = self.states();
        if !states.contains_key(label) {
            return false;
        }
        let before = self.differs.get_or_create(label).set(i64::from(differs));
        before != i64::from(differs)
    }

    /// Records requests that were sent to a node after its run.
    pub(super) fn add_requests(&self, label: &NodeLabel, count: u64) {
        let states = self.states();
        if states.contains_key(label) {
            self.requests.get_or_create(label).inc_by(count);
        }
    }

    /// Returns the nodes whose last run ended more than `longest` ago.
    pub(super) fn overdue(&self, longest: Duration) -> Vec<String> {
        self.nodes_with(|state| state.ended.elapsed() > longest)
    }

    /// Returns the nodes without a completed run.
    pub(super) fn without_run(&self) -> Vec<String> {
        self.nodes_with(|state| !state.has_run)
    }

    fn nodes_with(&self, property: impl Fn(&NodeState) -> bool) -> Vec<String> {
        let states = self.states();
        let found = states.iter().filter(|(_, state)| property(state));
        found.map(|(label, _)| label.node.clone()).collect()
    }

    /// Returns the metrics as OpenMetrics text.
    pub(super) fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}
