//! How requests travel: time-outs, TLS, limits and repetition.
//!
//! Everything that a [`Client`](crate::Client) sends goes through here. Who has to
//! send a request that the client has no call for, such as one with a parameter
//! missing, gets a plain HTTP client of the same policy from [`http_client`].

mod answer;
mod body;
mod exchange;
mod options;
mod retry;
mod routes;
mod tls;

pub(crate) use answer::{value, whole};
pub use body::BodyTooLarge;
pub(crate) use exchange::Exchange;
pub use exchange::Inner;
pub use options::{Limits, TransportOptions};
pub use retry::RetryPolicy;
pub(crate) use retry::{is_passing, retry_after};
pub(crate) use routes::Routes;

use crate::{BaseUrl, Error};

/// An HTTP client for a node, by the same policy as a [`Client`](crate::Client)'s own.
///
/// It follows no redirects, keeps no cookies, asks for no compression, speaks TLS
/// through rustls with the machine's certificate authorities, and has the
/// time-outs of `options`. It neither repeats requests nor limits bodies: who
/// reads a body from it has to count.
///
/// For a base URL with `http`, no certificate authorities are loaded, as nothing
/// could ever be checked against them. Loopback is never reached through a proxy;
/// other hosts are reached through the one that `HTTP_PROXY`, `HTTPS_PROXY` and
/// `NO_PROXY` name, unless `options` says otherwise.
///
/// # Errors
/// If TLS can't be set up, such as on a machine without certificate authorities.
pub fn http_client(base: &BaseUrl, options: &TransportOptions) -> Result<reqwest::Client, Error> {
    let builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .http1_only()
        .connect_timeout(options.connect_timeout)
        .timeout(options.request_timeout)
        .user_agent(options.user_agent.as_str())
        .tls_backend_preconfigured(tls::config(base, options)?);
    let builder = if base.is_loopback() || !options.proxy_from_environment {
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
