//! An answer while it comes.

use std::{
    error::Error,
    sync::Arc,
    time::{Duration, Instant},
};

use hyper::body::Bytes;
use nodeproof_client::BaseUrl;
use reqwest::header;

use super::connection::{self, Connection};
use crate::{
    exchange::{Exchange, Request},
    memory::Share,
};

/// An answer of which the body may not have come yet.
pub(super) struct Part {
    pub(super) response: Response,
    /// How long the body says it is; 0 where it does not.
    pub(super) announced: usize,
    pub(super) body: Vec<u8>,
    pub(super) share: Share,
    /// What it takes while it waits for its turn.
    pub(super) waits: Share,
    /// Whether long answers have their turn.
    pub(super) in_turn: bool,
    /// Whether the body has come to its end.
    pub(super) whole: bool,
}

/// An answer that has begun to come.
pub(super) enum Response {
    /// By the HTTP client.
    Pooled(reqwest::Response),
    /// Over a connection of one's own.
    Own(connection::Answer),
}

impl Response {
    fn status(&self) -> u16 {
        match self {
            Self::Pooled(response) => response.status().as_u16(),
            Self::Own(answer) => answer.head.status.as_u16(),
        }
    }

    /// How long the body says it is; 0 where it does not.
    pub(super) fn announced(&self) -> u64 {
        match self {
            Self::Pooled(response) => response.content_length().unwrap_or(0),
            Self::Own(answer) => answer.announced(),
        }
    }

    /// What comes next of the body.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, Failure> {
        match self {
            Self::Pooled(response) => {
                let chunk = response.chunk().await;
                chunk.map_err(|error| Failure::of(&error))
            }
            Self::Own(answer) => {
                let chunk = answer.chunk().await;
                chunk.map_err(|error| Failure::broken(&error))
            }
        }
    }
}

impl Part {
    pub(super) fn exchange(
        self,
        request: &Request,
        base: &Arc<BaseUrl>,
        started: Instant,
        own: Option<&mut Connection>,
    ) -> (Exchange, Option<Duration>) {
        let status = self.response.status();
        let headers = match (self.response, own) {
            (Response::Own(answer), Some(own)) => own.take_back(answer).headers,
            (Response::Own(answer), None) => answer.head.headers,
            (Response::Pooled(mut response), _) => std::mem::take(response.headers_mut()),
        };
        let text = |name| {
            let value = headers.get(name)?.as_bytes();
            Some(String::from_utf8_lossy(value).into_owned())
        };
        let retry_after = text(header::RETRY_AFTER)
            .and_then(|seconds| seconds.trim().parse().ok())
            .map(Duration::from_secs);
        let (content_encoding, location) = (text(header::CONTENT_ENCODING), text(header::LOCATION));
        let mut exchange = Exchange::new(
            request.clone(),
            base,
            status,
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

/// Why there is no answer.
pub(super) enum Failure {
    Broken(String),
    Slow(String),
    Limit(String),
    TooLarge(String),
}

impl Failure {
    pub(super) fn broken(error: &hyper::Error) -> Self {
        Self::Broken(nodeproof_primitives::escape::escaped_up_to(
            &causes(error),
            300,
        ))
    }

    pub(super) fn of(error: &reqwest::Error) -> Self {
        let reason = nodeproof_primitives::escape::escaped_up_to(&causes(error), 300);
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
