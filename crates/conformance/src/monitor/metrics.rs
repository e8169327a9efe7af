//! Metrics of the results.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError, atomic::AtomicU64},
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

    fn with(&self, name: &'static str, value: &str) -> SeriesLabel {
        SeriesLabel {
            node: self.clone(),
            more: vec![(name, value.to_owned())],
        }
    }
}

/// The labels of one of several series of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SeriesLabel {
    #[prometheus(flatten)]
    node: NodeLabel,
    #[prometheus(flatten)]
    more: Vec<(&'static str, String)>,
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

/// Returns the labels of the cases with some outcomes.
fn case_labels(
    node: &NodeLabel,
    report: &NodeReport,
    selects: impl Fn(Outcome) -> bool,
) -> Vec<SeriesLabel> {
    let cases = report.cases.iter().filter(|case| selects(case.outcome));
    let labels = cases.map(|case| {
        let mut label = node.with("case", &case.id);
        label.more.push(("level", case.level.name().to_owned()));
        label
    });
    labels.collect()
}

/// Returns the current time, in seconds since the Unix epoch.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(now.unwrap_or_default().as_secs()).unwrap_or(i64::MAX)
}

/// The events of a chain that have a metric.
const EVENTS: [&str; 2] = ["reset", "skipped"];

type Latency = Family<NodeLabel, Histogram, fn() -> Histogram>;

/// Defines the metrics: those with one series for each node, and those with several.
macro_rules! metrics {
    (
        one { $($one:ident: $of_one:ty $(= $make:expr)?, $one_name:literal $([$unit:ident])?, $one_help:literal;)* }
        several { $($more:ident = $more_name:literal $([$more_unit:ident])?, $more_help:literal;)* }
    ) => {
        /// The metrics of all nodes.
        pub(super) struct Metrics {
            registry: Registry,
            $($one: $of_one,)*
            $($more: Family<SeriesLabel, Gauge>,)*
            run_interval: Duration,
            /// The monitored nodes. Other nodes get no series.
            states: Mutex<BTreeMap<NodeLabel, NodeState>>,
        }

        impl Metrics {
            pub(super) fn new(run_interval: Duration) -> Self {
                let mut registry = Registry::default();
                registry.register_collector(Box::new(Process));
                let ours = registry.sub_registry_with_prefix("nodeproof");
                let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
                ours.register("build", "Version of nodeproof", build);
                $(
                    let $one: $of_one = metrics!(@make $($make)?);
                    metrics!(@register ours, $one, $one_name, $one_help $(, $unit)?);
                )*
                $(
                    let $more = Family::default();
                    metrics!(@register ours, $more, $more_name, $more_help $(, $more_unit)?);
                )*
                let states = Mutex::default();
                Self { registry, $($one,)* $($more,)* run_interval, states }
            }

            /// Removes the only series of a node in each of these metrics.
            fn remove_ones(&self, label: &NodeLabel) {
                $(self.$one.remove(label);)*
            }
        }
    };
    (@make) => {
        Family::default()
    };
    (@make $make:expr) => {
        $make
    };
    (@register $registry:ident, $metric:ident, $name:literal, $help:literal) => {
        $registry.register($name, $help, $metric.clone());
    };
    (@register $registry:ident, $metric:ident, $name:literal, $help:literal, $unit:ident) => {
        $registry.register_with_unit($name, $help, Unit::$unit, $metric.clone());
    };
}

type Gauges = Family<NodeLabel, Gauge>;
type Counters = Family<NodeLabel, Counter>;
type Seconds = Family<NodeLabel, Gauge<f64, AtomicU64>>;

metrics! {
    one {
        stale: Gauges, "verdict_stale",
            "1 if no run has ended for two run intervals, so that there is no verdict";
        up: Gauges, "up",
            "1 if the node responded to the last probe";
        latency: Latency = Family::new_with_constructor(|| Histogram::new(BUCKETS)), "response" [Seconds],
            "Time from sending a request to the last byte of the response";
        height: Gauges, "height",
            "Index of the latest block";
        lag: Gauges, "lag_blocks",
            "Blocks behind the highest monitored node";
        differs: Gauges, "blocks_differ",
            "1 if the node has another block than other nodes at the same height";
        runs: Counters, "runs",
            "Completed runs";
        requests: Counters, "requests",
            "Requests sent";
        retries: Counters, "retries",
            "Requests that succeeded only when they were repeated after a server error";
        blocks: Counters, "checked_blocks",
            "New blocks that were checked";
        duration: Seconds, "run_duration" [Seconds],
            "Duration of the last run";
        last_run: Gauges, "last_run_timestamp" [Seconds],
            "Time of the end of the last run, in seconds since the Unix epoch";
        saved: Gauges, "state_saved",
            "1 if the state of the node was saved, 0 if that failed";
    }
    several {
        verdict = "verdict",
            "1 for the verdict of the last run, 0 for the others";
        cases = "cases",
            "Cases of the last run by outcome";
        failed = "case_failed",
            "1 for each case that failed in the last run";
        warned = "case_warned",
            "1 for each case that caused a warning in the last run";
        events = "chain_event_timestamp" [Seconds],
            "Time of the last event of the chain";
    }
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
    cases: [Vec<SeriesLabel>; 2],
}

impl Metrics {
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
            self.events.remove(&label.with("event", event));
        }
        self.remove_ones(label);
    }

    /// Removes the results of the last run of a node.
    fn remove_verdict(&self, label: &NodeLabel, state: &mut NodeState) {
        for verdict in verdict_names() {
            self.verdict.remove(&label.with("verdict", verdict));
        }
        for outcome in Outcome::WORST_FIRST {
            self.cases.remove(&label.with("outcome", outcome.name()));
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
            let label = label.with("verdict", verdict);
            self.verdict.get_or_create(&label).set(is);
        }
        for outcome in Outcome::WORST_FIRST {
            let count = i64::try_from(report.count(outcome)).unwrap_or(i64::MAX);
            let label = label.with("outcome", outcome.name());
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
                .get_or_create(&label.with("event", event))
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
