//! Why a request got no response that can be used.

use std::{error::Error, io};

use nodeproof_client::transport::{proxy_note, tls_advice};
use nodeproof_primitives::{escape::escaped_up_to, with_causes};

use super::inconclusive_reason::InconclusiveReason;

/// Advice for a response that is not HTTP.
const NOT_HTTP: &str = "; this is not a response in HTTP: check the port, and whether the base URL \
                        should begin with http or https";

/// What hyper reports of a body with too much of that. Nothing else shows it.
const HTTP_LIMITS: [&str; 3] = [
    "chunk extensions over limit",
    "chunk trailers bytes over limit",
    "chunk trailers count overflow",
];

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
    /// The response exceeds a limit, or what other responses leave of it.
    TooLarge(String),
}

impl Failure {
    pub(super) fn of(error: &reqwest::Error) -> Self {
        let mut reason = escaped_up_to(&causes(error), 300);
        if exceeds_http_limits(error) {
            reason.push_str("; the checks read no longer headers, trailers or chunk extensions");
            return Self::TooLarge(reason);
        }
        if is_not_http(error) {
            reason.push_str(NOT_HTTP);
        } else if let Some(advice) = tls_advice(error) {
            reason = advice.to_owned();
        }
        if let Some(proxy) = error.url().and_then(proxy_note) {
            reason = format!("{reason}; {}", escaped_up_to(&proxy, 120));
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

/// Whether the response may be HTTP, with more headers, trailers or chunk extensions than hyper reads.
fn exceeds_http_limits(error: &reqwest::Error) -> bool {
    let head = |error: &hyper::Error| error.is_parse_too_large();
    let chunks = |error: &io::Error| HTTP_LIMITS.contains(&error.to_string().as_str());
    sources(error).any(|source| {
        source.downcast_ref().is_some_and(head) || source.downcast_ref().is_some_and(chunks)
    })
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
