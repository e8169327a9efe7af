//! A response whose body may not have arrived yet.

use std::{
    error::Error,
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use nodeproof_client::{BaseUrl, transport::tls_advice};
use nodeproof_primitives::{escape::escaped_up_to, with_causes};
use reqwest::header;

use super::{
    exchange::{Exchange, Request},
    inconclusive_reason::InconclusiveReason,
    memory::Share,
};

/// A response whose body may not have arrived yet.
pub(super) struct PartialResponse {
    response: reqwest::Response,
    /// The `Content-Length`, or 0.
    pub(super) announced: usize,
    /// The bytes of the body so far.
    pub(super) body: Vec<u8>,
    /// The body's share of the run's memory.
    pub(super) share: Share,
    /// Its share of the memory for responses that wait for a permit.
    pub(super) waits: Share,
    /// Whether the response needs a permit if it is long.
    pub(super) needs_permit: bool,
    /// Whether the body is complete.
    pub(super) whole: bool,
}

impl PartialResponse {
    pub(super) fn new(response: reqwest::Response, announced: usize, needs_permit: bool) -> Self {
        Self {
            response,
            announced,
            body: Vec::new(),
            share: Share::default(),
            waits: Share::default(),
            needs_permit,
            whole: false,
        }
    }

    /// Returns the next chunk of the body, or `None` at its end.
    pub(super) async fn chunk(&mut self) -> Result<Option<impl AsRef<[u8]> + use<>>, Failure> {
        let chunk = self.response.chunk().await;
        chunk.map_err(|error| Failure::of(&error))
    }

    /// Whether the node keeps the connection open after this response.
    pub(super) fn stays_open(&self) -> bool {
        let closes = |value: &header::HeaderValue| {
            let value = value.to_str().unwrap_or_default();
            value
                .split(',')
                .any(|option| option.trim().eq_ignore_ascii_case("close"))
        };
        let mut options = self.response.headers().get_all(header::CONNECTION).iter();
        self.response.version() == reqwest::Version::HTTP_11 && !options.any(closes)
    }

    /// Returns the exchange of a complete response, and its `Retry-After`.
    pub(super) fn into_exchange(
        self,
        request: &Request,
        base: &Arc<BaseUrl>,
        started: Instant,
    ) -> (Exchange, Option<Duration>) {
        let headers = self.response.headers();
        let text = |name| {
            let value = headers.get(name)?.as_bytes();
            Some(String::from_utf8_lossy(value).into_owned())
        };
        let retry_after = text(header::RETRY_AFTER)
            .and_then(|seconds| seconds.trim().parse().ok())
            .map(Duration::from_secs);
        let mut exchange = Exchange::new(
            request.clone(),
            base,
            self.response.status().as_u16(),
            text(header::CONTENT_TYPE),
            self.body,
            started.elapsed(),
        );
        exchange.share = self.share;
        exchange.content_encoding = text(header::CONTENT_ENCODING);
        exchange.location = text(header::LOCATION);
        (exchange, retry_after)
    }
}

/// Advice for a response that is not HTTP.
const NOT_HTTP: &str = "; this is not a response in HTTP: check the port, and whether the base URL \
                        should begin with http or https";

/// The reason why there is no response.
pub(super) enum Failure {
    /// The connection failed, or the response is not HTTP.
    Connection(String),
    /// The connection was closed before the response.
    Closed(String),
    /// The time limit of the request has passed.
    Slow(String),
    /// The maximum number of requests was reached.
    Limit(String),
    /// The body is longer than the limit, or needs more memory than is left.
    TooLarge(String),
}

impl Failure {
    pub(super) fn of(error: &reqwest::Error) -> Self {
        let mut reason = escaped_up_to(&causes(error), 300);
        if is_not_http(error) {
            reason.push_str(NOT_HTTP);
        } else if let Some(advice) = tls_advice(error) {
            reason = advice.to_owned();
        }
        if error.is_timeout() {
            Self::Slow(reason)
        } else if is_closed(error) {
            Self::Closed(reason)
        } else {
            Self::Connection(reason)
        }
    }
}

impl From<Failure> for InconclusiveReason {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Connection(reason) | Failure::Closed(reason) | Failure::Slow(reason) => {
                Self::Transport(reason)
            }
            Failure::Limit(reason) => Self::Limit(reason),
            Failure::TooLarge(reason) => Self::TooLarge(reason),
        }
    }
}

/// Whether the connection was closed or reset before the response's headers were complete.
fn is_closed(error: &reqwest::Error) -> bool {
    let reset = |error: &io::Error| {
        matches!(
            error.kind(),
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
        )
    };
    let closed = |error: &hyper::Error| {
        error.is_incomplete_message() || error.is_canceled() || error.is_closed()
    };
    let mut sources = sources(error);
    let closed = sources.any(|source| {
        source.downcast_ref().is_some_and(closed) || source.downcast_ref().is_some_and(reset)
    });
    error.is_request() && !error.is_connect() && closed
}

/// Whether the response is not HTTP.
fn is_not_http(error: &reqwest::Error) -> bool {
    let is_parse = |error: &hyper::Error| error.is_parse();
    let parsed = sources(error).any(|source| source.downcast_ref().is_some_and(is_parse));
    error.is_request() && parsed
}

fn sources(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |source: &&(dyn Error + 'static)| {
        (*source).source()
    })
}

/// Describes the causes of an error, such as "connection refused".
///
/// The outermost error is left out, because it only reports that the request failed.
fn causes(error: &dyn Error) -> String {
    error
        .source()
        .map_or_else(|| error.to_string(), with_causes)
}
