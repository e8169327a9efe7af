//! Sends requests to the node under test. All requests are counted and limited.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use nodeproof_primitives::escape::escaped_up_to;
use tokio::sync::{OwnedSemaphorePermit, RwLockReadGuard, Semaphore, SemaphorePermit};

use super::{
    back_off::BackOff,
    busy_paths::BusyPaths,
    connections::{Connections, Tried},
    exchange::{Exchange, Request},
    exchange_log::{ExchangeLog, LoggedExchange},
    exchange_recorder,
    failure::Failure,
    inconclusive_reason::InconclusiveReason,
    limits::Limits,
    pacing::{MAX_WAIT, Pacing},
    replay::Replay,
    request_log::{RequestLog, Unanswered},
    step::MissingStep,
    target::Target,
    wording::Wording,
};

/// Maximum number of retries while the node is busy.
const MAX_WAITS: u32 = 3;
/// The same for a node that has responded before, because it may only limit requests per second.
const MAX_WAITS_FOR_MORE: u32 = 7;
/// The first and the longest pause before a retry to a busy node.
const PAUSES: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(2));
/// How often a request is sent again on a new connection if the connection breaks. A network that loses one request
/// in fifty loses three in a row once in 125,000 requests.
const MAX_REPEATS: u32 = 2;
/// A node whose response took this long is slow.
const SLOW: Duration = Duration::from_millis(500);
/// The status "Request Timeout". Servers usually send it on a connection that was idle.
const TOO_LATE: u16 = 408;

/// The node under test, reached over HTTP.
pub(crate) struct Node {
    connections: Connections,
    /// The turns of the requests. With only one turn, each request has its own connection.
    turns: Semaphore,
    /// Maximum number of requests.
    most: AtomicU64,
    requests_sent: AtomicU64,
    calls: tokio::sync::RwLock<()>,
    pacing: Pacing,
    busy: BusyPaths,
    /// Whether the node has ever responded without being busy.
    responded: AtomicBool,
    log: Mutex<RequestLog>,
    exchanges: Mutex<ExchangeLog>,
    /// The recorded exchanges that are used in place of the node.
    replay: OnceLock<Replay>,
}

/// Returns the number of requests per second that a run sends to a node on another machine, unless the user gives one.
/// Sweeps send as many as the node takes, and submissions have limits of their own.
fn usual_rate(target: &Target) -> Option<f64> {
    let is_elsewhere = !target.base_url.is_loopback() && target.in_process.is_none();
    is_elsewhere.then_some(50.0)
}

/// How a request is sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SendOptions {
    /// Whether the caller sends many requests at a time, drops each response soon, and has its own
    /// back-off.
    pub(crate) is_one_of_many: bool,
    /// Whether the caller holds [`Node::no_other_calls`].
    pub(crate) no_other_calls: bool,
    /// Whether the caller holds [`Node::all_turns`].
    pub(crate) has_all_turns: bool,
    /// Whether the response is not part of the history, so the rules do not judge it.
    pub(crate) is_unjudged: bool,
    /// Whether a server error is returned, and not retried.
    pub(crate) wants_server_errors: bool,
    /// Whether the request is sent on a new connection.
    pub(crate) on_new_connection: bool,
}

/// While this is held, no other request is sent, apart from submissions.
pub(crate) struct AllTurns<'n> {
    _calls: RwLockReadGuard<'n, ()>,
    _turns: SemaphorePermit<'n>,
}

/// A response. If it is long and [one of many](SendOptions::is_one_of_many), it has a permit. The caller
/// holds it until it has processed the response, so only one long response is in memory.
pub(crate) type ResponseWithPermit = (Arc<Exchange>, Option<OwnedSemaphorePermit>);

impl Node {
    pub(crate) fn new(target: Target, limits: Limits) -> Result<Self, nodeproof_client::Error> {
        Ok(Self {
            turns: Semaphore::new(limits.jobs),
            pacing: Pacing::new(limits.rate.or(usual_rate(&target))),
            connections: Connections::new(target, limits)?,
            most: AtomicU64::new(limits.requests),
            requests_sent: AtomicU64::new(0),
            calls: tokio::sync::RwLock::new(()),
            busy: BusyPaths::default(),
            responded: AtomicBool::new(false),
            log: Mutex::default(),
            exchanges: Mutex::new(ExchangeLog::new(limits.values, limits.body)),
            replay: OnceLock::new(),
        })
    }

    /// Returns the same node with connections of its own, and without requests so far.
    pub(crate) fn renewed(&self) -> Result<Self, nodeproof_client::Error> {
        Self::new(self.target().clone(), *self.limits())
    }

    const fn limits(&self) -> &Limits {
        &self.connections.limits
    }

    /// Returns the address of the node.
    pub(crate) const fn target(&self) -> &Target {
        &self.connections.target
    }

    /// Returns the maximum number of JSON values, and of bytes, in all responses in use.
    pub(crate) fn most_kept(&self) -> (usize, usize) {
        (self.limits().values, self.limits().all_bodies())
    }

    /// Returns the number of requests so far.
    pub(crate) fn requests(&self) -> u64 {
        self.requests_sent.load(Ordering::Relaxed)
    }

    /// Counts requests that were sent for this node by [another one](Self::renewed).
    pub(crate) fn count(&self, requests: u64) {
        self.requests_sent.fetch_add(requests, Ordering::Relaxed);
    }

    /// Returns the number of requests that are left until the limit. Recorded responses have no limit.
    pub(crate) fn requests_left(&self) -> u64 {
        if self.replay.get().is_some() {
            return u64::MAX;
        }
        self.most
            .load(Ordering::Relaxed)
            .saturating_sub(self.requests())
    }

    /// Returns the exchanges so far, without those of a sweep.
    pub(crate) fn exchanges(&self) -> Vec<LoggedExchange> {
        self.exchange_log().exchanges()
    }

    /// Whether the run can keep little more of what shows the effects of submissions.
    pub(crate) fn keeps_little_more(&self) -> bool {
        self.exchange_log().is_nearly_full()
    }

    fn exchange_log(&self) -> MutexGuard<'_, ExchangeLog> {
        self.exchanges
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the paths whose last response was that the node is busy.
    pub(crate) fn busy_paths(&self) -> Vec<&'static str> {
        self.busy.busy()
    }

    /// Whether a path has been busy for so long that its requests are no longer repeated.
    pub(crate) fn is_stuck(&self, path: &str) -> bool {
        self.busy.is_stuck(path, Instant::now())
    }

    /// Notes which of these requests are sent.
    pub(crate) fn expect_again(&self, requests: impl IntoIterator<Item = String>) {
        self.with_log(|log| log.expect_again(requests));
    }

    /// Returns the log of all requests so far.
    pub(crate) fn log(&self) -> RequestLog {
        self.with_log(|log| log.clone())
    }

    fn with_log<T>(&self, work: impl FnOnce(&mut RequestLog) -> T) -> T {
        work(&mut self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the maximum number of requests.
    pub(crate) fn most_requests(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    /// Raises the maximum number of requests.
    pub(crate) fn allow_more(&self, requests: u64) {
        let more = |most: u64| Some(most.saturating_add(requests));
        // The closure always returns a value, so this can't fail.
        let _ = self
            .most
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// Waits until no other request is sent, and lets none be sent until the returned permit is dropped. With one job,
    /// there is no permit, because requests are never sent together.
    pub(crate) async fn all_turns(&self) -> Option<AllTurns<'_>> {
        let all = u32::try_from(self.limits().jobs)
            .ok()
            .filter(|all| *all > 1)?;
        // Whoever blocks the calls waits for a turn later, so the turns come second here, too.
        let calls = self.calls.read().await;
        // The semaphore is never closed.
        let turns = self.turns.acquire_many(all).await.ok()?;
        Some(AllTurns {
            _calls: calls,
            _turns: turns,
        })
    }

    /// Blocks all other requests that build contract calls until the returned guard is dropped.
    pub(crate) async fn no_other_calls(&self) -> impl Drop + '_ {
        self.calls.write().await
    }

    /// Sends a request and reads the whole response.
    ///
    /// See [`send_with`](Self::send_with) for retries.
    pub(crate) async fn send(&self, request: Request) -> Result<Arc<Exchange>, InconclusiveReason> {
        let step = request.step.clone();
        match self.send_with(request, SendOptions::default()).await {
            Ok((exchange, _)) => Ok(exchange),
            Err(reason) => {
                if let Some(step) = step {
                    self.add_missing([MissingStep {
                        step,
                        reason: reason.clone(),
                    }]);
                }
                Err(reason)
            }
        }
    }

    /// Gives each path the whole time limit again, however often it did not respond.
    pub(crate) fn forget_silence(&self) {
        self.connections.silent.forget();
    }

    /// Notes steps that were not taken.
    pub(crate) fn add_missing(&self, steps: impl IntoIterator<Item = MissingStep>) {
        self.exchange_log().missing.extend(steps);
    }

    /// Returns the steps that were not taken so far.
    pub(crate) fn missing(&self) -> Vec<MissingStep> {
        self.exchange_log().missing.clone()
    }

    /// Sends independent requests, several at a time. Returns the responses in the order of the requests, or why the
    /// first request without a response has none.
    pub(crate) async fn send_all(
        &self,
        requests: Vec<Request>,
    ) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
        self.send_each(requests, 1).await
    }

    /// Sends independent requests, each of them `times` times in a row. Otherwise, this is [`send_all`](Self::send_all).
    pub(crate) async fn send_each(
        &self,
        requests: Vec<Request>,
        times: usize,
    ) -> Result<Vec<Arc<Exchange>>, InconclusiveReason> {
        let again = requests.into_iter().map(|request| {
            exchange_recorder::beside_others(async move {
                for _ in 1..times {
                    self.send(request.clone()).await?;
                }
                self.send(request).await
            })
        });
        stream::iter(again)
            .buffered(self.limits().jobs)
            .try_collect()
            .await
    }

    /// Returns the number of requests that are sent at a time.
    pub(crate) const fn jobs(&self) -> usize {
        self.limits().jobs
    }

    /// Returns the number of requests to send at a time in a search. A fast node gets no more than the search needs.
    pub(crate) fn requests_of_search(&self, last: Option<&Exchange>) -> usize {
        match last {
            Some(last) if last.elapsed >= SLOW => self.limits().jobs,
            _ => 1,
        }
    }

    /// Sends a request, retries if necessary, and reads the whole response.
    ///
    /// A busy node (429, 503) gets the request again after a pause. The pause is the node's `Retry-After`,
    /// or doubles each time. A path that has been busy for more than a minute gets each request once. If the connection
    /// breaks, the request is sent again on a new connection, at most [`MAX_REPEATS`] times: the same transaction costs
    /// nothing a second time. After another server error or a 408, every request is retried once, except one with a
    /// valuable signature.
    pub(crate) async fn send_with(
        &self,
        request: Request,
        options: SendOptions,
    ) -> Result<ResponseWithPermit, InconclusiveReason> {
        if let Some(response) = self.replayed(&request) {
            return response.map(|exchange| (exchange, None));
        }
        let _beside_others = match request.path {
            "/call-sc" if !options.no_other_calls && !options.has_all_turns => {
                Some(self.calls.read().await)
            }
            _ => None,
        };
        if request.path.starts_with("/submit") && !self.limits().submits {
            let reason = "a case of the read tier would submit something; nothing was sent";
            return Err(InconclusiveReason::Harness(reason.to_owned()));
        }
        let alone = !options.is_one_of_many && request.only_reads();
        let needs_turn = self.connections.has_one() || alone && !options.has_all_turns;
        let mut turn = None;
        let mut back_off = BackOff::new(PAUSES.0, PAUSES.1);
        let mut waits = 0;
        let mut retried = false;
        let mut repeats = 0;
        let mut server_error = None;
        loop {
            // A retry follows at once, in the same turn.
            if needs_turn && turn.is_none() {
                // The semaphore is never closed.
                turn = self.turns.acquire().await.ok();
            }
            let began = Instant::now();
            let renews = options.on_new_connection || retried || repeats > 0;
            match self.send_once(&request, renews, options).await {
                Ok(Tried {
                    exchange,
                    retry_after,
                    ..
                }) if matches!(exchange.status, 429 | 503) => {
                    self.busy.note(request.path, true, began);
                    let bounded = alone && self.responded.load(Ordering::Relaxed);
                    self.check_patience(&request, &exchange, bounded, waits)?;
                    let own = back_off.pause();
                    waits += 1;
                    self.with_log(|log| log.retries += 1);
                    if bounded {
                        self.pacing.slow_down(began, retry_after);
                    }
                    turn = None;
                    tokio::time::sleep(retry_after.unwrap_or(own).min(MAX_WAIT)).await;
                }
                // A case must not fail because of a single server error. Another case counts these errors.
                Ok(Tried { exchange, .. })
                    if (exchange.status >= 500 || exchange.status == TOO_LATE)
                        && !retried
                        && !options.wants_server_errors
                        && !request.carries_signature =>
                {
                    retried = true;
                    self.with_log(|log| log.retries += 1);
                    server_error = (exchange.status >= 500).then_some(exchange);
                }
                Ok(Tried {
                    mut exchange,
                    permit,
                    ..
                }) => {
                    let has_left = exchange.request.wording == Wording::AfterLeaving;
                    exchange.is_repeated = repeats > 0 || has_left;
                    if let Some(error) = server_error.filter(|_| exchange.status < 500) {
                        self.with_log(|log| log.repeated(Arc::new(error)));
                    }
                    let exchange = Arc::new(exchange);
                    self.note(&exchange, began, options);
                    return Ok((exchange, permit));
                }
                Err(Failure::Connection(_) | Failure::Closed(_)) if repeats < MAX_REPEATS => {
                    repeats += 1;
                    self.with_log(|log| log.retries += 1);
                }
                Err(failure) => return Err(self.failed(request, failure, repeats > 0)),
            }
        }
    }

    /// Fails if a busy node was given enough time.
    fn check_patience(
        &self,
        request: &Request,
        busy: &Exchange,
        bounded: bool,
        waits: u32,
    ) -> Result<(), InconclusiveReason> {
        let most = match bounded {
            true => MAX_WAITS_FOR_MORE,
            false => MAX_WAITS,
        };
        if waits < most && !self.is_stuck(request.path) {
            return Ok(());
        }
        Err(InconclusiveReason::Busy(format!(
            "the node stayed busy: {} after {} tries; it may take fewer requests in a second (--rate) or at a \
             time (--jobs)",
            busy.summary(),
            waits + 1
        )))
    }

    /// Notes an exchange in the history, and that the node responded.
    fn note(&self, exchange: &Arc<Exchange>, began: Instant, options: SendOptions) {
        self.responded.store(true, Ordering::Relaxed);
        self.busy.note(exchange.request.path, false, began);
        self.pacing.speed_up();
        exchange_recorder::record(exchange);
        // A sweep has too many blocks to keep, and judges each one itself.
        if !options.is_one_of_many
            && !options.is_unjudged
            && let Ok(mut exchanges) = self.exchanges.lock()
        {
            exchanges.add(exchange, began);
        }
    }

    /// Notes a request without a response, and returns the reason.
    fn failed(&self, request: Request, failure: Failure, is_repeated: bool) -> InconclusiveReason {
        let is_slow = matches!(failure, Failure::Slow(_));
        let is_lost = matches!(failure, Failure::Connection(_) | Failure::Closed(_));
        let reason = match failure {
            Failure::Closed(reason) => {
                InconclusiveReason::Transport(self.closed(&request, &reason, is_repeated))
            }
            failure => failure.into(),
        };
        if (is_lost || is_slow) && request.may_be_repeated() {
            let exchanges = self.exchanges.lock().ok();
            let before = exchanges.and_then(|exchanges| exchanges.latest(request.path));
            self.with_log(|log| log.add_unanswered(Unanswered { request, before }, is_slow));
        }
        reason
    }

    /// Describes a connection that was closed without a response.
    fn closed(&self, request: &Request, reason: &str, is_repeated: bool) -> String {
        let method = request.method.name();
        let url = escaped_up_to(request.url(&self.target().base_url).as_ref(), 200);
        let tries = if is_repeated {
            ", also on new connections"
        } else {
            ""
        };
        let likely = match (self.responded.load(Ordering::Relaxed), is_repeated) {
            (false, _) if self.target().base_url.as_ref().scheme() != "https" => {
                "The node may have crashed on the request, or the port expects https"
            }
            (_, true) | (false, _) => "The node may have crashed on this request: see its log",
            (true, false) => {
                "The node may have crashed on this request: see its log. Or it closes idle \
                 connections too early"
            }
        };
        format!(
            "the node closed the connection without a response to {method} {url}{tries} \
             ({reason}). {likely}"
        )
    }

    async fn send_once(
        &self,
        request: &Request,
        is_repeated: bool,
        options: SendOptions,
    ) -> Result<Tried, Failure> {
        let most = self.most_requests();
        let connections = &self.connections;
        let number = connections.requests_for(request);
        if self.requests_sent.fetch_add(number, Ordering::Relaxed) + number > most {
            self.requests_sent.fetch_sub(number, Ordering::Relaxed);
            return Err(Failure::Limit(format!(
                "the run's limit of {most} requests is used up"
            )));
        }
        // Callers that send many requests at a time have their own back-off, and submissions have their own
        // limits.
        let alone = !options.is_one_of_many && request.only_reads();
        if self.limits().rate.is_some() || alone {
            for _ in 0..number {
                self.pacing.turn().await;
            }
        }
        self.with_log(|log| log.count(request.operation));
        // Each of the many functions that wait for a request has its state on the stack, so it is kept small.
        let sent = connections.send(request, is_repeated, options.is_one_of_many);
        let tried = Box::pin(sent).await?;
        self.with_log(|log| log.add(&tried.exchange));
        Ok(tried)
    }
}

mod recorded;
#[cfg(test)]
mod tests;
