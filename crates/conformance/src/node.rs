//! Asking the node under test: bounded, counted, and patient where it asks for patience.

mod connection;
mod part;

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use nodeproof_client::{
    BaseUrl,
    transport::{self, TransportOptions},
};
use reqwest::header;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(crate) use connection::Connection;
use part::{Failure, Part, Response};

use crate::{
    Target, asked, coverage,
    exchange::{Exchange, Method, Request},
    finding::Obstacle,
    memory::{self, Memory, Share},
};

const MIB: usize = 1024 * 1024;
/// How long an answer may grow that does not say how long it is, before room is made for all of it.
const UNANNOUNCED: usize = MIB;
/// From here on an answer waits for its turn, where many are asked at a time.
const LONG_BODY: usize = MIB;
/// How much those that wait for their turn may take together: beyond it they wait where they are.
const WAITING: usize = 8 * MIB;
/// An answer no longer than that is not counted among them.
const SHORT_BODY: usize = 16 * 1024;
/// How often a node is asked again after it said that it is busy.
const MOST_WAITS: u32 = 3;
/// The same where it has answered before, and so may only bound how much is asked in a second.
const MOST_WAITS_FOR_MORE: u32 = 7;
/// The longest pause that a node does not ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// The time between two requests once a node has said that they are too many, and the longest that
/// this grows to.
const SLOWER: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));
/// After how many answers in a row requests may follow one another twice as fast again.
const ENOUGH_TAKEN: u32 = 10;
/// What a server says of a request that did not come in time: as a rule of a connection that was idle.
const TOO_LATE: u16 = 408;
/// The longest that a node's `Retry-After` is followed at a time.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// As what the node is asked.
const USER_AGENT: &str = concat!("nodeproof/", env!("CARGO_PKG_VERSION"));

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
    /// The target's own.
    base: Arc<BaseUrl>,
    /// How the node is reached with nothing in between, where it is.
    way: Option<Arc<connection::Way>>,
    http: reqwest::Client,
    /// Keeps no connection.
    anew: reqwest::Client,
    limits: Limits,
    memory: Memory,
    /// Of answers that wait for their turn.
    waiting: Memory,
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
    /// How many answers came in a row while requests are slowed down.
    taken: AtomicU32,
    log: Mutex<coverage::Log>,
}

impl Node {
    pub(crate) fn new(target: Target, limits: Limits) -> Result<Self, nodeproof_client::Error> {
        let options = TransportOptions::default()
            .connect_timeout(limits.request_timeout)
            .user_agent(USER_AGENT);
        let http = transport::http_client(&target.base_url, &options)?;
        let anew = transport::http_client(&target.base_url, &options.keep_alive(false))?;
        let least = limits.rate;
        let least = least.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate));
        Ok(Self {
            base: Arc::new(target.base_url.clone()),
            way: connection::Way::to(&target.base_url, USER_AGENT).map(Arc::new),
            target,
            http,
            anew,
            memory: Memory::new(limits.memory),
            waiting: Memory::new(WAITING.min(limits.memory / 4)),
            limits,
            most: AtomicU64::new(limits.requests),
            sent: AtomicU64::new(0),
            calls: tokio::sync::RwLock::new(()),
            pace: tokio::sync::Mutex::new(Pace {
                next: tokio::time::Instant::now(),
                between: least,
                least,
                slowed: Instant::now(),
            }),
            paced: AtomicBool::new(limits.rate.is_some()),
            answered: AtomicBool::new(false),
            taken: AtomicU32::new(0),
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
        self.ask_over(request, gate, None).await
    }

    /// A connection to the node for who asks it for many things, one after the other; nothing where
    /// it has to be the HTTP client's.
    pub(crate) fn connection(&self) -> Option<Connection> {
        self.way
            .as_ref()
            .map(|way| Connection::new(Arc::clone(way)))
    }

    /// The same as [`ask_through`](Self::ask_through), over a connection of one's own.
    pub(crate) async fn ask_over(
        &self,
        request: Request,
        gate: Option<&Arc<Semaphore>>,
        mut connection: Option<&mut Connection>,
    ) -> Result<(Arc<Exchange>, Option<OwnedSemaphorePermit>), Obstacle> {
        if request.path.starts_with("/submit") && !self.limits.submits {
            let reason = "a case of the read tier would submit something; nothing was sent";
            return Err(Obstacle::Harness(reason.to_owned()));
        }
        let mut waits = 0;
        let mut tries = 0;
        loop {
            // A second try goes over a new connection: the one that is kept may be what was at fault.
            let own = connection.as_deref_mut().filter(|_| tries == 0);
            let began = Instant::now();
            match self.send(&request, tries, gate, own).await {
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
                    if (exchange.status >= 500 || exchange.status == TOO_LATE)
                        && tries == 0
                        && request.only_reads() =>
                {
                    tries = 1;
                }
                Ok((exchange, permit, _)) => {
                    self.answered.store(true, Ordering::Relaxed);
                    self.speed_up().await;
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
        self.taken.store(0, Ordering::Relaxed);
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

    /// Asks faster again, once a node has taken so many in a row.
    async fn speed_up(&self) {
        if !self.paced.load(Ordering::Relaxed)
            || self.taken.fetch_add(1, Ordering::Relaxed) + 1 < ENOUGH_TAKEN
        {
            return;
        }
        self.taken.store(0, Ordering::Relaxed);
        let mut pace = self.pace.lock().await;
        let faster = pace.between / 2;
        let slows = faster >= SLOWER.0 / 2;
        pace.between = if slows {
            faster.max(pace.least)
        } else {
            pace.least
        };
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
        mut own: Option<&mut Connection>,
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
        let begin = self.begin(request, tries, gate.is_some(), own.as_deref_mut());
        // Declared before the answer, so that it is handed back only after the answer is dropped.
        let mut permit = None;
        let mut part = tokio::time::timeout(limit, begin).await.map_err(slow)??;
        if let (false, Some(gate)) = (part.whole, gate) {
            permit = Arc::clone(gate).acquire_owned().await.ok();
            part.waits = Share::default();
            // The wait was not the node's.
            let rest = self.read_on(&mut part, request, usize::MAX);
            tokio::time::timeout(limit, rest).await.map_err(slow)??;
        }
        let (mut exchange, retry_after) = part.exchange(request, &self.base, started, own);
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
    async fn begin(
        &self,
        request: &Request,
        tries: u32,
        in_turn: bool,
        own: Option<&mut Connection>,
    ) -> Result<Part, Failure> {
        let over_own = match own {
            Some(own) => own.send(request).await,
            None => Ok(None),
        };
        let response = match over_own.map_err(|error| Failure::broken(&error))? {
            Some(answer) => Response::Own(answer),
            // It has much to keep while it waits, which not everybody who asks should carry along.
            None => Response::Pooled(Box::pin(self.pooled(request, tries)).await?),
        };
        let announced = usize::try_from(response.announced()).unwrap_or(usize::MAX);
        if announced > self.limits.body {
            return Err(self.too_long(request));
        }
        let mut part = Part {
            response,
            announced,
            body: Vec::new(),
            share: self.memory.share(),
            waits: self.waiting.share(),
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

    /// Sends a request by the HTTP client.
    async fn pooled(&self, request: &Request, tries: u32) -> Result<reqwest::Response, Failure> {
        let url = request.url(&self.target.base_url);
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
        sent.map_err(|error| Failure::of(&error))
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
            let Some(chunk) = part.response.chunk().await? else {
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
            // What many of them take together is bounded before their turn, too.
            let counts = most == LONG_BODY && length > SHORT_BODY;
            if counts && !self.waiting.grow(&mut part.waits, length) {
                break;
            }
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
        let fits = if part.in_turn {
            memory::fits(&part.body, self.memory.limit())
        } else {
            let needed = memory::needed(&part.body);
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
    /// The least that it is, as the user wants it.
    least: Duration,
    /// When it was slowed down last.
    slowed: Instant,
}

/// An answer with what may be dropped only when it is done with, and how long the node wants to be
/// left alone.
type Answer = (Exchange, Option<OwnedSemaphorePermit>, Option<Duration>);

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

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::{TcpListener, TcpStream},
    };

    use nodeproof_primitives::Network;

    use super::*;

    /// A node that does this with each connection, whose first bytes have come.
    fn node(answer: fn(&mut TcpStream)) -> Node {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                std::thread::spawn(move || {
                    let _ = stream.read(&mut [0; 4096]);
                    answer(&mut stream);
                });
            }
        });
        let limits = Limits {
            request_timeout: Duration::from_secs(60),
            requests: 100,
            body: 16 * MIB,
            memory: 64 * MIB,
            depth: 64,
            submits: false,
            rate: None,
        };
        let target = Target::parse(&url, Network::Devnet).unwrap();
        Node::new(target, limits).unwrap()
    }

    /// A node whose answers never end, and do not say how long they are.
    fn endless() -> Node {
        node(|stream| {
            let head = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
            let mut sent = stream.write_all(head);
            while sent.is_ok() {
                sent = stream.write_all(&[b' '; 64 * 1024]);
            }
        })
    }

    #[tokio::test]
    async fn a_connection_of_ones_own_may_be_closed_whenever_the_node_likes() {
        let says_so: fn(&mut TcpStream) = |stream| {
            let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}";
            let _ = stream.write_all(head.as_bytes());
        };
        let without_a_word: fn(&mut TcpStream) = |stream| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
        };
        let without_a_length: fn(&mut TcpStream) = |stream| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: a/b\r\n\r\n{}");
        };
        for answer in [says_so, without_a_word, without_a_length] {
            let node = node(answer);
            let mut own = node.connection();
            for index in 0..20 {
                let request = crate::discovery::block_request(index);
                let asked = node.ask_over(request, None, own.as_mut()).await;
                assert_eq!(asked.unwrap().0.body, b"{}");
            }
            // A request that found its connection closed may have been sent twice.
            assert!((20..=40).contains(&node.requests()));
        }
    }

    #[tokio::test]
    async fn what_goes_wrong_on_a_connection_of_ones_own_is_told_as_by_the_http_client() {
        for answer in [
            |_: &mut TcpStream| {},
            |stream: &mut TcpStream| drop(stream.write_all(b"SSH-2.0-x\r\n")),
            |stream: &mut TcpStream| {
                drop(stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}"));
            },
        ] {
            let node = node(answer);
            let mut told = Vec::new();
            for mut own in [node.connection(), None] {
                let request = crate::discovery::block_request(1);
                let asked = node.ask_over(request, None, own.as_mut()).await;
                told.push(format!("{:?}", asked.map(drop)));
            }
            assert!(told[0].contains("Transport"), "{told:?}");
            assert_eq!(told[0], told[1]);
        }
        let gone = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let target = Target::parse(&format!("http://{gone}"), Network::Devnet).unwrap();
        let node = Node::new(target, endless().limits).unwrap();
        let mut own = node.connection();
        let request = crate::discovery::block_request(1);
        let asked = node.ask_over(request, None, own.as_mut()).await;
        let told = format!("{:?}", asked.map(drop));
        assert!(told.contains("refused"), "{told}");
    }

    #[tokio::test]
    async fn a_long_answer_takes_little_memory_before_it_has_its_turn() {
        let node = endless();
        let request = crate::discovery::block_request(1);
        let mut part = node.begin(&request, 0, true, None).await.ok().unwrap();
        assert!(!part.whole && part.body.len() > LONG_BODY);
        let taken = part.body.capacity();
        assert!(taken < 2 * LONG_BODY + LONG_BODY / 4, "{taken}");
        let failure = node.read_on(&mut part, &request, usize::MAX).await;
        assert!(matches!(failure, Err(Failure::TooLarge(_))));
        assert_eq!(part.body.capacity(), 0);
    }
}
