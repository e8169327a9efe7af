//! What is said of an answer alone, as it comes.

use std::{
    cell::OnceCell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use super::{Extent, tally::few};
use nodeproof_openapi::{SchemaValidator, Spec};

use crate::{
    block_check::{
        self, Evidence, Expected, Judge, Judged, Kind, Links, Look, Plain, Seen, Voters,
    },
    cases::{Case, VOTER_ADDRESS},
    discovery::{reported_index, says_there_is_none},
    exchange::{Exchange, TOO_MUCH},
    finding::{Finding, Obstacle},
    judge,
};

/// A body from here on keeps a core busy for so long that others would wait.
pub(super) const LONG_WORK: usize = 64 * 1024;

/// The checks of a sweep, made ready.
pub(super) struct Judges {
    pub(super) list: Vec<(&'static str, Judge)>,
    /// What the whole of a block is held against: if it conforms, each of its fields does.
    whole: Option<SchemaValidator>,
    /// Which fields were seen in a block that conforms.
    seen: Vec<AtomicBool>,
    /// The places of those that look at blocks in order.
    in_order: Vec<usize>,
    /// What is known of the chain.
    chain: Extent,
    /// Whether blocks that are plainly as documented are judged the quick way.
    quick: bool,
    /// Voters whose keys are known, where a check asks for that.
    voters: Option<Voters>,
}

impl Judges {
    pub(super) fn of(
        cases: &[Case],
        spec: &Spec,
        chain: &Extent,
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
            quick: quick && matches!(chain.offset, None | Some(0)) && block_check::describes(spec),
            voters: checks_voters.then(Voters::default),
            whole: fields.then(|| block_check::whole_block(spec)).transpose()?,
            in_order: (0..list.len()).filter(in_order).collect(),
            seen: list.iter().map(|_| AtomicBool::new(false)).collect(),
            list,
            chain: chain.clone(),
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

    /// Whether an index is above that of every block that is known.
    pub(super) fn is_beyond(&self, index: u64) -> bool {
        self.chain.tip.is_none_or(|tip| index > tip)
    }

    /// Tells what an answer is. A node that is off by some number is off everywhere: it is judged
    /// for that, and its blocks are judged all the same.
    fn kind(&self, index: u64, exchange: &Exchange) -> Kind {
        let kind = match exchange.answered_object().map(reported_index) {
            Some(Some(reported))
                if reported - i128::from(index) != self.chain.offset.unwrap_or(0) =>
            {
                Kind::Odd
            }
            Some(_) => return Kind::Block,
            None if says_there_is_none(exchange.status) => return Kind::Hole,
            None => Kind::Unread,
        };
        let may_say = |other| self.chain.unknown.may_say(exchange.status, other);
        if self.is_beyond(index) && may_say(kind == Kind::Odd) {
            Kind::Hole
        } else {
            kind
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
    pub(super) fn judge_at_once(&self, index: u64, exchange: &Arc<Exchange>) -> Option<Passed> {
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
        let links = || plain.links().unwrap_or_else(|| seen().links());
        let mut said = Said {
            kind: Kind::Block,
            counts: vec![0; self.list.len()],
            findings: Vec::new(),
            obstacles: Vec::new(),
            links: self.follows().then(links),
            evidence: Evidence::Exchange(Arc::clone(exchange)),
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
    pub(super) fn judge(&self, index: u64, exchange: Arc<Exchange>) -> Passed {
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
            evidence: Evidence::Exchange(Arc::clone(&seen.exchange)),
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
    pub(super) const fn nothing(index: u64, nothing: Nothing) -> Self {
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
    /// Kept until it is its block's turn.
    pub(super) evidence: Evidence,
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
            self.evidence = Evidence::Told(exchange.told());
        }
        Passed {
            index,
            what: What::Said(Box::new(self)),
        }
    }
}

#[cfg(test)]
mod tests;
