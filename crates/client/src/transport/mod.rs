//! How requests travel: time-outs, TLS, limits and retries.
//!
//! Everything that a [`Client`](crate::Client) sends goes through here. For a request
//! that the client has no method for, such as one with a parameter missing,
//! [`http_client`] returns a plain HTTP client with the same policy.

mod body;
mod exchange;
pub(crate) mod headers;
mod http;
mod options;
mod pace;
mod response;
mod retry;
mod routes;
#[cfg(feature = "rustls")]
mod tls;

pub use body::BodyTooLarge;
pub(crate) use exchange::{Exchange, HookState};
pub use http::http_client;
pub use options::{Limits, TransportOptions};
pub use retry::RetryPolicy;
pub(crate) use retry::is_passing;
pub(crate) use routes::Route;
