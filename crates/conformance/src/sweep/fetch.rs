//! Fetching blocks, several at a time, and judging each alone as it comes.

use std::{
    cell::OnceCell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinHandle,
};

use super::tally::few;

use crate::{
    block_check::{self, Expected, Judge, Judged, Kind, Links, Look, Plain, Seen, Voters},
    cases::{Case, VOTER_ADDRESS},
    discovery::{block_request, reported_index},
    exchange::{Exchange, TOO_MUCH},
    judge,
    node::{Connection, Node},
    outcome::{Finding, Obstacle},
    report::ExchangeReport,
    spec::{SchemaValidator, Spec},
};

/// How often a node that stays busy is left alone for a while before it is given up.
const MOST_PAUSES: u32 = 6;
/// From how many pauses on it is looked whether it is busy with everything, or with this block alone.
const SOME_PAUSES: u32 = 2;
/// How often it is looked whether a node that did not answer is there at all.
const MOST_LOOKS: u32 = 4;
/// A body from here on keeps a core busy for so long that others would wait.
const LONG_WORK: usize = 64 * 1024;

/// The checks of a sweep, made ready.
pub(super) struct Judges {
    pub(super) list: Vec<(&'static str, Judge)>,
    /// What the whole of a block is held against: if it conforms, each of its fields does.
    whole: Option<SchemaValidator>,
    /// Which fields were seen in a block that conforms.
    seen: Vec<AtomicBool>,
    /// The places of those that look at blocks in order.
    in_order: Vec<usize>,
    /// By how much the index of every block differs from the one asked for.
    offset: Option<i128>,
    /// Whether blocks that are plainly as documented are judged the quick way.
    quick: bool,
    /// Voters whose keys are known, where a check asks for that.
    voters: Option<Voters>,
}

impl Judges {
    pub(super) fn of(
        cases: &[Case],
        spec: &Spec,
        offset: Option<i128>,
        quick: bool,
    ) -> Result<Self, Obstacle> {
        let mut list = Vec::new();
        for case in cases {
            if let Some(check) = case.block_check() {
                list.push((case.id, Judge::new(check, spec)?));
            }
        }
        let any =
            |wanted: fn(&Look) -> bool| list.iter().any(|(_, judge)| wanted(&judge.check.look));
        let fields = any(|look| matches!(look, Look::Field(_)));
        let in_order = |place: &usize| matches!(list[*place].1.check.look, Look::InOrder(_));
        let checks_voters = list.iter().any(|(id, _)| *id == VOTER_ADDRESS);
        Ok(Self {
            quick: quick && matches!(offset, None | Some(0)) && block_check::describes(spec),
            voters: checks_voters.then(Voters::default),
            whole: fields.then(|| block_check::whole_block(spec)).transpose()?,
            in_order: (0..list.len()).filter(in_order).collect(),
            seen: list.iter().map(|_| AtomicBool::new(false)).collect(),
            list,
            offset,
        })
    }

    /// Those that look at blocks in order, with their places.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (usize, &Judge)> {
        self.in_order
            .iter()
            .map(|place| (*place, &self.list[*place].1))
    }

    fn follows(&self) -> bool {
        !self.in_order.is_empty()
    }

    /// Tells what an answer is. A node whose first answer is off by some number is off everywhere:
    /// it is judged for that, and its blocks are judged all the same.
    fn kind(&self, index: u64, exchange: &Exchange) -> Kind {
        match exchange.answered_object().map(reported_index) {
            Some(Some(reported)) if reported - i128::from(index) != self.offset.unwrap_or(0) => {
                Kind::Odd
            }
            Some(_) => Kind::Block,
            None if exchange.status == 200 => Kind::Unread,
            None => Kind::Hole,
        }
    }

    /// What is plainly as documented, where an answer is.
    fn plain(&self, index: u64, exchange: &Exchange) -> Option<Plain> {
        let encoded = exchange.content_encoding.as_deref();
        let media = exchange.content_type.as_deref();
        let fits = self.quick
            && exchange.status == 200
            && encoded.is_none_or(|encoding| encoding == "identity")
            && media.is_none_or(judge::is_json);
        let expected = Expected {
            index,
            depth: exchange.most_depth,
            voters: self.voters.as_ref(),
        };
        fits.then(|| Plain::read(&exchange.body, expected))?
    }

    /// All that can be said of an answer alone, if no check has anything to look at: that is said
    /// sooner than it is handed to another core.
    fn judge_at_once(&self, index: u64, exchange: &Arc<Exchange>) -> Option<Passed> {
        let plain = self.plain(index, exchange)?;
        let looks = |judge: &Judge| (judge.check.plain)(&plain).is_none();
        if self.list.iter().any(|(_, judge)| looks(judge)) {
            return None;
        }
        Some(self.judge_plain(index, exchange, &plain))
    }

    /// What is said of a block that is plainly as documented.
    fn judge_plain(&self, index: u64, exchange: &Arc<Exchange>, plain: &Plain) -> Passed {
        let seen = OnceCell::new();
        let seen = || seen.get_or_init(|| Seen::new(index, Kind::Block, Arc::clone(exchange)));
        let links = || match plain.transactions {
            0 => plain.links(),
            _ => seen().links(),
        };
        let mut said = Said {
            kind: Kind::Block,
            counts: vec![0; self.list.len()],
            findings: Vec::new(),
            obstacles: Vec::new(),
            links: self.follows().then(links),
            evidence: Kept::Exchange(Arc::clone(exchange)),
        };
        for (place, (_, judge)) in self.list.iter().enumerate() {
            match (judge.check.look, (judge.check.plain)(plain)) {
                (Look::Field(field), _) => {
                    said.counts[place] = self.first_seen(place, || plain.has_place(field.path));
                }
                (_, Some(count)) => said.counts[place] = count,
                (_, None) => said.add(place, judge.look(seen())),
            }
        }
        said.passed(index, exchange)
    }

    /// Counts that a field was seen in a block that conforms, if it was not seen before: that it was
    /// seen at all is all that is asked later.
    fn first_seen(&self, place: usize, is_in: impl FnOnce() -> bool) -> u64 {
        let known = self.seen[place].load(Ordering::Relaxed);
        let first = !known && is_in();
        if first {
            self.seen[place].store(true, Ordering::Relaxed);
        }
        u64::from(first)
    }

    /// All that can be said of an answer alone.
    fn judge(&self, index: u64, exchange: Arc<Exchange>) -> Passed {
        if let Some(plain) = self.plain(index, &exchange) {
            return self.judge_plain(index, &exchange, &plain);
        }
        if exchange.status == 200
            && let Err(fault) = exchange.json()
            && fault.ends_with(TOO_MUCH)
        {
            return Passed::nothing(index, Nothing::TooLarge(format!("the answer is {fault}")));
        }
        let seen = Seen::new(index, self.kind(index, &exchange), exchange);
        let conforms = seen.kind == Kind::Block
            && self.whole.as_ref().is_some_and(|whole| {
                let body = seen.exchange.answered_object();
                body.is_some_and(|body| whole.is_valid(body))
            });
        let mut said = Said {
            kind: seen.kind,
            counts: vec![0; self.list.len()],
            findings: Vec::new(),
            obstacles: Vec::new(),
            links: (self.follows() && seen.kind == Kind::Block).then(|| seen.links()),
            evidence: Kept::Exchange(Arc::clone(&seen.exchange)),
        };
        for (place, (_, judge)) in self.list.iter().enumerate() {
            match judge.check.look {
                // Every place of the field is within what conforms.
                Look::Field(field) if conforms => {
                    let is_in = || field.is_in(&seen.exchange);
                    said.counts[place] = self.first_seen(place, is_in);
                }
                _ => said.add(place, judge.look(&seen)),
            }
        }
        said.passed(index, &seen.exchange)
    }
}

/// A block that has been asked for, on its way to be judged in order.
pub(super) struct Passed {
    pub(super) index: u64,
    pub(super) what: What,
}

pub(super) enum What {
    /// There is an answer.
    Said(Box<Said>),
    /// There is none, or more than is read.
    Nothing(Nothing),
}

pub(super) enum Nothing {
    /// The node answers, but not this.
    Unanswered(String),
    /// It answers with more than is read.
    TooLarge(String),
    /// It does not answer at all any more, or the run may not ask.
    Lost(Obstacle),
}

impl Passed {
    const fn nothing(index: u64, nothing: Nothing) -> Self {
        Self {
            index,
            what: What::Nothing(nothing),
        }
    }
}

/// What was said of an answer alone, by the checks' places in their list.
pub(super) struct Said {
    pub(super) kind: Kind,
    pub(super) counts: Vec<u64>,
    pub(super) findings: Vec<(usize, (Finding, u64))>,
    pub(super) obstacles: Vec<(usize, Obstacle)>,
    pub(super) links: Option<Links>,
    pub(super) evidence: Kept,
}

impl Said {
    /// Adds what the check at a place says.
    fn add(&mut self, place: usize, judged: Judged) {
        self.counts[place] = judged.count;
        let few = few(judged.findings).into_iter();
        self.findings.extend(few.map(|finding| (place, finding)));
        let obstacle = judged.obstacle.into_iter();
        self.obstacles
            .extend(obstacle.map(|obstacle| (place, obstacle)));
    }

    fn passed(mut self, index: u64, exchange: &Exchange) -> Passed {
        if exchange.body.len() > LONG_WORK {
            // It may have to wait for blocks before it, and then only its excerpt does.
            self.evidence = Kept::Told(exchange.told());
        }
        Passed {
            index,
            what: What::Said(Box::new(self)),
        }
    }
}

/// What is kept of an exchange until it is its block's turn.
pub(super) enum Kept {
    Exchange(Arc<Exchange>),
    Told(Arc<ExchangeReport>),
}

impl Kept {
    pub(super) fn told(&self) -> Arc<ExchangeReport> {
        match self {
            Self::Exchange(exchange) => exchange.told(),
            Self::Told(told) => Arc::clone(told),
        }
    }
}

/// A block that was asked for.
pub(super) enum Fetched {
    /// All is said that can be said of it alone.
    Judged(Passed),
    /// It takes time to judge, which is to be had elsewhere.
    Waits(Arc<Exchange>),
}

/// What comes of judging a block.
async fn judged(index: u64, work: JoinHandle<Passed>) -> Passed {
    work.await.unwrap_or_else(|error| {
        let fault = Obstacle::Harness(format!("block {index}: {error}"));
        Passed::nothing(index, Nothing::Lost(fault))
    })
}

/// What all that fetch share.
pub(super) struct Fetcher {
    pub(super) node: Arc<Node>,
    pub(super) judges: Arc<Judges>,
    /// Blocks that were read before, by which a node that is gone is told from one that has no
    /// answer to something.
    pub(super) known: Vec<u64>,
    /// Lets one long answer at a time be read and judged.
    pub(super) gate: Arc<Semaphore>,
    /// Where what takes long is judged: on all cores.
    pub(super) cores: Handle,
}

impl Fetcher {
    /// Asks for a block, over a connection of one's own where there may be one, and judges what
    /// comes, unless who fetches has better things to do.
    pub(super) async fn pass(&self, index: u64, own: Option<&mut Connection>) -> Fetched {
        let shares_a_thread = own.is_some();
        let (exchange, permit) = match self.fetch(index, own).await {
            Ok(answer) => answer,
            Err(nothing) => return Fetched::Judged(Passed::nothing(index, nothing)),
        };
        let judges = Arc::clone(&self.judges);
        if exchange.body.len() > LONG_WORK {
            let work = self.cores.spawn_blocking(move || {
                let passed = judges.judge(index, exchange);
                drop(permit);
                passed
            });
            return Fetched::Judged(judged(index, work).await);
        }
        match judges.judge_at_once(index, &exchange) {
            Some(passed) => Fetched::Judged(passed),
            None if shares_a_thread => Fetched::Waits(exchange),
            None => Fetched::Judged(judges.judge(index, exchange)),
        }
    }

    /// Judges what came on whichever core has time for it.
    pub(super) async fn judge_elsewhere(&self, index: u64, exchange: Arc<Exchange>) -> Passed {
        let judges = Arc::clone(&self.judges);
        let work = async move { judges.judge(index, exchange) };
        judged(index, self.cores.spawn(work)).await
    }

    async fn fetch(
        &self,
        index: u64,
        mut own: Option<&mut Connection>,
    ) -> Result<(Arc<Exchange>, Option<OwnedSemaphorePermit>), Nothing> {
        let mut pauses = 0;
        let mut failed = false;
        loop {
            let answer = self
                .node
                .ask_over(block_request(index), Some(&self.gate), own.as_deref_mut())
                .await;
            let reason = match answer {
                // What stands before the node says that it is not there.
                Ok((exchange, _)) if matches!(exchange.status, 502 | 504) => exchange.summary(),
                Ok(answer) => return Ok(answer),
                Err(Obstacle::Transport(reason)) => reason,
                Err(Obstacle::TooLarge(reason)) => return Err(Nothing::TooLarge(reason)),
                Err(Obstacle::Busy(reason)) => {
                    if pauses >= SOME_PAUSES && self.answers(index).await {
                        return Err(Nothing::Unanswered(reason));
                    }
                    if pauses == MOST_PAUSES {
                        return Err(Nothing::Lost(Obstacle::Busy(reason)));
                    }
                    pauses += 1;
                    tokio::time::sleep(Duration::from_millis(500) * 2_u32.pow(pauses)).await;
                    continue;
                }
                Err(obstacle) => return Err(Nothing::Lost(obstacle)),
            };
            if failed {
                return Err(Nothing::Unanswered(reason));
            }
            if !self.answers(index).await {
                return Err(Nothing::Lost(Obstacle::Transport(reason)));
            }
            failed = true;
        }
    }

    /// Whether the node answers at all.
    async fn answers(&self, index: u64) -> bool {
        let Some(known) = self.known.iter().find(|known| **known != index) else {
            return false;
        };
        for look in 0..MOST_LOOKS {
            match self.node.ask(block_request(*known)).await {
                Ok(exchange) if matches!(exchange.status, 502 | 504) => {}
                Ok(_) => return true,
                Err(Obstacle::Transport(_)) => {}
                Err(_) => return false,
            }
            tokio::time::sleep(Duration::from_millis(250) * 2_u32.pow(look)).await;
        }
        false
    }
}

#[cfg(test)]
mod tests;
