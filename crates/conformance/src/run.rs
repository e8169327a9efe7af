//! A run: reach the target, discover what to ask about, run the cases, judge.

use std::{
    future::Future,
    panic::AssertUnwindSafe,
    pin::Pin,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use futures_util::{FutureExt, StreamExt, stream};
use nodeproof_report::{CaseReport, Level, Outcome, Report};
use tokio::task::JoinSet;

use crate::{
    Options,
    api::{Tier, block_request},
    cases::{Case, CaseResult},
    checks::{Findings, MOST_FINDINGS},
    context::{Context, Samples, SnapshotStore},
    discovery::{self, Discovered, Wanted},
    expectations,
    http::{self, Exchange, InconclusiveReason, Limits, Node, Request, Target},
    run_report::{self, Conclusion},
    spec::Spec,
    sweep::{ChainBounds, RunningSweep, Sweep, SweepProgress},
};

/// Told what happens while a run goes on.
pub trait Watch: Send + Sync {
    /// Something is being done that takes its time.
    fn phase(&self, what: &str);
    /// The cases begin; so many will run.
    fn begin(&self, cases: usize);
    /// A case has ended.
    fn done(&self, case: &CaseReport);
    /// A sweep is at it; told again and again.
    fn sweep(&self, _: &SweepProgress) {}
    /// A sweep has found something that it had not found before: by which case, and in which block.
    fn found(&self, _case: &str, _block: u64, _what: &str) {}
    /// All is over.
    fn end(&self);
}

/// Why a run has no verdict of its own.
#[derive(Clone, Debug)]
pub(crate) enum Cut {
    Unreachable(String),
    NoNode(String),
    OutOfTime(String),
    /// Its chain ends before the blocks of the sweep. All other cases ran.
    Behind(String),
    Interrupted,
    Harness(String),
}

/// What was known when the run ended, however it ended.
#[derive(Default)]
struct Progress {
    ended: Mutex<Vec<CaseResult>>,
}

impl Progress {
    fn push(&self, ended: CaseResult) {
        if let Ok(mut list) = self.ended.lock() {
            list.push(ended);
        }
    }

    fn has(&self, outcome: Outcome) -> bool {
        let has = |list: &Vec<CaseResult>| list.iter().any(|ended| ended.outcome == outcome);
        self.ended.lock().is_ok_and(|list| has(&list))
    }

    fn take(&self) -> Vec<CaseResult> {
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
    watch: Arc<dyn Watch>,
    interrupt: impl Future<Output = ()>,
) -> Report {
    examine(target, options, watch, interrupt).await.report
}

/// A node that was reached, and what was found out of it.
pub(crate) struct Known {
    pub(crate) node: Arc<Node>,
    pub(crate) chain: ChainBounds,
    /// Wallets with a token that each holds.
    pub(crate) holdings: Vec<(String, String)>,
    /// Claims: contracts with assets.
    pub(crate) assets: Vec<(String, String)>,
    /// Pairs of wallets that may have a trust score.
    pub(crate) trust: Vec<(String, String)>,
}

/// The result of a run, with what a comparison with other nodes needs.
pub(crate) struct Examined {
    pub(crate) report: Report,
    /// The conclusion without the sweep, if the chain ends before the sweep's first block.
    pub(crate) without_sweep: Option<Conclusion>,
    /// The node, if the run came to its end.
    pub(crate) known: Option<Known>,
}

/// Does the same as [`run`], and returns more.
pub(crate) async fn examine(
    target: Target,
    options: &Options,
    watch: Arc<dyn Watch>,
    interrupt: impl Future<Output = ()>,
) -> Examined {
    let started = Instant::now();
    let selected: Vec<Case> = options
        .cases()
        .into_iter()
        .filter(|case| options.selects(case.id) && options.permits(case, target.network).is_ok())
        .collect();
    let limits = Limits {
        request_timeout: options.request_timeout,
        requests: options.most_requests,
        body: options.most_body,
        memory: options.most_memory,
        depth: options.most_depth,
        submits: selected.iter().any(|case| case.tier > Tier::Read),
        rate: options.rate,
    };
    let spec = Spec::from_json(nodeproof_client::OPENAPI_JSON).map_err(|error| error.to_string());
    let node = Node::new(target.clone(), limits).map_err(|error| error.to_string());
    let (node, spec) = match node.and_then(|node| Ok((Arc::new(node), Arc::new(spec?)))) {
        Ok(both) => both,
        Err(reason) => {
            let cut = Cut::Harness(reason);
            let (report, without_sweep) =
                run_report::build(&target, options, Vec::new(), Some(&cut), None, started);
            return Examined {
                report,
                without_sweep,
                known: None,
            };
        }
    };
    let progress = Arc::new(Progress::default());
    let sweep = options.sweep.as_ref();
    let sweeping = sweep.map(|sweep| Arc::new(RunningSweep::new(sweep, &selected, &target)));
    // With a sweep, the cases about blocks are about those that it goes through.
    let of_cases = selected
        .into_iter()
        .filter(|case| sweeping.is_none() || case.block_check().is_none())
        .collect();
    let mut interrupt = std::pin::pin!(interrupt);
    let work = all(
        Arc::clone(&node),
        Arc::clone(&spec),
        of_cases,
        Arc::new(options.clone()),
        Arc::clone(&watch),
        Arc::clone(&progress),
    );
    let deadline = started + options.deadline;
    let done = within(work, interrupt.as_mut(), Some((deadline, options.deadline))).await;
    let known = done.as_ref().ok();
    let ends_before = known.and_then(|known| behind(sweep, &known.chain));
    let (known, cut) = match (done, &sweeping, ends_before) {
        (Ok(known), Some(_), Some(tip)) => {
            let reason = format!("the sweep has no block to judge: the chain ends at block {tip}");
            (Some(known), Some(Cut::Behind(reason)))
        }
        (Ok(known), Some(sweeping), None) => {
            let has_deadline = sweep.is_some_and(|sweep| sweep.has_deadline);
            let work = Arc::clone(sweeping).run(
                Arc::clone(&node),
                Arc::clone(&spec),
                known.chain.clone(),
                options.jobs.max(1),
                Arc::clone(&watch),
            );
            let deadline = has_deadline.then_some((deadline, options.deadline));
            match within(work, interrupt, deadline).await {
                Ok(()) => (Some(known), None),
                Err(cut) => (None, Some(cut)),
            }
        }
        (Ok(known), None, _) => {
            let unread = known.chain.unread.as_ref();
            let unread = unread.filter(|_| !progress.has(Outcome::Fail));
            let cut = unread.map(|(block, reason)| {
                Cut::Unreachable(format!("block {block} could not be read: {reason}"))
            });
            (Some(known), cut)
        }
        (Err(cut), _, _) => (None, Some(cut)),
    };
    let cut = match &sweeping {
        Some(sweeping) => after(sweeping, cut, options, &*watch, &progress),
        None => cut,
    };
    watch.end();
    let (mut report, without_sweep) = run_report::build(
        &target,
        options,
        progress.take(),
        cut.as_ref(),
        Some((&node, &spec)),
        started,
    );
    report.sweep = sweeping.and_then(|sweeping| sweeping.report());
    Examined {
        report,
        without_sweep,
        known,
    }
}

/// The newest index of a chain that ends before a sweep's first block.
fn behind(sweep: Option<&Sweep>, chain: &ChainBounds) -> Option<u64> {
    let first = sweep
        .filter(|sweep| sweep.resumed.is_none())?
        .blocks
        .first()?;
    chain.tip.filter(|tip| *tip < first)
}

/// Keeps what a sweep has found for the report, and for who resumes it.
fn after(
    sweeping: &RunningSweep,
    cut: Option<Cut>,
    options: &Options,
    watch: &dyn Watch,
    progress: &Progress,
) -> Option<Cut> {
    sweeping.close();
    let mut departs = progress.has(Outcome::Fail);
    for mut ended in sweeping.ended() {
        options
            .expectations
            .apply(&mut ended, expectations::today());
        watch.done(&run_report::case_report(&ended));
        departs |= ended.outcome == Outcome::Fail;
        progress.push(ended);
    }
    let untold = || sweeping.unread().or_else(|| sweeping.beyond());
    cut.or_else(|| untold().filter(|_| !departs))
}

/// Does some work until it is done, interrupted or out of time.
///
/// The work is a task of its own, so that a node that keeps it busy can't keep the deadline from
/// coming.
async fn within<T: Send + 'static>(
    work: impl Future<Output = Result<T, Cut>> + Send + 'static,
    interrupt: Pin<&mut impl Future<Output = ()>>,
    deadline: Option<(Instant, Duration)>,
) -> Result<T, Cut> {
    let mut work = tokio::spawn(work);
    let out_of_time = async {
        match deadline {
            Some((at, limit)) => {
                tokio::time::sleep_until(at.into()).await;
                limit
            }
            None => std::future::pending().await,
        }
    };
    let done = tokio::select! {
        biased;
        () = interrupt => Err(Cut::Interrupted),
        done = &mut work => {
            done.unwrap_or_else(|error| Err(Cut::Harness(error.to_string())))
        }
        limit = out_of_time => Err(Cut::OutOfTime(format!(
            "the run was not done within its deadline of {} s",
            limit.as_secs_f64()
        ))),
    };
    work.abort();
    done
}

/// What a sweep that is begun wants to know.
fn wanted_by(sweep: Option<&Sweep>) -> Wanted {
    let Some(sweep) = sweep.filter(|sweep| sweep.resumed.is_none()) else {
        return Wanted::default();
    };
    let (first, end) = (sweep.blocks.first(), sweep.blocks.end());
    let last = end.map(|end| end.saturating_sub(1));
    Wanted {
        blocks: first.into_iter().chain(last).collect(),
        lowest: first.is_none(),
        newest: end.is_none(),
    }
}

/// Runs the cases, and hands back what is known of the node.
async fn all(
    node: Arc<Node>,
    spec: Arc<Spec>,
    selected: Vec<Case>,
    options: Arc<Options>,
    watch: Arc<dyn Watch>,
    progress: Arc<Progress>,
) -> Result<Known, Cut> {
    let snapshots = match &options.reviewable_snapshots {
        Some(folder) => SnapshotStore::reviewable(folder),
        None => match SnapshotStore::read_only() {
            Ok(store) => store,
            Err(error) => {
                return Err(Cut::Harness(format!(
                    "no place for temporary files: {error}"
                )));
            }
        },
    };
    watch.phase("reaching the node, and finding out what to ask it about");
    let wanted = wanted_by(options.sweep.as_ref());
    let material = match discovery::discover(&node, &options.fixture, &wanted).await {
        Ok(material) => material,
        Err(InconclusiveReason::Transport(reason)) => return Err(Cut::Unreachable(reason)),
        Err(obstacle) => return Err(Cut::OutOfTime(obstacle.reason().to_owned())),
    };
    match strangeness(&node, &material).await {
        Ok(None) => {}
        Ok(Some(reason)) => return Err(Cut::NoNode(reason)),
        Err(obstacle) => return Err(Cut::Unreachable(obstacle.reason().to_owned())),
    }
    let context = Context::new(
        Samples::new(node, spec, material),
        options.submitting.clone(),
        snapshots,
        options.baseline.clone(),
    );
    let context = Arc::new(context);
    watch.begin(selected.len());
    for tier in Tier::ALL {
        let cases = selected.iter().copied().filter(|case| case.tier == tier);
        let tasks = stream::iter(cases).map(|case| {
            let one = one(
                case,
                Arc::clone(&context),
                Arc::clone(&options),
                Arc::clone(&watch),
                Arc::clone(&progress),
            );
            async move {
                // A set of one: when the run is cut short, the task is dropped with it.
                let mut task = JoinSet::new();
                task.spawn(one);
                while task.join_next().await.is_some() {}
            }
        });
        tasks
            .buffer_unordered(options.jobs.max(1))
            .for_each(|()| async {})
            .await;
    }
    match lost(&context, &progress).await {
        Some(cut) => Err(cut),
        None => Ok(Known {
            node: Arc::clone(&context.node),
            chain: ChainBounds::of(&context.material),
            holdings: context.material.holdings.clone(),
            assets: context.material.assets.clone(),
            trust: context.material.trust.clone(),
        }),
    }
}

/// Runs one case, and tells how it ended.
async fn one(
    case: Case,
    context: Arc<Context>,
    options: Arc<Options>,
    watch: Arc<dyn Watch>,
    progress: Arc<Progress>,
) {
    let began = Instant::now();
    let work = AssertUnwindSafe(case.run(&context)).catch_unwind();
    let (found, asked) = http::recorded(work).await;
    let found = found.unwrap_or_else(|_| {
        Err(InconclusiveReason::Harness(
            "the case itself failed unexpectedly".to_owned(),
        ))
    });
    let mut ended = ended(case, found);
    ended.asked = asked;
    ended.elapsed = began.elapsed();
    options
        .expectations
        .apply(&mut ended, expectations::today());
    watch.done(&run_report::case_report(&ended));
    progress.push(ended);
}

fn ended(case: Case, found: Findings) -> CaseResult {
    match found {
        Ok(mut findings) => {
            let unlisted = findings.len().saturating_sub(MOST_FINDINGS);
            findings.truncate(MOST_FINDINGS);
            findings.shrink_to_fit();
            let outcome = match (findings.is_empty(), case.level) {
                (true, _) => Outcome::Pass,
                (false, Level::Must) => Outcome::Fail,
                (false, Level::Should) => Outcome::Warn,
                (false, Level::Observed) => Outcome::Info,
            };
            CaseResult {
                findings,
                unlisted,
                ..CaseResult::not_run(case, outcome)
            }
        }
        Err(obstacle) => CaseResult {
            obstacle: Some(obstacle),
            ..CaseResult::not_run(case, Outcome::Inconclusive)
        },
    }
}

/// Why what answers is no node at all: none of its calls is there.
async fn strangeness(
    node: &Node,
    material: &Discovered,
) -> Result<Option<String>, InconclusiveReason> {
    if !material.blocks.is_empty() {
        return Ok(None);
    }
    let first = material.first_answer.clone();
    if first.as_ref().is_some_and(|exchange| is_a_nodes(exchange)) {
        return Ok(None);
    }
    for path in ["/get-balances", "/get-trustscore-wallets"] {
        let other = node.send(Request::get(path)).await?;
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
            nodeproof_primitives::escape::escaped_up_to(media, 60)
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
            Some(InconclusiveReason::Transport(reason)) => Some(reason.clone()),
            _ => None,
        })?;
        (
            reason,
            ended.iter().any(|ended| ended.outcome == Outcome::Fail),
        )
    };
    let known = context
        .material
        .blocks
        .first()
        .map_or(1, |(index, _)| *index);
    let now = context.node.send(block_request(known)).await;
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
