//! A running sweep: fetches blocks, and processes their results in order.

use std::{
    pin::pin,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::{StreamExt, stream};
use tokio::sync::Semaphore;

use super::{
    chain_bounds::ChainBounds,
    chain_end::ChainEnd,
    checks::{CheckResults, Checked, CheckedBlock, Checks},
    fetch::{Fetcher, Lost},
    kept::KeptBlocks,
    observer::Observer,
    settings::{Sweep, SweepProgress, about_blocks},
    state::State,
    stop_reason::StopReason,
    tally::{Tally, samples},
};
use crate::{
    api::ResponseKind,
    cases::Case,
    checks::Finding,
    context::Redactor,
    http::{InconclusiveReason, Node, Target},
};
use nodeproof_openapi::Spec;

/// Number of blocks that are fetched or wait for their turn, for each of the parallel requests.
const AHEAD: usize = 4;
/// Number of blocks before the range with which its first blocks are compared.
const READ_BEFORE: u64 = 16;
/// How often the state is saved.
const SAVE_EVERY: Duration = Duration::from_secs(2);
/// How often progress is reported.
const REPORT_EVERY: Duration = Duration::from_millis(200);
/// Number of blocks in a row without a response after which the node counts as lost.
const MAX_UNREACHABLE: u64 = 20;

/// A running sweep.
pub(crate) struct RunningSweep {
    pub(crate) sweep: Sweep,
    pub(crate) cases: Vec<Case>,
    target: Target,
    state: Mutex<Option<State>>,
    /// Removes the signatures of the run from the saved state.
    pub(crate) redactor: Redactor,
    /// The reason why the state can't be saved.
    pub(crate) trouble: Mutex<Option<String>>,
    /// When the first block was requested.
    pub(crate) began: OnceLock<Instant>,
    /// Whether the sweep has been reported. Set under the state's lock. Nothing is added afterwards.
    pub(crate) over: AtomicBool,
    /// The blocks of the findings.
    pub(crate) kept: KeptBlocks,
}

/// What a sweep keeps in memory from one block to the next.
#[derive(Default)]
struct Position {
    chain_end: ChainEnd,
    /// Number of blocks in a row without a response.
    unreachable: u64,
}

impl RunningSweep {
    pub(crate) fn new(sweep: &Sweep, cases: &[Case], target: &Target, redactor: Redactor) -> Self {
        Self {
            redactor,
            cases: about_blocks(cases),
            target: target.clone(),
            state: Mutex::new(sweep.resumed.as_deref().cloned()),
            trouble: Mutex::new(None),
            began: OnceLock::new(),
            over: AtomicBool::new(false),
            kept: KeptBlocks::default(),
            sweep: sweep.clone(),
        }
    }

    pub(crate) fn with_state<T>(&self, work: impl FnOnce(&mut Option<State>) -> T) -> T {
        // The state is consistent between any two blocks, so it can be used even if the lock is poisoned.
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Checks the blocks until all are done or an error stops the sweep.
    pub(crate) async fn run(
        self: Arc<Self>,
        node: Arc<Node>,
        spec: Arc<Spec>,
        mut chain: ChainBounds,
        jobs: usize,
        watch: Arc<dyn Observer>,
    ) -> Result<(), StopReason> {
        let (from, first, to) = self.begin(&chain)?;
        let began = *self.began.get_or_init(Instant::now);
        if self.sweep.blocks.end().is_none() {
            // The chain had this block when the sweep began.
            chain.tip = chain.tip.max(Some(to.saturating_sub(1)));
        }
        let checks = Checks::of(&self.cases, &spec, &chain)
            .map_err(|inconclusive| StopReason::Harness(inconclusive.reason().to_owned()))?;
        if !self.sweep.counts_requests {
            // A block without a response may be requested again.
            let blocks = (to - first).saturating_add(READ_BEFORE);
            node.allow_more(blocks.saturating_mul(3));
        }
        self.save();
        let fetcher = Arc::new(Fetcher {
            node,
            checks: Arc::new(checks),
        });
        self.read_before(from, first, chain.lowest, &fetcher)
            .await?;
        let report_progress = || watch.sweep(&self.progress((from, first, to), began));
        // Requests start in order. Each one needs a permit.
        let requests = Arc::new(Semaphore::new(jobs));
        let blocks = stream::iter(first..to)
            .then(|index| {
                let requests = Arc::clone(&requests);
                async move { (index, requests.acquire_owned().await.ok()) }
            })
            .map(|(index, request)| Arc::clone(&fetcher).spawn(index, request))
            .buffered(jobs.saturating_mul(AHEAD));
        let mut blocks = pin!(blocks);
        let mut position = Position::default();
        let mut saved_at = Instant::now();
        let mut ticks = tokio::time::interval(REPORT_EVERY);
        let ended = loop {
            tokio::select! {
                block = blocks.next() => {
                    let Some(block) = block else { break Ok(()) };
                    match self.process(block, &mut position, &fetcher, &*watch).await {
                        Ok(()) if position.chain_end.is_certain() => break Ok(()),
                        Ok(()) => {}
                        Err(lost) => break Err(lost.into()),
                    }
                }
                _ = ticks.tick() => {
                    report_progress();
                    if saved_at.elapsed() >= SAVE_EVERY {
                        self.save();
                        saved_at = Instant::now();
                    }
                }
            }
        };
        if ended.is_ok() {
            self.finish(position.chain_end, &fetcher.checks, &*watch);
        }
        report_progress();
        self.save();
        ended
    }

    /// Returns how far the sweep is.
    fn progress(&self, (from, first, to): (u64, u64, u64), began: Instant) -> SweepProgress {
        let known = self.with_state(|state| {
            let state = state.as_ref()?;
            Some((state.next, state.to, state.tally.findings()))
        });
        let (next, to, findings) = known.unwrap_or((first, to, 0));
        SweepProgress {
            from,
            to,
            next,
            done: next - first,
            elapsed: began.elapsed(),
            findings,
        }
    }

    /// Returns the reason why the chain has no block to check, if so: it ends before the first one, or has no known end. A
    /// resumed sweep has its blocks in its state.
    pub(crate) fn nothing_to_check(&self, chain: &ChainBounds) -> Option<String> {
        let is_new = self.sweep.resumed.is_none();
        match (chain.tip, self.sweep.first(), self.sweep.blocks.end()) {
            (Some(tip), Some(first), _) if is_new && tip < first => Some(format!(
                "the sweep has no block to check: the chain ends at block {tip}"
            )),
            (None, _, None) if is_new => {
                let reason = "the latest block was not found; give the end of the range, such as --blocks ..1000";
                Some(reason.to_owned())
            }
            _ => None,
        }
    }

    /// Returns the first block, the next one, and the index after the last one.
    ///
    /// A resumed sweep has them in its state. A range with two ends does not depend on the chain.
    fn begin(&self, chain: &ChainBounds) -> Result<(u64, u64, u64), StopReason> {
        let ends = |state: &State| (state.from, state.next, state.to);
        if let Some(known) = self.with_state(|state| state.as_ref().map(ends)) {
            return Ok(known);
        }
        let blocks = self.sweep.blocks;
        let first = self.sweep.first();
        let from = first.or(chain.lowest).unwrap_or(0);
        let tip = chain.tip.unwrap_or_default();
        let to = blocks.end().unwrap_or_else(|| tip.saturating_add(1));
        let most = self.sweep.most_blocks.unwrap_or(u64::MAX);
        let to = to.min(from.saturating_add(most));
        if from >= to {
            return Err(StopReason::DeadlineExceeded(match chain.lowest {
                Some(lowest) if first.is_none() => {
                    format!("the sweep has no block to check: the lowest block is {lowest}")
                }
                _ => format!(
                    "the sweep has no block to check: the chain ends at block {}",
                    to.saturating_sub(1)
                ),
            }));
        }
        let mut state = State::begin(&self.target, blocks, &self.cases, from, to);
        if let Some(after) = &self.sweep.after {
            state.continues = true;
            state.memory = after.memory.clone();
            state.fitting = after.fitting_cases();
        }
        let known = ends(&state);
        self.with_state(|kept| *kept = Some(state));
        Ok(known)
    }

    /// Requests the blocks before a range, if the sweep starts there. The first blocks of the range are compared
    /// with them. They are not checked themselves, and may be missing. Of a sweep that continues, it requests the last block
    /// again.
    async fn read_before(
        &self,
        from: u64,
        next: u64,
        lowest: Option<u64>,
        fetcher: &Fetcher,
    ) -> Result<(), StopReason> {
        let has_memory =
            self.with_state(|state| state.as_ref().is_some_and(|state| state.continues));
        if from != next || has_memory {
            return self.check_chain(fetcher).await;
        }
        let start = from.saturating_sub(READ_BEFORE).max(lowest.unwrap_or(0));
        for index in start..from {
            let Ok(block) = fetcher.fetch_and_check(index, None).await else {
                break;
            };
            let Checked::Results(results) = block.what else {
                continue;
            };
            self.with_open_state(|state| {
                if let Some(links) = results.links {
                    for (_, judge) in fetcher.checks.in_order() {
                        judge.follow(&links, &mut state.memory, &results.evidence);
                    }
                }
            });
        }
        fetcher.checks.forget_seen();
        self.with_open_state(|state| {
            state.before = state.memory.previous.latest();
        });
        Ok(())
    }

    /// Checks that the last block that an earlier sweep read is still the same. Otherwise the node has another chain.
    async fn check_chain(&self, fetcher: &Fetcher) -> Result<(), StopReason> {
        let last = self.with_state(|state| {
            state
                .as_ref()
                .and_then(|state| state.memory.previous.latest())
        });
        let Some((hash, (index, _))) = last else {
            return Ok(());
        };
        let block = fetcher.fetch_and_check(index, None).await?;
        fetcher.checks.forget_seen();
        let links = match block.what {
            Checked::Results(results) => results.links,
            _ => None,
        };
        let previous = links.and_then(|links| links.previous);
        if previous.is_none_or(|previous| previous.fingerprint == hash) {
            return Ok(());
        }
        Err(StopReason::DeadlineExceeded(format!(
            "block {index} is not the one that the sweep has read: the node has changed it, or has \
             another chain now, which needs a new sweep"
        )))
    }

    /// Processes the next block.
    async fn process(
        &self,
        block: Result<CheckedBlock, Lost>,
        position: &mut Position,
        fetcher: &Fetcher,
        watch: &dyn Observer,
    ) -> Result<(), Lost> {
        let block = block?;
        if block.is(ResponseKind::Block) {
            // The chain may have grown since these blocks were requested.
            for index in position.chain_end.missing() {
                let again = fetcher.fetch_and_check(index, None).await?;
                position.chain_end.replace(again);
            }
        }
        match &block.what {
            Checked::Unreachable(reason) => {
                position.unreachable += 1;
                if position.unreachable > MAX_UNREACHABLE {
                    return Err(Lost {
                        block: block.index,
                        inconclusive: InconclusiveReason::Transport(reason.clone()),
                    });
                }
            }
            _ => position.unreachable = 0,
        }
        let may_be_the_end =
            fetcher.checks.chain.is_beyond(block.index) && block.is(ResponseKind::Missing);
        if may_be_the_end || !position.chain_end.is_empty() && !block.is(ResponseKind::Block) {
            position.chain_end.add(block);
            return Ok(());
        }
        for earlier in position.chain_end.take() {
            self.add(earlier, &fetcher.checks, watch);
        }
        self.add(block, &fetcher.checks, watch);
        Ok(())
    }

    /// Ends the sweep, also if the chain ends before the range does.
    ///
    /// Responses after the chain's end count, unless they only state that there is no block.
    fn finish(&self, mut chain_end: ChainEnd, checks: &Checks, watch: &dyn Observer) {
        let ends_before = !chain_end.is_empty();
        for block in chain_end.take() {
            if !block.is(ResponseKind::Missing) {
                self.add(block, checks, watch);
            }
        }
        self.with_open_state(|state| {
            if ends_before {
                state.to = state.next;
            }
        });
    }

    /// Changes the state, unless the sweep is over.
    fn with_open_state(&self, work: impl FnOnce(&mut State)) {
        self.with_state(|state| {
            let open = |_: &&mut State| !self.over.load(Ordering::Relaxed);
            if let Some(state) = state.as_mut().filter(open) {
                work(state);
            }
        });
    }

    /// Adds the results of a block to the tally, and compares it with earlier blocks.
    fn add(&self, block: CheckedBlock, checks: &Checks, watch: &dyn Observer) {
        let report = |case: &str, block: u64, what: &str| {
            watch.found(case, block, &self.redactor.redact(what.to_owned()));
        };
        self.with_open_state(|state| {
            state.next = block.index + 1;
            match block.what {
                Checked::Results(results) => {
                    let block_of_results = results.evidence.clone();
                    let is_new = add_results(block.index, *results, state, checks, &report);
                    self.kept.follow(block_of_results, is_new);
                }
                Checked::Unreachable(reason) | Checked::TooLarge(reason) => {
                    state.tally.unread.add(block.index, reason);
                }
            }
        });
    }
}

/// Returns whether the block has a new kind of finding.
fn add_results(
    index: u64,
    results: CheckResults,
    state: &mut State,
    checks: &Checks,
    report: &dyn Fn(&str, u64, &str),
) -> bool {
    state.claims.add(index, results.claimed);
    let tally = &mut state.tally;
    match results.kind {
        ResponseKind::Missing => tally.holes += 1,
        ResponseKind::Block | ResponseKind::WrongIndex | ResponseKind::NotAnObject => {
            tally.blocks += 1
        }
    }
    for (case, count) in results.counts.iter().enumerate() {
        if *count > 0 {
            tally.judged(case, *count, None);
        }
    }
    for (case, inconclusive) in results.inconclusive {
        tally.judged(case, 0, Some(inconclusive));
    }
    let mut is_new = false;
    for (case, finding) in results.findings {
        is_new |= found(case, index, finding, tally, checks, report);
    }
    let Some(links) = results.links else {
        return is_new;
    };
    for (case, judge) in checks.in_order() {
        let judged = judge.follow(&links, &mut state.memory, &results.evidence);
        tally.judged(case, judged.examined, None);
        for finding in samples(judged.findings) {
            is_new |= found(case, index, finding, tally, checks, report);
        }
    }
    is_new
}

/// Adds a finding to the tally, and reports it if it is the first of its kind. Returns whether it is.
///
/// It is about this block, unless it names another block.
fn found(
    case: usize,
    block: u64,
    finding: (Finding, u64),
    tally: &mut Tally,
    checks: &Checks,
    report: &dyn Fn(&str, u64, &str),
) -> bool {
    let block = finding.0.block.unwrap_or(block);
    let new = tally.found(case, block, finding);
    if let Some(what) = &new {
        report(checks.list[case].0, block, what);
    }
    new.is_some()
}
