//! A request and its response.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One request and its response.
///
/// Texts are shortened. Characters that are invisible, or that a terminal acts on, are written as
/// `\u{…}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeReport {
    /// `GET` or `POST`.
    pub method: String,
    /// The URL of the request.
    pub url: String,
    /// The start of the request's body, indented if it is JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_body: Option<String>,
    /// The HTTP status.
    pub status: u16,
    /// The response's `Content-Type`, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The time from sending the request to the last byte of the response, in milliseconds.
    pub elapsed_ms: u64,
    /// The start of the response's body, indented if it is JSON. It ends with `…` if it is cut.
    pub body: String,
    /// The length of the response's body in bytes.
    pub body_bytes: u64,
    /// A shell command that repeats the request. It is missing if it would be too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curl: Option<String>,
}
