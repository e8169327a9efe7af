//! What went wrong in a call, in one type.

mod decode;
mod detail;

use std::{error::Error as StdError, fmt, time::Duration};

use reqwest::StatusCode;

pub use decode::DecodeError;

use crate::{
    BaseUrlError, FieldError,
    call::Operation,
    escape::{escaped, escaped_up_to, excerpt},
    generated,
    transport::{BodyTooLarge, Exchange, is_passing},
};

/// How much of a body an error keeps, in bytes.
const EXCERPT: usize = 512;

/// A call did not yield an answer.
///
/// It says which operation was asked of which URL, and what came back; written
/// out it is one line. Everything in it that a node sent is cut to a sensible
/// length and free of characters that a terminal acts on.
///
/// A transaction that a node refuses is no error: it is a
/// [`SubmitAnswer`](crate::SubmitAnswer) that is not valid.
///
/// ```no_run
/// # async fn example() -> Result<(), node_client::Error> {
/// let client = node_client::Client::new("http://localhost:8420")?;
/// match client.block(1200_u64).await {
///     Ok(block) => println!("{} departures", block.departures().len()),
///     Err(error) if error.is_not_found() => println!("no such block"),
///     Err(error) if error.is_retryable() => println!("later: {error}"),
///     Err(error) => return Err(error),
/// }
/// # Ok(())
/// # }
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    operation: Option<&'static str>,
    url: Option<String>,
    tries: u32,
    maybe_sent: bool,
    status: Option<StatusCode>,
    detail: Option<String>,
    excerpt: Option<String>,
    retry_after: Option<Duration>,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The client was given something that it can't work with; nothing was sent.
    Configuration,
    /// No connection came about: the host is unknown, nothing listens, or TLS failed.
    Connect,
    /// The answer was not there, or not whole, in time.
    Timeout,
    /// The connection broke, or what came over it was not HTTP.
    Connection,
    /// The node answered with a status that is no success, or none that has an answer.
    Status,
    /// The answer is larger than the client reads.
    BodyTooLarge,
    /// The answer is not what its description says: no JSON, or another kind of JSON.
    Decode,
}

impl Error {
    /// What kind of thing went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The operation that was asked, as the API's description names it: `get_block`.
    #[must_use]
    pub fn operation(&self) -> Option<&'static str> {
        self.0.operation
    }

    /// The URL that was asked, with its query.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.0.url.as_deref()
    }

    /// The status that the node answered with, if it answered.
    #[must_use]
    pub fn status(&self) -> Option<StatusCode> {
        self.0.status
    }

    /// What the node said of the failure, in one text.
    ///
    /// Nodes were seen to say it in a member `detail` or `error`, as text, as a
    /// list of faults with their places, or as an object.
    #[must_use]
    pub fn detail(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }

    /// How long the node asks to wait, from the header `Retry-After`.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The first 512 bytes of what the node answered, harmless to print.
    #[must_use]
    pub fn body_excerpt(&self) -> Option<&str> {
        self.0.excerpt.as_deref()
    }

    /// How often the request was sent, or tried to be.
    #[must_use]
    pub fn tries(&self) -> u32 {
        self.0.tries
    }

    /// Whether the request may have reached the node.
    ///
    /// For a submission this is the difference between "not sent" and "unknown":
    /// where it is true, the transaction may well be pending. Submitting the same
    /// signed transaction again is then safe, as the node knows it by its code and
    /// signature, and answers that it is not new.
    #[must_use]
    pub fn maybe_sent(&self) -> bool {
        self.0.maybe_sent
    }

    /// Whether the node says that it does not have what was asked for.
    ///
    /// The contract shows no failures. Nodes were seen to answer 400 with a
    /// detail such as `Block not found` or `Trust score not available`; 404 counts
    /// as well, which is also what a server answers that is no node.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        match self.0.status {
            Some(StatusCode::NOT_FOUND | StatusCode::GONE) => true,
            Some(status) if status.is_client_error() => self.detail().is_some_and(|detail| {
                let detail = detail.to_lowercase();
                ["not found", "not available", "does not exist"]
                    .iter()
                    .any(|words| detail.contains(words))
            }),
            _ => false,
        }
    }

    /// Whether it took too long: connecting, a try, or the whole call.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.0.kind == ErrorKind::Timeout
            || self
                .reqwest_source()
                .is_some_and(reqwest::Error::is_timeout)
    }

    /// Whether no connection came about.
    #[must_use]
    pub fn is_connect(&self) -> bool {
        self.0.kind == ErrorKind::Connect
    }

    /// Whether the same call may succeed later: the network failed, or the node was busy.
    ///
    /// For a submission look at [`maybe_sent`](Self::maybe_sent) as well.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self.0.kind {
            ErrorKind::Connect | ErrorKind::Timeout | ErrorKind::Connection => true,
            _ => self.0.status.is_some_and(is_passing),
        }
    }

    /// Whether the node was asked too often: status 429.
    #[must_use]
    pub fn is_rate_limited(&self) -> bool {
        self.0.status == Some(StatusCode::TOO_MANY_REQUESTS)
    }

    /// Whether there was an answer, but not one of the kind that is described.
    #[must_use]
    pub fn is_decode(&self) -> bool {
        self.0.kind == ErrorKind::Decode
    }

    /// Whether the answer was larger than the client reads.
    #[must_use]
    pub fn is_body_too_large(&self) -> bool {
        self.0.kind == ErrorKind::BodyTooLarge
    }

    /// Something that can't be worked with, before anything was sent.
    pub(crate) fn configuration(
        message: impl Into<String>,
        source: impl StdError + Send + Sync + 'static,
    ) -> Self {
        Self::from_kind(ErrorKind::Configuration, message).caused_by(source)
    }

    fn from_kind(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            operation: None,
            url: None,
            tries: 0,
            maybe_sent: false,
            status: None,
            detail: None,
            excerpt: None,
            retry_after: None,
            message: message.into(),
            source: None,
        }))
    }

    fn caused_by(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.0.source = Some(Box::new(source));
        self
    }

    fn with_body(mut self, body: &[u8]) -> Self {
        if !body.is_empty() {
            self.0.excerpt = Some(excerpt(body, EXCERPT));
        }
        self
    }

    fn reqwest_source(&self) -> Option<&reqwest::Error> {
        self.source().and_then(<dyn StdError>::downcast_ref)
    }

    /// An answer that can't be read as `what`.
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
            format!("the answer is not {what}{stated}: {}", fault.reason()),
        )
        .with_body(body)
        .caused_by(fault)
    }

    /// An answer of which a part that was asked for can't be read.
    pub(crate) fn unreadable(operation: Operation, exchange: &Exchange, fault: FieldError) -> Self {
        let mut error = Self::from_kind(ErrorKind::Decode, format!("in the answer, {fault}"));
        if let Some(raw) = fault.raw() {
            error = error.with_body(raw.as_str().as_bytes());
        }
        error.caused_by(fault).of_call(operation, exchange)
    }

    /// What a generated call failed with, and what was noted of it.
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
                Self::undecodable(operation.answer, exchange, &body, source)
            }
            Call::UnexpectedResponse(response) => {
                Self::from_status(operation.answer, response).await
            }
            Call::ErrorResponse(response) => {
                Self::from_kind(ErrorKind::Status, answered(response.status()))
            }
            Call::InvalidRequest(reason) | Call::Custom(reason) => Self::from_kind(
                ErrorKind::Configuration,
                format!("the request can't be made: {}", escaped_up_to(&reason, 200)),
            ),
        };
        let error = error.of_call(operation, exchange);
        tracing::debug!(%error, "failed");
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
        self
    }

    fn from_transport(source: reqwest::Error) -> Self {
        if let Some(fault) = find::<BodyTooLarge>(&source) {
            let message = format!("the answer is larger than {} bytes", fault.limit);
            return Self::from_kind(ErrorKind::BodyTooLarge, message).caused_by(source);
        }
        let cause = escaped_up_to(&innermost(&source), 200);
        let source = source.without_url();
        let (kind, message) = if source.is_connect() {
            (ErrorKind::Connect, format!("can't connect: {cause}"))
        } else if source.is_timeout() {
            (ErrorKind::Timeout, "no whole answer in time".to_owned())
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
        // It is in memory already.
        let body = response.bytes().await.unwrap_or_default();
        let detail = detail::of(&body);
        let mut message = answered(status);
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

fn answered(status: StatusCode) -> String {
    let reason = status
        .canonical_reason()
        .map(|reason| format!(" {reason}"))
        .unwrap_or_default();
    format!("the node answered {}{reason}", status.as_u16())
}

/// The first error of that type in the chain.
fn find<'e, T: StdError + 'static>(error: &'e (dyn StdError + 'static)) -> Option<&'e T> {
    chain(error).find_map(<dyn StdError>::downcast_ref)
}

fn chain<'e>(
    error: &'e (dyn StdError + 'static),
) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}

/// What the last error of the chain says: the others only say that there was one.
fn innermost(error: &(dyn StdError + 'static)) -> String {
    chain(error)
        .last()
        .map(ToString::to_string)
        .unwrap_or_default()
}

impl From<BaseUrlError> for Error {
    fn from(source: BaseUrlError) -> Self {
        Self::configuration(source.to_string(), source)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operation) = self.0.operation {
            write!(f, "{operation}: ")?;
        }
        if let Some(url) = &self.0.url {
            write!(f, "{}: ", escaped(url))?;
        }
        f.write_str(&self.0.message)?;
        if self.0.tries > 1 {
            write!(f, " (tried {} times)", self.0.tries)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.to_string())
            .field("status", &self.0.status)
            .field("retry_after", &self.0.retry_after)
            .field("maybe_sent", &self.0.maybe_sent)
            .field("body_excerpt", &self.0.excerpt)
            .field("source", &self.0.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_ref().map(|source| &**source as _)
    }
}
