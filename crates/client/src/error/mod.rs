//! The error of a request.

mod absent;
mod decode;
mod detail;
mod from;
mod make;

use std::{error::Error as StdError, fmt, time::Duration};

use reqwest::StatusCode;

pub(crate) use absent::says_absent;
pub use decode::DecodeError;
pub(crate) use detail::of_members;

use crate::{BaseUrlError, transport::is_passing};
use nodeproof_primitives::{TransactionCode, escape::escaped};

/// A request failed.
///
/// The error has the operation, the URL and the response, if there was one. Displayed, it is one
/// line. Text from a node is shortened and has no characters that a terminal acts on.
///
/// [`Client::submit`](crate::Client::submit) does not return an error for a transaction that the
/// node refuses: [`SubmitResponse::accepted`](crate::SubmitResponse::accepted) does.
///
/// ```no_run
/// # async fn example() -> Result<(), nodeproof_client::Error> {
/// let client = nodeproof_client::Client::new("http://localhost:8420")?;
/// match client.block(1200_u64).await {
///     Ok(Some(block)) => println!("{} mismatches", block.mismatches().len()),
///     Ok(None) => println!("no such block"),
///     Err(error) if error.is_rate_limited() => println!("pause: {:?}", error.retry_after()),
///     Err(error) if error.is_connect() || error.is_timeout() => println!("down: {error}"),
///     Err(error) if error.is_decode() || error.is_body_too_large() => {
///         println!("unreadable: {:?}", error.body_excerpt());
///     }
///     Err(error) if error.is_retryable() => println!("later: {error}"),
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
/// assert_eq!((error.operation(), error.url(), error.tries()), (None, None, 0));
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
    /// Whether the body is HTML or XML.
    is_page: bool,
    retry_after: Option<Duration>,
    trans_code: Option<TransactionCode>,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
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
    /// limit on the [`ClientBuilder`](crate::ClientBuilder) if you trust the node.
    BodyTooLarge,
    /// The response, or a field of it, does not have the described form, or the node built another
    /// transaction than the requested one, which was not signed. A retry does not help. Check the
    /// base URL, or use another node. For a submission, see [`Error::maybe_sent`].
    Decode,
    /// The node refuses the transaction. Read the message, and correct the call. Anyone who has the
    /// transaction can still submit it. If [`Error::maybe_sent`] is true, the node may have accepted
    /// an earlier submission, or other transactions of the batch.
    Refused,
    /// No response shows whether the node accepted the transaction. If [`Error::maybe_sent`] is true,
    /// submit the *same* transaction again, or [wait](crate::Client::wait_for_inclusion) for
    /// [`Error::trans_code`]. A new call would pay another fee.
    Unclear,
    /// The server is not a node. Check the base URL. See
    /// [`Client::check_node`](crate::Client::check_node).
    NotANode,
    /// A required block is missing: in a requested range, or before a later one. The node has
    /// dropped or not yet received it. Start later, use another node, or follow the chain with
    /// [`skip_missing`](crate::FollowOptions::skip_missing).
    MissingBlock,
    /// An error of your program. See [`Error::other`].
    Other,
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

    /// Returns the message without the operation and the URL, such as
    /// `the node responded with 400 Bad Request: Block not found`.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.0.message
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
    pub fn tries(&self) -> u32 {
        self.0.tries
    }

    /// Returns whether the request may have reached the node. For a contract call and for
    /// [`submit_with_retries`](crate::Client::submit_with_retries): whether the node may have accepted
    /// the transaction.
    ///
    /// If it is true, the transaction may be pending. Submitting the same signed transaction again is
    /// then safe: the node recognises its code and signature, and responds that it is not new.
    #[must_use]
    pub fn maybe_sent(&self) -> bool {
        self.0.maybe_sent
    }

    /// Returns the identifier of the transaction, if the error is that of a contract call that was
    /// signed.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     node: nodeproof_client::Client,
    /// #     tokens: nodeproof_client::nodeproof_primitives::ContractAddress,
    /// #     transfer: nodeproof_client::contract_call::Transfer,
    /// #     fee: nodeproof_client::contract_call::Fee,
    /// #     wallet: &dyn nodeproof_client::nodeproof_primitives::Signer,
    /// # ) -> Result<(), nodeproof_client::Error> {
    /// use nodeproof_client::{Error, InclusionOptions};
    ///
    /// if let Err(error) = node.call(tokens, &transfer, &fee, &[wallet]).await.map_err(Error::from) {
    ///     match error.trans_code() {
    ///         Some(code) if error.maybe_sent() => {
    ///             let options = InclusionOptions::default();
    ///             let included = node.wait_for_inclusion(code, &options).await?;
    ///             println!("in a block: {}", included.is_some());
    ///         }
    ///         _ => return Err(error),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn trans_code(&self) -> Option<TransactionCode> {
        self.0.trans_code
    }

    /// Returns whether a time-out expired: of connecting, of a try, or of the whole request.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        self.0.kind == ErrorKind::Timeout
            || self
                .reqwest_source()
                .is_some_and(reqwest::Error::is_timeout)
    }

    /// Returns whether no connection was made.
    #[must_use]
    pub fn is_connect(&self) -> bool {
        self.0.kind == ErrorKind::Connect
    }

    /// Returns whether the same request may succeed later: the network failed, or the node was busy.
    ///
    /// For a submission, check [`maybe_sent`](Self::maybe_sent) as well.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self.0.kind {
            ErrorKind::Connect | ErrorKind::Timeout | ErrorKind::Connection => true,
            // A new call would be another transaction, with another fee.
            ErrorKind::Refused | ErrorKind::Unclear => false,
            _ => self.0.status.is_some_and(is_passing),
        }
    }

    /// Returns whether the node received too many requests: status 429.
    #[must_use]
    pub fn is_rate_limited(&self) -> bool {
        self.0.status == Some(StatusCode::TOO_MANY_REQUESTS)
    }

    /// Returns whether the response does not have the described form.
    #[must_use]
    pub fn is_decode(&self) -> bool {
        self.0.kind == ErrorKind::Decode
    }

    /// Returns whether the response exceeds the client's limits: in size, number of values or depth.
    #[must_use]
    pub fn is_body_too_large(&self) -> bool {
        self.0.kind == ErrorKind::BodyTooLarge
    }

    fn reqwest_source(&self) -> Option<&reqwest::Error> {
        sources(self).find_map(<dyn StdError>::downcast_ref)
    }
}

/// Returns the error and its sources, the nearest first.
fn sources<'e>(
    error: &'e (dyn StdError + 'static),
) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
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
