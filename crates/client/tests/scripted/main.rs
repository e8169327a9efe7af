//! The client against servers with scripted responses, over real sockets.

#![expect(
    clippy::unwrap_used,
    reason = "a test that can't go on says so by failing"
)]

mod calls;
mod generated;
mod limits;
mod options;
mod repetition;
mod responses;
mod server;
mod spans;
mod submissions;
mod tls;

use std::time::Duration;

use nodeproof_client::{Client, ClientBuilder, transport::RetryPolicy};

pub(crate) const WALLET: &str = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e";
pub(crate) const OTHER: &str = "0xb21854c8df7c314b3778036b532c5438abfeff03";
pub(crate) const CONTRACT: &str = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc";

/// A block with the index 1.
pub(crate) const BLOCK: &str = r#"{"index":1,"timestamp":1767225600000,"previous_hash":"0"}"#;

/// Returns a builder for a client with very short pauses before retries.
pub(crate) fn builder(base: &str) -> ClientBuilder {
    Client::builder(base)
        .unwrap()
        .retry(RetryPolicy {
            first_pause: Duration::from_millis(1),
            longest_pause: Duration::from_millis(2),
            ..RetryPolicy::default()
        })
        .request_timeout(Duration::from_secs(5))
}

pub(crate) fn client(base: &str) -> Client {
    builder(base).build().unwrap()
}
