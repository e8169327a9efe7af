//! The exchanges of a run, in order, each understood once.
//!
//! The script sends and writes a history. The rules are functions of a history, and send nothing.

mod claim;
mod entry;
mod heights;
mod of_samples;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, OnceLock},
    time::Duration,
};

pub(crate) use claim::{
    Batch, ClaimSteps, Claims, FEE_WITH_FRACTION, HIGH_S, IN_BATCH, IN_OTHER_TOKEN, MAX_CLAIMS,
    MIN_NEW_BLOCKS, OF_CO_SIGNER, OF_MANY, OF_NEW_WALLET, OF_SAME_ASSET, SHARED, Settled,
    are_of_several,
};
pub(crate) use entry::{Answer, Entry};
use heights::Heights;
pub(crate) use heights::Period;
use serde_json::Value;

use crate::{
    api::{Transaction, accepts},
    http::{Exchange, InconclusiveReason, LoggedExchange, MissingStep, Step},
};

/// The exchanges of a run, in the order in which they were sent.
#[derive(Debug, Default)]
pub(crate) struct History {
    entries: Vec<Entry>,
    missing: Vec<MissingStep>,
    heights: Heights,
    first_submission: Option<Duration>,
    /// The places of the exchanges of each step. Rules ask for steps again and again.
    steps: OnceLock<HashMap<Step, Vec<usize>>>,
    /// Whether another program made the exchanges. It may have read less than a run reads.
    pub(crate) is_of_others: bool,
}

impl History {
    /// Understands the exchanges of a run.
    pub(crate) fn of(exchanges: impl IntoIterator<Item = LoggedExchange>) -> Self {
        Self::default().and(exchanges)
    }

    /// Returns this history with what was exchanged later.
    pub(crate) fn and(&self, later: impl IntoIterator<Item = LoggedExchange>) -> Self {
        let mut entries = self.entries.clone();
        entries.extend(later.into_iter().map(Entry::from));
        entries.sort_by_key(|entry| (entry.began, entry.ended));
        let submissions = entries.iter().filter(|entry| is_submission(entry));
        Self {
            first_submission: submissions.map(|entry| entry.began).min(),
            heights: Heights::of(&entries),
            missing: Vec::new(),
            steps: OnceLock::new(),
            is_of_others: self.is_of_others,
            entries,
        }
    }

    /// Adds the steps that were not taken.
    pub(crate) fn with_missing(mut self, missing: Vec<MissingStep>) -> Self {
        self.missing = missing;
        self
    }

    /// Returns the exchanges of a step, in the order in which they were sent.
    pub(crate) fn of_step(&self, step: &Step) -> impl Iterator<Item = &Entry> + use<'_> {
        let steps = self.steps.get_or_init(|| {
            let mut steps: HashMap<_, Vec<_>> = HashMap::new();
            for (place, entry) in self.entries.iter().enumerate() {
                if let Some(step) = &entry.exchange.request.step {
                    steps.entry(step.clone()).or_default().push(place);
                }
            }
            steps
        });
        let places = steps.get(step).into_iter().flatten();
        places.filter_map(|place| self.entries.get(*place))
    }

    /// Returns the first response of a step, or the reason why there is none.
    pub(crate) fn step(&self, step: &Step) -> Result<&Arc<Exchange>, InconclusiveReason> {
        match self.of_step(step).next() {
            Some(entry) => Ok(&entry.exchange),
            None => Err(match self.reason(step) {
                Some(reason) => reason.clone(),
                None => "the run did not send it".into(),
            }),
        }
    }

    /// Returns the last reason why a step was not taken.
    pub(crate) fn reason(&self, step: &Step) -> Option<&InconclusiveReason> {
        let mut missing = self.missing.iter().rev();
        let found = missing.find(|missing| missing.step == *step);
        found.map(|missing| &missing.reason)
    }

    /// Returns the blocks that were read above the height that the chain had before a moment, each as it was read first.
    pub(crate) fn blocks_since(&self, moment: Duration) -> BTreeMap<u64, &Arc<Exchange>> {
        let Some(before) = self.height_before(moment) else {
            return BTreeMap::new();
        };
        let mut first = BTreeMap::new();
        for (index, entry) in self.blocks().filter(|(index, _)| *index > before) {
            first.entry(index).or_insert(&entry.exchange);
        }
        first
    }

    /// Returns the number of exchanges, and of steps that were not taken.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.entries.len(), self.missing.len())
    }

    /// Returns all exchanges.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Returns the blocks that were read, with their index.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (u64, &Entry)> {
        let read = self.of_path("/get-block");
        let read = read.filter(|entry| entry.answer == Answer::Content);
        read.filter_map(|entry| Some((entry.block_index?, entry)))
    }

    /// Returns the submissions, in the order in which they were sent.
    pub(crate) fn submissions(&self) -> impl Iterator<Item = &Entry> {
        self.entries().filter(|entry| is_submission(entry))
    }

    /// Returns the transactions that the node accepted, each with the submission that it was in, alone or in a batch.
    pub(crate) fn accepted(&self) -> impl Iterator<Item = (&Entry, Transaction<'_>)> {
        self.submissions().flat_map(|entry| {
            let all = entry.submissions().iter().filter_map(Transaction::of);
            let accepted =
                all.filter(|one| accepts(&entry.exchange, one.code().unwrap_or_default()));
            accepted.map(move |transaction| (entry, transaction))
        })
    }

    /// Returns when the first submission was sent.
    pub(crate) const fn first_submission(&self) -> Option<Duration> {
        self.first_submission
    }

    /// Returns the index of the highest block that was read before a moment.
    pub(crate) fn height_before(&self, moment: Duration) -> Option<u64> {
        self.heights.before(moment)
    }

    /// Returns when the response of an exchange ended.
    pub(crate) fn ended(&self, exchange: &Arc<Exchange>) -> Option<Duration> {
        let mut entries = self.entries();
        let found = entries.find(|entry| Arc::ptr_eq(&entry.exchange, exchange));
        found.map(|entry| entry.ended)
    }

    /// Returns each height that the chain may have had at a moment or later, because the next block was not there, and
    /// the highest block that was read before that.
    pub(crate) fn ends_since(&self, moment: Duration) -> impl Iterator<Item = (u64, Option<u64>)> {
        self.heights.ends_since(moment)
    }

    /// Returns the latest moment at which all blocks from this one on are known, and the last one of them.
    pub(crate) fn complete_from(&self, first: u64) -> Option<(u64, Duration)> {
        self.heights.complete_from(first)
    }

    /// Returns the exchanges of an endpoint, such as `/get-block`, in the order in which they were sent.
    pub(crate) fn of_path(&self, path: &str) -> impl Iterator<Item = &Entry> {
        self.entries
            .iter()
            .filter(move |entry| entry.exchange.request.path == path)
    }

    /// Returns the exchanges of an endpoint by request, in the order in which they were sent.
    pub(crate) fn by_question(&self, path: &str) -> BTreeMap<&str, Vec<&Entry>> {
        let mut questions: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for entry in self.of_path(path) {
            let of_question = questions.entry(&*entry.question).or_default();
            of_question.push(entry);
        }
        questions
    }

    /// Returns the last exchange of each request to an endpoint that was sent more than once, in an order that
    /// does not depend on time. Of the ways in which a request was written, the first in the alphabet counts.
    pub(crate) fn repeated(&self, path: &str) -> Vec<&Entry> {
        let questions = self.by_question(path).into_values();
        let repeated = questions.filter(|entries| entries.len() > 1);
        repeated
            .filter_map(|entries| {
                let latest_first = entries.into_iter().rev();
                latest_first.min_by_key(|entry| entry.exchange.url().to_string())
            })
            .collect()
    }

    /// Returns the period without a new block and without submissions that spans two exchanges, or `None`
    /// if the history does not prove that there is one.
    pub(crate) fn unchanged(&self, earlier: &Entry, later: &Entry) -> Option<Period> {
        if self.first_submission.is_some_and(|at| at < later.ended) {
            return None;
        }
        self.heights.unchanged(earlier.began, later.ended)
    }

    /// Whether nothing can have changed between two moments: no block was made, the effects of the latest one were complete,
    /// and nothing was submitted.
    pub(crate) fn is_still(&self, from: Duration, to: Duration) -> bool {
        let period = self.heights.unchanged(from, to);
        period.is_some_and(|period| !period.is_fresh) && self.is_quiet(from, to)
    }

    /// Whether a block was made between two moments: it was not there after the first one, and was read before the other.
    pub(crate) fn has_grown(&self, from: Duration, to: Duration) -> bool {
        self.heights.is_made_between(from, to)
    }

    /// Whether the run neither submitted anything nor read a new block between two moments.
    pub(crate) fn is_quiet(&self, from: Duration, to: Duration) -> bool {
        !self.has_submitted(from, to) && !self.heights.is_seen_between(from, to)
    }

    /// Whether something was submitted between two moments.
    pub(crate) fn has_submitted(&self, from: Duration, to: Duration) -> bool {
        let mut submissions = self.submissions();
        submissions.any(|entry| entry.began < to && entry.ended > from)
    }

    /// Returns the blocks that were made between two exchanges, or `None` if not all of them are known, up to one that was
    /// not there after the later exchange.
    pub(crate) fn blocks_between(&self, earlier: &Entry, later: &Entry) -> Option<Vec<&Value>> {
        let height = self.height_before(earlier.began)?;
        let (end, _) = self.ends_since(later.ended).min()?;
        let blocks: BTreeMap<u64, &Entry> = self.blocks().collect();
        let block = |index| blocks.get(&(index + 1))?.exchange.success_object();
        (height..end).map(block).collect()
    }

    /// Returns the codes of the transactions that the run submitted.
    pub(crate) fn submitted_codes(&self) -> BTreeSet<String> {
        let submitted = self.submissions().flat_map(Entry::submissions);
        let code = |one| Some(Transaction::of(one)?.code()?.to_owned());
        submitted.filter_map(code).collect()
    }

    /// Returns the blocks that were the latest one when they were first read, in ascending order: a request for the
    /// next one, or an earlier one for the block itself, got nothing.
    pub(crate) fn blocks_read_when_new(&self) -> impl Iterator<Item = u64> {
        self.heights.read_when_new()
    }

    /// Whether a block above this index was read before a moment.
    pub(crate) fn is_below_the_chains_end(&self, index: u64, before: Duration) -> bool {
        self.height_before(before)
            .is_some_and(|height| index <= height)
    }
}

/// Whether an exchange is a submission, of one transaction or of several.
fn is_submission(entry: &Entry) -> bool {
    entry.exchange.request.path.starts_with("/submit")
}

/// Returns a history of these exchanges: the moment in milliseconds, the request, the status and the body.
/// Each took a millisecond.
#[cfg(test)]
pub(crate) fn recorded(rows: Vec<(u64, crate::http::Request, u16, &str)>) -> History {
    let rows = rows.into_iter().map(|(at, request, status, body)| {
        let json = Some("application/json");
        (at, exchange(request, status, json, body))
    });
    history_of(rows.collect())
}

/// Returns an exchange that took a millisecond.
#[cfg(test)]
pub(crate) fn exchange(
    request: crate::http::Request,
    status: u16,
    media: Option<&str>,
    body: &str,
) -> Exchange {
    let base = Arc::new("http://127.0.0.1:8420".parse().expect("a base URL"));
    let (media, body) = (media.map(ToOwned::to_owned), body.as_bytes().to_vec());
    Exchange::new(
        request,
        &base,
        status,
        media,
        body,
        Duration::from_millis(1),
    )
}

/// Returns a history of these exchanges, each with its moment in milliseconds.
#[cfg(test)]
pub(crate) fn history_of(exchanges: Vec<(u64, Exchange)>) -> History {
    History::of(exchanges.into_iter().map(|(at, exchange)| LoggedExchange {
        exchange: Arc::new(exchange),
        began: Duration::from_millis(at),
        ended: Duration::from_millis(at + 1),
        started_at: time::OffsetDateTime::UNIX_EPOCH,
    }))
}
