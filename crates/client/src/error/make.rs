//! Making errors.

use std::error::Error as StdError;

use reqwest::StatusCode;
use serde::de::IgnoredAny;

use super::{Error, ErrorKind, Inner, Source, detail, sources};
use crate::{
    BaseUrl, InputError,
    call::Operation,
    generated,
    transport::{BodyTooLarge, Exchange, SecretHeaders, proxy_note, tls_advice},
};
use nodeproof_primitives::{
    Integer,
    escape::{escaped_up_to, excerpt},
    redact::Secrets,
};

/// The maximum length of a body's excerpt in an error, in bytes.
const EXCERPT: usize = 512;

impl Error {
    /// Creates the error for an invalid setting, with its cause. Nothing was sent yet.
    pub(crate) fn configuration(
        message: impl Into<String>,
        source: impl StdError + Send + Sync + 'static,
    ) -> Self {
        InputError::because(message, source).into()
    }

    /// Creates the same error without a cause.
    pub(crate) fn unusable(message: impl Into<String>) -> Self {
        Self::from_kind(ErrorKind::Configuration, message)
    }

    pub(crate) fn from_kind(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            operation: None,
            url: None,
            tries: 0,
            maybe_sent: false,
            status: None,
            detail: None,
            excerpt: None,
            is_json: false,
            retry_after: None,
            message: message.into(),
            source: None,
        }))
    }

    /// Creates the error for a block without transactions.
    pub(crate) fn no_transactions(index: &Integer) -> Self {
        let index = escaped_up_to(&index.to_string(), 40);
        let message = format!(
            "block {index} does not show its transactions and receipts: the node returns rows of its \
             block table; use a node that returns whole blocks"
        );
        Self::from_kind(ErrorKind::NoTransactions, message)
    }

    /// Returns the same error with the address of the node.
    pub(crate) fn of_node(mut self, node: &BaseUrl) -> Self {
        self.0.url = Some(node.to_string());
        self
    }

    /// Creates an error with the message of another one, and with the causes of that one.
    pub(crate) fn repeating(
        kind: ErrorKind,
        source: impl StdError + Send + Sync + 'static,
    ) -> Self {
        let mut error = Self::from_kind(kind, source.to_string());
        error.0.source = Some(Source::Repeated(Box::new(source)));
        error
    }

    #[cfg(test)]
    pub(crate) fn with_retry_after(mut self, pause: std::time::Duration) -> Self {
        self.0.retry_after = Some(pause);
        self
    }

    /// Returns an error with the same request and response, and another kind and message.
    pub(crate) fn into_kind(mut self, kind: ErrorKind, message: String) -> Self {
        self.0.kind = kind;
        self.0.message = message;
        self.0.source = None;
        self
    }

    fn with_body(mut self, body: &[u8]) -> Self {
        if !body.is_empty() {
            self.0.excerpt = Some(excerpt(body, EXCERPT));
        }
        self
    }

    /// Creates the error for a response that is in no stated form. `reason` names the first wrong
    /// place.
    pub(crate) fn undecodable(
        operation: Operation,
        exchange: &Exchange,
        body: &[u8],
        reason: &str,
    ) -> Self {
        let content_type = exchange.notes().content_type.clone();
        let content_type =
            content_type.map(|stated| String::from_utf8_lossy(stated.as_bytes()).into_owned());
        let stated = content_type
            .filter(|stated| !stated.to_ascii_lowercase().contains("json"))
            .map(|stated| format!(" (sent as {})", escaped_up_to(&stated, 60)))
            .unwrap_or_default();
        let detail = detail::of(body);
        let words = detail
            .as_ref()
            .map(|words| format!("; the node's message: {}", escaped_up_to(words, 100)))
            .unwrap_or_default();
        let message = format!(
            "the response is not {}{stated}: {reason}{words}",
            operation.response
        );
        let mut error = Self::from_kind(ErrorKind::Decode, message).with_body(body);
        error.0.detail = detail;
        error.of_call(operation, exchange)
    }

    /// Creates the error for a response that contradicts the request or itself.
    pub(crate) fn contradictory(operation: Operation, exchange: &Exchange, reason: &str) -> Self {
        let message = format!("in the response, {reason}");
        Self::from_kind(ErrorKind::Decode, message).of_call(operation, exchange)
    }

    /// Creates the error for a failed request of the [generated client](crate::Client::generated).
    ///
    /// It has neither the URL nor the number of tries.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) {
    /// if let Err(failure) = node.generated().get_block(&1200_u64.into()).await {
    ///     let error = nodeproof_client::Error::from_generated(failure).await;
    ///     println!("{}", error.reason());
    /// }
    /// # }
    /// ```
    pub async fn from_generated(failure: generated::Error<()>) -> Self {
        Self::from_failure("a response", failure).await
    }

    /// Creates the error for a failed request, with the notes about it.
    pub(crate) async fn from_call(
        operation: Operation,
        exchange: &Exchange,
        failure: generated::Error<()>,
    ) -> Self {
        let error = Self::from_failure(operation.response, failure).await;
        let error = error.of_call(operation, exchange);
        tracing::debug!(kind = ?error.kind(), reason = error.reason(), "failed");
        error
    }

    async fn from_failure(what: &'static str, failure: generated::Error<()>) -> Self {
        use generated::Error as Call;

        match failure {
            Call::CommunicationError(source)
            | Call::ResponseBodyError(source)
            | Call::InvalidUpgrade(source) => Self::from_transport(source),
            Call::InvalidResponsePayload(body, source) => {
                let reason = escaped_up_to(&source.to_string(), 200);
                let message = format!("the response is not {what}: {reason}");
                Self::from_kind(ErrorKind::Decode, message).with_body(&body)
            }
            Call::UnexpectedResponse(response) => Self::from_status(what, response).await,
            Call::ErrorResponse(response) => {
                Self::from_kind(ErrorKind::Status, responded_with(response.status()))
            }
            Call::InvalidRequest(reason) | Call::Custom(reason) => Self::from_kind(
                ErrorKind::Configuration,
                format!("the request can't be made: {}", escaped_up_to(&reason, 200)),
            ),
        }
    }

    fn of_call(mut self, operation: Operation, exchange: &Exchange) -> Self {
        let notes = exchange.notes().clone();
        let inner = &mut self.0;
        inner.operation = Some(operation.id);
        let is_unanswered = matches!(
            inner.kind,
            ErrorKind::Connect | ErrorKind::Connection | ErrorKind::Timeout
        );
        let unanswered = notes.url.as_ref().filter(|_| is_unanswered);
        if let Some(proxy) = unanswered.and_then(proxy_note) {
            inner.message = format!("{} ({proxy})", inner.message);
        }
        inner.url = notes.url.map(String::from);
        inner.tries = notes.tries;
        inner.maybe_sent = notes.maybe_sent;
        inner.status = notes.status;
        inner.retry_after = notes.retry_after;
        let mut secrets = Secrets::default();
        notes.headers.add_to(&mut secrets);
        self.without_secrets(&secrets)
    }

    /// Returns the same error without these secrets, which a node can send back.
    pub(crate) fn without_secrets(mut self, secrets: &Secrets) -> Self {
        let redact = |text: &str| secrets.redact(text, SecretHeaders::REDACTED);
        let inner = &mut self.0;
        let hide = |text: &mut String| {
            if let Some(harmless) = redact(text) {
                *text = harmless;
            }
        };
        hide(&mut inner.message);
        inner.detail.as_mut().map(hide);
        inner.excerpt.as_mut().map(hide);
        let shows = |source: &Source| {
            let source: &(dyn StdError + 'static) = match source {
                Source::Repeated(source) => &**source,
                Source::Http(source) => source,
            };
            let debug = format!("{source:?}");
            sources(source)
                .map(ToString::to_string)
                .chain([debug])
                .any(|text| redact(&text).is_some())
        };
        if !secrets.is_empty() {
            inner.source = inner.source.take().filter(|source| !shows(source));
        }
        self
    }

    fn from_transport(source: reqwest::Error) -> Self {
        if let Some(fault) = sources(&source).find_map(<dyn StdError>::downcast_ref::<BodyTooLarge>)
        {
            return Self::from_kind(ErrorKind::BodyTooLarge, fault.to_string());
        }
        if let Some(advice) = tls_advice(&source) {
            return Self::from_kind(ErrorKind::Connect, format!("can't connect: {advice}"));
        }
        let source = source.without_url();
        let (kind, message) = if source.is_connect() {
            (ErrorKind::Connect, "can't connect")
        } else if source.is_timeout() {
            (ErrorKind::Timeout, "no complete response in time")
        } else if source.is_builder() {
            (ErrorKind::Configuration, "the request can't be made")
        } else {
            (ErrorKind::Connection, "the connection failed")
        };
        let mut error = Self::from_kind(kind, message);
        error.0.source = Some(Source::Http(source));
        error
    }

    async fn from_status(what: &'static str, response: reqwest::Response) -> Self {
        let status = response.status();
        let location = response
            .headers()
            .get(reqwest::header::LOCATION)
            .map(|location| escaped_up_to(&String::from_utf8_lossy(location.as_bytes()), 200));
        // The body is already in memory.
        let body = response.bytes().await.unwrap_or_default();
        let detail = detail::of(&body);
        let mut message = responded_with(status);
        if let Some(detail) = &detail {
            message = format!("{message}: {detail}");
        } else if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
            let to = location.map(|to| format!(" to {to}")).unwrap_or_default();
            message =
                format!("{message}: a redirect{to}, which is not followed; is the base URL right?");
        } else if !status.is_client_error() && !status.is_server_error() {
            message = format!("{message}, where 200 with {what} belongs");
        } else if !body.is_empty() {
            message = format!("{message}: {}", excerpt(&body, 120));
        }
        let mut error = Self::from_kind(ErrorKind::Status, message).with_body(&body);
        error.0.status = Some(status);
        error.0.detail = detail;
        error.0.is_json = serde_json::from_slice::<IgnoredAny>(&body).is_ok();
        error
    }
}

fn responded_with(status: StatusCode) -> String {
    let reason = status
        .canonical_reason()
        .map(|reason| format!(" {reason}"))
        .unwrap_or_default();
    let who = match status {
        StatusCode::PROXY_AUTHENTICATION_REQUIRED => "a proxy",
        _ => "the node",
    };
    format!("{who} responded with {}{reason}", status.as_u16())
}
