//! Sends requests to the node under test. All requests are counted and limited.

use std::{
    convert::Infallible,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use nodeproof_client::{
    BaseUrl,
    transport::{BodyFault, BoundedResponse, TransportOptions, http_client, retry_after},
};
use nodeproof_primitives::{JsonLimits, escape::escaped_up_to};
use reqwest::header;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use super::{
    back_off::BackOff,
    busy_paths::BusyPaths,
    exchange::{Delivery, Exchange, Method, Request},
    exchange_log::{ExchangeLog, LoggedExchange},
    exchange_recorder,
    failure::Failure,
    inconclusive_reason::InconclusiveReason,
    limits::Limits,
    pacing::{MAX_WAIT, Pacing},
    replay::Replay,
    request_log::RequestLog,
    room::{Room, Share},
    step::MissingStep,
    target::Target,
};

const MIB: usize = 1024 * 1024;
/// Length, in bytes, from which bodies are read one at a time.
const LONG_BODY: usize = 64 * 1024;
/// All responses in use may have this multiple of the longest body together.
const BODIES: usize = 4;
/// Number of JSON values from which the blocks of a sweep are parsed one at a time.
const MANY_VALUES: usize = 4_000;
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

/// Disables the time limit of the HTTP client.
const NO_TIMEOUT: Duration = Duration::from_secs(24 * 3600);

/// The user agent of all requests.
const USER_AGENT: &str = concat!("nodeproof/", env!("CARGO_PKG_VERSION"));

/// The node under test, reached over HTTP.
pub(crate) struct Node {
    pub(crate) target: Target,
    /// The target's base URL, shared by all exchanges.
    base: Arc<BaseUrl>,
    /// The options of curl commands that send a request again.
    curl_options: Arc<str>,
    /// Keeps idle connections for the next request.
    keeping: reqwest::Client,
    /// Opens a new connection for each request.
    renewing: reqwest::Client,
    /// The turns of the requests. With only one turn, each request has its own connection.
    turns: Semaphore,
    limits: Limits,
    /// Allows one long body at a time.
    long_bodies: Arc<Semaphore>,
    room: Room,
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
}

/// A response. If it is long and [one of many](SendOptions::is_one_of_many), it has a permit. The caller
/// holds it until it has processed the response, so only one long response is in memory.
pub(crate) type ResponseWithPermit = (Arc<Exchange>, Option<OwnedSemaphorePermit>);

impl Node {
    pub(crate) fn new(target: Target, limits: Limits) -> Result<Self, nodeproof_client::Error> {
        let mut options = TransportOptions {
            connect_timeout: limits.request_timeout,
            // `send_once` has the time limit. It starts again after a response waited for a permit.
            request_timeout: NO_TIMEOUT,
            user_agent: USER_AGENT.to_owned(),
            ..TransportOptions::default()
        };
        target.access.apply_to(&mut options);
        let keeping = http_client(&target.base_url, &options)?;
        options.keep_alive = false;
        Ok(Self {
            base: Arc::new(target.base_url.clone()),
            curl_options: target.access.curl_options().into(),
            keeping,
            renewing: http_client(&target.base_url, &options)?,
            turns: Semaphore::new(limits.jobs),
            long_bodies: Arc::new(Semaphore::new(1)),
            room: Room::new(limits.values, limits.body.saturating_mul(BODIES)),
            limits,
            most: AtomicU64::new(limits.requests),
            requests_sent: AtomicU64::new(0),
            calls: tokio::sync::RwLock::new(()),
            pacing: Pacing::new(limits.rate.or(usual_rate(&target))),
            target,
            busy: BusyPaths::default(),
            responded: AtomicBool::new(false),
            log: Mutex::default(),
            exchanges: Mutex::new(ExchangeLog::new(limits.values, limits.body)),
            replay: OnceLock::new(),
        })
    }

    /// Returns the same node with connections of its own, and without requests so far.
    pub(crate) fn renewed(&self) -> Result<Self, nodeproof_client::Error> {
        Self::new(self.target.clone(), self.limits)
    }

    /// Returns the maximum number of JSON values, and of bytes, in all responses in use.
    pub(crate) fn most_kept(&self) -> (usize, usize) {
        (self.limits.values, self.limits.body.saturating_mul(BODIES))
    }

    /// Returns the number of requests so far.
    pub(crate) fn requests(&self) -> u64 {
        self.requests_sent.load(Ordering::Relaxed)
    }

    /// Counts requests that were sent for this node by [another one](Self::renewed).
    pub(crate) fn count(&self, requests: u64) {
        self.requests_sent.fetch_add(requests, Ordering::Relaxed);
    }

    /// Returns the number of requests that are left until the limit.
    pub(crate) fn requests_left(&self) -> u64 {
        self.most
            .load(Ordering::Relaxed)
            .saturating_sub(self.requests())
    }

    /// Returns the exchanges so far, without those of a sweep.
    pub(crate) fn exchanges(&self) -> Vec<LoggedExchange> {
        let exchanges = self.exchanges.lock();
        exchanges
            .unwrap_or_else(PoisonError::into_inner)
            .exchanges()
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
    pub(crate) async fn all_turns(&self) -> Option<SemaphorePermit<'_>> {
        let all = u32::try_from(self.limits.jobs)
            .ok()
            .filter(|all| *all > 1)?;
        // The semaphore is never closed.
        self.turns.acquire_many(all).await.ok()
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

    /// Notes steps that were not taken.
    pub(crate) fn add_missing(&self, steps: impl IntoIterator<Item = MissingStep>) {
        let exchanges = self.exchanges.lock();
        let mut exchanges = exchanges.unwrap_or_else(PoisonError::into_inner);
        exchanges.missing.extend(steps);
    }

    /// Returns the steps that were not taken so far.
    pub(crate) fn missing(&self) -> Vec<MissingStep> {
        let exchanges = self.exchanges.lock();
        let exchanges = exchanges.unwrap_or_else(PoisonError::into_inner);
        exchanges.missing.clone()
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
            .buffered(self.limits.jobs)
            .try_collect()
            .await
    }

    /// Returns the number of requests that are sent at a time.
    pub(crate) const fn jobs(&self) -> usize {
        self.limits.jobs
    }

    const fn has_one_connection(&self) -> bool {
        self.limits.jobs == 1
    }

    /// Returns the number of requests to send at a time in a search. A fast node gets no more than the search needs.
    pub(crate) fn requests_of_search(&self, last: Option<&Exchange>) -> usize {
        match last {
            Some(last) if last.elapsed >= SLOW => self.limits.jobs,
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
            "/call-sc" if !options.no_other_calls => Some(self.calls.read().await),
            _ => None,
        };
        if request.path.starts_with("/submit") && !self.limits.submits {
            let reason = "a case of the read tier would submit something; nothing was sent";
            return Err(InconclusiveReason::Harness(reason.to_owned()));
        }
        let alone = !options.is_one_of_many && request.only_reads();
        let needs_turn = self.has_one_connection() || alone && !options.has_all_turns;
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
            match self
                .send_once(&request, retried || repeats > 0, options)
                .await
            {
                Ok((exchange, _, retry_after)) if matches!(exchange.status, 429 | 503) => {
                    self.busy.note(request.path, true, began);
                    let bounded = alone && self.responded.load(Ordering::Relaxed);
                    self.check_patience(&request, &exchange, bounded, waits)?;
                    let own = back_off.pause();
                    waits += 1;
                    if bounded {
                        self.pacing.slow_down(began, retry_after);
                    }
                    turn = None;
                    tokio::time::sleep(retry_after.unwrap_or(own).min(MAX_WAIT)).await;
                }
                // A case must not fail because of a single server error. Another case counts these errors.
                Ok((exchange, _, _))
                    if (exchange.status >= 500 || exchange.status == TOO_LATE)
                        && !retried
                        && !request.carries_signature =>
                {
                    retried = true;
                    server_error = (exchange.status >= 500).then_some(exchange);
                }
                Ok((mut exchange, permit, _)) => {
                    exchange.is_repeated = repeats > 0;
                    if let Some(error) = server_error.filter(|_| exchange.status < 500) {
                        self.with_log(|log| log.repeated(Arc::new(error)));
                    }
                    let exchange = Arc::new(exchange);
                    self.note(&exchange, began, options);
                    return Ok((exchange, permit));
                }
                Err(Failure::Connection(_) | Failure::Closed(_)) if repeats < MAX_REPEATS => {
                    repeats += 1;
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
            self.with_log(|log| log.add_unanswered(request, is_slow));
        }
        reason
    }

    /// Describes a connection that was closed without a response.
    fn closed(&self, request: &Request, reason: &str, is_repeated: bool) -> String {
        let method = match request.method {
            Method::Get => "GET",
            Method::Post => "POST",
        };
        let url = escaped_up_to(request.url(&self.target.base_url).as_ref(), 200);
        let tries = if is_repeated {
            ", also on new connections"
        } else {
            ""
        };
        let likely = match (self.responded.load(Ordering::Relaxed), is_repeated) {
            (false, _) if self.target.base_url.as_ref().scheme() != "https" => {
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
    ) -> Result<(Exchange, Option<OwnedSemaphorePermit>, Option<Duration>), Failure> {
        let most = self.most_requests();
        if self.requests_sent.fetch_add(1, Ordering::Relaxed) >= most {
            self.requests_sent.fetch_sub(1, Ordering::Relaxed);
            return Err(Failure::Limit(format!(
                "the run's limit of {most} requests is used up"
            )));
        }
        // Callers that send many requests at a time have their own back-off, and submissions have their own
        // limits.
        let alone = !options.is_one_of_many && request.only_reads();
        if self.limits.rate.is_some() || alone {
            self.pacing.turn().await;
        }
        self.with_log(|log| log.count(request.operation));
        let started = Instant::now();
        // Declared before the response, so the response is dropped first.
        let mut permit = None;
        let start = async {
            let response = self.response(request, is_repeated).await?;
            let mut response = BoundedResponse::new(response, self.limits.body);
            let is_whole = self.read(request, &mut response, LONG_BODY).await?;
            Ok((response, is_whole))
        };
        let (mut response, is_whole) = self.in_time(request, start).await?;
        if !is_whole {
            permit = self.permit().await;
            // The time limit starts again, because the wait for the permit is not the node's fault.
            let rest = self.read(request, &mut response, usize::MAX);
            self.in_time(request, rest).await?;
        }
        let values = self.values(request, &response.body)?;
        let mut share = None;
        if !options.is_one_of_many {
            permit = None;
            share = Some(self.share(request, values, &response.body)?);
        } else if permit.is_none() && values > MANY_VALUES {
            permit = self.permit().await;
        }
        let retry_after = retry_after(response.response.headers());
        let mut exchange = Exchange::of_response(request, &self.base, response, started.elapsed());
        exchange.values = values;
        exchange.share = share;
        exchange.max_depth = self.limits.depth;
        exchange.curl_options = Arc::clone(&self.curl_options);
        self.with_log(|log| log.add(&exchange));
        Ok((exchange, permit, retry_after))
    }

    /// Sends a request, and returns when the response's headers have arrived.
    async fn response(
        &self,
        request: &Request,
        is_repeated: bool,
    ) -> Result<reqwest::Response, Failure> {
        let url = request.url(&self.target.base_url);
        let closes = request.delivery == Delivery::Closing || self.has_one_connection();
        let http = match is_repeated || closes {
            true => &self.renewing,
            false => &self.keeping,
        };
        let mut sent = match (request.method, &request.body) {
            (Method::Get, _) => http.get(url),
            (Method::Post, body) => {
                let body = body.clone().unwrap_or_default();
                let post = http.post(url);
                let post = post.header(header::CONTENT_TYPE, "application/json");
                match request.delivery {
                    Delivery::InPieces if self.target.in_process.is_none() => post
                        .header(header::CONTENT_LENGTH, body.len())
                        .body(in_pieces(&body)),
                    _ => post.body(body),
                }
            }
        };
        if closes {
            sent = sent.header(header::CONNECTION, "close");
        }
        let accepted = match (request.accept.as_deref(), request.path) {
            (Some(accepted), _) => accepted,
            (None, "/docs") => "text/html",
            (None, _) => "application/json",
        };
        let headers = (**self.target.access.headers()).clone();
        let sent = sent.headers(headers).header(header::ACCEPT, accepted);
        match &self.target.in_process {
            Some(node) => node.send(sent).await,
            None => sent.send().await.map_err(|error| Failure::of(&error)),
        }
    }

    /// Fails if the node does not respond in time.
    async fn in_time<T>(
        &self,
        request: &Request,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let limit = self.limits.request_timeout;
        let done = tokio::time::timeout(limit, work).await;
        done.unwrap_or_else(|_| {
            let one_connection = match self.has_one_connection() {
                true => "",
                false => "; a node that handles one connection at a time needs --jobs 1",
            };
            Err(Failure::Slow(format!(
                "no complete response from {} within {} s{one_connection}",
                request.url(&self.target.base_url),
                limit.as_secs_f64()
            )))
        })
    }

    /// Reads on until the body ends or is longer than `length` bytes. Returns whether it ended.
    async fn read(
        &self,
        request: &Request,
        response: &mut BoundedResponse,
        length: usize,
    ) -> Result<bool, Failure> {
        let read = response.read_beyond(length).await;
        read.map_err(|fault| match fault {
            BodyFault::Read(error) => Failure::of(&error),
            _ => Failure::TooLarge(format!(
                "the response of {} is longer than {} MiB; --max-body raises that limit",
                request.url(&self.target.base_url),
                self.limits.body / MIB
            )),
        })
    }

    /// Waits until no other long response is in memory.
    async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        Arc::clone(&self.long_bodies).acquire_owned().await.ok()
    }

    /// Returns the number of JSON values in a body. Pages are not parsed.
    fn values(&self, request: &Request, body: &[u8]) -> Result<usize, Failure> {
        if request.path == "/docs" {
            return Ok(0);
        }
        let limits = JsonLimits {
            values: self.limits.values,
            // The parser limits the depth.
            depth: usize::MAX,
        };
        limits.check(body).map_err(|fault| {
            Failure::TooLarge(format!(
                "the response of {} has {fault}; --max-values raises that limit",
                request.url(&self.target.base_url)
            ))
        })
    }

    /// Returns the response's share of what all responses in use may have together.
    fn share(&self, request: &Request, values: usize, body: &[u8]) -> Result<Share, Failure> {
        self.room.take(values, body).ok_or_else(|| {
            Failure::TooLarge(format!(
                "the response of {} has {values} values and {} KiB, more than what the other responses \
                 in use leave; --max-values and --max-body raise these limits",
                request.url(&self.target.base_url),
                body.len() / 1024
            ))
        })
    }
}

mod recorded;
/// The pause between two pieces of a body.
const BETWEEN_PIECES: Duration = Duration::from_millis(100);

/// Returns a body that is sent in two pieces.
fn in_pieces(body: &str) -> reqwest::Body {
    let (first, rest) = body.as_bytes().split_at(body.len() / 2);
    let rest = rest.to_vec();
    let rest = stream::once(async {
        tokio::time::sleep(BETWEEN_PIECES).await;
        rest
    });
    let pieces = stream::iter([first.to_vec()]).chain(rest);
    reqwest::Body::wrap_stream(pieces.map(Ok::<_, Infallible>))
}

#[cfg(test)]
mod tests;
