//! Reads request bodies, with limits of size, time and depth.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::StreamExt;
use nodeproof_primitives::is_nested_deeper;

use super::{
    browser::declares_json,
    response::{Fault, Faults, detail},
};

/// Time limit for receiving a body.
const PATIENCE: Duration = Duration::from_secs(30);

/// Maximum length of a body that is read to its end although it is too long, in bytes.
///
/// If the connection closes while a client is still sending, the client may never see the response.
const DRAINED: usize = 16 << 20;

/// Maximum nesting of arrays and objects.
const MAX_DEPTH: usize = 128;

/// The reason why a body was not accepted.
pub(super) enum BodyError {
    TooLong { limit: usize },
    TooSlow,
    Unreadable,
    NotJson(&'static str),
    NotDeclaredJson,
}

impl IntoResponse for BodyError {
    fn into_response(self) -> Response {
        let mut response = match self {
            Self::NotJson(what) => {
                return Faults::from(Fault {
                    loc: vec!["body".into()],
                    msg: what.into(),
                    kind: "value_error.jsondecode",
                })
                .into_response();
            }
            Self::TooLong { limit } => detail(
                StatusCode::PAYLOAD_TOO_LARGE,
                &format!("Request body is longer than {limit} bytes"),
            ),
            Self::TooSlow => detail(
                StatusCode::REQUEST_TIMEOUT,
                "Request body did not arrive in time",
            ),
            Self::NotDeclaredJson => detail(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "A POST needs the header Content-Type: application/json",
            ),
            Self::Unreadable => detail(StatusCode::BAD_REQUEST, "Request body could not be read"),
        };
        response
            .headers_mut()
            .insert(header::CONNECTION, HeaderValue::from_static("close"));
        response
    }
}

/// Returns a body's text if it is declared as JSON, and is one JSON document that is not too deep.
pub(super) async fn read_json(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
) -> Result<String, BodyError> {
    if !declares_json(headers) {
        return Err(BodyError::NotDeclaredJson);
    }
    let bytes = tokio::time::timeout(PATIENCE, read(headers, body, limit))
        .await
        .map_err(|_| BodyError::TooSlow)??;
    let text = String::from_utf8(bytes).map_err(|_| BodyError::NotJson("the body is not UTF-8"))?;
    if is_nested_deeper(text.as_bytes(), MAX_DEPTH) {
        return Err(BodyError::NotJson(
            "arrays and objects are nested deeper than 128 levels",
        ));
    }
    match serde_json::from_str::<serde::de::IgnoredAny>(&text) {
        Ok(_) => Ok(text),
        Err(_) => Err(BodyError::NotJson("the body is not one JSON document")),
    }
}

async fn read(headers: &HeaderMap, body: Body, limit: usize) -> Result<Vec<u8>, BodyError> {
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let too_long = || BodyError::TooLong { limit };
    if announced.is_some_and(|length| length > limit) && headers.contains_key(header::EXPECT) {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    let mut received = 0_usize;
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| BodyError::Unreadable)?;
        received = received.saturating_add(chunk.len());
        if received > DRAINED.max(limit) {
            return Err(too_long());
        }
        if received <= limit {
            bytes.extend_from_slice(&chunk);
        } else {
            bytes = Vec::new();
        }
    }
    if received > limit {
        return Err(too_long());
    }
    Ok(bytes)
}
