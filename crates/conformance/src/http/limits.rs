//! The limits of a run's requests and responses.

use std::time::Duration;

/// All responses in use may have this multiple of the longest body together.
const BODIES: usize = 4;

/// The limits of a run's requests and responses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Time limit of one request, to the last byte of the response.
    pub(crate) request_timeout: Duration,
    /// Maximum number of requests.
    pub(crate) requests: u64,
    /// Maximum length of a response body, in bytes.
    pub(crate) body: usize,
    /// Maximum number of JSON values in a response, and in all responses in use together.
    pub(crate) values: usize,
    /// Maximum nesting of a response's JSON document, in levels.
    pub(crate) depth: usize,
    /// Whether submissions are allowed.
    pub(crate) submits: bool,
    /// Maximum number of requests at a time, apart from those of a sweep and submissions. With 1, only one connection is
    /// open at a time.
    pub(crate) jobs: usize,
    /// Maximum number of requests per second.
    pub(crate) rate: Option<f64>,
}

impl Limits {
    /// Returns the maximum length of all bodies in use together, in bytes.
    pub(super) const fn all_bodies(&self) -> usize {
        self.body.saturating_mul(BODIES)
    }
}
