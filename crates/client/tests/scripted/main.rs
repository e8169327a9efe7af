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

use nodeproof_client::{Client, ClientOptions, Error, transport::RetryPolicy};

pub(crate) const WALLET: &str = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e";
pub(crate) const OTHER: &str = "0xb21854c8df7c314b3778036b532c5438abfeff03";
pub(crate) const CONTRACT: &str = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc";

/// A block with the index 1.
pub(crate) const BLOCK: &str = r#"{"index":1,"timestamp":1767225600000,"previous_hash":"0"}"#;

/// Returns the options of a client with very short pauses before retries.
fn options() -> ClientOptions {
    ClientOptions {
        retry: RetryPolicy {
            first_pause: Duration::from_millis(1),
            longest_pause: Duration::from_millis(2),
            ..RetryPolicy::default()
        },
        request_timeout: Duration::from_secs(5),
        ..ClientOptions::default()
    }
}

pub(crate) fn client(base: &str) -> Client {
    with(base, |_| ()).unwrap()
}

/// Returns a client with changed options.
pub(crate) fn with(base: &str, change: impl FnOnce(&mut ClientOptions)) -> Result<Client, Error> {
    let mut options = options();
    change(&mut options);
    Client::with_options(base, options)
}
