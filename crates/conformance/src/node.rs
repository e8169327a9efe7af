//! Asking the node under test: bounded, counted, and patient where it asks for patience.

use std::{
    error::Error,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use node_client::transport::{self, TransportOptions};
use reqwest::header;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    Target, asked, coverage,
    exchange::{Exchange, Method, Request},
    memory::{self, Memory, Share},
    outcome::Obstacle,
};

const MIB: usize = 1024 * 1024;
/// How long an answer may grow that does not say how long it is, before room is made for all of it.
const UNANNOUNCED: usize = MIB;
/// From here on an answer waits for its turn, where many are asked at a time.
const LONG_BODY: usize = MIB;
/// How often a node is asked again after it said that it is busy.
const MOST_WAITS: u32 = 3;
/// The same where it has answered before, and so may only bound how much is asked in a second.
const MOST_WAITS_FOR_MORE: u32 = 7;
/// The longest pause that a node does not ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// The time between two requests once a node has said that they are too many, and the longest that
/// this grows to.
const SLOWER: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));
/// The longest that a node's `Retry-After` is followed at a time.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The most that is sent and waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) request_timeout: Duration,
    pub(crate) requests: u64,
    /// The most that is read of one answer, in bytes.
    pub(crate) body: usize,
    /// The most memory that all answers may take that are kept at a time, in bytes.
    pub(crate) memory: usize,
    /// How deep an answer's JSON document may be nested.
    pub(crate) depth: usize,
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
    memory: Memory,
    /// The most requests that are sent.
    most: AtomicU64,
    sent: AtomicU64,
    calls: tokio::sync::RwLock<()>,
    /// When the next request may be sent, where the rate is bounded.
    pace: tokio::sync::Mutex<Pace>,
    /// Whether it is.
    paced: AtomicBool,
    /// Whether anything was answered without the node being busy.
    answered: AtomicBool,
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
            memory: Memory::new(limits.memory),
            limits,
            most: AtomicU64::new(limits.requests),
            sent: AtomicU64::new(0),
            calls: tokio::sync::RwLock::new(()),
            pace: tokio::sync::Mutex::new(Pace {
                next: tokio::time::Instant::now(),
                between: limits
                    .rate
                    .map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate)),
                slowed: Instant::now(),
            }),
            paced: AtomicBool::new(limits.rate.is_some()),
            answered: AtomicBool::new(false),
            log: Mutex::default(),
        })
    }

    /// The most memory that answers may take, in bytes.
    pub(crate) fn most_memory(&self) -> usize {
        self.memory.limit()
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
            let began = Instant::now();
            match self.send(&request, tries, gate).await {
                Ok((exchange, _, retry_after)) if matches!(exchange.status, 429 | 503) => {
                    let alone = gate.is_none() && request.only_reads();
                    let bounded = alone && self.answered.load(Ordering::Relaxed);
                    let most = if bounded {
                        MOST_WAITS_FOR_MORE
                    } else {
                        MOST_WAITS
                    };
                    if waits == most {
                        return Err(Obstacle::Busy(format!(
                            "the node stayed busy: {} after {} tries; it may take fewer requests \
                             in a second (--rate) or at a time (--jobs)",
                            exchange.summary(),
                            waits + 1
                        )));
                    }
                    let own = Duration::from_millis(250) * 2_u32.pow(waits);
                    let pause = retry_after.unwrap_or(own.min(LONGEST_PAUSE));
                    waits += 1;
                    if bounded {
                        self.slow_down(began, retry_after).await;
                    }
                    tokio::time::sleep(pause.min(LONGEST_WAIT)).await;
                }
                // What fails now and then is asked again before it is judged.
                Ok((exchange, _, _))
                    if exchange.status >= 500 && tries == 0 && request.only_reads() =>
                {
                    tries = 1;
                }
                Ok((exchange, permit, _)) => {
                    self.answered.store(true, Ordering::Relaxed);
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

    /// Slows down whatever is asked from now on, as the node said that it was too much.
    ///
    /// What was sent at the same time and refused as well slows it down once. A node that says when
    /// it wants to be asked again is left alone until then, and not asked more slowly.
    async fn slow_down(&self, began: Instant, retry_after: Option<Duration>) {
        let mut pace = self.pace.lock().await;
        if began < pace.slowed {
            return;
        }
        pace.slowed = Instant::now();
        self.paced.store(true, Ordering::Relaxed);
        match retry_after {
            Some(wait) => {
                let until = tokio::time::Instant::now() + wait.min(LONGEST_WAIT);
                pace.next = pace.next.max(until);
            }
            None => {
                let (least, most) = SLOWER;
                let slower = (pace.between * 2).clamp(least, most);
                pace.between = pace.between.max(slower);
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
        // Who asks for many at a time leaves a busy node alone in its own way, and what is submitted
        // has bounds of its own.
        let alone = gate.is_none() && request.only_reads();
        if self.limits.rate.is_some() || alone && self.paced.load(Ordering::Relaxed) {
            // Who holds the lock waits; the others wait behind it, each for its own turn.
            let mut pace = self.pace.lock().await;
            tokio::time::sleep_until(pace.next).await;
            pace.next = tokio::time::Instant::now() + pace.between;
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
        let begin = self.begin(request, tries, gate.is_some());
        // Declared before the answer, so that it is handed back only after the answer is dropped.
        let mut permit = None;
        let mut part = tokio::time::timeout(limit, begin).await.map_err(slow)??;
        if let (false, Some(gate)) = (part.whole, gate) {
            permit = Arc::clone(gate).acquire_owned().await.ok();
            // The wait was not the node's.
            let rest = self.read_on(&mut part, request, usize::MAX);
            tokio::time::timeout(limit, rest).await.map_err(slow)??;
        }
        let (mut exchange, retry_after) = part.exchange(request, &self.target, started);
        exchange.most_depth = self.limits.depth;
        if let Ok(mut log) = self.log.lock() {
            coverage::note(&mut log, &exchange);
        }
        Ok((exchange, permit, retry_after))
    }

    /// Sends a request, and reads as much of the answer as is wanted.
    ///
    /// Where answers have their turn, a long one is only begun, and what all of them take is not
    /// counted, as only one at a time is long.
    async fn begin(&self, request: &Request, tries: u32, in_turn: bool) -> Result<Part, Failure> {
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
        let response = sent.map_err(|error| Failure::of(&error))?;
        let announced = response.content_length().unwrap_or_default();
        let announced = usize::try_from(announced).unwrap_or(usize::MAX);
        if announced > self.limits.body {
            return Err(self.too_long(request));
        }
        let mut part = Part {
            response,
            announced,
            body: Vec::new(),
            share: self.memory.share(),
            in_turn,
            whole: false,
        };
        // What is announced is set aside at once: nothing has to be moved, and what does not fit is
        // not read at all. Memory that is only announced is not used up before it has come.
        if in_turn {
            part.body.reserve_exact(announced.min(LONG_BODY));
        } else {
            self.make_room(&mut part, request, announced)?;
            part.body.reserve_exact(announced);
        }
        let most = if in_turn { LONG_BODY } else { usize::MAX };
        self.read_on(&mut part, request, most).await?;
        Ok(part)
    }

    /// Reads on, until the body ends or is longer than this.
    async fn read_on(
        &self,
        part: &mut Part,
        request: &Request,
        most: usize,
    ) -> Result<(), Failure> {
        part.body
            .reserve_exact(part.announced.min(most).saturating_sub(part.body.len()));
        while part.body.len() <= most {
            let chunk = part.response.chunk().await;
            let Some(chunk) = chunk.map_err(|error| Failure::of(&error))? else {
                part.whole = true;
                return self.settle(part, request);
            };
            let length = part.body.len() + chunk.len();
            if length > self.limits.body {
                part.body = Vec::new();
                return Err(self.too_long(request));
            }
            // So is as much as may come, where a long answer does not say how much that is; but not
            // before it has its turn.
            let room = part.body.capacity() < self.limits.body;
            if length > most {
                part.body.reserve_exact(chunk.len());
            } else if part.announced == 0 && length > UNANNOUNCED && room {
                self.make_room(part, request, self.limits.body)?;
                part.body.reserve_exact(self.limits.body - part.body.len());
            }
            self.make_room(part, request, length)?;
            part.body.extend_from_slice(&chunk);
        }
        Ok(())
    }

    fn make_room(&self, part: &mut Part, request: &Request, bytes: usize) -> Result<(), Failure> {
        if part.in_turn || self.memory.grow(&mut part.share, bytes) {
            Ok(())
        } else {
            Err(self.no_room(request))
        }
    }

    /// Counts what it takes to look into an answer that has come.
    fn settle(&self, part: &mut Part, request: &Request) -> Result<(), Failure> {
        part.body.shrink_to_fit();
        let needed = memory::needed(&part.body);
        let fits = if part.in_turn {
            needed <= self.memory.limit()
        } else {
            self.memory.settle(&mut part.share, needed)
        };
        if fits {
            Ok(())
        } else {
            Err(self.no_room(request))
        }
    }
}

/// How fast requests follow one another.
struct Pace {
    next: tokio::time::Instant,
    between: Duration,
    /// When it was slowed down last.
    slowed: Instant,
}

/// An answer with what may be dropped only when it is done with, and how long the node wants to be
/// left alone.
type Answer = (Exchange, Option<OwnedSemaphorePermit>, Option<Duration>);

/// An answer of which the body may not have come yet.
struct Part {
    response: reqwest::Response,
    /// How long the body says it is; 0 where it does not.
    announced: usize,
    body: Vec<u8>,
    share: Share,
    /// Whether long answers have their turn.
    in_turn: bool,
    /// Whether the body has come to its end.
    whole: bool,
}

impl Part {
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
        exchange.share = self.share;
        exchange.content_encoding = content_encoding;
        exchange.location = location;
        (exchange, retry_after)
    }
}

impl Node {
    fn too_long(&self, request: &Request) -> Failure {
        Failure::TooLarge(format!(
            "the answer of {} is longer than {} MiB, of which no more is read",
            request.url(&self.target.base_url),
            self.limits.body / MIB
        ))
    }

    fn no_room(&self, request: &Request) -> Failure {
        Failure::TooLarge(format!(
            "the answer of {} is more than is read: it takes too much memory to look into, as all \
             that is kept at a time may take {} MiB; --max-memory raises that",
            request.url(&self.target.base_url),
            self.limits.memory / MIB
        ))
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

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpListener,
    };

    use node_primitives::Network;

    use super::*;

    /// A node whose answers never end, and do not say how long they are.
    fn endless() -> Node {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                std::thread::spawn(move || {
                    let _ = stream.read(&mut [0; 4096]);
                    let head = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
                    let mut sent = stream.write_all(head);
                    while sent.is_ok() {
                        sent = stream.write_all(&[b' '; 64 * 1024]);
                    }
                });
            }
        });
        let limits = Limits {
            request_timeout: Duration::from_secs(60),
            requests: 10,
            body: 16 * MIB,
            memory: 64 * MIB,
            depth: 64,
            submits: false,
            rate: None,
        };
        let target = Target::parse(&url, Network::Devnet).unwrap();
        Node::new(target, limits).unwrap()
    }

    #[tokio::test]
    async fn a_long_answer_takes_little_memory_before_it_has_its_turn() {
        let node = endless();
        let request = crate::discovery::block_request(1);
        let mut part = node.begin(&request, 0, true).await.ok().unwrap();
        assert!(!part.whole && part.body.len() > LONG_BODY);
        let taken = part.body.capacity();
        assert!(taken < 2 * LONG_BODY + LONG_BODY / 4, "{taken}");
        let failure = node.read_on(&mut part, &request, usize::MAX).await;
        assert!(matches!(failure, Err(Failure::TooLarge(_))));
        assert_eq!(part.body.capacity(), 0);
    }
}
