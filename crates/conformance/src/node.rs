//! Asking the node under test: bounded, counted, and patient where it asks for patience.

use std::{
    error::Error,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use node_client::transport::{self, TransportOptions};
use reqwest::header;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    Target, asked, coverage,
    exchange::{Exchange, Method, Request},
    outcome::Obstacle,
};

/// The most that is read of one answer.
const MOST_BODY: usize = 16 * 1024 * 1024;
/// From here on an answer waits for its turn, where many are asked at a time.
const LONG_BODY: usize = 1024 * 1024;
/// How often a node is asked again after it said that it is busy.
const MOST_WAITS: u32 = 3;
/// The longest that a node's `Retry-After` is followed at a time.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The most that is sent and waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) request_timeout: Duration,
    pub(crate) requests: u64,
    /// Whether anything may be submitted at all, whatever a case would like to.
    pub(crate) submits: bool,
    /// Requests in a second.
    pub(crate) rate: Option<f64>,
}

/// The node under test, as seen through HTTP.
pub(crate) struct Node {
    pub(crate) target: Target,
    http: reqwest::Client,
    /// Keeps no connection.
    anew: reqwest::Client,
    limits: Limits,
    /// The most requests that are sent.
    most: AtomicU64,
    sent: AtomicU64,
    calls: tokio::sync::RwLock<()>,
    /// When the next request may be sent, where the rate is bounded.
    next: tokio::sync::Mutex<tokio::time::Instant>,
    log: Mutex<coverage::Log>,
}

impl Node {
    pub(crate) fn new(target: Target, limits: Limits) -> Result<Self, node_client::Error> {
        let options = TransportOptions::default()
            .connect_timeout(limits.request_timeout)
            .user_agent(concat!("node-conformance/", env!("CARGO_PKG_VERSION")));
        let http = transport::http_client(&target.base_url, &options)?;
        let anew = transport::http_client(&target.base_url, &options.keep_alive(false))?;
        Ok(Self {
            target,
            http,
            anew,
            limits,
            most: AtomicU64::new(limits.requests),
            sent: AtomicU64::new(0),
            calls: tokio::sync::RwLock::new(()),
            next: tokio::sync::Mutex::new(tokio::time::Instant::now()),
            log: Mutex::default(),
        })
    }

    /// How many requests were sent.
    pub(crate) fn requests(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// What was sent and answered until now.
    pub(crate) fn log(&self) -> coverage::Log {
        self.log.lock().map(|log| log.clone()).unwrap_or_default()
    }

    /// Sends a request and reads the whole answer.
    ///
    /// A node that says it is busy (429, 503) is asked again after the time that it names. A read
    /// whose connection breaks is tried once more, as a node may close an idle connection just when
    /// it is used again.
    pub(crate) async fn ask(&self, request: Request) -> Result<Arc<Exchange>, Obstacle> {
        let _beside_others = match request.path {
            "/call-sc" => Some(self.calls.read().await),
            _ => None,
        };
        self.ask_now(request).await
    }

    /// Keeps all other calls from being built until what it hands back is dropped; only
    /// [`ask_now`](Self::ask_now) builds one then.
    pub(crate) async fn no_other_calls(&self) -> impl Drop + '_ {
        self.calls.write().await
    }

    /// The same as [`ask`](Self::ask), for who has [`no_other_calls`](Self::no_other_calls).
    pub(crate) async fn ask_now(&self, request: Request) -> Result<Arc<Exchange>, Obstacle> {
        let (exchange, _) = self.ask_through(request, None).await?;
        Ok(exchange)
    }

    /// The same, where many are asked at a time: of long answers, no more is read at a time than
    /// the gate lets through. Who gets one hands its permit back when it is done with.
    pub(crate) async fn ask_through(
        &self,
        request: Request,
        gate: Option<&Arc<Semaphore>>,
    ) -> Result<(Arc<Exchange>, Option<OwnedSemaphorePermit>), Obstacle> {
        if request.path.starts_with("/submit") && !self.limits.submits {
            let reason = "a case of the read tier would submit something; nothing was sent";
            return Err(Obstacle::Harness(reason.to_owned()));
        }
        let mut waits = 0;
        let mut tries = 0;
        loop {
            match self.send(&request, tries, gate).await {
                Ok((exchange, _, retry_after)) if matches!(exchange.status, 429 | 503) => {
                    if waits == MOST_WAITS {
                        return Err(Obstacle::Busy(format!(
                            "the node stayed busy: {} after {} tries",
                            exchange.summary(),
                            waits + 1
                        )));
                    }
                    let pause = retry_after
                        .unwrap_or(Duration::from_millis(250) * 2_u32.pow(waits))
                        .min(LONGEST_WAIT);
                    waits += 1;
                    tokio::time::sleep(pause).await;
                }
                // What fails now and then is asked again before it is judged.
                Ok((exchange, _, _))
                    if exchange.status >= 500 && tries == 0 && request.only_reads() =>
                {
                    tries = 1;
                }
                Ok((exchange, permit, _)) => {
                    asked::looked_at(&exchange);
                    return Ok((Arc::new(exchange), permit));
                }
                Err(Failure::Broken(_)) if tries == 0 && request.only_reads() => tries = 1,
                Err(Failure::Broken(reason) | Failure::Slow(reason)) => {
                    return Err(Obstacle::Transport(reason));
                }
                Err(Failure::Limit(reason)) => return Err(Obstacle::Limit(reason)),
                Err(Failure::TooLarge(reason)) => return Err(Obstacle::TooLarge(reason)),
            }
        }
    }

    /// The most requests that are sent.
    pub(crate) fn most_requests(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    /// Lets so many more be sent.
    pub(crate) fn allow_more(&self, requests: u64) {
        let more = |most: u64| Some(most.saturating_add(requests));
        // It always has a new value.
        let _ = self
            .most
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    async fn send(
        &self,
        request: &Request,
        tries: u32,
        gate: Option<&Arc<Semaphore>>,
    ) -> Result<Answer, Failure> {
        let most = self.most_requests();
        if self.sent.fetch_add(1, Ordering::Relaxed) >= most {
            self.sent.fetch_sub(1, Ordering::Relaxed);
            return Err(Failure::Limit(format!(
                "the run's limit of {most} requests is used up"
            )));
        }
        if let Some(rate) = self.limits.rate {
            // Who holds the lock waits; the others wait behind it, each for its own turn.
            let mut next = self.next.lock().await;
            tokio::time::sleep_until(*next).await;
            *next = tokio::time::Instant::now() + Duration::from_secs_f64(1.0 / rate);
        }
        if let Ok(mut log) = self.log.lock() {
            coverage::count(&mut log, request.operation);
        }
        let limit = self.limits.request_timeout;
        let started = Instant::now();
        let slow = |_| {
            Failure::Slow(format!(
                "no whole answer from {} within {} s",
                request.url(&self.target.base_url),
                limit.as_secs_f64()
            ))
        };
        let begin = self.begin(request, tries, gate.map_or(MOST_BODY, |_| LONG_BODY));
        let mut part = tokio::time::timeout(limit, begin).await.map_err(slow)??;
        let mut permit = None;
        if let (false, Some(gate)) = (part.whole, gate) {
            permit = Arc::clone(gate).acquire_owned().await.ok();
            // The wait was not the node's.
            let rest = part.read(MOST_BODY);
            tokio::time::timeout(limit, rest).await.map_err(slow)??;
        }
        if !part.whole {
            return Err(Failure::TooLarge(format!(
                "the answer of {} is longer than {} MiB, of which no more is read",
                request.url(&self.target.base_url),
                MOST_BODY / (1024 * 1024)
            )));
        }
        let (exchange, retry_after) = part.exchange(request, &self.target, started);
        if let Ok(mut log) = self.log.lock() {
            coverage::note(&mut log, &exchange);
        }
        Ok((exchange, permit, retry_after))
    }

    /// Sends a request, and reads as much of the answer as is wanted.
    async fn begin(&self, request: &Request, tries: u32, most: usize) -> Result<Part, Failure> {
        let url = request.url(&self.target.base_url);
        // A second try goes over a new connection: the one that is kept may be what was at fault.
        let http = if tries == 0 { &self.http } else { &self.anew };
        let builder = match (request.method, &request.body) {
            (Method::Get, _) => http.get(url),
            (Method::Post, body) => http
                .post(url)
                .header(header::CONTENT_TYPE, "application/json")
                .body(body.clone().unwrap_or_default()),
        };
        let accepted = if request.path == "/docs" {
            "text/html"
        } else {
            "application/json"
        };
        let sent = builder.header(header::ACCEPT, accepted).send().await;
        let mut part = Part {
            response: sent.map_err(|error| Failure::of(&error))?,
            body: Vec::new(),
            whole: false,
        };
        part.read(most).await?;
        Ok(part)
    }
}

/// An answer with what may be dropped only when it is done with, and how long the node wants to be
/// left alone.
type Answer = (Exchange, Option<OwnedSemaphorePermit>, Option<Duration>);

/// An answer of which the body may not have come yet.
struct Part {
    response: reqwest::Response,
    body: Vec<u8>,
    /// Whether the body has come to its end.
    whole: bool,
}

impl Part {
    /// Reads on, until the body ends or would be longer than this.
    async fn read(&mut self, most: usize) -> Result<(), Failure> {
        while self.body.len() <= most {
            let chunk = self.response.chunk().await;
            match chunk.map_err(|error| Failure::of(&error))? {
                Some(chunk) => self.body.extend_from_slice(&chunk),
                None => {
                    self.whole = true;
                    break;
                }
            }
        }
        Ok(())
    }

    fn exchange(
        self,
        request: &Request,
        target: &Target,
        started: Instant,
    ) -> (Exchange, Option<Duration>) {
        let text = |name| {
            let value = self.response.headers().get(name)?.as_bytes();
            Some(String::from_utf8_lossy(value).into_owned())
        };
        let retry_after = text(header::RETRY_AFTER)
            .and_then(|seconds| seconds.trim().parse().ok())
            .map(Duration::from_secs);
        let (content_encoding, location) = (text(header::CONTENT_ENCODING), text(header::LOCATION));
        let mut exchange = Exchange::new(
            request.clone(),
            &target.base_url,
            self.response.status().as_u16(),
            text(header::CONTENT_TYPE),
            self.body,
            started.elapsed(),
        );
        exchange.content_encoding = content_encoding;
        exchange.location = location;
        (exchange, retry_after)
    }
}

/// Why there is no answer.
enum Failure {
    Broken(String),
    Slow(String),
    Limit(String),
    TooLarge(String),
}

impl Failure {
    fn of(error: &reqwest::Error) -> Self {
        let reason = node_client::escape::escaped_up_to(&causes(error), 300);
        if error.is_timeout() {
            Self::Slow(reason)
        } else {
            Self::Broken(reason)
        }
    }
}

/// The innermost causes say what happened ("connection refused"); the outermost only that it did.
fn causes(error: &dyn Error) -> String {
    let mut parts = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        parts.push(cause.to_string());
        next = cause.source();
    }
    parts.dedup();
    if parts.is_empty() {
        error.to_string()
    } else {
        parts.join(": ")
    }
}
