//! A run: reach the target, discover what to ask about, run the cases, judge.

use std::{
    future::Future,
    panic::AssertUnwindSafe,
    path::PathBuf,
    sync::Mutex,
    time::{Duration, Instant},
};

use futures_util::{FutureExt, StreamExt, stream};
use globset::{Glob, GlobMatcher};

use crate::{
    Target,
    cases::{self, Case},
    discovery::{self, Fixture, Material},
    exchange::{Exchange, Request},
    expectations::{self, Expectations},
    node::{Limits, Node},
    outcome::{Finding, Findings, Level, Obstacle, Outcome},
    report::{self, Report},
    sample::Context,
    snapshot::Store,
    spec::Spec,
};

/// What a run may be told.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Only cases that one of these matches; all where there is none.
    pub only: Vec<GlobMatcher>,
    /// No case that one of these matches.
    pub skip: Vec<GlobMatcher>,
    /// How many cases run side by side.
    pub jobs: usize,
    /// How long one request may take, its answer's last byte included.
    pub request_timeout: Duration,
    /// How long the whole run may take.
    pub deadline: Duration,
    /// Whether a departure from what is expected, but not written, fails the run.
    pub strict: bool,
    /// How many requests are sent in a second at most.
    pub rate: Option<f64>,
    /// The most requests that are sent.
    pub most_requests: u64,
    /// What is known of the node beforehand.
    pub fixture: Fixture,
    /// In which cases the node is known to depart.
    pub expectations: Expectations,
    /// The folder of the shared snapshots, where this run may leave some to be reviewed: only for
    /// a run against our own local node.
    pub reviewable_snapshots: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            only: Vec::new(),
            skip: Vec::new(),
            jobs: 4,
            request_timeout: Duration::from_secs(10),
            deadline: Duration::from_secs(300),
            strict: false,
            rate: None,
            most_requests: 1_000,
            fixture: Fixture::default(),
            expectations: Expectations::default(),
            reviewable_snapshots: None,
        }
    }
}

impl Options {
    /// Runs the cases with these IDs and no others.
    ///
    /// # Errors
    /// When an ID can't be matched with.
    pub fn select_only<'a>(
        &mut self,
        ids: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), globset::Error> {
        self.only = ids
            .into_iter()
            .map(|id| Glob::new(&globset::escape(id)).map(|glob| glob.compile_matcher()))
            .collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Whether a case is to run.
    #[must_use]
    pub fn selects(&self, id: &str) -> bool {
        (self.only.is_empty() || self.only.iter().any(|glob| glob.is_match(id)))
            && !self.skip.iter().any(|glob| glob.is_match(id))
    }
}

/// Told what happens while a run goes on.
pub trait Watch: Sync {
    /// Something is being done that takes its time.
    fn phase(&self, what: &str);
    /// The cases begin; so many will run.
    fn begin(&self, cases: usize);
    /// A case has ended.
    fn done(&self, case: &report::CaseReport);
    /// All is over.
    fn end(&self);
}

/// How a case ended, with what it found.
pub(crate) struct Ended {
    pub(crate) case: Case,
    pub(crate) outcome: Outcome,
    pub(crate) findings: Vec<Finding>,
    pub(crate) obstacle: Option<Obstacle>,
    /// What an expectation says about it.
    pub(crate) note: Option<String>,
}

impl Ended {
    /// Whether it found a departure, of whatever level.
    pub(crate) fn departs(&self) -> bool {
        matches!(self.outcome, Outcome::Fail | Outcome::Warn | Outcome::Info)
    }
}

/// Why a run has no verdict of its own.
#[derive(Clone, Debug)]
pub(crate) enum Cut {
    Unreachable(String),
    OutOfTime(String),
    Interrupted,
    Harness(String),
}

/// What was known when the run ended, however it ended.
#[derive(Default)]
struct Progress {
    ended: Mutex<Vec<Ended>>,
}

impl Progress {
    fn push(&self, ended: Ended) {
        if let Ok(mut list) = self.ended.lock() {
            list.push(ended);
        }
    }

    fn take(&self) -> Vec<Ended> {
        self.ended
            .lock()
            .map(|mut list| std::mem::take(&mut *list))
            .unwrap_or_default()
    }
}

/// Runs the selected cases against a target, until all are done, the deadline has come or
/// `interrupt` is ready.
pub async fn run(
    target: Target,
    options: &Options,
    watch: &dyn Watch,
    interrupt: impl Future<Output = ()>,
) -> Report {
    let started = Instant::now();
    let selected: Vec<Case> = cases::all()
        .into_iter()
        .filter(|case| options.selects(case.id))
        .collect();
    let limits = Limits {
        request_timeout: options.request_timeout,
        requests: options.most_requests,
        rate: options.rate,
    };
    let node = match Node::new(target.clone(), limits) {
        Ok(node) => node,
        Err(error) => {
            let cut = Cut::Harness(error.to_string());
            return report::build(&target, options, Vec::new(), Some(cut), None, started);
        }
    };
    let progress = Progress::default();
    let node = std::sync::Arc::new(node);
    let work = all(
        std::sync::Arc::clone(&node),
        &selected,
        options,
        watch,
        &progress,
    );
    let cut = tokio::select! {
        biased;
        () = interrupt => Some(Cut::Interrupted),
        cut = work => cut,
        () = tokio::time::sleep(options.deadline) => Some(Cut::OutOfTime(format!(
            "the run was not done within its deadline of {} s",
            options.deadline.as_secs_f64()
        ))),
    };
    watch.end();
    report::build(&target, options, progress.take(), cut, Some(&node), started)
}

async fn all(
    node: std::sync::Arc<Node>,
    selected: &[Case],
    options: &Options,
    watch: &dyn Watch,
    progress: &Progress,
) -> Option<Cut> {
    let spec = match Spec::from_json(node_client::OPENAPI_JSON) {
        Ok(spec) => spec,
        Err(error) => return Some(Cut::Harness(error.to_string())),
    };
    let snapshots = match &options.reviewable_snapshots {
        Some(folder) => Store::reviewable(folder),
        None => match Store::read_only() {
            Ok(store) => store,
            Err(error) => {
                return Some(Cut::Harness(format!(
                    "no place for temporary files: {error}"
                )));
            }
        },
    };
    watch.phase("reaching the node, and finding out what to ask it about");
    let material = match discovery::discover(&node, &options.fixture).await {
        Ok(material) => material,
        Err(Obstacle::Transport(reason)) => return Some(Cut::Unreachable(reason)),
        Err(obstacle) => return Some(Cut::OutOfTime(obstacle.reason().to_owned())),
    };
    match strangeness(&node, &material).await {
        Ok(None) => {}
        Ok(Some(reason)) => return Some(Cut::Unreachable(reason)),
        Err(obstacle) => return Some(Cut::Unreachable(obstacle.reason().to_owned())),
    }
    let context = Context::new(node, spec, material, snapshots);
    watch.begin(selected.len());
    stream::iter(selected)
        .for_each_concurrent(options.jobs.max(1), |case| {
            let context = &context;
            async move {
                let found = AssertUnwindSafe(case.run(context)).catch_unwind().await;
                let found = found.unwrap_or_else(|_| {
                    Err(Obstacle::Harness(
                        "the case itself failed unexpectedly".to_owned(),
                    ))
                });
                let mut ended = ended(*case, found);
                options.expectations.apply(&mut ended, expectations::today());
                watch.done(&report::case_report(&ended));
                progress.push(ended);
            }
        })
        .await;
    lost(&context, progress).await
}

fn ended(case: Case, found: Findings) -> Ended {
    match found {
        Ok(findings) => {
            let outcome = match (findings.is_empty(), case.level) {
                (true, _) => Outcome::Pass,
                (false, Level::Must) => Outcome::Fail,
                (false, Level::Should) => Outcome::Warn,
                (false, Level::Observed) => Outcome::Info,
            };
            Ended {
                case,
                outcome,
                findings,
                obstacle: None,
                note: None,
            }
        }
        Err(obstacle) => Ended {
            case,
            outcome: Outcome::Inconclusive,
            findings: Vec::new(),
            obstacle: Some(obstacle),
            note: None,
        },
    }
}

/// Why what answers is no node at all: none of its calls is there.
async fn strangeness(node: &Node, material: &Material) -> Result<Option<String>, Obstacle> {
    if !material.blocks.is_empty() {
        return Ok(None);
    }
    let first = material.first_answer.clone();
    if first.as_ref().is_some_and(|exchange| is_a_nodes(exchange)) {
        return Ok(None);
    }
    for path in ["/get-balances", "/get-trustscore-wallets"] {
        let other = node.ask(Request::get(path)).await?;
        if is_a_nodes(&other) {
            return Ok(None);
        }
    }
    let said = first.map_or_else(String::new, |exchange| {
        let media = exchange
            .content_type
            .as_deref()
            .unwrap_or("no Content-Type");
        format!(
            ": GET {} gave {} ({})",
            exchange.request.path,
            exchange.summary(),
            node_client::escape::escaped_up_to(media, 60)
        )
    });
    Ok(Some(format!(
        "what answers at {} is not a node{said}; check host, port and path",
        node.target.base_url
    )))
}

/// Whether an answer could be a node's: the call is there, and speaks JSON, well or badly.
fn is_a_nodes(exchange: &Exchange) -> bool {
    let json = exchange
        .content_type
        .as_deref()
        .is_some_and(|media| media.contains("json"))
        || exchange.json().is_ok_and(serde_json::Value::is_object);
    json && !matches!(exchange.status, 300..=399 | 404 | 405 | 501)
}

/// Whether the node was lost during the run: cases failed for the network's sake, and it does not
/// answer now either, or nothing else was found out.
async fn lost(context: &Context, progress: &Progress) -> Option<Cut> {
    let (reason, departed) = {
        let ended = progress.ended.lock().ok()?;
        let reason = ended.iter().find_map(|ended| match &ended.obstacle {
            Some(Obstacle::Transport(reason)) => Some(reason.clone()),
            _ => None,
        })?;
        (
            reason,
            ended.iter().any(|ended| ended.outcome == Outcome::Fail),
        )
    };
    let now = context.node.ask(discovery::block_request(1)).await;
    match now {
        Ok(_) if departed => None,
        Ok(_) => Some(Cut::Unreachable(format!(
            "some calls were not answered: {reason}"
        ))),
        Err(_) => Some(Cut::Unreachable(format!(
            "the node was lost during the run: {reason}"
        ))),
    }
}
