//! Making errors.

use std::error::Error as StdError;

use reqwest::{StatusCode, header::HeaderMap};

use super::{DecodeError, Error, ErrorKind, Inner, detail, sources};
use crate::{
    FieldError, generated,
    operation::Operation,
    transport::{BodyTooLarge, Exchange, headers::redacted},
};
use nodeproof_primitives::{
    TransactionCode,
    escape::{escaped_up_to, excerpt},
};

/// The maximum length of a body's excerpt in an error, in bytes.
const EXCERPT: usize = 512;

impl Error {
    /// Creates the error for an invalid setting or value. Nothing was sent yet.
    pub(crate) fn configuration(
        message: impl Into<String>,
        source: impl StdError + Send + Sync + 'static,
    ) -> Self {
        Self::from_kind(ErrorKind::Configuration, message).caused_by(source)
    }

    /// Creates the same error without a source.
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
            is_page: false,
            retry_after: None,
            trans_code: None,
            message: message.into(),
            source: None,
        }))
    }

    pub(crate) fn caused_by(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.0.source = Some(Box::new(source));
        self
    }

    /// Wraps an error of your own, so that `?` works in a program that uses this error everywhere.
    ///
    /// ```
    /// use nodeproof_client::{Error, ErrorKind};
    ///
    /// fn height_in_file(text: &str) -> Result<u64, Error> {
    ///     text.trim().parse().map_err(Error::other)
    /// }
    /// assert_eq!(height_in_file("x").unwrap_err().kind(), ErrorKind::Other);
    /// ```
    pub fn other(source: impl StdError + Send + Sync + 'static) -> Self {
        Self::from_kind(ErrorKind::Other, source.to_string()).caused_by(source)
    }

    /// Returns the same error as that of a signed transaction.
    pub(crate) fn about(mut self, code: TransactionCode) -> Self {
        self.0.trans_code = Some(code);
        self
    }

    #[cfg(test)]
    pub(crate) fn with_retry_after(mut self, pause: std::time::Duration) -> Self {
        self.0.retry_after = Some(pause);
        self
    }

    /// Returns the same error with a longer message.
    pub(crate) fn within(mut self, place: &str) -> Self {
        self.0.message = format!("{place}: {}", self.0.message);
        self
    }

    /// Returns the same error with the request, the response and the number of attempts of `other`.
    pub(crate) fn with_exchange_of(mut self, other: &Self) -> Self {
        let (inner, other) = (&mut self.0, &other.0);
        inner.operation = other.operation;
        inner.url.clone_from(&other.url);
        inner.tries = other.tries;
        inner.status = other.status;
        inner.detail.clone_from(&other.detail);
        inner.excerpt.clone_from(&other.excerpt);
        inner.is_page = other.is_page;
        inner.retry_after = other.retry_after;
        self
    }

    /// Returns the same error with `maybe_sent` set.
    pub(crate) fn sent(mut self, maybe: bool) -> Self {
        self.0.maybe_sent = maybe;
        self
    }

    fn with_body(mut self, body: &[u8]) -> Self {
        if !body.is_empty() {
            self.0.excerpt = Some(excerpt(body, EXCERPT));
            self.0.is_page = body.trim_ascii_start().starts_with(b"<");
        }
        self
    }

    /// Creates the error for a response that can't be read as `what`.
    fn undecodable(
        what: &'static str,
        exchange: &Exchange,
        body: &[u8],
        source: serde_json::Error,
    ) -> Self {
        let fault = DecodeError::new(what, body, source);
        let content_type = exchange.notes().content_type.clone();
        let content_type =
            content_type.map(|stated| String::from_utf8_lossy(stated.as_bytes()).into_owned());
        let stated = content_type
            .filter(|stated| !stated.to_ascii_lowercase().contains("json"))
            .map(|stated| format!(" (sent as {})", escaped_up_to(&stated, 60)))
            .unwrap_or_default();
        Self::from_kind(
            ErrorKind::Decode,
            format!("the response is not {what}{stated}: {}", fault.reason()),
        )
        .with_body(body)
        .caused_by(fault)
    }

    /// Creates the error for a response with a requested part that can't be read.
    pub(crate) fn unreadable(operation: Operation, exchange: &Exchange, fault: FieldError) -> Self {
        let mut error = Self::from_kind(ErrorKind::Decode, format!("in the response, {fault}"));
        if let Some(raw) = fault.raw() {
            error = error.with_body(raw.as_str().as_bytes());
        }
        error.caused_by(fault).of_call(operation, exchange)
    }

    /// Creates the error for a failed request of the generated client, with the notes about it.
    pub(crate) async fn from_call<E>(
        operation: Operation,
        exchange: &Exchange,
        failure: generated::Error<E>,
    ) -> Self {
        use generated::Error as Call;

        let error = match failure {
            Call::CommunicationError(source)
            | Call::ResponseBodyError(source)
            | Call::InvalidUpgrade(source) => Self::from_transport(source),
            Call::InvalidResponsePayload(body, source) => {
                Self::undecodable(operation.response, exchange, &body, source)
            }
            Call::UnexpectedResponse(response) => {
                Self::from_status(operation.response, response).await
            }
            Call::ErrorResponse(response) => {
                Self::from_kind(ErrorKind::Status, responded_with(response.status()))
            }
            Call::InvalidRequest(reason) | Call::Custom(reason) => Self::from_kind(
                ErrorKind::Configuration,
                format!("the request can't be made: {}", escaped_up_to(&reason, 200)),
            ),
        };
        let error = error.of_call(operation, exchange);
        tracing::debug!(kind = ?error.kind(), reason = error.reason(), "failed");
        error
    }

    fn of_call(mut self, operation: Operation, exchange: &Exchange) -> Self {
        let notes = exchange.notes().clone();
        let inner = &mut self.0;
        inner.operation = Some(operation.id);
        inner.url = notes.url.map(String::from);
        inner.tries = notes.tries;
        inner.maybe_sent = notes.maybe_sent;
        inner.status = notes.status;
        inner.retry_after = notes.retry_after;
        self.without_secrets(&notes.headers)
    }

    /// Returns the same error without the values of these headers, which a node can send back.
    fn without_secrets(mut self, headers: &HeaderMap) -> Self {
        let inner = &mut self.0;
        let hide = |text: &mut String| {
            if let Some(harmless) = redacted(headers, text) {
                *text = harmless;
            }
        };
        hide(&mut inner.message);
        inner.detail.as_mut().map(hide);
        inner.excerpt.as_mut().map(hide);
        let shows = |source: &(dyn StdError + Send + Sync + 'static)| {
            let debug = format!("{source:?}");
            sources(source)
                .map(ToString::to_string)
                .chain([debug])
                .any(|text| redacted(headers, &text).is_some())
        };
        if !headers.is_empty() {
            inner.source = inner.source.take().filter(|source| !shows(&**source));
        }
        self
    }

    fn from_transport(source: reqwest::Error) -> Self {
        if let Some(fault) = find::<BodyTooLarge>(&source) {
            let message = fault.to_string();
            return Self::from_kind(ErrorKind::BodyTooLarge, message).caused_by(source);
        }
        let cause = escaped_up_to(&innermost(&source), 200);
        let source = source.without_url();
        let (kind, message) = if source.is_connect() {
            (ErrorKind::Connect, format!("can't connect: {cause}"))
        } else if source.is_timeout() {
            (
                ErrorKind::Timeout,
                "no complete response in time".to_owned(),
            )
        } else if source.is_builder() {
            (
                ErrorKind::Configuration,
                format!("the request can't be made: {cause}"),
            )
        } else {
            (
                ErrorKind::Connection,
                format!("the connection failed: {cause}"),
            )
        };
        Self::from_kind(kind, message).caused_by(source)
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
        error.0.detail = detail;
        error
    }
}

fn responded_with(status: StatusCode) -> String {
    let reason = status
        .canonical_reason()
        .map(|reason| format!(" {reason}"))
        .unwrap_or_default();
    format!("the node responded with {}{reason}", status.as_u16())
}

/// Returns the first error of this type in the chain.
fn find<'e, T: StdError + 'static>(error: &'e (dyn StdError + 'static)) -> Option<&'e T> {
    sources(error).find_map(<dyn StdError>::downcast_ref)
}

/// Returns the message of the last error in the chain. The others only report that there was one.
fn innermost(error: &(dyn StdError + 'static)) -> String {
    sources(error)
        .last()
        .map(ToString::to_string)
        .unwrap_or_default()
}
