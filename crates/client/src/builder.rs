//! Creating a client.

use std::{num::NonZeroU32, time::Duration};

use nodeproof_primitives::{Hidden, Network};

use crate::{
    BaseUrl, Client, Error, InputError,
    transport::{
        HookState, Limits, RetryPolicy, Route, SecretHeaders, TransportOptions, http_client,
    },
};

impl Client {
    /// Creates a client for the node at a base URL, such as `http://localhost:8420`.
    ///
    /// # Errors
    /// If the text is not a base URL of a node, or TLS can't be set up.
    pub fn new<U>(base: U) -> Result<Self, Error>
    where
        U: TryInto<BaseUrl>,
        U::Error: Into<InputError>,
    {
        Self::builder(base)?.build()
    }

    /// Creates a client for the node on a host, with plain HTTP and the port of its network.
    ///
    /// # Errors
    /// If `host` is not only a host name or an IP address.
    pub fn for_network(host: &str, network: Network) -> Result<Self, Error> {
        ClientBuilder::new(BaseUrl::for_network(host, network)?).build()
    }

    /// Creates a builder of a client for the node at a base URL.
    ///
    /// # Errors
    /// If the text is not a base URL of a node.
    pub fn builder<U>(base: U) -> Result<ClientBuilder, Error>
    where
        U: TryInto<BaseUrl>,
        U::Error: Into<InputError>,
    {
        Ok(ClientBuilder::new(base.try_into().map_err(Into::into)?))
    }

    /// Returns the same client with another time-out for each try. The time-out covers the whole
    /// response, to its last byte. Everything else is shared.
    ///
    /// ```no_run
    /// # async fn example(node: nodeproof_client::Client) -> Result<(), nodeproof_client::Error> {
    /// use std::time::Duration;
    ///
    /// let hasty = node.with_request_timeout(Duration::from_secs(2));
    /// let page = hasty.docs().await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_request_timeout(&self, limit: Duration) -> Self {
        self.limited(|limits| limits.request_timeout = limit)
    }

    /// Returns the same client with another policy for retries. Everything else is shared.
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

/// Sets up a [`Client`]. Made by [`Client::builder`].
///
/// ```
/// use std::{num::NonZeroU32, time::Duration};
/// use nodeproof_client::{Client, transport::RetryPolicy};
///
/// const PER_SECOND: NonZeroU32 = NonZeroU32::new(10).unwrap();
///
/// let client = Client::builder("https://node.example.org/api")?
///     .connect_timeout(Duration::from_secs(2))
///     .request_timeout(Duration::from_secs(5))
///     .total_timeout(Duration::from_secs(20))
///     .rate_limit(PER_SECOND)
///     .retry(RetryPolicy::never())
///     .max_body(1024 * 1024)
///     .max_values(50_000)
///     .max_depth(32)
///     .user_agent("asset-registry/1.0")
///     .proxy_from_environment(false);
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
    headers: SecretHeaders,
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
            headers: SecretHeaders::default(),
            rate: None,
            fallbacks: Vec::new(),
        }
    }

    /// Sets the time-out for connecting, including TLS. 5 seconds unless set.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.transport.connect_timeout = limit;
        self
    }

    /// Sets the time-out for one try, to the last byte of its response. 30 seconds unless set.
    pub fn request_timeout(mut self, limit: Duration) -> Self {
        self.transport.request_timeout = limit;
        self.limits.request_timeout = limit;
        self
    }

    /// Sets the time-out for a whole request, including retries and pauses. 60 seconds unless set.
    pub fn total_timeout(mut self, limit: Duration) -> Self {
        self.limits.total_timeout = limit;
        self
    }

    /// Sets the largest response that is read, in bytes. 8 MiB unless set.
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.limits.max_body = bytes;
        self
    }

    /// Sets the maximum number of values in a response. 250,000 unless set; see
    /// [`Limits::max_values`].
    pub fn max_values(mut self, values: usize) -> Self {
        self.limits.max_values = values;
        self
    }

    /// Sets the maximum nesting of a response. 127 levels unless set; see [`Limits::max_depth`].
    pub fn max_depth(mut self, levels: usize) -> Self {
        self.limits.max_depth = levels;
        self
    }

    /// Sets how often a GET is retried, and when. A POST is never retried.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.limits.retry = policy;
        self
    }

    /// Sets the header `User-Agent`. This crate's name and version unless set.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.transport.user_agent = user_agent.into();
        self
    }

    /// Sets whether to use the proxy that the environment variables name. Never used for loopback.
    pub fn proxy_from_environment(mut self, used: bool) -> Self {
        self.transport.proxy_from_environment = used;
        self
    }

    /// Trusts the certificate authorities in a PEM file. Takes the contents of the file.
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

    /// Presents a certificate to the server, for nodes behind mutual TLS. Takes the contents of a PEM
    /// file with the certificate, those of its issuers if the server needs them, and the private key.
    ///
    /// The key is not encrypted, and does not appear in `Debug`. The certificate is also presented to
    /// [fallbacks](Self::fallback) that request one.
    ///
    /// ```no_run
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = nodeproof_client::Client::builder("https://node.example.org")?
    ///     .client_certificate_pem(std::fs::read("client.pem")?)
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn client_certificate_pem(mut self, file: impl Into<Vec<u8>>) -> Self {
        self.transport.client_certificate_pem = Some(Hidden::from(file.into()));
        self
    }

    /// Sends a header with every request, such as the key of a gateway.
    ///
    /// The value is treated as a secret. It does not appear in `Debug`, logs or errors, even if the
    /// node sends it back. Only words of fewer than 8 characters are not recognised in what a node
    /// sends. The header also goes to the [fallbacks](Self::fallback).
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
    /// If it is not a valid header, or is one that the client sets itself, such as `content-type`.
    pub fn default_header(mut self, name: &str, value: &str) -> Result<Self, Error> {
        self.headers.add(name, value)?;
        Ok(self)
    }

    /// Sends these headers with every request, as [`default_header`](Self::default_header) does.
    ///
    /// ```
    /// use nodeproof_client::{Client, transport::SecretHeaders};
    ///
    /// # fn example(key: &str) -> Result<(), nodeproof_client::Error> {
    /// let mut headers = SecretHeaders::default();
    /// headers.add("x-api-key", key)?;
    /// let client = Client::builder("https://gateway.example.org")?
    ///     .default_headers(&headers)
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn default_headers(mut self, headers: &SecretHeaders) -> Self {
        self.headers.add_all(headers);
        self
    }

    /// Sets the maximum number of requests in a second, evenly spaced. No limit unless set.
    ///
    /// Retries count, too. All clones of the client share the limit. Waiting for it does not count
    /// towards a request's time-outs.
    pub fn rate_limit(mut self, per_second: NonZeroU32) -> Self {
        self.rate = Some(per_second);
        self
    }

    /// Adds a node of the same network to read from when this one does not respond, or responds
    /// with 408, 429, 502, 503 or 504. Call it again to add more.
    ///
    /// Each node gets one try, without a pause. Each [retry](Self::retry) is another round over all
    /// of them. Later reads go to the node that responded. Nodes can be at different heights. Only
    /// GETs go to fallbacks: the node of the base URL builds every call and receives every submission.
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
        U::Error: Into<InputError>,
    {
        self.fallbacks.push(base.try_into().map_err(Into::into)?);
        Ok(self)
    }

    /// Uses an HTTP client of your own.
    ///
    /// [`http_client`](crate::transport::http_client()) makes one with the usual settings. This
    /// crate uses rustls without a default provider. If you build a client yourself, install a
    /// provider or pass a TLS configuration, even for plain HTTP.
    ///
    /// Your client then determines TLS, proxies, redirects, compression, user agent and the time-out
    /// for connecting. Turn off redirects and decompression, because the limits here do not cover
    /// them. All other settings apply.
    ///
    /// ```
    /// use nodeproof_client::{BaseUrl, Client, transport::{TransportOptions, http_client}};
    ///
    /// let base: BaseUrl = "http://localhost:8420".parse()?;
    /// let options = TransportOptions { keep_alive: false, ..TransportOptions::default() };
    /// let http = http_client(&base, &options)?;
    /// let node = Client::builder(base)?.http_client(http).build()?;
    /// assert_eq!(node.base_url().as_str(), "http://localhost:8420");
    /// # Ok::<(), nodeproof_client::Error>(())
    /// ```
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.http = Some(client);
        self
    }

    /// Builds the client. Nothing is sent yet.
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
