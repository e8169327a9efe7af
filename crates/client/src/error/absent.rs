//! Whether an answer means that what was asked for is not there.
//!
//! The contract shows no failures, so nodes say it each in a way of their own: with any status
//! that blames the request, with or without words, or with a success that carries none.

use reqwest::StatusCode;

use super::Error;

/// What nodes say of a thing that they do not have, in lower case. The first two are observed.
const WORDS: [&str; 13] = [
    "not found",
    "not available",
    "not exist",
    "n't exist",
    "no such",
    "no block",
    "no record",
    "no score",
    "no trust",
    "nothing",
    "unknown",
    "out of range",
    "out of bounds",
];

/// Whether a text says that something is not there.
pub(crate) fn says_absent(text: &str) -> bool {
    let text = text.to_lowercase();
    WORDS.iter().any(|words| text.contains(words))
}

impl Error {
    /// Whether the node says that it does not have what was asked for.
    ///
    /// Nodes were seen to answer 400 with a detail such as `Block not found` or `Trust score not
    /// available`; 404 and 410 count as well, which is also what a server answers that is no
    /// node. Where a node says it in other words or in none, see [`is_absent`](Self::is_absent).
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        match self.status() {
            Some(StatusCode::NOT_FOUND | StatusCode::GONE) => true,
            Some(status) if blames_what_is_asked(status) => self.detail().is_some_and(says_absent),
            _ => false,
        }
    }

    /// Whether the answer to a well-formed question about one thing means that it is not there,
    /// whatever the node's words are: the statuses 400, 404, 410, 416 and 422.
    ///
    /// The contract shows no failures, and a client that knows the question to be well-formed is
    /// left with no other meaning. What the node says is in [`reason`](Self::reason).
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.status()
            .is_some_and(|status| matches!(status.as_u16(), 400 | 404 | 410 | 416 | 422))
    }

    /// Whether the answer may mean that nothing is there, for who looks for an end: any status
    /// from 400 to 499 but for those about who asks and how often (401, 403, 407, 408, 425, 429),
    /// and the answer `null`.
    #[must_use]
    pub fn may_be_absent(&self) -> bool {
        match self.status() {
            Some(status) if status.is_client_error() => blames_what_is_asked(status),
            _ => {
                self.is_decode()
                    && self
                        .body_excerpt()
                        .is_some_and(|body| body.trim() == "null")
            }
        }
    }
}

/// Whether a status says that the request is at fault, and not who sends it or when.
fn blames_what_is_asked(status: StatusCode) -> bool {
    status.is_client_error() && !matches!(status.as_u16(), 401 | 403 | 407 | 408 | 425 | 429)
}
