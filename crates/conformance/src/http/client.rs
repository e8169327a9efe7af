//! Sends requests to the node under test. All requests are counted and limited.

use std::{
    pin::pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use nodeproof_client::{BaseUrl, transport::TransportOptions};
use nodeproof_primitives::escape::escaped_up_to;
use reqwest::header;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::error::Elapsed,
};

use super::{
    back_off::BackOff,
    connections::{Connections, Sending},
    exchange::{Exchange, Method, Request},
    exchange_recorder,
    inconclusive_reason::InconclusiveReason,
    limits::Limits,
    memory::{self, MemoryBudget, Share},
    pacing::{MAX_WAIT, Pacing},
    partial_response::{Failure, PartialResponse},
    request_log::RequestLog,
    target::Target,
};

const MIB: usize = 1024 * 1024;
/// Number of bytes of a response without a `Content-Length` that are read before memory for the longest
/// allowed body is reserved.
const UNANNOUNCED: usize = MIB;
/// Length, in bytes, from which a response needs a permit if its caller sends many requests at a time.
const LONG_BODY: usize = MIB;
/// Minimum capacity of the buffer of a long body, in bytes.
///
/// The GNU C library returns an allocation of this size to the system when it is freed. Smaller ones
/// may stay in the heap of each thread, and that adds up. Reserved memory is not used until it is
/// written to.
const RETURNED: usize = 33 * MIB;
/// Maximum memory of all responses that wait for a permit, in bytes.
const WAITING: usize = 8 * MIB;
/// Responses up to this length, in bytes, do not count towards [`WAITING`].
const SHORT_BODY: usize = 16 * 1024;
/// Maximum number of retries while the node is busy.
const MAX_WAITS: u32 = 3;
/// The same for a node that has responded before, because it may only limit requests per second.
const MAX_WAITS_FOR_MORE: u32 = 7;
/// The first and the longest pause before a retry to a busy node.
const PAUSES: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(2));
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
    connections: Connections,
    limits: Limits,
    memory: MemoryBudget,
    /// The memory of responses that wait for a permit.
    waiting: MemoryBudget,
    /// Maximum number of requests.
    most: AtomicU64,
    requests_sent: AtomicU64,
    calls: tokio::sync::RwLock<()>,
    pacing: Pacing,
    /// Whether the node has ever responded without being busy.
    responded: AtomicBool,
    log: Mutex<RequestLog>,
}

/// How a request is sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SendOptions<'a> {
    /// The semaphore of long responses, if many requests are sent at a time. Reading a long response
    /// needs one of its permits.
    pub(crate) long_responses: Option<&'a Arc<Semaphore>>,
    /// Whether the caller holds [`Node::no_other_calls`].
    pub(crate) no_other_calls: bool,
}

/// A response. A long one has a permit, which the caller holds until it has processed the response.
pub(crate) type ResponseWithPermit = (Arc<Exchange>, Option<OwnedSemaphorePermit>);

/// Reserves memory for a body of this length, in bytes.
fn reserve(body: &mut Vec<u8>, length: usize) {
    let capacity = if length > LONG_BODY {
        length.max(RETURNED)
    } else {
        length
    };
    body.reserve_exact(capacity.saturating_sub(body.len()));
}

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
        let connections = Connections::new(&target.base_url, options, limits.one_connection)?;
        Ok(Self {
            base: Arc::new(target.base_url.clone()),
            curl_options: target.access.curl_options().into(),
            target,
            connections,
            memory: MemoryBudget::new(limits.memory),
            waiting: MemoryBudget::new(WAITING.min(limits.memory / 4)),
            limits,
            most: AtomicU64::new(limits.requests),
            requests_sent: AtomicU64::new(0),
            calls: tokio::sync::RwLock::new(()),
            pacing: Pacing::new(limits.rate),
            responded: AtomicBool::new(false),
            log: Mutex::default(),
        })
    }

    /// Returns the same node with connections of its own, and without requests so far.
    pub(crate) fn renewed(&self) -> Result<Self, nodeproof_client::Error> {
        let mut limits = self.limits;
        limits.one_connection |= self.handles_one_connection();
        Self::new(self.target.clone(), limits)
    }

    /// Whether the node turned out to handle only one connection at a time.
    pub(crate) fn handles_one_connection(&self) -> bool {
        self.connections.found_one()
    }

    /// Returns the maximum memory of responses, in bytes.
    pub(crate) fn most_memory(&self) -> usize {
        self.memory.limit()
    }

    /// Returns the number of requests so far.
    pub(crate) fn requests(&self) -> u64 {
        self.requests_sent.load(Ordering::Relaxed)
    }

    /// Returns the number of requests that are left until the limit.
    pub(crate) fn requests_left(&self) -> u64 {
        self.most
            .load(Ordering::Relaxed)
            .saturating_sub(self.requests())
    }

    /// Returns the log of all requests so far.
    /// Notes which of these requests are sent.
    pub(crate) fn expect_again(&self, requests: impl IntoIterator<Item = String>) {
        self.with_log(|log| log.expect_again(requests));
    }

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

    /// Blocks all other requests that build contract calls until the returned guard is dropped.
    pub(crate) async fn no_other_calls(&self) -> impl Drop + '_ {
        self.calls.write().await
    }

    /// Sends a request and reads the whole response.
    ///
    /// See [`send_with`](Self::send_with) for retries.
    pub(crate) async fn send(&self, request: Request) -> Result<Arc<Exchange>, InconclusiveReason> {
        let (exchange, _) = self.send_with(request, SendOptions::default()).await?;
        Ok(exchange)
    }

    /// Sends a request, retries if necessary, and reads the whole response.
    ///
    /// A busy node (429, 503) gets the request again after a pause. The pause is the node's `Retry-After`,
    /// or doubles each time. If the connection breaks, a read is retried once on a new connection. After
    /// another server error or a 408, every request is retried once, except one with a valuable signature.
    pub(crate) async fn send_with(
        &self,
        request: Request,
        options: SendOptions<'_>,
    ) -> Result<ResponseWithPermit, InconclusiveReason> {
        let _beside_others = match request.path {
            "/call-sc" if !options.no_other_calls => Some(self.calls.read().await),
            _ => None,
        };
        if request.path.starts_with("/submit") && !self.limits.submits {
            let reason = "a case of the read tier would submit something; nothing was sent";
            return Err(InconclusiveReason::Harness(reason.to_owned()));
        }
        let gate = options.long_responses;
        let mut back_off = BackOff::new(PAUSES.0, PAUSES.1);
        let mut waits = 0;
        let mut retried = false;
        let mut server_error = None;
        loop {
            let began = Instant::now();
            match self.send_once(&request, retried, gate).await {
                Ok((exchange, _, retry_after)) if matches!(exchange.status, 429 | 503) => {
                    let alone = gate.is_none() && request.only_reads();
                    let bounded = alone && self.responded.load(Ordering::Relaxed);
                    let most = if bounded {
                        MAX_WAITS_FOR_MORE
                    } else {
                        MAX_WAITS
                    };
                    if waits == most {
                        return Err(InconclusiveReason::Busy(format!(
                            "the node stayed busy: {} after {} tries; it may take fewer requests \
                             in a second (--rate) or at a time (--jobs)",
                            exchange.summary(),
                            waits + 1
                        )));
                    }
                    let own = back_off.pause();
                    waits += 1;
                    if bounded {
                        self.pacing.slow_down(began, retry_after).await;
                    }
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
                Ok((exchange, permit, _)) => {
                    if let Some(error) = server_error.filter(|_| exchange.status < 500) {
                        self.with_log(|log| log.repeated(Arc::new(error)));
                    }
                    self.responded.store(true, Ordering::Relaxed);
                    self.pacing.speed_up().await;
                    let exchange = Arc::new(exchange);
                    exchange_recorder::record(&exchange);
                    return Ok((exchange, permit));
                }
                Err(Failure::Connection(_) | Failure::Closed(_))
                    if !retried && request.only_reads() =>
                {
                    retried = true;
                }
                Err(failure) => {
                    let is_lost = matches!(failure, Failure::Connection(_) | Failure::Closed(_));
                    if is_lost && request.only_reads() {
                        self.with_log(|log| log.add_unanswered(request.clone()));
                    }
                    let Failure::Closed(reason) = failure else {
                        return Err(failure.into());
                    };
                    return Err(InconclusiveReason::Transport(
                        self.closed(&request, &reason, retried),
                    ));
                }
            }
        }
    }

    /// Describes a connection that was closed without a response.
    fn closed(&self, request: &Request, reason: &str, twice: bool) -> String {
        let method = match request.method {
            Method::Get => "GET",
            Method::Post => "POST",
        };
        let url = escaped_up_to(request.url(&self.target.base_url).as_ref(), 200);
        let tries = if twice {
            ", twice, the second time on a new connection"
        } else {
            ""
        };
        let likely = match (self.responded.load(Ordering::Relaxed), twice) {
            (false, _) if !self.target.base_url.is_https() => {
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
        new_connection: bool,
        gate: Option<&Arc<Semaphore>>,
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
        let alone = gate.is_none() && request.only_reads();
        if self.limits.rate.is_some() || alone && self.pacing.is_active() {
            self.pacing.turn().await;
        }
        self.with_log(|log| log.count(request.operation));
        let sending = self.connections.next(new_connection).await;
        let limit = self.limits.request_timeout;
        let started = Instant::now();
        let slow = || {
            self.connections.first(None);
            Failure::Slow(format!(
                "no complete response from {} within {} s",
                request.url(&self.target.base_url),
                limit.as_secs_f64()
            ))
        };
        let begin = tokio::time::timeout(limit, self.begin(request, &sending, gate.is_some()));
        let begun = match sending.trial {
            Some(bound) => self.on_second_connection(begin, bound).await,
            None => begin.await,
        };
        // Declared before the response, so the response is dropped first.
        let mut permit = None;
        let mut response = begun.map_err(|_| slow())??;
        if let (false, Some(gate)) = (response.whole, gate) {
            permit = Arc::clone(gate).acquire_owned().await.ok();
            response.waits = Share::default();
            // The time limit starts again, because the wait for the permit is not the node's fault.
            let rest = self.read_on(&mut response, request, usize::MAX);
            tokio::time::timeout(limit, rest)
                .await
                .map_err(|_| slow())??;
        }
        let first = Some((started.elapsed(), response.stays_open()));
        self.connections.first(first);
        let (mut exchange, retry_after) = response.into_exchange(request, &self.base, started);
        exchange.max_depth = self.limits.depth;
        exchange.curl_options = Arc::clone(&self.curl_options);
        self.with_log(|log| log.add(&exchange));
        Ok((exchange, permit, retry_after))
    }

    /// Sends a request on a second connection while the first is idle.
    ///
    /// If there is no response in time, the idle connection is closed. A node that responds only after that
    /// handles one connection at a time.
    async fn on_second_connection<T>(
        &self,
        begin: impl Future<Output = Result<Result<T, Failure>, Elapsed>>,
        bound: Duration,
    ) -> Result<Result<T, Failure>, Elapsed> {
        let mut begin = pin!(begin);
        match tokio::time::timeout(bound, &mut begin).await {
            Ok(begun) => {
                if matches!(begun, Ok(Ok(_))) {
                    self.connections.tried(true);
                }
                begun
            }
            Err(_) => {
                self.connections.close_idle();
                let begun = begin.await;
                self.connections.tried(begun.is_err());
                begun
            }
        }
    }

    /// Sends a request and reads the response. If long responses need a permit, reads only their start.
    ///
    /// With permits, the memory budget does not count responses, because only one long one is read at a
    /// time.
    async fn begin(
        &self,
        request: &Request,
        sending: &Sending<'_>,
        needs_permit: bool,
    ) -> Result<PartialResponse, Failure> {
        let response = self.response(request, sending).await?;
        let announced = response.content_length().unwrap_or(0);
        let announced = usize::try_from(announced).unwrap_or(usize::MAX);
        if announced > self.limits.body {
            return Err(self.too_long(request));
        }
        let mut response = PartialResponse::new(response, announced, needs_permit);
        // The announced length is counted at once. If a response does not fit, nothing of it is read.
        self.make_room(&mut response, request, announced)?;
        let most = if needs_permit { LONG_BODY } else { usize::MAX };
        self.read_on(&mut response, request, most).await?;
        Ok(response)
    }

    /// Sends a request, and returns when the response's headers have arrived.
    async fn response(
        &self,
        request: &Request,
        sending: &Sending<'_>,
    ) -> Result<reqwest::Response, Failure> {
        let url = request.url(&self.target.base_url);
        let http = &sending.http;
        let builder = match (request.method, &request.body) {
            (Method::Get, _) => http.get(url),
            (Method::Post, body) => http
                .post(url)
                .header(header::CONTENT_TYPE, "application/json")
                .body(body.clone().unwrap_or_default()),
        };
        let builder = if sending.close {
            builder.header(header::CONNECTION, "close")
        } else {
            builder
        };
        let accepted = match (request.accept, request.path) {
            (Some(accepted), _) => accepted,
            (None, "/docs") => "text/html",
            (None, _) => "application/json",
        };
        let headers = self.target.access.headers().as_map().clone();
        let sent = builder.headers(headers).header(header::ACCEPT, accepted);
        match &self.target.in_process {
            Some(node) => node.send(sent).await,
            None => sent.send().await.map_err(|error| Failure::of(&error)),
        }
    }

    /// Continues reading until the body ends or is longer than `most` bytes.
    async fn read_on(
        &self,
        response: &mut PartialResponse,
        request: &Request,
        most: usize,
    ) -> Result<(), Failure> {
        let announced = response.announced.min(most);
        reserve(&mut response.body, announced);
        while response.body.len() <= most {
            let Some(chunk) = response.chunk().await? else {
                response.whole = true;
                return self.settle(response, request);
            };
            let chunk = chunk.as_ref();
            let length = response.body.len() + chunk.len();
            if length > self.limits.body {
                response.body = Vec::new();
                return Err(self.too_long(request));
            }
            // For a long response without a Content-Length, reserve the longest allowed body. Do this
            // only after it has its permit.
            let room = response.body.capacity() < self.limits.body;
            if length > most {
                response.body.reserve_exact(chunk.len());
            } else if response.announced == 0 && length > UNANNOUNCED && room {
                self.make_room(response, request, self.limits.body)?;
                reserve(&mut response.body, self.limits.body);
            }
            self.make_room(response, request, length)?;
            response.body.extend_from_slice(chunk);
            // Responses without a permit share a limited amount of memory.
            let counts = most == LONG_BODY && length > SHORT_BODY;
            if counts && !self.waiting.grow(&mut response.waits, length) {
                break;
            }
        }
        Ok(())
    }

    fn make_room(
        &self,
        response: &mut PartialResponse,
        request: &Request,
        bytes: usize,
    ) -> Result<(), Failure> {
        if response.needs_permit || self.memory.grow(&mut response.share, bytes) {
            Ok(())
        } else {
            Err(self.no_room(request))
        }
    }

    /// Sets the response's share of the memory to what parsing its body needs.
    fn settle(&self, response: &mut PartialResponse, request: &Request) -> Result<(), Failure> {
        response.body.shrink_to_fit();
        let fits = if response.needs_permit {
            memory::fits(&response.body, self.memory.limit())
        } else {
            let needed = memory::needed(&response.body);
            self.memory.settle(&mut response.share, needed)
        };
        if fits {
            Ok(())
        } else {
            Err(self.no_room(request))
        }
    }

    fn too_long(&self, request: &Request) -> Failure {
        Failure::TooLarge(format!(
            "the response of {} is longer than {} MiB; --max-body raises that limit",
            request.url(&self.target.base_url),
            self.limits.body / MIB
        ))
    }

    fn no_room(&self, request: &Request) -> Failure {
        Failure::TooLarge(format!(
            "the response of {} takes too much memory: the responses in memory at the same \
             time may take {} MiB; --max-memory raises that limit",
            request.url(&self.target.base_url),
            self.limits.memory / MIB
        ))
    }
}

#[cfg(test)]
mod tests;
