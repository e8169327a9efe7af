//! Putting a body back into its response, after it was read within the limits.

use bytes::Bytes;
use reqwest::{Body, Response, ResponseBuilderExt};

use super::body::BodyTooLarge;

/// Returns the response with this body.
pub(super) fn with_body(response: Response, body: Vec<u8>) -> Response {
    assemble(response, body.into())
}

/// Returns the response with a body that fails with `fault` when it is read.
///
/// The hook returns a `reqwest::Error`, which only reqwest can create. A failing body is the way to
/// pass on an error of our own.
pub(super) fn with_fault(response: Response, fault: BodyTooLarge) -> Response {
    let stream = futures_util::stream::iter([Err::<Bytes, _>(fault)]);
    assemble(response, Body::wrap_stream(stream))
}

fn assemble(mut response: Response, body: Body) -> Response {
    let headers = std::mem::take(response.headers_mut());
    let built = http::Response::builder()
        .status(response.status())
        .version(response.version())
        .url(response.url().clone())
        .body(body);
    // The parts of a response are always valid.
    let mut whole = built.unwrap_or_default();
    *whole.headers_mut() = headers;
    whole.into()
}
