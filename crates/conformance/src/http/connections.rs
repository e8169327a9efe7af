//! Finds out how many connections the node handles, and chooses one for each request.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use nodeproof_client::{
    BaseUrl, Error,
    transport::{self, TransportOptions},
};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Minimum time that a node has to respond on a second connection.
const MIN_TRIAL: Duration = Duration::from_secs(1);
/// A slow node has this multiple of its first response's duration.
const TIMES_THE_FIRST: u32 = 4;

/// The connections to the node.
///
/// A single-threaded server handles the next connection only after the previous one is closed. There,
/// an idle connection blocks all others. To detect this, the first connection stays idle while a second
/// one is tried. Until then, requests are sent one at a time.
pub(super) struct Connections {
    state: Mutex<State>,
    /// Replaces the client with idle connections, which closes them.
    spare: reqwest::Client,
    /// Opens a new connection for each request.
    new_connection: reqwest::Client,
    /// Allows one request at a time.
    single_request: Semaphore,
}

struct State {
    handling: Handling,
    /// Keeps idle connections. Dropping it closes them.
    kept: reqwest::Client,
}

/// How the node handles connections, if this is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handling {
    /// Not known yet.
    Unknown,
    /// The first connection is idle. Its response took this long.
    FirstIsIdle(Duration),
    /// The node handles several at a time.
    Several,
    /// One connection at a time, because the node needs it (`found`) or the user wants it.
    One { found: bool },
}

/// How one request is sent.
pub(super) struct Sending<'a> {
    pub(super) http: reqwest::Client,
    /// Whether to send `Connection: close`.
    pub(super) close: bool,
    /// Time limit for the response on a second connection. After it, the idle connection is closed.
    pub(super) trial: Option<Duration>,
    /// Held until the response has been read.
    _turn: Option<SemaphorePermit<'a>>,
}

impl Connections {
    pub(super) fn new(
        base: &BaseUrl,
        options: TransportOptions,
        one_at_a_time: bool,
    ) -> Result<Self, Error> {
        let kept = transport::http_client(base, &options)?;
        let spare = transport::http_client(base, &options)?;
        let options = TransportOptions {
            keep_alive: false,
            ..options
        };
        let new_connection = transport::http_client(base, &options)?;
        let handling = if one_at_a_time {
            Handling::One { found: false }
        } else {
            Handling::Unknown
        };
        Ok(Self {
            state: Mutex::new(State { handling, kept }),
            spare,
            new_connection,
            single_request: Semaphore::new(1),
        })
    }

    fn with_state<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn handling(&self) -> Handling {
        self.with_state(|state| state.handling)
    }

    /// Whether the node turned out to handle only one connection at a time.
    pub(super) fn found_one(&self) -> bool {
        self.handling() == Handling::One { found: true }
    }

    /// Waits until the next request may be sent, and returns how to send it.
    pub(super) async fn next(&self, new_connection: bool) -> Sending<'_> {
        let mut turn = None;
        if self.handling() != Handling::Several {
            // The semaphore is never closed.
            turn = self.single_request.acquire().await.ok();
        }
        let handling = self.handling();
        let kept = || self.with_state(|state| state.kept.clone());
        let (http, close, trial) = match handling {
            Handling::Unknown => (kept(), false, None),
            Handling::FirstIsIdle(first) => {
                let bound = MIN_TRIAL.max(first.saturating_mul(TIMES_THE_FIRST));
                (self.new_connection.clone(), false, Some(bound))
            }
            Handling::Several => {
                turn = None;
                let http = if new_connection {
                    self.new_connection.clone()
                } else {
                    kept()
                };
                (http, false, None)
            }
            Handling::One { .. } => (self.new_connection.clone(), true, None),
        };
        Sending {
            http,
            close,
            trial,
            _turn: turn,
        }
    }

    /// Closes the idle connection.
    pub(super) fn close_idle(&self) {
        self.with_state(|state| state.kept = self.spare.clone());
    }

    /// Records how long the first response took, and whether its connection stays open.
    ///
    /// `None` means that no response arrived in time. Several connections are allowed then.
    pub(super) fn first(&self, response: Option<(Duration, bool)>) {
        self.with_state(|state| {
            if state.handling == Handling::Unknown {
                state.handling = match response {
                    Some((took, true)) => Handling::FirstIsIdle(took),
                    _ => Handling::Several,
                };
            }
        });
    }

    /// Records the result of the trial.
    pub(super) fn tried(&self, several: bool) {
        self.with_state(|state| {
            state.handling = if several {
                Handling::Several
            } else {
                Handling::One { found: true }
            };
        });
    }
}
