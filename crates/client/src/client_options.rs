//! Creating a client.

use std::{num::NonZeroU32, time::Duration};

use nodeproof_primitives::{Hidden, Network};

use crate::{
    BaseUrl, Client, Error, InputError,
    transport::{
        HookState, Limits, RetryPolicy, Route, SecretHeaders, TransportOptions, http_client,
    },
};

/// Options of a [`Client`].
///
/// ```
/// use std::{num::NonZeroU32, time::Duration};
/// use nodeproof_client::{Client, ClientOptions, transport::{RetryPolicy, SecretHeaders}};
///
/// # fn example(gateway_key: &str) -> Result<(), Box<dyn std::error::Error>> {
/// let mut headers = SecretHeaders::default();
/// headers.add("x-api-key", gateway_key)?;
/// let options = ClientOptions {
///     headers,
///     extra_roots_pem: vec![std::fs::read("company-ca.pem")?],
///     client_certificate_pem: Some(std::fs::read("client.pem")?.into()),
///     request_timeout: Duration::from_secs(5),
///     retry: RetryPolicy::NEVER,
///     rate_limit: NonZeroU32::new(10),
///     fallbacks: vec!["https://node2.example.org".parse()?],
///     ..ClientOptions::default()
/// };
/// let node = Client::with_options("https://gateway.example.org", options)?;
/// # Ok(())
/// # }
/// ```
///
/// `Debug` shows neither the key of the certificate nor the values of the headers.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// The time-out for connecting, including TLS. 5 seconds.
    pub connect_timeout: Duration,
    /// The time-out for one try, to the last byte of its response. 30 seconds.
    pub request_timeout: Duration,
    /// The time-out for a whole request, including retries and pauses. 60 seconds.
    pub total_timeout: Duration,
    /// The largest response that is read, in bytes. 8 MiB.
    pub max_body: usize,
    /// The maximum number of values in a response, counted by its commas and opening brackets.
    /// 250,000. A block of 10,000 receipts has 90,000.
    ///
    /// A small value takes many times the memory of its text. So this limit and `max_body` together
    /// limit the memory of a request.
    pub max_values: usize,
    /// The maximum nesting of the arrays and objects in a response. 127.
    ///
    /// A higher limit is useful only for responses that stay text. This crate can't parse its types
    /// from deeper responses.
    pub max_depth: usize,
    /// How often a GET is retried, and when. A POST is never retried.
    pub retry: RetryPolicy,
    /// The maximum number of requests in a second, evenly spaced. No limit.
    ///
    /// Retries count, too. All clones of the client share the limit. Waiting for it does not count
    /// towards a request's time-outs.
    pub rate_limit: Option<NonZeroU32>,
    /// The header `User-Agent`. This crate's name and version.
    pub user_agent: String,
    /// Whether to use the proxy that the environment variables name. Never used for loopback. On.
    pub proxy_from_environment: bool,
    /// PEM files of certificate authorities that are trusted in addition to the machine's, by their contents. None.
    pub extra_roots_pem: Vec<Vec<u8>>,
    /// The contents of a PEM file with a certificate, those of its issuers if the server needs them, and
    /// the private key, which is not encrypted. For nodes behind mutual TLS. It is also presented to
    /// fallbacks that request one. None.
    pub client_certificate_pem: Option<Hidden<Vec<u8>>>,
    /// Headers for every request, such as the key of a gateway. They also go to the fallbacks. None.
    pub headers: SecretHeaders,
    /// Nodes of the same network to read from when this one does not respond, or responds with 408,
    /// 429, 502, 503 or 504. None.
    ///
    /// Each node gets one try, without a pause. Each retry is another round over all of them. Later
    /// reads go to the node that responded. Nodes can be at different heights. Only GETs go to
    /// fallbacks: the node of the base URL builds every call and receives every submission.
    pub fallbacks: Vec<BaseUrl>,
    /// An HTTP client of your own, with which several clients can share connections. None.
    ///
    /// [`http_client`](crate::transport::http_client()) makes one with the usual settings. This
    /// crate uses rustls without a default provider. If you build a client yourself, install a
    /// provider or pass a TLS configuration, even for plain HTTP.
    ///
    /// Your client then determines TLS, proxies, redirects, compression, user agent and the time-out
    /// for connecting. Turn off redirects and decompression, because the limits here do not cover
    /// them. All other settings apply.
    pub http_client: Option<reqwest::Client>,
    /// The runtime for connections, if not the one that sends the requests. There, a hostile server can't delay your timers: it
    /// can keep a thread busy with responses of the status 103, which no caller sees. None. See
    /// [`on_runtime`](crate::transport::on_runtime).
    pub connection_runtime: Option<tokio::runtime::Handle>,
}

impl Default for ClientOptions {
    fn default() -> Self {
        let (transport, limits) = (TransportOptions::default(), Limits::default());
        Self {
            connect_timeout: transport.connect_timeout,
            request_timeout: limits.request_timeout,
            total_timeout: limits.total_timeout,
            max_body: limits.max_body,
            max_values: limits.max_values,
            max_depth: limits.max_depth,
            retry: limits.retry,
            rate_limit: None,
            user_agent: transport.user_agent,
            proxy_from_environment: transport.proxy_from_environment,
            extra_roots_pem: transport.extra_roots_pem,
            client_certificate_pem: transport.client_certificate_pem,
            headers: SecretHeaders::default(),
            fallbacks: Vec::new(),
            http_client: None,
            connection_runtime: None,
        }
    }
}

impl Client {
    /// Creates a client for the node at a base URL, such as `http://localhost:8420`. Nothing is sent
    /// yet.
    ///
    /// # Errors
    /// If the text is not a base URL of a node, or TLS can't be set up.
    pub fn new<U>(base: U) -> Result<Self, Error>
    where
        U: TryInto<BaseUrl>,
        U::Error: Into<InputError>,
    {
        Self::with_options(base, ClientOptions::default())
    }

    /// Creates a client for the node on a host, with plain HTTP and the port of its network.
    ///
    /// # Errors
    /// If `host` is not only a host name or an IP address.
    pub fn for_network(host: &str, network: Network) -> Result<Self, Error> {
        Self::new(BaseUrl::for_network(host, network)?)
    }

    /// Creates a client with options.
    ///
    /// # Errors
    /// If the text is not a base URL of a node, TLS can't be set up, or the user agent can't be sent.
    pub fn with_options<U>(base: U, options: ClientOptions) -> Result<Self, Error>
    where
        U: TryInto<BaseUrl>,
        U::Error: Into<InputError>,
    {
        let base = base.try_into().map_err(Into::into)?;
        let transport = TransportOptions {
            connect_timeout: options.connect_timeout,
            request_timeout: options.request_timeout,
            user_agent: options.user_agent,
            proxy_from_environment: options.proxy_from_environment,
            keep_alive: true,
            extra_roots_pem: options.extra_roots_pem,
            client_certificate_pem: options.client_certificate_pem,
        };
        let reach = |base: BaseUrl| -> Result<Route, Error> {
            let http = match &options.http_client {
                Some(client) => client.clone(),
                None => http_client(&base, &transport)?,
            };
            Ok((base, http))
        };
        let own = reach(base)?;
        let fallbacks = options.fallbacks.into_iter().map(reach);
        let limits = Limits {
            request_timeout: options.request_timeout,
            total_timeout: options.total_timeout,
            max_body: options.max_body,
            max_values: options.max_values,
            max_depth: options.max_depth,
            retry: options.retry,
        };
        let state = HookState::new(limits)
            .with_headers(options.headers)
            .with_rate(options.rate_limit)
            .with_runtime(options.connection_runtime)
            .with_fallbacks(own.clone(), fallbacks.collect::<Result<_, _>>()?);
        Ok(Self::from_parts(own.0, own.1, state))
    }
}
