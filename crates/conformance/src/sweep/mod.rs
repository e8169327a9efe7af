//! A sweep: every case about blocks over every block of a range.
//!
//! Blocks are fetched over several connections (`fetch`), all of them driven by one thread (`crew`),
//! and judged alone as they come (`judges`): those that are plainly as documented at once, and what
//! takes longer, signatures above all, on all cores. Then they are put in order, and held against
//! those before them. What was found is counted and grouped ([`tally`]), and written down now and
//! then, so that a sweep that was cut can be resumed ([`state`]). Nothing of this grows with the
//! chain: a few blocks are on their way at a time, and of blocks that were judged only what the next
//! ones are held against is kept.

mod crew;
mod ending;
mod extent;
mod fetch;
mod judges;
mod lock;
mod order;
mod place;
mod range;
mod state;
mod tally;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::future::BoxFuture;
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
    task::{JoinError, JoinSet},
};

pub(crate) use extent::Extent;
pub(crate) use lock::Lock;
pub(crate) use place::default_state;
pub use range::{BlockRange, ParseBlockRangeError};
pub use state::{State, StateError};
pub(crate) use state::{prepare, remove_finished};

use nodeproof_openapi::Spec;

use crate::{
    Target,
    block_check::Kind,
    cases::Case,
    finding::{Finding, Obstacle},
    node::Node,
    run::{Cut, Watch},
};
use fetch::{Fetched, Fetcher};
use judges::{Judges, Nothing, Passed, What};
use order::{Behind, Line, Order, lost};
use state::Keeper;
use tally::{Tally, few};

/// How many blocks are on their way at a time, for each that is asked for.
const AHEAD: usize = 4;
/// How often the state is written down.
const KEEP_EVERY: Duration = Duration::from_secs(2);
/// How often it is told how far a sweep is.
const TELL_EVERY: Duration = Duration::from_millis(200);
/// So many blocks in a row without an answer, and the node counts as lost.
const MOST_UNANSWERED: u64 = 20;
/// So many indexes in a row behind the newest block that is known, and none of them has a block: that
/// is the chain's end, however far the range goes.
const BEHIND_THE_END: usize = 64;

/// A sweep that a run is to make.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sweep {
    /// The blocks.
    pub blocks: BlockRange,
    /// Where the sweep's state is kept, so that it can be resumed; nowhere if not given.
    pub state: Option<PathBuf>,
    /// How far it was, if it is resumed.
    pub resumed: Option<Arc<State>>,
    /// Whether the run's limit of requests counts for its blocks, too.
    pub counts_requests: bool,
    /// Whether the run's deadline counts for it, too.
    pub has_deadline: bool,
    /// Keeps other runs from the state.
    lock: Option<Arc<Lock>>,
    /// Whether blocks are fetched over connections of their own, where nothing stands between them
    /// and the node, and those that are plainly as documented are judged in one go through their
    /// text. It changes nothing but the time that a sweep takes.
    pub quick: bool,
}

impl Sweep {
    /// A sweep over these blocks, of which no state is kept, and which takes the requests and the
    /// time that it needs.
    #[must_use]
    pub const fn new(blocks: BlockRange) -> Self {
        Self {
            blocks,
            state: None,
            resumed: None,
            counts_requests: false,
            has_deadline: false,
            lock: None,
            quick: true,
        }
    }

    /// The sweep with other runs kept from its state for as long as there is any copy of this.
    pub(crate) fn locked(mut self, lock: Lock) -> Self {
        self.lock = Some(Arc::new(lock));
        self
    }

    /// The sweep with its state kept in a file, which is replaced. That no two runs keep theirs in
    /// one file at a time is up to the caller; the command line sees to it.
    #[must_use]
    pub fn keeping_state(mut self, path: PathBuf) -> Self {
        self.state = Some(path);
        self
    }

    /// The sweep from where the one that left its state in that file was cut.
    ///
    /// # Errors
    /// When there is no such file, or it is damaged, or of another node, range or selection of
    /// cases.
    pub fn resuming(
        mut self,
        path: PathBuf,
        target: &Target,
        cases: &[Case],
    ) -> Result<Self, StateError> {
        let about_blocks = about_blocks(cases);
        let state = State::read(&path, target, self.blocks, &about_blocks)?;
        self.resumed = Some(Arc::new(state));
        Ok(self.keeping_state(path))
    }

    /// How far the unfinished sweep is that a file is of, and the index behind its last block;
    /// nothing if the file is of none.
    #[must_use]
    pub fn unfinished(path: &Path) -> Option<(u64, u64)> {
        State::unfinished(path)
    }
}

/// The cases that a sweep has.
pub(crate) fn about_blocks(cases: &[Case]) -> Vec<Case> {
    let about = |case: &&Case| case.block_check().is_some();
    cases.iter().filter(about).copied().collect()
}

/// How far a sweep is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SweepProgress {
    /// The first block.
    pub from: u64,
    /// The index behind the last block.
    pub to: u64,
    /// The block that comes next.
    pub next: u64,
    /// How many blocks this run has judged.
    pub done: u64,
    /// For how long it has been at it.
    pub elapsed: Duration,
    /// How many findings there are.
    pub findings: u64,
}

/// A sweep that is being made.
pub(crate) struct Sweeping {
    sweep: Sweep,
    cases: Vec<Case>,
    target: Target,
    state: Mutex<Option<State>>,
    keeper: Option<Keeper>,
    /// How many states were written down.
    kept: AtomicU64,
    /// Why none can be.
    trouble: Mutex<Option<String>>,
    /// When the first block was asked for.
    began: OnceLock<Instant>,
    /// Set, under the state's lock, when what is known is told: nothing is added any more.
    over: AtomicBool,
}

impl Sweeping {
    pub(crate) fn new(sweep: &Sweep, cases: &[Case], target: &Target) -> Self {
        Self {
            cases: about_blocks(cases),
            target: target.clone(),
            state: Mutex::new(sweep.resumed.as_deref().cloned()),
            keeper: sweep.state.clone().map(Keeper::new),
            kept: AtomicU64::new(0),
            trouble: Mutex::new(None),
            began: OnceLock::new(),
            over: AtomicBool::new(false),
            sweep: sweep.clone(),
        }
    }

    fn with_state<T>(&self, work: impl FnOnce(&mut Option<State>) -> T) -> T {
        // A state is whole between any two blocks, so a lock that is poisoned guards a whole one.
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Goes through the blocks, until all are judged or something ends it.
    pub(crate) async fn run(
        self: Arc<Self>,
        node: Arc<Node>,
        spec: Arc<Spec>,
        chain: Extent,
        jobs: usize,
        watch: Arc<dyn Watch>,
    ) -> Result<(), Cut> {
        let (from, next, to) = self.begin(&chain)?;
        let began = *self.began.get_or_init(Instant::now);
        let mut chain = chain;
        if self.sweep.blocks.end().is_none() {
            // It was known to go so far when the sweep was begun.
            chain.tip = chain.tip.max(Some(to.saturating_sub(1)));
        }
        let judges = Judges::of(&self.cases, &spec, &chain, self.sweep.quick)
            .map_err(|obstacle| Cut::Harness(obstacle.reason().to_owned()))?;
        let judges = Arc::new(judges);
        if !self.sweep.counts_requests {
            // A block may be asked for again when it was not answered.
            node.allow_more((to - next).saturating_mul(3));
        }
        self.keep();
        let fetcher = Arc::new(Fetcher {
            node,
            judges: Arc::clone(&judges),
            known: chain.known,
            gate: Arc::new(Semaphore::new(1)),
            cores: Handle::current(),
        });
        let line = Arc::new(Line {
            order: Mutex::new(Order {
                waiting: BTreeMap::new(),
                next,
                unanswered: 0,
                behind: Vec::new(),
                asks_again: false,
                cut: None,
            }),
            turns: Arc::new(Semaphore::new(jobs * AHEAD)),
            upcoming: AtomicU64::new(next),
            to,
            judges,
        });
        let direct = self.sweep.quick && fetcher.node.connection().is_some();
        let worker = |_| {
            let (this, line, fetcher, watch) = (
                Arc::clone(&self),
                Arc::clone(&line),
                Arc::clone(&fetcher),
                Arc::clone(&watch),
            );
            this.work(fetcher, line, watch, direct)
        };
        let workers: Vec<_> = (0..jobs).map(worker).collect();
        // What others still wait for then comes to nothing.
        let is_over = {
            let line = Arc::clone(&line);
            move || line.turns.is_closed()
        };
        let crew = crew::all(workers, is_over);
        let mut crew: BoxFuture<'_, _> = if direct {
            Box::pin(crew::on_own_thread(crew))
        } else {
            Box::pin(crew)
        };
        let tell = || {
            let (next_now, to, findings) = self.with_state(|state| {
                let state = state.as_ref();
                state.map_or((next, to, 0), |state| {
                    (state.next, state.to, state.tally.findings())
                })
            });
            watch.sweep(&SweepProgress {
                from,
                to,
                next: next_now,
                done: next_now - next,
                elapsed: began.elapsed(),
                findings,
            });
        };
        let mut kept_at = Instant::now();
        let mut ticks = tokio::time::interval(TELL_EVERY);
        loop {
            tokio::select! {
                ended = &mut crew => match ended {
                    Ok(()) => break,
                    Err(reason) => return Err(Cut::Harness(reason)),
                },
                _ = ticks.tick() => {
                    tell();
                    if kept_at.elapsed() >= KEEP_EVERY {
                        self.keep_aside();
                        kept_at = Instant::now();
                    }
                }
            }
        }
        {
            let mut order = line.order.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(cut) = order.cut.take() {
                drop(order);
                tell();
                self.keep();
                return Err(cut);
            }
            self.end(&mut order, &line.judges, &*watch);
        }
        tell();
        self.keep();
        Ok(())
    }

    /// Asks for one block after the other, over a connection of its own if it is direct, and has what
    /// comes judged.
    async fn work(
        self: Arc<Self>,
        fetcher: Arc<Fetcher>,
        line: Arc<Line>,
        watch: Arc<dyn Watch>,
        direct: bool,
    ) -> Result<(), JoinError> {
        let mut connection = fetcher.node.connection().filter(|_| direct);
        let mut judged_elsewhere = JoinSet::new();
        // A turn is had before a block is chosen, so the block that all wait for has one.
        while let Ok(turn) = Arc::clone(&line.turns).acquire_owned().await {
            let index = line.upcoming.fetch_add(1, Ordering::Relaxed);
            if index >= line.to {
                break;
            }
            match fetcher.pass(index, connection.as_mut()).await {
                Fetched::Judged(block) => {
                    self.arrived(block, turn, &line, &fetcher, &*watch).await;
                }
                // The connection need not wait for it.
                Fetched::Waits(exchange) => {
                    let (this, line, fetcher, watch) = (
                        Arc::clone(&self),
                        Arc::clone(&line),
                        Arc::clone(&fetcher),
                        Arc::clone(&watch),
                    );
                    judged_elsewhere.spawn(async move {
                        let block = fetcher.judge_elsewhere(index, exchange).await;
                        this.arrived(block, turn, &line, &fetcher, &*watch).await;
                    });
                    while let Some(ended) = judged_elsewhere.try_join_next() {
                        ended?;
                    }
                }
            }
        }
        while let Some(ended) = judged_elsewhere.join_next().await {
            ended?;
        }
        Ok(())
    }

    /// Says which blocks there are to judge, unless that is known from before: the first one, the
    /// next one, and the index behind the last. A range that names both of its ends needs nothing to
    /// be known of the chain.
    fn begin(&self, chain: &Extent) -> Result<(u64, u64, u64), Cut> {
        let ends = |state: &State| (state.from, state.next, state.to);
        if let Some(known) = self.with_state(|state| state.as_ref().map(ends)) {
            return Ok(known);
        }
        let blocks = self.sweep.blocks;
        let from = blocks.first().or(chain.lowest).unwrap_or(0);
        let to = match (blocks.end(), chain.tip) {
            (Some(to), _) => to,
            (None, Some(tip)) => tip.saturating_add(1),
            (None, None) => {
                let reason = "the newest block was not found; say where the sweep ends, such as \
                              --blocks ..1000";
                return Err(Cut::OutOfTime(reason.to_owned()));
            }
        };
        if from >= to {
            return Err(Cut::OutOfTime(match chain.lowest {
                Some(lowest) if blocks.first().is_none() => format!(
                    "the sweep has no block to judge: the lowest block that there is is {lowest}"
                ),
                _ => format!(
                    "the sweep has no block to judge: the chain ends at block {}",
                    to.saturating_sub(1)
                ),
            }));
        }
        let state = State::begin(&self.target, blocks, &self.cases, from, to);
        let known = ends(&state);
        self.with_state(|kept| *kept = Some(state));
        Ok(known)
    }

    /// Puts a block in order, and judges those whose turn has come.
    async fn arrived(
        &self,
        block: Passed,
        turn: OwnedSemaphorePermit,
        line: &Line,
        fetcher: &Fetcher,
        watch: &dyn Watch,
    ) {
        let mut missing = {
            let mut order = line.order.lock().unwrap_or_else(PoisonError::into_inner);
            order.waiting.insert(block.index, (block, turn));
            self.judge_in_turn(&mut order, line, watch)
        };
        // The chain may have grown over them since they were asked for.
        while !missing.is_empty() {
            let mut again = Vec::new();
            for index in missing {
                again.push(fetcher.pass_here(index).await);
            }
            let mut order = line.order.lock().unwrap_or_else(PoisonError::into_inner);
            order.were_asked_again(again);
            if order.cut.is_some() {
                line.turns.close();
                return;
            }
            missing = self.judge_in_turn(&mut order, line, watch);
        }
    }

    /// Judges those whose turn has come, until it comes to a block behind others that were not there:
    /// these are handed back, to be asked for once more.
    fn judge_in_turn(&self, order: &mut Order, line: &Line, watch: &dyn Watch) -> Vec<u64> {
        if order.asks_again {
            return Vec::new();
        }
        while let Some((block, turn)) = order.waiting.remove(&order.next) {
            if matches!(&block.what, What::Said(said) if said.kind == Kind::Block) {
                let missing = order.missing();
                if !missing.is_empty() {
                    order.asks_again = true;
                    order.waiting.insert(block.index, (block, turn));
                    return missing;
                }
            }
            order.unanswered = match &block.what {
                What::Nothing(Nothing::Unanswered(_)) => order.unanswered + 1,
                _ => 0,
            };
            let cut = match block.what {
                What::Nothing(Nothing::Lost(obstacle)) => obstacle,
                What::Nothing(Nothing::Unanswered(reason))
                    if order.unanswered > MOST_UNANSWERED =>
                {
                    Obstacle::Transport(reason)
                }
                what => {
                    let index = order.next;
                    order.next += 1;
                    self.in_turn(index, what, order, &line.judges, watch);
                    if order.behind.len() < BEHIND_THE_END {
                        continue;
                    }
                    line.turns.close();
                    return Vec::new();
                }
            };
            order.cut = Some(lost(order.next, cut));
            // Nobody takes a turn any more.
            line.turns.close();
            return Vec::new();
        }
        Vec::new()
    }

    /// Judges a block whose turn it is, or has it wait where that may be behind the chain's end: an
    /// index without a block is a hole only below one that has one.
    fn in_turn(
        &self,
        index: u64,
        what: What,
        order: &mut Order,
        judges: &Judges,
        watch: &dyn Watch,
    ) {
        let is = |wanted: Kind| matches!(&what, What::Said(said) if said.kind == wanted);
        if judges.is_beyond(index) && is(Kind::Hole) {
            order.behind.push(Behind::new(index, what));
            return;
        }
        if !order.behind.is_empty() {
            if !is(Kind::Block) {
                order.behind.push(Behind::new(index, what));
                return;
            }
            for Behind { index, what, .. } in order.behind.drain(..) {
                self.judge(index, what, judges, watch);
            }
        }
        self.judge(index, what, judges, watch);
    }

    /// Ends the sweep, also where the chain has ended before its range did. Of what was answered
    /// there, only that counts which says neither that there is a block nor that there is none.
    fn end(&self, order: &mut Order, judges: &Judges, watch: &dyn Watch) {
        let ends_before = !order.behind.is_empty();
        for Behind { index, what, .. } in order.behind.drain(..) {
            if !matches!(&what, What::Said(said) if said.kind == Kind::Hole) {
                self.judge(index, what, judges, watch);
            }
        }
        self.with_state(|state| {
            if let Some(state) = state
                .as_mut()
                .filter(|_| !self.over.load(Ordering::Relaxed))
            {
                if ends_before {
                    state.to = state.next;
                }
                for (case, (_, judge)) in judges.list.iter().enumerate() {
                    let judged = judge.end(&mut state.memory);
                    for finding in few(judged.findings) {
                        found(case, state.next, finding, &mut state.tally, judges, watch);
                    }
                }
            }
        });
    }

    /// Adds to the tally what is said of a block, and moves on to the next.
    fn judge(&self, index: u64, what: What, judges: &Judges, watch: &dyn Watch) {
        self.with_state(|state| {
            let Some(state) = state
                .as_mut()
                .filter(|_| !self.over.load(Ordering::Relaxed))
            else {
                return;
            };
            state.next = index + 1;
            let said = match what {
                What::Said(said) => said,
                What::Nothing(Nothing::Unanswered(reason) | Nothing::TooLarge(reason)) => {
                    state.tally.unread.add(index, reason);
                    return;
                }
                What::Nothing(Nothing::Lost(_)) => return,
            };
            match said.kind {
                Kind::Hole => state.tally.holes += 1,
                Kind::Block | Kind::Odd | Kind::Unread => state.tally.blocks += 1,
            }
            let add = |case, finding, tally: &mut Tally| {
                found(case, index, finding, tally, judges, watch);
            };
            for (case, count) in said.counts.iter().enumerate() {
                if *count > 0 {
                    state.tally.judged(case, *count, None);
                }
            }
            for (case, obstacle) in said.obstacles {
                state.tally.judged(case, 0, Some(obstacle));
            }
            for (case, finding) in said.findings {
                add(case, finding, &mut state.tally);
            }
            let Some(links) = said.links else { return };
            for (case, judge) in judges.in_order() {
                let judged = judge.follow(&links, &mut state.memory, &said.evidence);
                state.tally.judged(case, judged.count, None);
                for finding in few(judged.findings) {
                    add(case, finding, &mut state.tally);
                }
            }
        });
    }
}

/// Adds a finding to the tally, and tells it if it is the first of its kind. It is about this block,
/// unless it names another.
fn found(
    case: usize,
    block: u64,
    finding: (Finding, u64),
    tally: &mut Tally,
    judges: &Judges,
    watch: &dyn Watch,
) {
    let block = finding.0.block.unwrap_or(block);
    if let Some(what) = tally.found(case, block, finding) {
        watch.found(judges.list[case].0, block, &what);
    }
}
