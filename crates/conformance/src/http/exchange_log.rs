//! The exchanges of a run, in order, for the rules that judge a run as a whole.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use time::OffsetDateTime;

use super::{exchange::Exchange, step::MissingStep};

/// The part of what a response may have that all logged blocks may have together, and as much for all other bodies:
/// a run reads many blocks, and they must leave room for balances and submissions. What does not fit is left out: the
/// other responses of a run need the room.
const PART: usize = 8;

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
    /// The room for blocks, and for other responses: the number of JSON values, and of bytes, that still fit.
    room: [(usize, usize); 2],
    exchanges: Vec<LoggedExchange>,
    pub(super) missing: Vec<MissingStep>,
}

impl ExchangeLog {
    /// Creates an empty log for responses of at most this many JSON values and bytes.
    pub(super) fn new(values: usize, bytes: usize) -> Self {
        Self {
            started: Instant::now(),
            started_at: OffsetDateTime::now_utc(),
            room: [(values / PART, bytes / PART); 2],
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
        let [of_blocks, of_others] = &mut self.room;
        let room = match exchange.request.path {
            "/get-block" => of_blocks,
            _ => of_others,
        };
        let values = room.0.checked_sub(exchange.values);
        let bytes = room.1.checked_sub(exchange.body.len());
        match values.zip(bytes) {
            Some(left) => *room = left,
            // The cases look for it.
            None if exchange.request.step.is_some() => *room = (0, 0),
            None => return,
        }
        self.exchanges.push(LoggedExchange {
            exchange: Arc::clone(exchange),
            began: began.duration_since(self.started),
            ended: self.started.elapsed(),
            started_at: self.started_at,
        });
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
