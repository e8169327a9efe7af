//! Metrics of the results.

use std::{
    collections::BTreeMap,
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
use crate::{
    http::{RequestLog, Target},
    run::ExaminedNode,
};

/// The upper bounds of the latency histogram, in seconds.
const BUCKETS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];

/// The labels of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EncodeLabelSet)]
pub(super) struct NodeLabel {
    /// The base URL.
    pub(super) node: String,
    network: String,
    name: String,
    /// The labels of the file of targets.
    #[prometheus(flatten)]
    more: Vec<(String, String)>,
}

impl NodeLabel {
    pub(super) fn of(target: &Target) -> Self {
        Self {
            node: target.base_url.to_string().trim_end_matches('/').to_owned(),
            network: target.network.to_string(),
            name: target.name.clone().unwrap_or_else(|| target.default_name()),
            more: target.labels.clone(),
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

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct EventLabel {
    #[prometheus(flatten)]
    node: NodeLabel,
    event: String,
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

fn event_label(node: &NodeLabel, event: &str) -> EventLabel {
    EventLabel {
        node: node.clone(),
        event: event.to_owned(),
    }
}

/// Returns the labels of the cases with some outcomes.
fn case_labels(
    node: &NodeLabel,
    report: &NodeReport,
    selects: impl Fn(Outcome) -> bool,
) -> Vec<CaseLabel> {
    let cases = report.cases.iter().filter(|case| selects(case.outcome));
    let cases = cases.map(|case| CaseLabel {
        node: node.clone(),
        case: case.id.clone(),
        level: case.level.name().to_owned(),
    });
    cases.collect()
}

/// Returns the current time, in seconds since the Unix epoch.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(now.unwrap_or_default().as_secs()).unwrap_or(i64::MAX)
}

fn outcome_label(node: &NodeLabel, outcome: Outcome) -> OutcomeLabel {
    OutcomeLabel {
        node: node.clone(),
        outcome: outcome.name().to_owned(),
    }
}

/// The events of a chain that have a metric.
const EVENTS: [&str; 2] = ["reset", "skipped"];

type Latency = Family<NodeLabel, Histogram, fn() -> Histogram>;

/// The metrics of all nodes.
pub(super) struct Metrics {
    registry: Registry,
    verdict: Family<VerdictLabel, Gauge>,
    cases: Family<OutcomeLabel, Gauge>,
    failed: Family<CaseLabel, Gauge>,
    warned: Family<CaseLabel, Gauge>,
    stale: Family<NodeLabel, Gauge>,
    up: Family<NodeLabel, Gauge>,
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
    events: Family<EventLabel, Gauge>,
    saved: Family<NodeLabel, Gauge>,
    run_interval: Duration,
    /// The monitored nodes. Other nodes get no series.
    states: Mutex<BTreeMap<NodeLabel, NodeState>>,
}

/// The result of a probe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub(super) height: u64,
    /// Number of blocks that another node had, and this one did not have later.
    pub(super) lag: Option<u64>,
}

/// What is known about a node after its last run.
struct NodeState {
    /// The end of the run, or the time since which the node is monitored.
    ended: Instant,
    has_run: bool,
    /// Duration of the run.
    took: Duration,
    /// The cases that failed, and those that caused a warning.
    cases: [Vec<CaseLabel>; 2],
}

impl Metrics {
    pub(super) fn new(run_interval: Duration) -> Self {
        let mut metrics = Self {
            registry: Registry::default(),
            states: Mutex::default(),
            verdict: Family::default(),
            cases: Family::default(),
            failed: Family::default(),
            warned: Family::default(),
            stale: Family::default(),
            up: Family::default(),
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
            events: Family::default(),
            saved: Family::default(),
            run_interval,
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
        let warned = "1 for each case that caused a warning in the last run";
        registry.register("case_warned", warned, self.warned.clone());
        let stale = "1 if no run has ended for two run intervals, so that there is no verdict";
        registry.register("verdict_stale", stale, self.stale.clone());
        let up = "1 if the node responded to the last probe";
        registry.register("up", up, self.up.clone());
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
        let events = "Time of the last event of the chain";
        let name = "chain_event_timestamp";
        registry.register_with_unit(name, events, unit.clone(), self.events.clone());
        let saved = "1 if the state of the node was saved, 0 if that failed";
        registry.register("state_saved", saved, self.saved.clone());
        let last = "Time of the end of the last run, in seconds since the Unix epoch";
        registry.register_with_unit("last_run_timestamp", last, unit, self.last_run.clone());
    }

    /// Begins to monitor a node.
    pub(super) fn add(&self, label: NodeLabel) {
        let state = NodeState {
            ended: Instant::now(),
            has_run: false,
            took: Duration::ZERO,
            cases: Default::default(),
        };
        self.states().insert(label, state);
    }

    /// Removes a node and all its series.
    pub(super) fn remove(&self, label: &NodeLabel) {
        let Some(mut state) = self.states().remove(label) else {
            return;
        };
        self.remove_verdict(label, &mut state);
        for event in EVENTS {
            self.events.remove(&event_label(label, event));
        }
        self.latency.remove(label);
        for gauges in [
            &self.height,
            &self.lag,
            &self.differs,
            &self.up,
            &self.stale,
            &self.saved,
        ] {
            gauges.remove(label);
        }
        for counters in [&self.runs, &self.requests, &self.retries, &self.blocks] {
            counters.remove(label);
        }
        self.duration.remove(label);
        self.last_run.remove(label);
    }

    /// Removes the results of the last run of a node.
    fn remove_verdict(&self, label: &NodeLabel, state: &mut NodeState) {
        for verdict in verdict_names() {
            self.verdict.remove(&verdict_label(label, verdict));
        }
        for outcome in Outcome::WORST_FIRST {
            self.cases.remove(&outcome_label(label, outcome));
        }
        for (gauges, cases) in [&self.failed, &self.warned]
            .into_iter()
            .zip(&mut state.cases)
        {
            for case in cases.drain(..) {
                gauges.remove(&case);
            }
        }
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
        state.took = Duration::from_millis(report.elapsed_ms);
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
        let fails =
            |outcome| outcome == Outcome::Fail || (report.strict && outcome == Outcome::Warn);
        let warns = |outcome| !report.strict && outcome == Outcome::Warn;
        let failed = case_labels(label, report, fails);
        let warned = case_labels(label, report, warns);
        for ((gauges, before), now) in [&self.failed, &self.warned]
            .into_iter()
            .zip(&mut state.cases)
            .zip([failed, warned])
        {
            for label in before.iter().filter(|label| !now.contains(label)) {
                gauges.remove(label);
            }
            for label in &now {
                gauges.get_or_create(label).set(1);
            }
            *before = now;
        }
        self.runs.get_or_create(label).inc();
        self.requests.get_or_create(label).inc_by(report.requests);
        let blocks = report.sweep.as_ref().map_or(0, |sweep| sweep.judged);
        self.blocks.get_or_create(label).inc_by(blocks);
        let elapsed = state.took.as_secs_f64();
        self.duration.get_or_create(label).set(elapsed);
        self.last_run.get_or_create(label).set(now());
        if let Some(examined) = examined {
            let repeated = examined.node.log().repeated;
            self.retries.get_or_create(label).inc_by(repeated);
        }
    }

    /// Records an event of the chain, if it has a metric.
    pub(super) fn record_event(&self, label: &NodeLabel, event: &str) {
        if EVENTS.contains(&event) && self.is_monitored(label) {
            self.events
                .get_or_create(&event_label(label, event))
                .set(now());
        }
    }

    /// Records whether the state of a node was saved.
    pub(super) fn record_saved(&self, label: &NodeLabel, is_saved: bool) {
        self.set(&self.saved, label, u64::from(is_saved));
    }

    /// Sets a gauge of a node, if it is monitored.
    fn set(&self, gauges: &Family<NodeLabel, Gauge>, label: &NodeLabel, value: u64) {
        let states = self.states();
        if states.contains_key(label) {
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            gauges.get_or_create(label).set(value);
        }
    }

    fn states(&self) -> MutexGuard<'_, BTreeMap<NodeLabel, NodeState>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a probe: whether the node responded, how fast, and its height and lag if they were found.
    pub(super) fn record_probe(
        &self,
        label: &NodeLabel,
        is_up: bool,
        measured: Option<Measured>,
        log: &RequestLog,
    ) {
        self.set(&self.up, label, u64::from(is_up));
        let lag = measured.and_then(|measured| measured.lag);
        let height = measured.map(|measured| measured.height);
        for (gauges, value) in [(&self.height, height), (&self.lag, lag)] {
            match value {
                Some(value) => self.set(gauges, label, value),
                // A height of an earlier moment says nothing about now.
                None => {
                    gauges.remove(label);
                }
            }
        }
        let states = self.states();
        if states.contains_key(label) {
            let histogram = self.latency.get_or_create(label);
            for (time, count) in log
                .operations()
                .flat_map(|(_, sent)| sent.latencies.counts())
            {
                (0..count).for_each(|_| histogram.observe(time.as_secs_f64()));
            }
        }
    }

    /// Records whether a node's blocks differ from those of other nodes.
    pub(super) fn record_difference(&self, label: &NodeLabel, differs: bool) {
        self.set(&self.differs, label, u64::from(differs));
    }

    /// Whether a node is still monitored.
    pub(super) fn is_monitored(&self, label: &NodeLabel) -> bool {
        self.states().contains_key(label)
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

    /// Removes the verdicts of nodes without a run for two run intervals, or twice the duration of the last run if
    /// that is longer.
    fn remove_stale(&self) {
        for (label, state) in self.states().iter_mut() {
            let is_stale = state.ended.elapsed() > self.run_interval.max(state.took) * 2;
            if is_stale {
                self.remove_verdict(label, state);
            }
            self.stale.get_or_create(label).set(i64::from(is_stale));
        }
    }

    /// Returns the metrics as OpenMetrics text.
    pub(super) fn text(&self) -> Result<String, std::fmt::Error> {
        self.remove_stale();
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}
