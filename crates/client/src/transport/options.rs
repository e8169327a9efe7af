//! Options for sending requests.

use std::time::Duration;

use nodeproof_primitives::{Hidden, JsonLimits};

use super::retry::RetryPolicy;

/// Options for sending requests. The defaults are those of a [`Client`](crate::Client).
///
/// ```
/// # fn example(certificates: Vec<u8>) {
/// use std::time::Duration;
/// use nodeproof_client::transport::TransportOptions;
///
/// let options = TransportOptions {
///     request_timeout: Duration::from_secs(10),
///     proxy_from_environment: false,
///     extra_roots_pem: vec![certificates],
///     ..TransportOptions::default()
/// };
/// # let _ = options;
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct TransportOptions {
    /// The time-out for connecting, including TLS. 5 seconds.
    pub connect_timeout: Duration,
    /// The time-out for one try, from connecting to the last byte of the body. 30 seconds.
    pub request_timeout: Duration,
    /// The header `User-Agent`. This crate's name and version.
    pub user_agent: String,
    /// Whether to use the proxy that the environment variables name. Never for loopback. On.
    pub proxy_from_environment: bool,
    /// Whether to keep connections open for the next request. On.
    pub keep_alive: bool,
    /// PEM files of certificate authorities that are trusted in addition to the machine's, by their contents. None.
    pub extra_roots_pem: Vec<Vec<u8>>,
    /// The contents of a PEM file with a certificate and its private key, for servers that request
    /// one. None.
    pub client_certificate_pem: Option<Hidden<Vec<u8>>>,
}

impl Default for TransportOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            request_timeout: Duration::from_secs(30),
            user_agent: concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")).to_owned(),
            proxy_from_environment: true,
            keep_alive: true,
            extra_roots_pem: Vec::new(),
            client_certificate_pem: None,
        }
    }
}

/// The limits of one request, including its retries. See [`ClientOptions`](crate::ClientOptions).
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub(crate) request_timeout: Duration,
    pub(crate) total_timeout: Duration,
    pub(crate) max_body: usize,
    pub(crate) max_values: usize,
    pub(crate) max_depth: usize,
    pub(crate) retry: RetryPolicy,
}

impl Default for Limits {
    fn default() -> Self {
        let json = JsonLimits::default();
        Self {
            request_timeout: Duration::from_secs(30),
            total_timeout: Duration::from_secs(60),
            max_body: 8 * 1024 * 1024,
            max_values: json.values,
            max_depth: json.depth,
            retry: RetryPolicy::default(),
        }
    }
}
