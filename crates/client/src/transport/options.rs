//! What can be set about how requests travel.

use std::time::Duration;

use super::retry::RetryPolicy;

/// How requests travel; the defaults are those of a [`Client`](crate::Client).
///
/// ```
/// use std::time::Duration;
/// use nodeproof_client::transport::TransportOptions;
///
/// let options = TransportOptions::default().connect_timeout(Duration::from_secs(1));
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TransportOptions {
    /// How long connecting may take, TLS included. 5 seconds.
    pub connect_timeout: Duration,
    /// How long one try may take, from connecting to the last byte of the body. 30 seconds.
    pub request_timeout: Duration,
    /// What is sent as `User-Agent`. This crate's name and version.
    pub user_agent: String,
    /// Whether the proxy that the environment names is used, loopback excepted. Yes.
    pub proxy_from_environment: bool,
    /// Whether connections are kept for the next request. Yes.
    pub keep_alive: bool,
    /// Certificate authorities, in DER, that are trusted besides the machine's own. None.
    pub extra_roots: Vec<Vec<u8>>,
    /// Files of certificate authorities, in PEM, that are trusted in addition. None.
    pub extra_roots_pem: Vec<Vec<u8>>,
}

impl Default for TransportOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            request_timeout: Duration::from_secs(30),
            user_agent: concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")).to_owned(),
            proxy_from_environment: true,
            keep_alive: true,
            extra_roots: Vec::new(),
            extra_roots_pem: Vec::new(),
        }
    }
}

impl TransportOptions {
    /// Sets how long connecting may take, TLS included.
    #[must_use]
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// Sets how long one try may take, from connecting to the last byte of the body.
    #[must_use]
    pub fn request_timeout(mut self, limit: Duration) -> Self {
        self.request_timeout = limit;
        self
    }

    /// Sets what is sent as `User-Agent`.
    #[must_use]
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }

    /// Sets whether the proxy that the environment names is used.
    #[must_use]
    pub fn proxy_from_environment(mut self, used: bool) -> Self {
        self.proxy_from_environment = used;
        self
    }

    /// Sets whether connections are kept for the next request.
    #[must_use]
    pub fn keep_alive(mut self, kept: bool) -> Self {
        self.keep_alive = kept;
        self
    }

    /// Trusts one more certificate authority, or a node's own certificate, given in DER.
    #[must_use]
    pub fn extra_root(mut self, certificate: impl Into<Vec<u8>>) -> Self {
        self.extra_roots.push(certificate.into());
        self
    }

    /// Trusts the certificate authorities in a PEM file, given by its contents.
    #[must_use]
    pub fn extra_roots_pem(mut self, file: impl Into<Vec<u8>>) -> Self {
        self.extra_roots_pem.push(file.into());
        self
    }
}

/// What one call may use up, its repetitions included.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// How long one try may take. 30 seconds.
    pub request_timeout: Duration,
    /// How long a call may take, with all of its tries and the pauses between them. 60 seconds.
    pub total_timeout: Duration,
    /// The largest body that is read, in bytes. 16 MiB.
    pub max_body: usize,
    /// The most values that an answer may hold, counted by its commas and opening brackets.
    /// 500,000; a block of 10,000 receipts has 90,000.
    ///
    /// A small value takes many times the memory of its text, so it is this limit and `max_body`
    /// together that bound the memory of a call.
    pub max_values: usize,
    /// How deep the arrays and objects of an answer may be nested. 127.
    ///
    /// More than 127 levels are only of use where an answer is kept as text: whatever is read as
    /// a type of this crate ends there, whatever is set.
    pub max_depth: usize,
    /// How often a GET is tried again, and when.
    pub retry: RetryPolicy,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_timeout: Duration::from_secs(30),
            total_timeout: Duration::from_secs(60),
            max_body: 16 * 1024 * 1024,
            max_values: 500_000,
            max_depth: 127,
            retry: RetryPolicy::default(),
        }
    }
}
