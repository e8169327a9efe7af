//! Protects the node from web pages in a browser on the same machine.
//!
//! The node has no accounts, and its keys are public. A page could reach it in two ways, and the node
//! refuses both:
//!
//! - *DNS rebinding*: the page's own host name resolves to this machine, so the browser treats the
//!   node as part of the page's site. Such a request has that name in `Host`.
//! - *A simple cross-site POST*: a browser sends it without a preflight request, but only with a
//!   content type of HTML forms, or with none.

use std::{net::Ipv6Addr, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{
        HeaderMap, StatusCode, Uri,
        header::{CONTENT_TYPE, HOST},
        uri::Authority,
    },
    middleware::Next,
    response::Response,
};

use super::response::detail;
use crate::Node;

/// Refuses requests for other hosts.
pub(super) async fn guard(State(node): State<Arc<Node>>, request: Request, next: Next) -> Response {
    if !names_this_node(request.uri(), request.headers(), node.allowed_hosts()) {
        return detail(
            StatusCode::FORBIDDEN,
            "The Host header names a host that is not allowed. Use an IP address or localhost, or \
             start the node with --allow-host NAME",
        );
    }
    next.run(request).await
}

/// Whether every host that the request names is allowed.
///
/// A request without a host is allowed, because browsers always send one.
fn names_this_node(uri: &Uri, headers: &HeaderMap, allowed: &[String]) -> bool {
    let in_uri = uri.authority().is_none_or(|host| is_allowed(host, allowed));
    in_uri
        && headers.get_all(HOST).iter().all(|host| {
            let host: Option<Authority> = host.to_str().ok().and_then(|host| host.parse().ok());
            host.is_some_and(|host| is_allowed(&host, allowed))
        })
}

/// IP addresses can't be rebound, and `localhost` is always this machine. Other names must be in the
/// list.
fn is_allowed(authority: &Authority, allowed: &[String]) -> bool {
    let host = authority.host();
    let is_port = |port: &str| port.is_empty() || port.parse::<u16>().is_ok();
    let rest = authority.as_str().strip_prefix(host);
    if !rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port)) {
        return false;
    }
    let ip_v6 = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    if let Some(ip) = ip_v6 {
        return ip.parse::<Ipv6Addr>().is_ok();
    }
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    host.parse::<std::net::Ipv4Addr>().is_ok()
        || host == "localhost"
        || host.ends_with(".localhost")
        || allowed.iter().any(|name| name.eq_ignore_ascii_case(&host))
}

/// Whether there is one content type, and it is JSON, with or without parameters.
pub(super) fn declares_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let (Some(only), None) = (types.next(), types.next()) else {
        return false;
    };
    only.to_str().is_ok_and(|value| {
        let essence = value.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case("application/json")
    })
}
