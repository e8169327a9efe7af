//! The limits of a run's requests and responses.

use std::time::Duration;

/// The limits of a run's requests and responses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How long one request may take, the response's last byte included.
    pub(crate) request_timeout: Duration,
    /// The most requests that are sent.
    pub(crate) requests: u64,
    /// The most that is read of one response, in bytes.
    pub(crate) body: usize,
    /// The most memory that all responses may take that are kept at a time, in bytes.
    pub(crate) memory: usize,
    /// How deep the JSON document of a response may be nested.
    pub(crate) depth: usize,
    /// Whether anything may be submitted at all.
    pub(crate) submits: bool,
    /// Whether only one connection may be open at a time.
    pub(crate) one_connection: bool,
    /// The most requests a second.
    pub(crate) rate: Option<f64>,
}
