//! The list of hostile behaviours, by the place of the fault: the connection, HTTP, the document in the
//! body, its text, its size, TLS, or the course of time.

mod body;
mod connection;
mod http;
mod row;
mod size;
mod text;
mod times;
mod tls;

use super::Hostile;

/// Returns every hostile behaviour. Their names are unique.
#[must_use]
pub fn all() -> Vec<Hostile> {
    [
        connection::rows(),
        http::rows(),
        body::rows(),
        text::rows(),
        size::rows(),
        tls::rows(),
        times::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
