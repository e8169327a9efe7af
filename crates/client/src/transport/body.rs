//! Reading a body within the limits.

use nodeproof_primitives::JsonTooLarge;

/// A body exceeded a limit of the client.
///
/// It is the source of an [`Error`](crate::Error) of the kind
/// [`BodyTooLarge`](crate::ErrorKind::BodyTooLarge). After a submission, check
/// [`Error::maybe_sent`](crate::Error::maybe_sent) first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyTooLarge {
    /// It has more bytes than [`max_body`](crate::ClientOptions::max_body). Raise this limit if you trust
    /// the node, or use another node.
    #[error("the response is larger than {limit} bytes")]
    Bytes {
        /// The limit, in bytes.
        limit: usize,
    },
    /// It has more values than [`max_values`](crate::ClientOptions::max_values). Raise this limit if you
    /// trust the node, or use another node.
    #[error("the response has more than {limit} values")]
    Values {
        /// The limit, in values.
        limit: usize,
    },
    /// It is nested deeper than [`max_depth`](crate::ClientOptions::max_depth). Use another node. A higher
    /// limit helps only with responses that stay text.
    #[error("the response is nested more than {limit} levels deep")]
    Depth {
        /// The limit, in levels.
        limit: usize,
    },
}

impl From<JsonTooLarge> for BodyTooLarge {
    fn from(fault: JsonTooLarge) -> Self {
        match fault {
            JsonTooLarge::Values { limit } => Self::Values { limit },
            JsonTooLarge::Depth { limit } => Self::Depth { limit },
        }
    }
}

/// The reason why a body could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BodyFault {
    /// It is longer than the limit.
    #[error(transparent)]
    TooLarge(#[from] BodyTooLarge),
    /// The connection broke, or the body is not that of an HTTP response.
    #[error(transparent)]
    Read(#[from] reqwest::Error),
}

/// The maximum memory that is reserved for an announced length, in bytes.
const TRUSTED_LENGTH: usize = 1024 * 1024;

/// A response whose body is read piece by piece, up to a limit.
///
/// ```no_run
/// # async fn example(response: reqwest::Response) -> Result<(), nodeproof_client::transport::BodyFault> {
/// use nodeproof_client::transport::BoundedResponse;
///
/// let mut response = BoundedResponse::new(response, 8 * 1024 * 1024);
/// let is_short = response.read_beyond(64 * 1024).await?;
/// if !is_short {
///     response.read_beyond(usize::MAX).await?;
/// }
/// println!("{} bytes", response.body.len());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct BoundedResponse {
    /// The status, the headers, and what is left of the body.
    pub response: reqwest::Response,
    /// The bytes that were read so far.
    pub body: Vec<u8>,
    limit: usize,
}

impl BoundedResponse {
    /// Limits the body of a response to `limit` bytes.
    #[must_use]
    pub fn new(response: reqwest::Response, limit: usize) -> Self {
        Self {
            response,
            body: Vec::new(),
            limit,
        }
    }

    /// Reads on until the body ends, or more than `length` bytes of it were read. Returns whether it
    /// ended.
    ///
    /// # Errors
    /// If the body is broken, or longer than the limit. Nothing is read if a longer one is announced.
    pub async fn read_beyond(&mut self, length: usize) -> Result<bool, BodyFault> {
        let announced = self.response.content_length().unwrap_or(0);
        let announced = usize::try_from(announced).unwrap_or(usize::MAX);
        self.check(announced)?;
        self.body.reserve(announced.min(TRUSTED_LENGTH));
        while self.body.len() <= length {
            let Some(chunk) = self.response.chunk().await? else {
                self.body.shrink_to_fit();
                return Ok(true);
            };
            self.check(chunk.len())?;
            self.body.extend_from_slice(&chunk);
        }
        Ok(false)
    }

    /// Fails if the body and this many more bytes exceed the limit. Then the body's memory is free again.
    fn check(&mut self, more: usize) -> Result<(), BodyTooLarge> {
        let limit = self.limit;
        if self.body.len().saturating_add(more) <= limit {
            return Ok(());
        }
        self.body = Vec::new();
        Err(BodyTooLarge::Bytes { limit })
    }
}
