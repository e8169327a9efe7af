//! Setting up a client.

use std::{num::NonZeroU32, time::Duration};

use nodeproof_primitives::Network;
use reqwest::header::HeaderMap;

use crate::{
    BaseUrl, BaseUrlError, Client, Error,
    transport::{HookState, Limits, RetryPolicy, Route, TransportOptions, headers, http_client},
};

impl Client {
    /// A client for the node at a base URL, such as `http://localhost:8420`.
    ///
    /// # Errors
    /// If the text is not a base URL of a node, or TLS can't be set up.
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
    /// If the text is not a base URL of a node.
    pub fn builder<U>(base: U) -> Result<ClientBuilder, Error>
    where
        U: TryInto<BaseUrl>,
        U::Error: Into<BaseUrlError>,
    {
        Ok(ClientBuilder::new(base.try_into().map_err(Into::into)?))
    }

    /// Returns the same client with another time-out for each try, to the last byte of its response.
    /// It shares everything else.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// use std::time::Duration;
    ///
    /// let page = node.with_request_timeout(Duration::from_secs(2)).docs().await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_request_timeout(&self, limit: Duration) -> Self {
        self.limited(|limits| limits.request_timeout = limit)
    }

    /// Returns the same client with another time-out for a whole request, with retries and pauses.
    /// It shares everything else.
    #[must_use]
    pub fn with_total_timeout(&self, limit: Duration) -> Self {
        self.limited(|limits| limits.total_timeout = limit)
    }

    /// Returns the same client with another policy for retries. It shares everything else.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// use nodeproof_client::transport::RetryPolicy;
    ///
    /// let page = node.with_retry(RetryPolicy::never()).docs().await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_retry(&self, policy: RetryPolicy) -> Self {
        self.limited(|limits| limits.retry = policy)
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
    headers: HeaderMap,
    rate: Option<NonZeroU32>,
    fallbacks: Vec<BaseUrl>,
}

impl ClientBuilder {
    fn new(base: BaseUrl) -> Self {
        Self {
            base,
            transport: TransportOptions::default(),
            limits: Limits::default(),
            http: None,
            headers: HeaderMap::new(),
            rate: None,
            fallbacks: Vec::new(),
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

    /// Trusts the certificate authorities in a PEM file, given by its contents.
    ///
    /// ```no_run
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = nodeproof_client::Client::builder("https://node.example.org")?
    ///     .extra_roots_pem(std::fs::read("company-ca.pem")?)
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn extra_roots_pem(mut self, file: impl Into<Vec<u8>>) -> Self {
        self.transport.extra_roots_pem.push(file.into());
        self
    }

    /// Sends a header with every request, such as the key of a gateway.
    ///
    /// Its value is a secret: it is not in `Debug`, logs or errors, also if the node sends it back.
    /// It goes to the [fallbacks](Self::fallback), too.
    ///
    /// ```
    /// # fn example(key: &str) -> Result<(), nodeproof_client::Error> {
    /// let client = nodeproof_client::Client::builder("https://gateway.example.org")?
    ///     .default_header("x-api-key", key)?
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If it is not a header, or one that the client sets itself, such as `content-type`.
    pub fn default_header(mut self, name: &str, value: &str) -> Result<Self, Error> {
        headers::add(&mut self.headers, name, value)?;
        Ok(self)
    }

    /// Sends at most so many requests in a second, evenly spaced. No limit unless set.
    ///
    /// Retries count, too. All clones of the client share the limit. Waiting is not part of a
    /// request's time-outs.
    pub fn rate_limit(mut self, per_second: NonZeroU32) -> Self {
        self.rate = Some(per_second);
        self
    }

    /// Reads from another node of the same network when this one does not respond, or responds
    /// with 408, 429, 502, 503 or 504. Can be given more than once.
    ///
    /// Each node gets one try, at once. Each [retry](Self::retry) is another round over all of them.
    /// Later reads go to the node that responded. Nodes can be at different heights. Only GETs go to fallbacks: a call is always
    /// built by, and a transaction always submitted to, the node of the base URL.
    ///
    /// ```
    /// let client = nodeproof_client::Client::builder("http://localhost:8420")?
    ///     .fallback("http://localhost:18420")?
    ///     .build()?;
    /// # let _ = client;
    /// # Ok::<(), nodeproof_client::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the text is not a base URL of a node.
    pub fn fallback<U>(mut self, base: U) -> Result<Self, Error>
    where
        U: TryInto<BaseUrl>,
        U::Error: Into<BaseUrlError>,
    {
        self.fallbacks.push(base.try_into().map_err(Into::into)?);
        Ok(self)
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
        let reach = |base: BaseUrl| -> Result<Route, Error> {
            let http = match &self.http {
                Some(client) => client.clone(),
                None => http_client(&base, &self.transport)?,
            };
            Ok((base, http))
        };
        let own = reach(self.base)?;
        let fallbacks = self.fallbacks.into_iter().map(reach);
        let state = HookState::new(self.limits)
            .with_headers(self.headers)
            .with_rate(self.rate)
            .with_fallbacks(own.clone(), fallbacks.collect::<Result<_, _>>()?);
        Ok(Client::from_parts(own.0, own.1, state))
    }
}
