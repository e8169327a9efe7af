//! Setting up a client.

use std::time::Duration;

use nodeproof_primitives::Network;

use crate::{
    BaseUrl, BaseUrlError, Client, Error,
    transport::{HookState, Limits, RetryPolicy, TransportOptions, http_client},
};

impl Client {
    /// A client for the node at a base URL, such as `http://localhost:8420`.
    ///
    /// # Errors
    /// If the text is no base URL of a node, or TLS can't be set up.
    pub fn new<U>(base: U) -> Result<Self, Error>
    where
        U: TryInto<BaseUrl>,
        U::Error: Into<BaseUrlError>,
    {
        Self::builder(base)?.build()
    }

    /// A client for the node on a host, on its network's port, by plain HTTP.
    ///
    /// # Errors
    /// If `host` is not a host alone.
    pub fn for_network(host: &str, network: Network) -> Result<Self, Error> {
        ClientBuilder::new(BaseUrl::for_network(host, network)?).build()
    }

    /// Sets up a client for the node at a base URL.
    ///
    /// # Errors
    /// If the text is no base URL of a node.
    pub fn builder<U>(base: U) -> Result<ClientBuilder, Error>
    where
        U: TryInto<BaseUrl>,
        U::Error: Into<BaseUrlError>,
    {
        Ok(ClientBuilder::new(base.try_into().map_err(Into::into)?))
    }
}

/// Sets up a [`Client`]; made by [`Client::builder`].
///
/// ```
/// use std::time::Duration;
/// use nodeproof_client::{Client, transport::RetryPolicy};
///
/// let client = Client::builder("https://node.example.org/api")?
///     .request_timeout(Duration::from_secs(5))
///     .retry(RetryPolicy::never())
///     .max_body(1024 * 1024);
/// # let _ = client;
/// # Ok::<(), nodeproof_client::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ClientBuilder {
    base: BaseUrl,
    transport: TransportOptions,
    limits: Limits,
    http: Option<reqwest::Client>,
}

impl ClientBuilder {
    fn new(base: BaseUrl) -> Self {
        Self {
            base,
            transport: TransportOptions::default(),
            limits: Limits::default(),
            http: None,
        }
    }

    /// Sets how long connecting may take, TLS included. 5 seconds unless set.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.transport.connect_timeout = limit;
        self
    }

    /// Sets how long one try may take, to the last byte of its answer. 30 seconds unless set.
    pub fn request_timeout(mut self, limit: Duration) -> Self {
        self.transport.request_timeout = limit;
        self.limits.request_timeout = limit;
        self
    }

    /// Sets how long a call may take, repetitions and pauses included. 60 seconds unless set.
    pub fn total_timeout(mut self, limit: Duration) -> Self {
        self.limits.total_timeout = limit;
        self
    }

    /// Sets the largest answer that is read, in bytes. 16 MiB unless set.
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.limits.max_body = bytes;
        self
    }

    /// Sets how many values an answer may hold. 500,000 unless set; see [`Limits::max_values`].
    pub fn max_values(mut self, values: usize) -> Self {
        self.limits.max_values = values;
        self
    }

    /// Sets how deep an answer may be nested. 127 levels unless set; see [`Limits::max_depth`].
    pub fn max_depth(mut self, levels: usize) -> Self {
        self.limits.max_depth = levels;
        self
    }

    /// Sets how often a GET is tried again, and when. A POST never is.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.limits.retry = policy;
        self
    }

    /// Sets what is sent as `User-Agent`. This crate's name and version unless set.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.transport.user_agent = user_agent.into();
        self
    }

    /// Sets whether the proxy that the environment names is used, loopback excepted.
    pub fn proxy_from_environment(mut self, used: bool) -> Self {
        self.transport.proxy_from_environment = used;
        self
    }

    /// Trusts one more certificate authority, or a node's own certificate, given in DER.
    pub fn extra_root(mut self, certificate: impl Into<Vec<u8>>) -> Self {
        self.transport.extra_roots.push(certificate.into());
        self
    }

    /// Uses an HTTP client of your own.
    ///
    /// [`http_client`](crate::transport::http_client()) makes one of the usual policy.
    /// This crate brings rustls without a default provider, so one that you build
    /// yourself needs a provider or a TLS configuration of yours, also for plain HTTP.
    ///
    /// TLS, proxies, redirects, compression, user agent and the time-out for
    /// connecting are then what that client was built with; let it follow no
    /// redirects and decompress nothing, or the limits here bound less than they
    /// seem to. All other settings apply.
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.http = Some(client);
        self
    }

    /// Makes the client. Nothing is sent yet.
    ///
    /// # Errors
    /// If TLS can't be set up, or the user agent can't be sent.
    pub fn build(self) -> Result<Client, Error> {
        let http = match self.http {
            Some(client) => client,
            None => http_client(&self.base, &self.transport)?,
        };
        let state = HookState::new(self.limits);
        Ok(Client::from_parts(self.base, http, state))
    }
}
