//! The hooks of the generated client: limits, retries, and notes for errors.

use std::{
    num::NonZeroU32,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use nodeproof_primitives::JsonLimits;
use progenitor_client::{ClientHooks, OperationInfo};
use reqwest::{
    Method, Request, Response, StatusCode, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue},
};

use tokio::runtime::Handle;
use tracing::Instrument as _;

use super::{
    body::{BodyFault, BodyTooLarge, BoundedResponse},
    busy::on_runtime,
    headers::SecretHeaders,
    options::Limits,
    pace::Pace,
    response,
    retry::{is_transient, retry_after},
    routes::{Route, Routes},
};
use crate::generated;

/// The maximum length of the body that is read from a failed response, in bytes.
const FAILURE_BODY: usize = 64 * 1024;

/// The state of a generated client's hooks: its limits, and the place for the notes of a request.
#[derive(Clone, Debug, Default)]
pub struct HookState {
    limits: Arc<Limits>,
    headers: Arc<SecretHeaders>,
    pace: Option<Arc<Pace>>,
    /// The nodes for reads, if there are several.
    routes: Option<Arc<Routes>>,
    exchange: Option<Arc<Exchange>>,
    /// Where connections are, if not on the runtime of the caller.
    runtime: Option<Handle>,
}

impl HookState {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits: Arc::new(limits),
            ..Self::default()
        }
    }

    /// Sends these headers with every request.
    pub(crate) fn with_headers(mut self, headers: SecretHeaders) -> Self {
        self.headers = Arc::new(headers);
        self
    }

    /// Opens connections on this runtime.
    pub(crate) fn with_runtime(mut self, runtime: Option<Handle>) -> Self {
        self.runtime = runtime;
        self
    }

    /// Sets the maximum number of requests in a second.
    pub(crate) fn with_rate(mut self, per_second: Option<NonZeroU32>) -> Self {
        self.pace = per_second.map(|rate| Arc::new(Pace::new(Duration::from_secs(1) / rate.get())));
        self
    }

    /// Adds nodes for reads when the client's own one does not respond.
    pub(crate) fn with_fallbacks(mut self, own: Route, fallbacks: Vec<Route>) -> Self {
        self.routes = (!fallbacks.is_empty()).then(|| Arc::new(Routes::new(own, fallbacks)));
        self
    }
}

/// The notes of one request, for its error.
#[derive(Debug, Default)]
pub(crate) struct Exchange(OnceLock<Notes>);

#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    pub(crate) url: Option<Url>,
    /// The default headers. The node may have sent their values back.
    pub(crate) headers: Arc<SecretHeaders>,
    pub(crate) tries: u32,
    pub(crate) status: Option<StatusCode>,
    pub(crate) content_type: Option<HeaderValue>,
    pub(crate) retry_after: Option<Duration>,
    /// Whether the node may have acted on one of the tries.
    pub(crate) maybe_sent: bool,
}

impl Exchange {
    /// Returns the notes. They are empty if the request failed before it was sent.
    pub(crate) fn notes(&self) -> &Notes {
        self.0.get_or_init(Notes::default)
    }
}

impl generated::Client {
    /// Returns the same client for one request, with its notes in `exchange`.
    pub(crate) fn noting(&self, exchange: Arc<Exchange>) -> Self {
        let mut noting = self.clone();
        noting.inner.exchange = Some(exchange);
        noting
    }
}

impl ClientHooks<HookState> for generated::Client {
    /// Removes the header `api-version`. The generator adds it, and no node needs it.
    async fn pre<E>(
        &self,
        request: &mut Request,
        _info: &OperationInfo,
    ) -> Result<(), generated::Error<E>> {
        request.headers_mut().remove("api-version");
        Ok(())
    }

    /// Sends the request within the limits, in its own tracing span. Retries a GET.
    async fn exec(&self, request: Request, info: &OperationInfo) -> reqwest::Result<Response> {
        // The query shows what the caller is interested in, and a path above the endpoint can
        // contain the key of a gateway. Neither is recorded.
        let endpoint = request.url().path().rsplit('/').next().unwrap_or_default();
        let span = tracing::debug_span!(
            "request",
            operation = info.operation_id,
            method = %request.method(),
            path = format!("/{endpoint}"),
            status = tracing::field::Empty,
            retries = tracing::field::Empty,
        );
        let sending = self.send(request, info, &span);
        sending.instrument(span.clone()).await
    }
}

impl generated::Client {
    async fn send(
        &self,
        mut request: Request,
        info: &OperationInfo,
        span: &tracing::Span,
    ) -> reqwest::Result<Response> {
        let limits = &*self.inner.limits;
        let mut started = Instant::now();
        let mut left = limits.total_timeout;
        let mut notes = Notes {
            headers: Arc::clone(&self.inner.headers),
            ..Notes::default()
        };
        for (name, value) in self.inner.headers.iter() {
            request.headers_mut().insert(name, value.clone());
        }
        // A second POST could repeat the effect of the first.
        let may_retry = *request.method() == Method::GET && request.body().is_none();
        let routes = self.inner.routes.as_deref().filter(|_| may_retry);
        let (mut retries, mut failovers) = (0, 0);
        let mut first_route = None;
        let outcome = loop {
            if let Some(pace) = &self.inner.pace {
                // The time in the queue is not part of the time for the request.
                let queued = Instant::now();
                pace.turn().await;
                started += queued.elapsed();
            }
            let first = *first_route
                .get_or_insert_with(|| routes.map_or(0, |routes| routes.current(Instant::now())));
            let route = routes.map_or(0, |routes| (first + failovers) % routes.count());
            *request.timeout_mut() = Some(limits.request_timeout.min(left));
            let again = may_retry.then(|| request.try_clone()).flatten();
            let (request_here, http) = match (routes, request.try_clone()) {
                (Some(routes), Some(copy)) => routes
                    .readdress(copy, route)
                    .unwrap_or((request, &self.client)),
                _ => (request, &self.client),
            };
            notes.url = Some(request_here.url().clone());
            let runtime = self.inner.runtime.as_ref();
            let outcome = attempt((http, runtime), limits, request_here, info, &mut notes).await;
            let (Some(again), Some(requested)) = (again, retry_after_if_transient(&outcome)) else {
                // A response of the first one does not extend its time.
                if let Some(routes) = routes.filter(|_| failovers > 0) {
                    routes.stay(route, Instant::now());
                }
                break outcome;
            };
            if let Some(routes) = routes {
                // Each node gets a try before any of them gets a second one.
                failovers += 1;
                if failovers % routes.count() != 0 && started.elapsed() < limits.total_timeout {
                    left = limits.total_timeout.saturating_sub(started.elapsed());
                    request = again;
                    continue;
                }
            }
            let still_left = || limits.total_timeout.saturating_sub(started.elapsed());
            match limits.retry.pause(retries, requested) {
                Some(pause) if pause < still_left() => tokio::time::sleep(pause).await,
                _ => break outcome,
            }
            left = still_left();
            request = again;
            retries += 1;
        };
        span.record("retries", notes.tries.saturating_sub(1));
        if let Some(status) = notes.status {
            span.record("status", status.as_u16());
        }
        if let Some(exchange) = &self.inner.exchange {
            // Each request has its own exchange, which is still empty.
            let _noted = exchange.0.set(notes);
        }
        outcome
    }
}

/// Returns `Some` if the failure of a try may be temporary, with the `Retry-After` of the response.
fn retry_after_if_transient(outcome: &reqwest::Result<Response>) -> Option<Option<Duration>> {
    match outcome {
        Ok(response) => is_transient(response.status()).then(|| retry_after(response.headers())),
        Err(error) => (!error.is_builder()).then_some(None),
    }
}

/// Sends the request once, and reads the response up to the limits.
async fn attempt(
    (http, runtime): (&reqwest::Client, Option<&Handle>),
    limits: &Limits,
    request: Request,
    info: &OperationInfo,
    notes: &mut Notes,
) -> reqwest::Result<Response> {
    let operation = info.operation_id;
    // The generator accepts JSON unless the response is of another media type, such as a page.
    let is_json =
        request.headers().get(ACCEPT) == Some(&HeaderValue::from_static("application/json"));
    notes.tries += 1;
    notes.status = None;
    notes.content_type = None;
    notes.retry_after = None;
    // Its time-out begins here, on the runtime of the caller.
    let response = http.execute(request);
    let response = match on_runtime(runtime, response).await {
        Ok(response) => response,
        Err(error) => {
            let unsent = error.is_connect() || error.is_builder();
            // The URL contains the query, which must not be logged.
            let error = error.without_url();
            tracing::debug!(operation, %error, unsent, "no response");
            notes.maybe_sent |= !unsent;
            return Err(error);
        }
    };
    let status = response.status();
    tracing::debug!(operation, status = status.as_u16(), "response");
    note_response(notes, status, response.headers());
    if !status.is_success() {
        // Only the start is needed. A broken body ends where it broke.
        let most = limits.max_body.min(FAILURE_BODY);
        let mut reading = BoundedResponse::new(response, usize::MAX);
        let _read = reading.read_beyond(most).await;
        reading.body.truncate(most);
        return Ok(response::with_body(reading.response, reading.body));
    }
    let mut reading = BoundedResponse::new(response, limits.max_body);
    let mut read = reading.read_beyond(usize::MAX).await.map(|_| ());
    if read.is_ok() && is_json {
        let limits = JsonLimits {
            values: limits.max_values,
            depth: limits.max_depth,
        };
        let checked = limits.check(&reading.body);
        read = checked
            .map(|_| ())
            .map_err(|fault| BodyTooLarge::from(fault).into());
    }
    match read {
        Ok(()) => Ok(response::with_body(reading.response, reading.body)),
        Err(BodyFault::Read(error)) => Err(error),
        Err(BodyFault::TooLarge(fault)) => Ok(response::with_fault(reading.response, fault)),
    }
}

fn note_response(notes: &mut Notes, status: StatusCode, headers: &HeaderMap) {
    notes.maybe_sent = true;
    notes.status = Some(status);
    notes.content_type = headers.get(CONTENT_TYPE).cloned();
    notes.retry_after = retry_after(headers);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{TransportOptions, http_client};

    #[tokio::test]
    async fn a_base_that_is_no_url_is_an_error_of_the_call() {
        let base = "http://localhost:1".parse().unwrap();
        let http = http_client(&base, &TransportOptions::default()).unwrap();
        let client = generated::Client::new_with_client("no url", http, HookState::default());
        let failure = client.get_block(&1.into()).await.unwrap_err();
        let generated::Error::CommunicationError(error) = failure else {
            panic!("{failure}")
        };
        assert!(error.is_builder(), "{error}");
    }
}
