//! How many connections the node handles, and which one a request gets.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use nodeproof_client::{
    BaseUrl, Error,
    transport::{self, TransportOptions},
};
use tokio::sync::{Semaphore, SemaphorePermit};

/// How long a node may take at least to respond on a second connection.
const SHORTEST_TRIAL: Duration = Duration::from_secs(1);
/// A slow node gets this many times the duration of its first response.
const TIMES_THE_FIRST: u32 = 4;

/// The connections to the node.
///
/// A server without threads handles the next connection only when the one before is closed. An
/// idle connection then blocks all others. So the first connection is kept idle while a second one
/// is tried, and until then, requests are sent one at a time.
pub(super) struct Connections {
    state: Mutex<State>,
    /// Takes the place of the client that keeps idle connections, to close them.
    spare: reqwest::Client,
    /// Opens a new connection for each request.
    anew: reqwest::Client,
    one: Semaphore,
}

struct State {
    handling: Handling,
    /// Keeps idle connections. Dropping it closes them.
    kept: reqwest::Client,
}

/// How the node handles connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handling {
    /// Nothing is known yet.
    Unknown,
    /// The first connection is idle. Its response took this long.
    FirstIsIdle(Duration),
    /// Several at a time.
    Several,
    /// One at a time: the node was found to, or the user wants it.
    One { found: bool },
}

/// How one request is sent.
pub(super) struct Sending<'a> {
    pub(super) http: reqwest::Client,
    /// Whether the node is asked to close the connection.
    pub(super) close: bool,
    /// If a second connection is tried: how long the node may take before the idle one is closed.
    pub(super) trial: Option<Duration>,
    /// Held until the response was read.
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
        let anew = transport::http_client(base, &options.keep_alive(false))?;
        let handling = if one_at_a_time {
            Handling::One { found: false }
        } else {
            Handling::Unknown
        };
        Ok(Self {
            state: Mutex::new(State { handling, kept }),
            spare,
            anew,
            one: Semaphore::new(1),
        })
    }

    fn with_state<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn handling(&self) -> Handling {
        self.with_state(|state| state.handling)
    }

    /// Whether the node was found to handle one connection at a time.
    pub(super) fn found_one(&self) -> bool {
        self.handling() == Handling::One { found: true }
    }

    /// Returns how to send the next request, when it is its turn.
    pub(super) async fn next(&self, anew: bool) -> Sending<'_> {
        let mut turn = None;
        if self.handling() != Handling::Several {
            // The semaphore is never closed.
            turn = self.one.acquire().await.ok();
        }
        let handling = self.handling();
        let kept = || self.with_state(|state| state.kept.clone());
        let (http, close, trial) = match handling {
            Handling::Unknown => (kept(), false, None),
            Handling::FirstIsIdle(first) => {
                let bound = SHORTEST_TRIAL.max(first.saturating_mul(TIMES_THE_FIRST));
                (self.anew.clone(), false, Some(bound))
            }
            Handling::Several => {
                turn = None;
                let http = if anew { self.anew.clone() } else { kept() };
                (http, false, None)
            }
            Handling::One { .. } => (self.anew.clone(), true, None),
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

    /// Notes the first response: how long it took, and whether its connection stays open. With
    /// `None`, there was none in time, and nothing can be found out.
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

    /// Notes how a trial ended.
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
