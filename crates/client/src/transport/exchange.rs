//! One call's way to the node and back, with its repetitions.

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant, SystemTime},
};

use progenitor_client::{ClientHooks, ClientInfo, OperationInfo};
use reqwest::{
    Method, Request, Response, StatusCode, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};

use super::{
    Limits, answer,
    body::{self, BodyFault},
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
/// use nodeproof_client::{BaseUrl, generated, transport::{Inner, Limits, TransportOptions, http_client}};
///
/// let base: BaseUrl = "http://localhost:8420".parse()?;
/// let http = http_client(&base, &TransportOptions::default())?;
/// let client =
///     generated::Client::new_with_client(base.as_str(), http, Inner::new(Limits::default()));
/// # let _ = client;
/// # Ok::<(), nodeproof_client::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Inner {
    limits: Arc<Limits>,
    /// The time-out that the HTTP client has been built with, where that is known.
    built_in_timeout: Option<Duration>,
    exchange: Option<Arc<Exchange>>,
}

impl Inner {
    /// For a client with these limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits: Arc::new(limits),
            built_in_timeout: None,
            exchange: None,
        }
    }

    /// The same, for an HTTP client that has this time-out unless a request says otherwise.
    pub(crate) fn with_built_in_timeout(mut self, timeout: Duration) -> Self {
        self.built_in_timeout = Some(timeout);
        self
    }

    /// The same, for one call whose exchange is noted.
    fn noting(&self, exchange: Arc<Exchange>) -> Self {
        Self {
            limits: Arc::clone(&self.limits),
            built_in_timeout: self.built_in_timeout,
            exchange: Some(exchange),
        }
    }
}

/// What is known of one call when it is over, for its error.
#[derive(Debug, Default)]
pub(crate) struct Exchange(OnceLock<Notes>);

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
    /// What has been noted: nothing, where the call did not get as far as being sent.
    pub(crate) fn notes(&self) -> &Notes {
        self.0.get_or_init(Notes::default)
    }
}

/// Who calls it gets an answer to read from; the generated calls take theirs from below.
impl ClientHooks<Inner> for generated::Client {
    async fn exec(&self, request: Request, info: &OperationInfo) -> reqwest::Result<Response> {
        self.send(request, info).await.map(answer::whole)
    }
}

/// Whether what came of a try is likely to pass, and how long the node asks to wait.
fn passing(outcome: &reqwest::Result<Response>) -> Option<Option<Duration>> {
    match outcome {
        Ok(response) => {
            is_passing(response.status()).then(|| retry_after(response.headers(), SystemTime::now))
        }
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

    /// Sends the request, again where that is for reads only, and notes what came of it.
    ///
    /// The body of the answer is beside it, for [`answer::value`] and [`answer::whole`].
    pub(crate) async fn send(
        &self,
        mut request: Request,
        info: &OperationInfo,
    ) -> reqwest::Result<Response> {
        let inner = self.inner();
        let limits = &*inner.limits;
        let started = Instant::now();
        let mut left = limits.total_timeout;
        let mut notes = Notes::default();
        // A POST may have an effect that repeating it would double.
        let repeats = *request.method() == Method::GET && request.body().is_none();
        let url = request.url().clone();
        let headers = repeats.then(|| listed(request.headers()));
        let mut repetition = 0;
        let outcome = loop {
            let timeout = limits.request_timeout.min(left);
            if inner.built_in_timeout != Some(timeout) {
                *request.timeout_mut() = Some(timeout);
            }
            let outcome = self.attempt(request, info, &mut notes).await;
            let (Some(headers), Some(asked)) = (&headers, passing(&outcome)) else {
                break outcome;
            };
            let still_left = || limits.total_timeout.saturating_sub(started.elapsed());
            match limits.retry.pause(repetition, asked) {
                Some(pause) if pause < still_left() => tokio::time::sleep(pause).await,
                _ => break outcome,
            }
            left = still_left();
            request = Request::new(Method::GET, url.clone());
            for (name, value) in headers {
                request.headers_mut().append(name, value.clone());
            }
            repetition += 1;
        };
        if let Some(exchange) = &inner.exchange {
            notes.url = Some(url);
            // Each call has an exchange of its own, so nothing is there yet.
            let _noted = exchange.0.set(notes);
        }
        outcome
    }

    /// Sends the request once, and reads what comes back up to the limit.
    async fn attempt(
        &self,
        request: Request,
        info: &OperationInfo,
        notes: &mut Notes,
    ) -> reqwest::Result<Response> {
        let operation = info.operation_id;
        notes.tries += 1;
        notes.status = None;
        notes.content_type = None;
        notes.retry_after = None;
        let mut response = match self.client.execute(request).await {
            Ok(response) => response,
            Err(error) => {
                let unsent = error.is_connect() || error.is_builder();
                tracing::debug!(operation, %error, unsent, "no answer");
                notes.maybe_sent |= !unsent;
                return Err(error);
            }
        };
        let status = response.status();
        tracing::debug!(operation, status = status.as_u16(), "answer");
        note_answer(notes, status, response.headers());
        let limits = &*self.inner().limits;
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
            Ok(body) => Ok(answer::with_body(response, body)),
            Err(BodyFault::Broken(error)) => Err(error),
            Err(BodyFault::TooLarge(fault)) => Ok(answer::failing(response, fault)),
        }
    }
}

/// The headers one by one, which are copied more cheaply so than as a map.
fn listed(headers: &HeaderMap) -> Vec<(HeaderName, HeaderValue)> {
    let headers = headers.iter();
    headers
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn note_answer(notes: &mut Notes, status: StatusCode, headers: &HeaderMap) {
    notes.maybe_sent = true;
    notes.status = Some(status);
    notes.content_type = headers.get(CONTENT_TYPE).cloned();
    notes.retry_after = retry_after(headers, SystemTime::now);
}
