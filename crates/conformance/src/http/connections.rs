//! One request and its whole response, over HTTP or in process, within the limits of time and size.

use std::{
    convert::Infallible,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use futures_util::{StreamExt as _, future::select, stream};
use nodeproof_client::{
    BaseUrl,
    transport::{BodyFault, BoundedResponse, TransportOptions, http_client, retry_after},
};
use nodeproof_primitives::JsonLimits;
use reqwest::{Version, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::{
    exchange::{Exchange, Method, Request},
    failure::Failure,
    limits::Limits,
    room::{Room, Share},
    silent_paths::SilentPaths,
    target::Target,
    threads::Threads,
    wording::Wording,
};

const MIB: usize = 1024 * 1024;
/// Length, in bytes, from which bodies are read one at a time.
const LONG_BODY: usize = 64 * 1024;
/// Number of JSON values from which the blocks of a sweep are parsed one at a time.
const MANY_VALUES: usize = 4_000;
/// Disables the time limit of the HTTP client.
const NO_TIMEOUT: Duration = Duration::from_secs(24 * 3600);
/// The time in which the end of a body is sent, before its client leaves.
const BEFORE_LEAVING: Duration = Duration::from_millis(1);
/// The pause between two pieces of a body.
const BETWEEN_PIECES: Duration = Duration::from_millis(100);
/// The user agent of all requests.
const USER_AGENT: &str = concat!("nodeproof/", env!("CARGO_PKG_VERSION"));

/// The connections to a node.
pub(super) struct Connections {
    pub(super) target: Target,
    /// The target's base URL, shared by all exchanges.
    pub(super) base: Arc<BaseUrl>,
    /// The options of curl commands that send a request again.
    curl_options: Arc<str>,
    /// Keeps idle connections for the next request.
    keeping: reqwest::Client,
    /// Opens a new connection for each request.
    renewing: reqwest::Client,
    threads: Threads,
    pub(super) limits: Limits,
    /// Allows one long body at a time.
    long_bodies: Arc<Semaphore>,
    room: Room,
    pub(super) silent: SilentPaths,
    /// Whether the node responds with HTTP/1.0.
    is_old: AtomicBool,
}

/// A response to one request.
pub(super) struct Tried {
    pub(super) exchange: Exchange,
    /// Held until a long response has been processed.
    pub(super) permit: Option<OwnedSemaphorePermit>,
    /// How long the node asks to wait before the next request.
    pub(super) retry_after: Option<Duration>,
}

impl Connections {
    pub(super) fn new(target: Target, limits: Limits) -> Result<Self, nodeproof_client::Error> {
        let mut options = TransportOptions {
            connect_timeout: limits.request_timeout,
            // `send` has the time limit. It starts again after a response waited for a permit.
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
            threads: Threads::default(),
            limits,
            long_bodies: Arc::new(Semaphore::new(1)),
            room: Room::new(limits.values, limits.all_bodies()),
            silent: SilentPaths::default(),
            is_old: AtomicBool::new(false),
            target,
        })
    }

    /// Sends a request once, on a new connection if `renews`, and reads the whole response.
    ///
    /// The response of a caller that sends many at a time has a permit if it is long. Each other one has its share of
    /// what all responses in use may have together.
    pub(super) async fn send(
        &self,
        request: &Request,
        renews: bool,
        is_one_of_many: bool,
    ) -> Result<Tried, Failure> {
        let started = Instant::now();
        // Declared before the response, so the response is dropped first.
        let mut permit = None;
        let start = async {
            let response = self.response(request, renews).await?;
            let mut response = BoundedResponse::new(response, self.limits.body);
            let is_whole = self.read(request, &mut response, LONG_BODY).await?;
            Ok((response, is_whole))
        };
        let (mut response, is_whole) = self.in_time(request, is_one_of_many, start).await?;
        if !is_whole {
            permit = self.permit().await;
            // The time limit starts again, because the wait for the permit is not the node's fault.
            let rest = self.read(request, &mut response, usize::MAX);
            self.in_time(request, is_one_of_many, rest).await?;
        }
        let values = self.values(request, &response.body)?;
        let mut share = None;
        if !is_one_of_many {
            permit = None;
            share = Some(self.share(request, values, &response.body)?);
        } else if permit.is_none() && values > MANY_VALUES {
            permit = self.permit().await;
        }
        let is_old = response.response.version() == Version::HTTP_10;
        if is_old && request.wording != Wording::Old {
            self.is_old.store(true, Relaxed);
        }
        let retry_after = retry_after(response.response.headers());
        let mut exchange = Exchange::of_response(request, &self.base, response, started.elapsed());
        exchange.values = values;
        exchange.share = share;
        exchange.max_depth = self.limits.depth;
        exchange.curl_options = Arc::clone(&self.curl_options);
        Ok(Tried {
            exchange,
            permit,
            retry_after,
        })
    }

    /// Whether only one connection is open at a time.
    pub(super) const fn has_one(&self) -> bool {
        self.limits.jobs == 1
    }

    /// Sends a request, and returns when the response's headers have arrived.
    async fn response(
        &self,
        request: &Request,
        renews: bool,
    ) -> Result<reqwest::Response, Failure> {
        let url = request.url(&self.target.base_url);
        let closes = request.wording == Wording::Closing || self.has_one();
        let held = match self.holds_half(request) {
            true => self.hold_half(request).await,
            false => None,
        };
        if self.follows_another(request) && !renews {
            self.send_before(request).await;
        }
        let http = match renews || closes || held.is_some() {
            true => &self.renewing,
            false => &self.keeping,
        };
        let mut sent = match (request.method, &request.body) {
            (Method::Get, _) => http.get(url),
            (Method::Post, body) => {
                let body = body.clone().unwrap_or_default();
                let is_in_pieces =
                    request.wording.is_in_pieces() && self.target.in_process.is_none();
                // HTTP/1.0 has no chunks.
                match is_in_pieces && !self.is_old.load(Relaxed) {
                    true => http
                        .post(url)
                        .body(in_pieces(&body, tokio::time::sleep(BETWEEN_PIECES))),
                    false => http.post(url).body(body),
                }
            }
        };
        if closes {
            sent = sent.header(header::CONNECTION, "close");
        }
        if request.wording == Wording::Old {
            sent = sent.version(Version::HTTP_10);
        }
        if let (Wording::InPieces, Some(body)) = (request.wording, &request.body) {
            sent = sent.header(header::CONTENT_LENGTH, body.len());
        }
        self.dispatch(self.with_headers(sent, request)).await
    }

    async fn dispatch(&self, sent: reqwest::RequestBuilder) -> Result<reqwest::Response, Failure> {
        match &self.target.in_process {
            Some(node) => node.send(sent).await,
            None => {
                let sent = self.threads.run(sent.send());
                sent.await.map_err(|error| Failure::of(&error))
            }
        }
    }

    /// Adds the headers of a request, and those that the user gives.
    fn with_headers(
        &self,
        mut sent: reqwest::RequestBuilder,
        request: &Request,
    ) -> reqwest::RequestBuilder {
        for (name, value) in request.headers() {
            // The connection needs these two, and sets them by itself.
            if !matches!(
                (name, value),
                ("connection", "close") | ("transfer-encoding", _)
            ) {
                sent = sent.header(name, value);
            }
        }
        sent.headers((**self.target.access.headers()).clone())
    }

    /// Returns the number of requests that are sent for one.
    pub(super) fn requests_for(&self, request: &Request) -> u64 {
        let more = 2 * u64::from(self.holds_half(request));
        1 + more + u64::from(self.follows_another(request))
    }

    /// Whether half of this request is sent on a connection of its own, and then a GET.
    fn holds_half(&self, request: &Request) -> bool {
        let has_others = self.target.in_process.is_none() && !self.has_one();
        request.wording == Wording::BesideHalf && has_others
    }

    /// Sends half of a request on a connection of its own. The other half follows when the returned sender is dropped.
    ///
    /// There is none if the node handles one connection at a time, so that it does not respond to a GET either.
    async fn hold_half(&self, request: &Request) -> Option<oneshot::Sender<()>> {
        let body = request.body.as_ref()?;
        let (hold, held) = oneshot::channel::<()>();
        let (is_waiting, waits) = oneshot::channel::<()>();
        let rest = async {
            // Nobody waits for this any more if the node was slow.
            let _ = is_waiting.send(());
            let _ = held.await;
        };
        let limit = self.limits.request_timeout;
        let half = self.in_halves(request, body, rest).timeout(limit * 2);
        // The node may also respond before the rest arrives, or close the connection. Nothing depends on it.
        self.threads.spawn(half.send());
        let other = Request::get("/get-block");
        let get = self.renewing.get(other.url(&self.target.base_url));
        let get = self.with_headers(get, &other);
        let responds = async {
            waits.await.ok()?;
            tokio::time::sleep(BETWEEN_PIECES).await;
            self.threads.run(get.send()).await.ok()
        };
        let responded = tokio::time::timeout(limit / 3, responds).await;
        responded.ok().flatten().map(|_| hold)
    }

    /// Returns a POST request on a connection of its own, with a body in two pieces.
    fn in_halves(
        &self,
        request: &Request,
        body: &str,
        pause: impl Future<Output = ()> + Send + 'static,
    ) -> reqwest::RequestBuilder {
        let halves = self
            .renewing
            .post(request.url(&self.target.base_url))
            .header(header::CONTENT_LENGTH, body.len())
            .body(in_pieces(body, pause));
        self.with_headers(halves, request)
    }

    /// Whether the same request is sent before in another way, whose response does not count.
    fn follows_another(&self, request: &Request) -> bool {
        match request.wording {
            Wording::AfterLeaving => self.target.in_process.is_none(),
            wording => wording == Wording::AfterHead,
        }
    }

    async fn send_before(&self, request: &Request) {
        if request.wording == Wording::AfterLeaving {
            return self.leave(request).await;
        }
        let http = match self.has_one() {
            true => &self.renewing,
            false => &self.keeping,
        };
        let head = http.head(request.url(&self.target.base_url));
        let head = self.with_headers(head, request);
        // A node may refuse it. The request that follows shows whether something is left of it.
        let head = head.timeout(self.limits.request_timeout);
        let _ = self.dispatch(head).await;
    }

    /// Sends a request on a connection of its own, and closes it before the response arrives.
    async fn leave(&self, request: &Request) {
        let Some(body) = &request.body else { return };
        let (is_sent, sent) = oneshot::channel::<()>();
        let rest = async {
            let _ = is_sent.send(());
        };
        let left = self.in_halves(request, body, rest);
        let left = left.timeout(self.limits.request_timeout).send();
        let left = pin!(self.threads.run(left));
        let leaving = pin!(async {
            let _ = sent.await;
            tokio::time::sleep(BEFORE_LEAVING).await;
        });
        // The request that follows on another connection shows what became of it.
        let _ = select(left, leaving).await;
    }

    /// Fails if the node does not respond in time. Each of many requests at a time gets the whole time limit: they would all
    /// be lost in one short outage.
    async fn in_time<T>(
        &self,
        request: &Request,
        is_one_of_many: bool,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let usual = self.limits.request_timeout;
        let limit = match is_one_of_many {
            true => usual,
            false => self.silent.limit(request.path, usual),
        };
        let began = Instant::now();
        let done = tokio::time::timeout(limit, work).await;
        if !matches!(done, Ok(Err(_))) {
            let took = done.is_ok().then(|| began.elapsed());
            self.silent.note(request.path, took);
        }
        done.unwrap_or_else(|_| {
            let one_connection = match self.has_one() || request.wording == Wording::BesideHalf {
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
    pub(super) async fn permit(&self) -> Option<OwnedSemaphorePermit> {
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

/// Returns a body that is sent in two pieces, the second one after `pause`. The cut is inside the first character that has
/// more than one byte.
fn in_pieces(body: &str, pause: impl Future<Output = ()> + Send + 'static) -> reqwest::Body {
    let mut characters = body.char_indices();
    let long = characters.find(|(_, character)| !character.is_ascii());
    let cut = long.map_or(body.len() / 2, |(at, _)| at + 1);
    let (first, rest) = body.as_bytes().split_at(cut);
    let rest = rest.to_vec();
    let rest = stream::once(async {
        pause.await;
        rest
    });
    let pieces = stream::iter([first.to_vec()]).chain(rest);
    reqwest::Body::wrap_stream(pieces.map(Ok::<_, Infallible>))
}
