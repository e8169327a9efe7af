//! One call's way to the node and back, with its repetitions.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use bytes::Bytes;
use progenitor_client::{ClientHooks, ClientInfo, OperationInfo};
use reqwest::{
    Method, Request, Response, ResponseBuilderExt, StatusCode, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderValue},
};

use super::{
    Limits,
    body::{self, BodyFault, BodyTooLarge},
    is_passing, retry_after,
};
use crate::{call, generated};

/// What is read of a body that says why a request failed, in bytes.
const FAILURE_BODY: usize = 64 * 1024;

/// What a generated client carries with it: its limits, and where it notes what happened.
///
/// Only who makes a [`generated::Client`] by hand needs one:
///
/// ```
/// use node_client::{BaseUrl, generated, transport::{Inner, Limits, TransportOptions, http_client}};
///
/// let base: BaseUrl = "http://localhost:8420".parse()?;
/// let http = http_client(&base, &TransportOptions::default())?;
/// let client =
///     generated::Client::new_with_client(base.as_str(), http, Inner::new(Limits::default()));
/// # let _ = client;
/// # Ok::<(), node_client::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Inner {
    limits: Arc<Limits>,
    exchange: Option<Arc<Exchange>>,
}

impl Inner {
    /// For a client with these limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits: Arc::new(limits),
            exchange: None,
        }
    }

    /// The same, for one call whose exchange is noted.
    pub(crate) fn noting(&self, exchange: Arc<Exchange>) -> Self {
        Self {
            limits: Arc::clone(&self.limits),
            exchange: Some(exchange),
        }
    }
}

/// What is known of one call, for its error.
#[derive(Debug, Default)]
pub(crate) struct Exchange(Mutex<Notes>);

#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    pub(crate) url: Option<Url>,
    pub(crate) tries: u32,
    pub(crate) status: Option<StatusCode>,
    pub(crate) content_type: Option<HeaderValue>,
    pub(crate) retry_after: Option<Duration>,
    /// Whether a try got so far that the node may have acted on it.
    pub(crate) maybe_sent: bool,
}

impl Exchange {
    /// What has been noted so far.
    pub(crate) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn note(&self, change: impl FnOnce(&mut Notes)) {
        if let Some(exchange) = &self.exchange {
            change(&mut exchange.notes());
        }
    }
}

impl ClientHooks<Inner> for generated::Client {
    async fn exec(&self, mut request: Request, info: &OperationInfo) -> reqwest::Result<Response> {
        let inner = self.inner();
        let limits = &inner.limits;
        let started = Instant::now();
        let left = || limits.total_timeout.saturating_sub(started.elapsed());
        // A POST may have an effect that repeating it would double.
        let repeats = *request.method() == Method::GET && request.body().is_none();
        let url = request.url().clone();
        let headers = repeats.then(|| request.headers().clone());
        let mut repetition = 0;
        let outcome = loop {
            *request.timeout_mut() = Some(limits.request_timeout.min(left()));
            let outcome = self.attempt(request, info).await;
            let (Some(headers), Some(asked)) = (&headers, passing(&outcome)) else {
                break outcome;
            };
            match limits.retry.pause(repetition, asked) {
                Some(pause) if pause < left() => tokio::time::sleep(pause).await,
                _ => break outcome,
            }
            request = Request::new(Method::GET, url.clone());
            request.headers_mut().clone_from(headers);
            repetition += 1;
        };
        inner.note(|notes| notes.url = Some(url));
        outcome
    }
}

/// Whether what came of a try is likely to pass, and how long the node asks to wait.
fn passing(outcome: &reqwest::Result<Response>) -> Option<Option<Duration>> {
    match outcome {
        Ok(response) => is_passing(response.status())
            .then(|| retry_after(response.headers(), SystemTime::now())),
        Err(error) => (!error.is_builder()).then_some(None),
    }
}

impl generated::Client {
    /// The same client, for one call whose exchange is noted.
    pub(crate) fn noting(&self, exchange: Arc<Exchange>) -> Self {
        Self {
            baseurl: self.baseurl.clone(),
            client: self.client.clone(),
            inner: self.inner.noting(exchange),
        }
    }

    /// Sends the request once, and reads what comes back up to the limit.
    async fn attempt(&self, request: Request, info: &OperationInfo) -> reqwest::Result<Response> {
        let inner = self.inner();
        let operation = info.operation_id;
        inner.note(|notes| {
            notes.tries += 1;
            notes.status = None;
            notes.content_type = None;
            notes.retry_after = None;
        });
        let mut response = match self.client.execute(request).await {
            Ok(response) => response,
            Err(error) => {
                let unsent = error.is_connect() || error.is_builder();
                tracing::debug!(operation, %error, unsent, "no answer");
                inner.note(|notes| notes.maybe_sent |= !unsent);
                return Err(error);
            }
        };
        let status = response.status();
        tracing::debug!(operation, status = status.as_u16(), "answer");
        inner.note(|notes| note_answer(notes, status, response.headers()));
        let limits = &inner.limits;
        let body = if status.is_success() {
            let read = body::read(&mut response, limits.max_body).await;
            // A page is no JSON, and kept as it is.
            let is_page = operation == call::DOCS.id;
            read.and_then(|body| match is_page {
                true => Ok(body),
                false => body::measure(&body, limits.max_values, limits.max_depth)
                    .map(|()| body)
                    .map_err(BodyFault::TooLarge),
            })
        } else {
            let most = limits.max_body.min(FAILURE_BODY);
            Ok(body::read_start(&mut response, most).await)
        };
        match body {
            Ok(body) => Ok(assemble(response, body.into())),
            Err(BodyFault::Broken(error)) => Err(error),
            Err(BodyFault::TooLarge(fault)) => Ok(assemble(response, failing(fault))),
        }
    }
}

fn note_answer(notes: &mut Notes, status: StatusCode, headers: &HeaderMap) {
    notes.maybe_sent = true;
    notes.status = Some(status);
    notes.content_type = headers.get(CONTENT_TYPE).cloned();
    notes.retry_after = retry_after(headers, SystemTime::now());
}

/// A body that can't be read, and says why: the only way to hand on an error of our own here.
fn failing(fault: BodyTooLarge) -> reqwest::Body {
    reqwest::Body::wrap_stream(futures_util::stream::iter([Err::<Bytes, _>(fault)]))
}

/// The answer with its body in memory.
fn assemble(mut response: Response, body: reqwest::Body) -> Response {
    let headers = std::mem::take(response.headers_mut());
    let built = http::Response::builder()
        .status(response.status())
        .version(response.version())
        .url(response.url().clone())
        .body(body);
    // What came from a response makes one.
    let mut whole = built.unwrap_or_default();
    *whole.headers_mut() = headers;
    whole.into()
}
