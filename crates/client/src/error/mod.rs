//! The error of a request.

mod detail;
mod make;

pub(crate) use detail::words;

use std::{error::Error as StdError, fmt, time::Duration};

use reqwest::StatusCode;

use crate::{BuiltCallMismatch, InputError, transport::is_transient};
use nodeproof_primitives::{
    escape::{escaped, escaped_up_to},
    with_causes,
};

/// A request failed.
///
/// The error has the operation, the URL and the response, if there was one. Displayed, it is one
/// line, without the causes that [`source`](StdError::source) returns. `{:#}` shows them, too, and
/// [`reason`](Self::reason) returns them without the operation and the URL. Text from a node is
/// shortened and has no characters that a terminal acts on.
///
/// A response that is in no stated form is an error of the kind [`Decode`](ErrorKind::Decode). It
/// names the first wrong place, what was expected there, and what was received.
///
/// ```no_run
/// # async fn example() -> Result<(), nodeproof_client::Error> {
/// use nodeproof_client::ErrorKind;
///
/// let client = nodeproof_client::Client::new("http://localhost:8420")?;
/// match client.block(1200_u64).await {
///     Ok(Some(block)) => println!("{}", block.timestamp),
///     Ok(None) => println!("no such block"),
///     Err(error) if matches!(error.kind(), ErrorKind::Connect | ErrorKind::Timeout) => println!("down: {error}"),
///     Err(error) if error.kind() == ErrorKind::Decode => {
///         println!("unreadable: {:?}", error.body_excerpt());
///     }
///     Err(error) if error.is_retryable() => println!("later, in {:?}", error.retry_after()),
///     Err(error) => return Err(error),
/// }
/// # Ok(())
/// # }
/// ```
///
/// An error that occurs before a request has neither an operation nor a URL:
///
/// ```
/// use nodeproof_client::{Client, ErrorKind};
///
/// let error = Client::new("localhost:8420").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Configuration);
/// assert_eq!((error.operation(), error.url(), error.attempts()), (None, None, 0));
/// assert!(!error.maybe_sent());
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
    /// Whether the body of a failed response is JSON.
    is_json: bool,
    retry_after: Option<Duration>,
    message: String,
    source: Option<Source>,
}

type AnyError = Box<dyn StdError + Send + Sync>;

enum Source {
    /// An error whose message this one repeats.
    Repeated(AnyError),
    /// An error of the HTTP client. Its innermost cause describes what happened.
    Http(reqwest::Error),
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A setting or a value is not valid, or a signer did not sign. Nothing was sent. Correct the
    /// setting or the value. A retry fails again.
    Configuration,
    /// There is no connection: the host is unknown, nothing listens, or TLS failed. Nothing was
    /// sent. Check the base URL, and retry later.
    Connect,
    /// The response did not arrive in time, or not completely. Retry later, or allow more time. For
    /// a submission, see [`Error::maybe_sent`].
    Timeout,
    /// The connection broke, or the response is not HTTP. Retry. For a submission, see
    /// [`Error::maybe_sent`].
    Connection,
    /// The node responded with a status other than 200. Read [`Error::detail`]. Retry only if
    /// [`Error::is_retryable`].
    Status,
    /// The response is larger, has more values or is nested deeper than the client reads. Raise the
    /// limit in [`ClientOptions`](crate::ClientOptions) if you trust the node.
    BodyTooLarge,
    /// The response is in no stated form, or contradicts the request or itself. A retry does not
    /// help. Check the base URL, or use another node. For a submission, see [`Error::maybe_sent`].
    Decode,
    /// The node built another transaction than the requested one. It was not signed. Use another
    /// node. [`Error::mismatch`] has the details.
    Mismatch,
    /// The server is not a node. Check the base URL. See
    /// [`Client::check_node`](crate::Client::check_node).
    NotANode,
    /// A required block is missing: in a requested range, before a later one, or the last one that was
    /// read. The node has dropped or not yet received it. Start later, use another node, or follow the chain with
    /// [`skip_missing`](crate::FollowOptions::skip_missing).
    MissingBlock,
    /// The node has another block in place of one that was read before. What was read from that block
    /// on may not be part of the chain any more. Read the chain again.
    ChainReplaced,
    /// The node returns its blocks without transactions and receipts, as rows of its block table
    /// (observed). To read them, use another node. Other requests work.
    NoTransactions,
}

impl Error {
    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the name of the operation in the API's description, such as `get_block`.
    #[must_use]
    pub fn operation(&self) -> Option<&'static str> {
        self.0.operation
    }

    /// Returns the requested URL, with its query.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.0.url.as_deref()
    }

    /// Returns the status of the response, if there was one.
    #[must_use]
    pub fn status(&self) -> Option<StatusCode> {
        self.0.status
    }

    /// Returns the node's message about the failure, as one text.
    ///
    /// Nodes were seen to send it in a member `detail` or `error`: as text, as a list of faults
    /// with their places, or as an object.
    #[must_use]
    pub fn detail(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }

    /// Returns the message with its causes, without the operation and the URL. It is one line, and
    /// safe to print. Examples: `the node responded with 400 Bad Request: Block not found`,
    /// `can't connect: Connection refused (os error 111)`.
    #[must_use]
    pub fn reason(&self) -> String {
        match self.source() {
            Some(cause) => format!(
                "{}: {}",
                self.0.message,
                escaped_up_to(&with_causes(cause), 200)
            ),
            None => self.0.message.clone(),
        }
    }

    /// Returns the operation and the URL, each before a colon.
    fn place(&self) -> String {
        let operation = self.0.operation.map(|name| format!("{name}: "));
        let url = self.0.url.as_ref().map(|url| format!("{}: ", escaped(url)));
        operation.into_iter().chain(url).collect()
    }

    fn repetitions(&self) -> String {
        match self.0.tries {
            0 | 1 => String::new(),
            tries => format!(" (tried {tries} times)"),
        }
    }

    /// Returns the requested pause before a retry, from the header `Retry-After`.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Returns the first 512 bytes of the response's body, safe to print.
    #[must_use]
    pub fn body_excerpt(&self) -> Option<&str> {
        self.0.excerpt.as_deref()
    }

    /// Returns the number of attempts to send the request.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.0.tries
    }

    /// Returns whether the request may have reached the node.
    ///
    /// If it is true, the transaction may be pending. Submitting the same signed transaction again is
    /// then safe: the node recognises its code and signature, and responds that it is not new.
    #[must_use]
    pub fn maybe_sent(&self) -> bool {
        self.0.maybe_sent
    }

    /// Returns whether the same request may succeed later: the network failed, or the node was busy.
    ///
    /// For a submission, check [`maybe_sent`](Self::maybe_sent) as well.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self.0.kind {
            ErrorKind::Connect | ErrorKind::Timeout | ErrorKind::Connection => true,
            _ => self.0.status.is_some_and(is_transient),
        }
    }

    /// Returns whether the node received too many requests: status 429.
    pub(crate) fn is_rate_limited(&self) -> bool {
        self.0.status == Some(StatusCode::TOO_MANY_REQUESTS)
    }

    /// Returns whether the node reports that it does not have the requested thing: it responds with
    /// 400, 404, 410 or 422, and with JSON. A proxy's page is not such a response.
    ///
    /// The specification shows no failures. The client sends only well-formed requests, so no other
    /// meaning is left. The node's message is in [`reason`](Self::reason). The methods that return
    /// an [`Option`] return `None` for such a response.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// match node.docs().await {
    ///     Ok(page) => println!("{page}"),
    ///     Err(error) if error.is_absent() => println!("no page: {:?}", error.detail()),
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.0.is_json && self.has_status_of_absence()
    }

    /// Returns whether the status is that of a missing thing, but the body is not JSON.
    pub(crate) fn is_refused_without_json(&self) -> bool {
        !self.0.is_json && self.has_status_of_absence()
    }

    fn has_status_of_absence(&self) -> bool {
        let status = self.0.status.map(|status| status.as_u16());
        matches!(status, Some(400 | 404 | 410 | 422))
    }

    /// Returns how a built transaction differs from the requested call, for an error of the kind
    /// [`Mismatch`](ErrorKind::Mismatch).
    #[must_use]
    pub fn mismatch(&self) -> Option<&BuiltCallMismatch> {
        match &self.0.source {
            Some(Source::Repeated(source)) => source.downcast_ref(),
            _ => None,
        }
    }
}

/// Returns the error and its sources, the nearest first.
fn sources<'e>(
    error: &'e (dyn StdError + 'static),
) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// The kind is [`Configuration`](ErrorKind::Configuration).
impl From<InputError> for Error {
    fn from(source: InputError) -> Self {
        Self::repeating(ErrorKind::Configuration, source)
    }
}

/// Returns the [mismatch](Error::mismatch) of an error, or the error itself if it has another kind.
///
/// ```no_run
/// # use nodeproof_client::{Client, ContractCall, Error};
/// # async fn example(node: Client, call: ContractCall) -> Result<(), Box<dyn std::error::Error>> {
/// use nodeproof_client::{BuiltCallMismatch, Clock, Fee};
///
/// let fee = Fee::new(1_500_000.into(), "TKN")?;
/// if let Err(error) = node.build_call(&call, &fee, Clock::Local).await {
///     println!("another transaction: {}", BuiltCallMismatch::try_from(error)?);
/// }
/// # Ok(())
/// # }
/// ```
impl TryFrom<Error> for BuiltCallMismatch {
    type Error = Error;

    fn try_from(mut error: Error) -> Result<Self, Error> {
        match error.0.source.take() {
            Some(Source::Repeated(source)) => match source.downcast() {
                Ok(mismatch) => Ok(*mismatch),
                Err(source) => {
                    error.0.source = Some(Source::Repeated(source));
                    Err(error)
                }
            },
            source => {
                error.0.source = source;
                Err(error)
            }
        }
    }
}

/// The kind is [`Mismatch`](ErrorKind::Mismatch).
impl From<BuiltCallMismatch> for Error {
    fn from(source: BuiltCallMismatch) -> Self {
        Self::repeating(ErrorKind::Mismatch, source)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, repetitions) = (self.place(), self.repetitions());
        if f.alternate() {
            return write!(f, "{place}{}{repetitions}", self.reason());
        }
        write!(f, "{place}{}{repetitions}", self.0.message)
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
            .field("source", &self.source())
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self.0.source.as_ref()? {
            Source::Repeated(source) => source.source(),
            // The message of this kind already contains the cause.
            Source::Http(_) if self.0.kind == ErrorKind::Timeout => None,
            Source::Http(source) => sources(source).skip(1).last(),
        }
    }
}
