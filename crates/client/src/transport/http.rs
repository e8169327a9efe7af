//! The HTTP client that a client uses.

use reqwest::ClientBuilder;

use super::options::TransportOptions;
use crate::{BaseUrl, Error};

/// Returns an HTTP client for a node, with the settings of a [`Client`](crate::Client).
///
/// It follows no redirects, stores no cookies, and accepts no compression. It uses TLS with rustls
/// and the machine's certificate authorities, and has the time-outs of `options`. It neither retries
/// requests nor limits bodies: count the bytes that you read.
///
/// For a base URL with `http` it loads no certificate authorities, because it never
/// needs them. It never uses a proxy for loopback and, on Linux and Windows, for this machine's own
/// name. For other hosts it uses the proxy in `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, unless
/// `options` forbids it.
///
/// # Errors
/// If TLS can't be set up, such as on a machine without certificate authorities.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use nodeproof_client::{BaseUrl, transport::{TransportOptions, http_client}};
///
/// let base: BaseUrl = "http://localhost:8420".parse()?;
/// let http = http_client(&base, &TransportOptions::default())?;
/// let response = http.get(base.join("get-block")).send().await?;
/// println!("without a block index: {}", response.status());
/// # Ok(())
/// # }
/// ```
pub fn http_client(base: &BaseUrl, options: &TransportOptions) -> Result<reqwest::Client, Error> {
    let builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .http1_only()
        .connect_timeout(options.connect_timeout)
        .timeout(options.request_timeout)
        .user_agent(options.user_agent.as_str());
    let builder = with_tls(builder, base, options)?;
    let builder = if base.is_on_this_machine() || !options.proxy_from_environment {
        builder.no_proxy()
    } else {
        builder
    };
    let builder = if options.keep_alive {
        builder
    } else {
        builder.pool_max_idle_per_host(0)
    };
    builder
        .build()
        .map_err(|source| Error::configuration("the HTTP client can't be made", source))
}

/// Returns advice if a connection failed because the base URL has `https`, and the server responded
/// without TLS, or supports only outdated versions of TLS. The text is one line.
///
/// An [`Error`] of a [`Client`](crate::Client) has it already.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use nodeproof_client::{BaseUrl, transport::{TransportOptions, http_client, tls_advice}};
///
/// let base: BaseUrl = "https://localhost:8420".parse()?;
/// let http = http_client(&base, &TransportOptions::default())?;
/// if let Err(error) = http.get(base.join("docs")).send().await {
///     println!("{}", tls_advice(&error).unwrap_or("no response"));
/// }
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn tls_advice(error: &reqwest::Error) -> Option<&'static str> {
    // On a connection that was made, such a response is broken, and the request may have arrived.
    error.is_connect().then(|| advice(error)).flatten()
}

#[cfg(feature = "rustls")]
fn advice(error: &reqwest::Error) -> Option<&'static str> {
    super::tls::advice(error)
}

/// There is no base URL with https.
#[cfg(not(feature = "rustls"))]
fn advice(_error: &reqwest::Error) -> Option<&'static str> {
    None
}

#[cfg(feature = "rustls")]
fn with_tls(
    builder: ClientBuilder,
    base: &BaseUrl,
    options: &TransportOptions,
) -> Result<ClientBuilder, Error> {
    Ok(builder.tls_backend_preconfigured(super::tls::config(base, options)?))
}

#[cfg(not(feature = "rustls"))]
fn with_tls(
    builder: ClientBuilder,
    base: &BaseUrl,
    _options: &TransportOptions,
) -> Result<ClientBuilder, Error> {
    if base.is_https() {
        return Err(Error::unusable(
            "this program was built without TLS: use a base URL with http, or build \
             nodeproof-client with its feature rustls",
        ));
    }
    Ok(builder)
}
