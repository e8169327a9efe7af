//! The proxies that the environment names. The HTTP library uses them. Here they are secrets, and a part of messages.

use std::env;

use nodeproof_primitives::redact::Secrets;
use url::{Url, form_urlencoded};

const VARIABLES: [&str; 6] = [
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
];

/// Returns the variables that name a proxy, with its URL.
fn named() -> impl Iterator<Item = (&'static str, Url)> {
    VARIABLES.into_iter().filter_map(|name| {
        let value = env::var(name).ok()?;
        let value = value.trim();
        let url = match value.contains("://") {
            true => Url::parse(value),
            false => Url::parse(&format!("http://{value}")),
        };
        Some((name, url.ok()?))
    })
}

/// Adds the names and passwords for proxies to secrets. A proxy may send them back, or pass them on to the node.
pub(super) fn add_credentials(secrets: &mut Secrets, shortest: usize) {
    for (_, url) in named() {
        let password = url.password().unwrap_or_default();
        if !password.is_empty() || !url.username().is_empty() {
            let pair = format!("{}:{}", decoded(url.username()), decoded(password));
            secrets.add(&pair, shortest);
        }
    }
}

/// Returns a text without percent-encoding.
fn decoded(text: &str) -> String {
    let value = format!("={}", text.replace('+', "%2B").replace('&', "%26"));
    let mut pairs = form_urlencoded::parse(value.as_bytes());
    pairs
        .next()
        .map_or_else(String::new, |(_, text)| text.into_owned())
}

/// Returns a note if a variable names a proxy for this URL. A request that fails may have failed there.
///
/// An [`Error`](crate::Error) of a [`Client`](crate::Client) has it already.
///
/// ```
/// let url = "http://localhost:8420/docs".parse()?;
/// // A node on this machine is never requested through a proxy.
/// assert_eq!(nodeproof_client::transport::proxy_note(&url), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn proxy_note(url: &Url) -> Option<String> {
    let base: crate::BaseUrl = url.origin().ascii_serialization().parse().ok()?;
    if base.is_on_this_machine() {
        return None;
    }
    let variable = format!("{}_PROXY", url.scheme());
    let is_for_it =
        |name: &str| name.eq_ignore_ascii_case(&variable) || name.eq_ignore_ascii_case("ALL_PROXY");
    let (name, proxy) = named().find(|(name, _)| is_for_it(name))?;
    let port = proxy.port_or_known_default().map(|port| format!(":{port}"));
    Some(format!(
        "the variable {name} names a proxy, {}{}",
        proxy.host_str().unwrap_or_default(),
        port.unwrap_or_default()
    ))
}
