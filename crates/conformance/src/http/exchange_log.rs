//! The exchanges of a run, in order, for the rules that judge a run as a whole.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use time::OffsetDateTime;

use super::{
    exchange::Exchange,
    inconclusive_reason::InconclusiveReason,
    step::{MissingStep, Step},
};

/// The part of the JSON values that all responses in use may have, and of the bytes that one may have, which is kept of blocks
/// before the first submission, and of other responses. Of what is read since then, as many are kept as one response may have, because it
/// shows the effects of submissions. What does not fit is left out: the other responses of a run need the room.
const PART: (usize, usize) = (4, 2);

/// An exchange, and when it took place.
#[derive(Clone, Debug)]
pub(crate) struct LoggedExchange {
    /// The request and its response.
    pub(crate) exchange: Arc<Exchange>,
    /// The time from the start of the run to sending the request.
    pub(crate) began: Duration,
    /// The time from the start of the run to the end of the response.
    pub(crate) ended: Duration,
    /// The start of the run.
    pub(crate) started_at: OffsetDateTime,
}

impl LoggedExchange {
    /// Returns the record of an exchange that is in no log.
    pub(crate) fn alone(exchange: Arc<Exchange>) -> Self {
        let ended = i128::from(exchange.received_at.as_millis()) * 1_000_000;
        let ended = OffsetDateTime::from_unix_timestamp_nanos(ended);
        Self {
            began: Duration::ZERO,
            ended: exchange.elapsed,
            started_at: ended.unwrap_or(OffsetDateTime::UNIX_EPOCH) - exchange.elapsed,
            exchange,
        }
    }
}

/// The exchanges of a run, in the order in which they ended.
#[derive(Debug)]
pub(crate) struct ExchangeLog {
    started: Instant,
    started_at: OffsetDateTime,
    /// The room for blocks, and for other responses, before the first submission and since then: the number of JSON
    /// values, and of bytes, that still fit.
    room: [[(usize, usize); 2]; 2],
    /// A quarter of each room since the first submission.
    little: (usize, usize),
    has_submissions: bool,
    exchanges: Vec<LoggedExchange>,
    pub(super) missing: Vec<MissingStep>,
}

impl ExchangeLog {
    /// Creates an empty log for responses of at most this many JSON values and bytes.
    pub(super) fn new(values: usize, bytes: usize) -> Self {
        let before = (values / PART.0, bytes / PART.1);
        Self {
            started: Instant::now(),
            started_at: OffsetDateTime::now_utc(),
            room: [[before; 2], [(values, bytes); 2]],
            little: (values / 4, bytes / 4),
            has_submissions: false,
            exchanges: Vec::new(),
            missing: Vec::new(),
        }
    }

    /// Returns the latest exchange with a path.
    pub(super) fn latest(&self, path: &str) -> Option<Arc<Exchange>> {
        let mut latest_first = self.exchanges.iter().rev();
        let latest = latest_first.find(|logged| logged.exchange.request.path == path)?;
        Some(Arc::clone(&latest.exchange))
    }

    /// Adds an exchange whose request was sent at `began`, unless its body does not fit and no case looks for it.
    pub(super) fn add(&mut self, exchange: &Arc<Exchange>, began: Instant) {
        let request = &exchange.request;
        let is_submission = request.path.starts_with("/submit");
        self.has_submissions |= is_submission;
        let is_block = request.path == "/get-block";
        let room = &mut self.room[usize::from(self.has_submissions)][usize::from(is_block)];
        let values = room.0.checked_sub(exchange.values);
        let bytes = room.1.checked_sub(exchange.body.len());
        match values.zip(bytes) {
            Some(left) => *room = left,
            // The cases look for it.
            None if is_submission || request.step.is_some() => *room = (0, 0),
            None => {
                // Only these show effects of submissions.
                if self.has_submissions || request.path == "/get-balances" {
                    self.note_left_out();
                }
                return;
            }
        }
        self.exchanges.push(LoggedExchange {
            exchange: Arc::clone(exchange),
            began: began.duration_since(self.started),
            ended: self.started.elapsed(),
            started_at: self.started_at,
        });
    }

    /// Whether there is little room for what shows the effects of submissions.
    pub(super) fn is_nearly_full(&self) -> bool {
        let (values, bytes) = self.little;
        self.room[1]
            .iter()
            .any(|room| room.0 < values || room.1 < bytes)
    }

    /// Notes that something was left out, once.
    fn note_left_out(&mut self) {
        let step = Step::KeepAll;
        if self.missing.iter().all(|missing| missing.step != step) {
            let reason = "the run read more than it can keep, so something that explains this may be missing; --max-body and \
                          --max-values raise that limit";
            let reason = InconclusiveReason::TooLarge(reason.to_owned());
            self.missing.push(MissingStep { step, reason });
        }
    }

    /// Adds exchanges of another run, all of them.
    pub(super) fn add_recorded(&mut self, exchanges: Vec<LoggedExchange>) {
        self.exchanges.extend(exchanges);
    }

    /// Returns the exchanges so far.
    pub(super) fn exchanges(&self) -> Vec<LoggedExchange> {
        self.exchanges.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::{block_request, token_balance_request},
        http::Request,
    };

    #[test]
    fn what_does_not_fit_is_noted_and_submissions_are_kept() {
        let submission = || Request::post("/submit-transaction", "{}".to_owned());
        let balance = |wallet: &str| token_balance_request(wallet, "T");
        let log = |requests: Vec<Request>| {
            let base = Arc::new("http://localhost".parse().unwrap());
            let mut log = ExchangeLog::new(500, 2 * 100);
            for request in requests {
                let body = vec![b' '; 40];
                let exchange = Exchange::new(request, &base, 200, None, body, Duration::ZERO);
                log.add(&Arc::new(exchange), Instant::now());
            }
            log
        };
        let kept = |requests: Vec<Request>| {
            let log = log(requests);
            (log.exchanges.len(), log.missing.len())
        };
        let balances = ["0x1", "0x2", "0x3", "0x4"].map(balance);
        assert_eq!(kept(balances[..2].to_vec()), (2, 0));
        assert_eq!(kept(balances.to_vec()), (2, 1));
        // Old blocks explain nothing.
        assert_eq!(kept([1, 2, 3].map(block_request).to_vec()), (2, 0));
        // Blocks have room of their own, and what follows a submission.
        let blocks = [1, 2].map(block_request);
        assert_eq!(kept([&balances[..2], &blocks[..]].concat()), (4, 0));
        let after = [vec![submission()], balances[2..3].to_vec()].concat();
        assert_eq!(kept([&balances[..2], &after[..]].concat()), (4, 0));
        assert_eq!(kept(vec![submission(); 5]), (5, 0));
        // The rest of that room is less than a quarter.
        assert!(log([vec![submission()], balances[..3].to_vec()].concat()).is_nearly_full());
        assert!(!log(after).is_nearly_full());
        assert!(!log([&blocks[..], &[submission()]].concat()).is_nearly_full());
    }
}
