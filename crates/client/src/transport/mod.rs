//! Sending requests: time-outs, TLS, limits and retries.
//!
//! Every request of a [`Client`](crate::Client) goes through here. For a request without a method
//! of the client, such as one with a missing parameter, [`http_client`] returns a plain HTTP client
//! with the same settings.

mod body;
mod busy;
mod exchange;
mod headers;
mod http;
mod options;
mod pace;
mod proxies;
mod response;
mod retry;
mod routes;
#[cfg(feature = "rustls")]
mod tls;

pub use body::{BodyFault, BodyTooLarge, BoundedResponse};
pub use busy::on_runtime;
pub(crate) use exchange::{Exchange, HookState};
pub use headers::SecretHeaders;
pub use http::{http_client, tls_advice};
pub(crate) use options::Limits;
pub use options::TransportOptions;
pub use pace::Pace;
pub use proxies::proxy_note;
pub(crate) use retry::is_transient;
pub use retry::{RetryPolicy, retry_after};
pub(crate) use routes::Route;
