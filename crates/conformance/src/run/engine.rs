//! Runs the cases: connects to the target, discovers samples, runs the cases and draws a conclusion.

use std::{
    future::Future,
    panic::AssertUnwindSafe,
    pin::Pin,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use futures_util::{FutureExt, StreamExt, stream};
use nodeproof_report::Outcome;
use tokio::task::JoinSet;

use super::{
    case_report::case_report,
    case_results::CaseResults,
    examined::{Examined, ExaminedNode},
    expectations::today,
    not_a_node::not_a_node_reason,
    options::Options,
    report::EndedRun,
    sent_again::send_again,
};
use crate::{
    api::{Sample, Tier, block_request},
    cases::{Case, CaseResult},
    checks::{Examination, Findings, MAX_FINDINGS, NOTHING_EXAMINED},
    context::{Context, DoneSweep, Samples, SigningWallet, SnapshotStore, Submitting},
    discovery::{self, Discovered, Wanted},
    har::Exchanges,
    http::{self, InconclusiveReason, Node, Target},
    script::{Script, observe_balances, repeat_blocks, repeat_stored, repeat_values},
    sweep::{ChainBounds, Observer, RunningSweep, StopReason},
};
use nodeproof_openapi::Spec;

/// Returns the OpenAPI description, which is parsed once per process.
pub(super) fn spec() -> Result<Arc<Spec>, String> {
    static SPEC: OnceLock<Result<Arc<Spec>, String>> = OnceLock::new();
    let read = || Spec::from_json(nodeproof_openapi::NODE_JSON).map(Arc::new);
    SPEC.get_or_init(|| read().map_err(|error| error.to_string()))
        .clone()
}

/// Runs the selected cases against a target until all are done. Returns also the data for comparing nodes.
///
/// Stops early at the deadline, or when `interrupt` is ready.
pub(crate) async fn examine(
    target: Target,
    options: &Options,
    watch: Arc<dyn Observer>,
    interrupt: impl Future<Output = ()>,
) -> Examined {
    let started = Instant::now();
    let redactor = &options.submitting.redactor;
    redactor.add_headers(target.access.headers());
    let selected: Vec<Case> = options.selected(target.network).collect();
    let (node, spec) = match node_and_spec(&target, options, &selected) {
        Ok(both) => both,
        Err(reason) => {
            let stop_reason = StopReason::Harness(reason);
            return not_begun(EndedRun::not_begun(&target, options, started, &stop_reason));
        }
    };
    let progress = Arc::new(CaseResults::default());
    let sweeping = options.sweep.as_ref().map(|sweep| {
        let sweeping = RunningSweep::new(sweep, &selected, &target, redactor.clone());
        Arc::new(sweeping)
    });
    // In a sweep, the cases about blocks run as part of it, and some run after it.
    let (following, of_cases) = selected
        .into_iter()
        .filter(|case| sweeping.is_none() || case.check.block_check().is_none())
        .partition(|case| sweeping.is_some() && case.follows_sweep);
    let mut interrupt = std::pin::pin!(interrupt);
    let work = run_cases(
        Arc::clone(&node),
        Arc::clone(&spec),
        of_cases,
        Arc::new(options.clone()),
        Arc::clone(&watch),
        Arc::clone(&progress),
    );
    let limit = options.limits.deadline;
    let deadline = (started + limit, limit);
    let done = run_until_deadline(work, interrupt.as_mut(), Some(deadline)).await;
    let done = done.map_err(|reason| with_busy_paths(reason, &node));
    let (examined_node, running, stop_reason) = match done {
        Ok((found, running)) => {
            let (sweeping, chain) = (sweeping.as_ref(), &found.chain);
            let swept = sweep_if_asked(sweeping, chain, &running, following, interrupt, deadline);
            match Box::pin(swept).await {
                Ok(stop_reason) => (Some(found), Some(running), stop_reason),
                Err(stop_reason) => (None, Some(running), Some(stop_reason)),
            }
        }
        Err(stop_reason) => (None, None, Some(stop_reason)),
    };
    let stop_reason = match &sweeping {
        Some(sweeping) => {
            add_sweep_results(sweeping, stop_reason, options, &target, &*watch, &progress)
        }
        None => stop_reason,
    };
    watch.end();
    let run = EndedRun {
        target: &target,
        options,
        started,
        results: progress.take(),
        stop_reason: stop_reason.as_ref(),
        checked: Some((&node, &spec)),
        samples: progress.samples.get().cloned(),
    };
    let kept = sweeping.as_ref().map(|sweeping| sweeping.kept.take());
    let mut sweep = sweeping.and_then(|sweeping| sweeping.report());
    if let (Some(sweep), Some(running)) = (&mut sweep, &running) {
        sweep.records = running.context.sweep.get().map(DoneSweep::report);
    }
    let (mut report, without_sweep) = run.report();
    report.sweep = redactor.redact(sweep);
    Examined {
        report,
        without_sweep,
        exchanges: Exchanges::of(&node, wanted_by(options), kept.unwrap_or_default()),
        node: examined_node,
    }
}

/// Returns the node, within the limits of these cases, and the description that it is checked against.
fn node_and_spec(
    target: &Target,
    options: &Options,
    selected: &[Case],
) -> Result<(Arc<Node>, Arc<Spec>), String> {
    let submits = selected.iter().any(|case| case.tier >= Tier::Reject);
    let limits = options.limits.of_requests(submits);
    let node = Node::new(target.clone(), limits).map_err(|error| error.to_string())?;
    Ok((Arc::new(node), spec()?))
}

/// Returns the result of a run that sent nothing.
fn not_begun(run: EndedRun<'_>) -> Examined {
    let (report, without_sweep) = run.report();
    Examined {
        report,
        without_sweep,
        node: None,
        exchanges: Exchanges::default(),
    }
}

/// Sweeps the blocks if the run has a sweep. Returns why the run has no verdict, as an error if it was stopped.
async fn sweep_if_asked(
    sweeping: Option<&Arc<RunningSweep>>,
    chain: &ChainBounds,
    running: &Running,
    following: Vec<Case>,
    interrupt: Pin<&mut impl Future<Output = ()>>,
    deadline: (Instant, Duration),
) -> Result<Option<StopReason>, StopReason> {
    let Some(sweeping) = sweeping else {
        let unread = chain.unread.clone();
        let unread = unread.filter(|_| !running.progress.has(Outcome::Fail));
        return Ok(unread.map(StopReason::from));
    };
    let deadline = sweeping.sweep.has_deadline.then_some(deadline);
    sweep_blocks(sweeping, chain, running, following, interrupt, deadline).await
}

/// Sweeps the blocks, and runs the cases that follow. If the chain has no block to sweep, returns that as the reason why the
/// run has no verdict.
async fn sweep_blocks(
    sweeping: &Arc<RunningSweep>,
    chain: &ChainBounds,
    running: &Running,
    following: Vec<Case>,
    interrupt: Pin<&mut impl Future<Output = ()>>,
    deadline: Option<(Instant, Duration)>,
) -> Result<Option<StopReason>, StopReason> {
    let without_blocks = sweeping.nothing_to_check(chain);
    let swept = Box::pin(Arc::clone(sweeping).run(
        Arc::clone(&running.context.node),
        Arc::clone(&running.context.spec),
        chain.clone(),
        running.options.limits.jobs.max(1),
        Arc::clone(&running.watch),
    ));
    let after = Box::pin(run_after_sweep(
        Arc::clone(sweeping),
        running.clone(),
        following,
    ));
    let is_swept = without_blocks.is_none();
    let work = async move {
        if is_swept {
            swept.await?;
        }
        after.await;
        Ok(())
    };
    run_until_deadline(work, interrupt, deadline).await?;
    Ok(without_blocks.map(StopReason::NothingToSweep))
}

/// Runs the cases that also examine what a sweep found.
async fn run_after_sweep(sweeping: Arc<RunningSweep>, running: Running, cases: Vec<Case>) {
    if let Some(done) = sweeping.done().filter(|_| !cases.is_empty()) {
        if !sweeping.sweep.counts_requests {
            running.context.node.allow_more(done.requests());
        }
        running.context.sweep.get_or_init(|| done);
    }
    for case in cases {
        running.clone().run_case(case).await;
    }
}

/// Adds the sweep's results to the others, and saves its state. Returns why the run has no verdict.
fn add_sweep_results(
    sweeping: &RunningSweep,
    stop_reason: Option<StopReason>,
    options: &Options,
    target: &Target,
    watch: &dyn Observer,
    progress: &CaseResults,
) -> Option<StopReason> {
    sweeping.close();
    let mut fails = progress.has(Outcome::Fail);
    for mut result in sweeping.case_results() {
        options
            .files
            .expectations
            .apply(&mut result, target, today());
        watch.done(&options.submitting.redactor.redact(case_report(&result)));
        fails |= result.outcome == Outcome::Fail;
        progress.push(result);
    }
    let unread_reason = || sweeping.unread().or_else(|| sweeping.beyond());
    stop_reason.or_else(|| unread_reason().filter(|_| !fails))
}

/// Adds to the reason of a run that is out of time where the node was busy. Each such request waits for the node's
/// `Retry-After`.
fn with_busy_paths(reason: StopReason, node: &Node) -> StopReason {
    let busy = node.busy_paths();
    match reason {
        StopReason::DeadlineExceeded(reason) if !busy.is_empty() => {
            let paths = busy.join(", ");
            StopReason::DeadlineExceeded(format!(
                "{reason}: the node was busy, and refused requests for {paths} with 429 or 503"
            ))
        }
        reason => reason,
    }
}

/// Runs some work until it is done, interrupted or out of time.
///
/// The work runs in a separate task, so a node that keeps it busy can't delay the deadline.
async fn run_until_deadline<T: Send + 'static>(
    work: impl Future<Output = Result<T, StopReason>> + Send + 'static,
    interrupt: Pin<&mut impl Future<Output = ()>>,
    deadline: Option<(Instant, Duration)>,
) -> Result<T, StopReason> {
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
        () = interrupt => Err(StopReason::Interrupted),
        done = &mut work => {
            done.unwrap_or_else(|error| Err(StopReason::Harness(error.to_string())))
        }
        limit = out_of_time => Err(StopReason::DeadlineExceeded(format!(
            "the run was not done within its --deadline of {} s",
            limit.as_secs_f64()
        ))),
    };
    work.abort();
    done
}

/// Maximum number of blocks that a run without a sweep reads.
const SAMPLE: u64 = 128;
/// The same for a run with a sweep, which reads blocks by itself, if these show a claim.
const SAMPLE_BESIDE_SWEEP: u64 = 16;

/// Returns what the run, and its sweep if that is new, need from discovery.
fn wanted_by(options: &Options) -> Wanted {
    let limits = &options.limits;
    let wallet = options.submitting.wallet.as_ref();
    // The other requests of a run need the rest of its limit.
    let most = SAMPLE.min(limits.max_requests / 8);
    let wanted = Wanted {
        fixture: options.files.fixture.clone(),
        earlier: options.recheck.fixture(),
        wallet: wallet.map(SigningWallet::address),
        blocks: Vec::new(),
        lowest: false,
        latest: false,
        sample: match options.sweep {
            Some(_) => SAMPLE_BESIDE_SWEEP.min(most),
            None => most,
        },
        sample_without_claim: most,
        sample_time: limits.deadline / 8,
        jobs: limits.jobs.max(1),
    };
    let sweep = options.sweep.as_ref();
    // A merged sweep has the same samples as one over the whole range.
    let Some(sweep) = sweep.filter(|sweep| !sweep.has_begun()) else {
        return wanted;
    };
    let (first, end) = (sweep.blocks.first(), sweep.blocks.end());
    let last = end.map(|end| end.saturating_sub(1));
    Wanted {
        blocks: first.into_iter().chain(last).collect(),
        lowest: sweep.first().is_none(),
        latest: end.is_none(),
        ..wanted
    }
}

/// Returns the place of the snapshots.
fn snapshots(options: &Options) -> Result<SnapshotStore, StopReason> {
    let Some(folder) = &options.files.reviewable_snapshots else {
        return SnapshotStore::read_only().map_err(|error| {
            let reason = format!("no place for temporary files (TMPDIR names one): {error}");
            StopReason::Harness(reason)
        });
    };
    Ok(SnapshotStore::reviewable(folder))
}

/// Looks for samples. Fails if this is not a node.
async fn discover(node: &Arc<Node>, options: &Options) -> Result<Discovered, StopReason> {
    let discovered = discovery::discover(node, &wanted_by(options)).await?;
    match not_a_node_reason(node, &discovered).await {
        Ok(None) => {}
        Ok(Some(reason)) => return Err(StopReason::NotANode(reason)),
        Err(inconclusive) => return Err(StopReason::Unreachable(inconclusive.reason().to_owned())),
    }
    Ok(discovered)
}

/// Runs the cases, and returns what was found on the node, and the data that the cases share.
async fn run_cases(
    node: Arc<Node>,
    spec: Arc<Spec>,
    selected: Vec<Case>,
    options: Arc<Options>,
    watch: Arc<dyn Observer>,
    progress: Arc<CaseResults>,
) -> Result<(ExaminedNode, Running), StopReason> {
    let snapshots = snapshots(&options)?;
    watch.phase("connecting, and looking for samples on the chain");
    node.expect_again(options.recheck.requests());
    let discovered = discover(&node, &options).await?;
    let context = Context::new(
        Samples::new(node, spec, discovered),
        Submitting {
            makes_a_claim: selected.iter().any(|case| case.tier == Tier::Write),
            ..options.submitting.clone()
        },
        snapshots,
        options.files.baseline.clone(),
    );
    progress.samples.get_or_init(|| context.report());
    watch.begin(selected.len());
    let running = Running {
        context: Arc::new(context),
        options,
        watch,
        progress,
    };
    let Running { context, .. } = &running;
    running.run_in_order(&selected).await;
    send_again(&context.node, &running.progress).await;
    match unreachable_reason(context, &running.progress).await {
        Some(stop_reason) => Err(stop_reason),
        None => {
            let examined_node = ExaminedNode {
                node: Arc::clone(&context.node),
                chain: ChainBounds::of(&context.discovered),
                holdings: context.discovered.holdings.clone(),
                assets: context.discovered.assets.clone(),
                trust: context.discovered.trust.clone(),
            };
            Ok((examined_node, running))
        }
    }
}

/// What the cases of a run share.
#[derive(Clone)]
pub(super) struct Running {
    pub(super) context: Arc<Context>,
    pub(super) options: Arc<Options>,
    pub(super) watch: Arc<dyn Observer>,
    pub(super) progress: Arc<CaseResults>,
}

impl Running {
    /// Runs the cases of each tier, then those about the whole run, and sends what the rules need in between.
    async fn run_in_order(&self, selected: &[Case]) {
        let context = &self.context;
        let of = |stage: &dyn Fn(&Case) -> bool| -> Vec<Case> {
            selected.iter().copied().filter(stage).collect()
        };
        let repeated: Vec<Sample> = selected
            .iter()
            .filter_map(|case| case.check.repeated_sample())
            .collect();
        for tier in Tier::ALL {
            let is_of_tier = |case: &Case| case.tier == tier && !case.runs_last();
            self.run_cases(of(&|case| is_of_tier(case) && !case.check.is_of_records()))
                .await;
            if tier == Tier::Read {
                // Before anything is submitted, only a new block changes a value.
                repeat_values(context, &repeated).await;
                let mut scripts: Vec<Script> = selected
                    .iter()
                    .filter_map(|case| case.check.script())
                    .collect();
                scripts.dedup();
                for script in scripts {
                    script.send(context).await;
                }
                if selected.iter().any(|case| case.check.is_about_balances()) {
                    let submitter = &context.submissions.submitter;
                    let _ = observe_balances(submitter).await;
                }
            }
            self.run_cases(of(&|case| is_of_tier(case) && case.check.is_of_records()))
                .await;
        }
        if repeated.contains(&Sample::Blocks) {
            repeat_blocks(context).await;
        }
        for sample in [Sample::ContractState, Sample::TrustScore] {
            if repeated.contains(&sample) {
                repeat_stored(&context.submissions.submitter, sample).await;
            }
        }
        // What some of these read is judged by the others, too.
        let mut last = of(&Case::runs_last);
        last.sort_by_key(|case| case.check.turn());
        for case in last {
            self.run_cases(vec![case]).await;
        }
    }

    /// Runs cases, as many at a time as the run may send requests.
    pub(super) async fn run_cases(&self, cases: Vec<Case>) {
        let tasks = stream::iter(cases).map(|case| {
            let run = self.clone().run_case(case);
            async move {
                // A set of one task: if the run is stopped, dropping the set stops the task.
                let mut task = JoinSet::new();
                task.spawn(run);
                while task.join_next().await.is_some() {}
            }
        });
        tasks
            .buffer_unordered(self.options.limits.jobs.max(1))
            .for_each(|()| async {})
            .await;
    }

    /// Runs one case, and records its result.
    async fn run_case(self, case: Case) {
        let began = Instant::now();
        let work = AssertUnwindSafe(case.run(&self.context)).catch_unwind();
        let (found, exchanges) = http::recorded(work).await;
        let found = found.unwrap_or_else(|_| {
            Err(InconclusiveReason::Harness(
                "the case itself failed unexpectedly".to_owned(),
            ))
        });
        let mut result = case_result(case, found);
        result.exchanges = exchanges;
        result.elapsed = began.elapsed();
        let target = self.context.node.target();
        let options = &self.options;
        options
            .files
            .expectations
            .apply(&mut result, target, today());
        let redactor = &options.submitting.redactor;
        self.watch.done(&redactor.redact(case_report(&result)));
        self.progress.push(result);
    }
}

fn case_result(case: Case, found: Findings) -> CaseResult {
    match found {
        Ok(Examination {
            examined: 0,
            findings,
            ..
        }) if findings.is_empty() => CaseResult {
            inconclusive: Some(InconclusiveReason::NoSample(NOTHING_EXAMINED.to_owned())),
            ..CaseResult::not_run(case, Outcome::Inconclusive)
        },
        Ok(Examination {
            examined,
            mut findings,
            ..
        }) => {
            let outcome = case.outcome(examined, findings.len() as u64);
            let unlisted = findings.len().saturating_sub(MAX_FINDINGS);
            findings.truncate(MAX_FINDINGS);
            findings.shrink_to_fit();
            CaseResult {
                findings,
                unlisted,
                ..CaseResult::not_run(case, outcome)
            }
        }
        Err(inconclusive) => CaseResult {
            inconclusive: Some(inconclusive),
            ..CaseResult::not_run(case, Outcome::Inconclusive)
        },
    }
}

/// Returns a reason if requests had no response, and the node still does not respond or no case failed.
async fn unreachable_reason(context: &Context, progress: &CaseResults) -> Option<StopReason> {
    let (reason, failed) = {
        let results = progress.results.lock().ok()?;
        let reason = results
            .iter()
            .find_map(|result| match &result.inconclusive {
                Some(InconclusiveReason::Transport(reason)) => Some(reason.clone()),
                _ => None,
            })?;
        (
            reason,
            results.iter().any(|result| result.outcome == Outcome::Fail),
        )
    };
    let index = context
        .discovered
        .blocks
        .first()
        .map_or(1, |(index, _)| *index);
    let now = context.node.send(block_request(index)).await;
    match now {
        Ok(_) if failed => None,
        Ok(_) => Some(StopReason::Unreachable(format!(
            "some requests had no response: {reason}"
        ))),
        Err(_) => Some(StopReason::Unreachable(format!(
            "the node was lost during the run: {reason}"
        ))),
    }
}
