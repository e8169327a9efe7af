//! An answer whose body has been read within the limits.

use bytes::Bytes;
use progenitor_client::ResponseValue;
use reqwest::{Response, ResponseBuilderExt};
use serde::de::DeserializeOwned;

use super::BodyTooLarge;
use crate::generated;

/// The body that was read of an answer, kept beside what is left of it.
///
/// Putting it back in costs as much as a fourth of what the call itself does, so only who needs a
/// [`Response`] to read from has that [done](whole).
#[derive(Clone)]
struct ReadBody(Bytes);

/// The answer with its body, as the generated calls take it: by [`value`] or [`whole`].
pub(super) fn with_body(mut response: Response, body: Bytes) -> Response {
    response.extensions_mut().insert(ReadBody(body));
    response
}

/// The answer with a body that can't be read, and says why: the only way to hand on an error of our
/// own here.
pub(super) fn failing(response: Response, fault: BodyTooLarge) -> Response {
    let stream = futures_util::stream::iter([Err::<Bytes, _>(fault)]);
    assemble(response, reqwest::Body::wrap_stream(stream))
}

/// What the body of an answer says, in its type.
pub(crate) async fn value<T: DeserializeOwned>(
    mut response: Response,
) -> Result<ResponseValue<T>, generated::Error<()>> {
    let Some(ReadBody(body)) = response.extensions_mut().remove() else {
        return ResponseValue::from_response(response).await;
    };
    // The whole is checked at once to be UTF-8, and not string by string.
    let read = match str::from_utf8(&body) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_slice(&body),
    };
    let value = read.map_err(|source| generated::Error::InvalidResponsePayload(body, source))?;
    let headers = std::mem::take(response.headers_mut());
    Ok(ResponseValue::new(value, response.status(), headers))
}

/// The answer with its body in it, for whoever reads on from there.
pub(crate) fn whole(mut response: Response) -> Response {
    match response.extensions_mut().remove() {
        Some(ReadBody(body)) => assemble(response, body.into()),
        None => response,
    }
}

fn assemble(mut response: Response, body: reqwest::Body) -> Response {
    let headers = std::mem::take(response.headers_mut());
    let built = http::Response::builder()
        .status(response.status())
        .version(response.version())
        .url(response.url().clone())
        .body(body);
    // What came from a response makes one.
    let mut whole = built.unwrap_or_default();
    *whole.headers_mut() = headers;
    whole.into()
}
