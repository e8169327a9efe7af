//! Reads request bodies, with limits of size, time and depth.

use std::time::Duration;

use axum::{
    body::{Body, Bytes, HttpBody as _, to_bytes},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use nodeproof_primitives::JsonLimits;

use super::{
    browser::declares_json,
    response::{Fault, Faults, detail},
};
use crate::{InjectedFault, Node};

/// Time limit for receiving a body.
const PATIENCE: Duration = Duration::from_secs(30);

/// Maximum length of a body, in bytes.
const MAX_LENGTH: usize = 1 << 20;

/// Maximum length of a body that is read to its end although it is too long, in bytes.
///
/// If the connection closes while a client is still sending, the client may never see the response.
const DRAINED: usize = 16 << 20;

/// Maximum nesting of arrays and objects.
const LIMITS: JsonLimits = JsonLimits {
    values: usize::MAX,
    depth: 128,
};

/// The reason why a body was not accepted.
pub(super) enum BodyError {
    NotJson(String),
    /// The body was not read to its end, so the connection is closed after a response with this status.
    NotRead(StatusCode, &'static str),
}

impl IntoResponse for BodyError {
    fn into_response(self) -> Response {
        match self {
            Self::NotJson(what) => Faults::from(Fault {
                loc: vec!["body".into()],
                msg: what.into(),
                kind: "value_error.jsondecode",
            })
            .into_response(),
            Self::NotRead(status, what) => {
                let mut response = detail(status, what);
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(header::CONNECTION, close);
                response
            }
        }
    }
}

/// Returns a body's text if it is declared as JSON, and is one JSON document that is not too deep.
pub(super) async fn read_json(
    node: &Node,
    headers: &HeaderMap,
    body: Body,
) -> Result<String, BodyError> {
    if !declares_json(headers) {
        return Err(BodyError::NotRead(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "A POST needs the header Content-Type: application/json",
        ));
    }
    let turn = match node.has(InjectedFault::HalfBodyBlocks) {
        true => Some(node.body_turn().await),
        false => None,
    };
    let text = String::from_utf8(read(body).await?.into()).map_err(|_| {
        BodyError::NotJson("the body is not UTF-8; send it without compression".to_owned())
    })?;
    drop(turn);
    if LIMITS.check(text.as_bytes()).is_err() {
        return Err(BodyError::NotJson(
            "arrays and objects are nested deeper than 128 levels".to_owned(),
        ));
    }
    match serde_json::from_str::<serde::de::IgnoredAny>(&text) {
        Ok(_) => Ok(text),
        Err(error) => {
            let what = format!("the body is not one JSON document: {error}");
            Err(BodyError::NotJson(what))
        }
    }
}

async fn read(body: Body) -> Result<Bytes, BodyError> {
    let too_long = BodyError::NotRead(
        StatusCode::PAYLOAD_TOO_LARGE,
        "Request body is longer than 1 MiB",
    );
    // A client that announces a longer body may wait for a permission to send it.
    if usize::try_from(body.size_hint().lower()).is_ok_and(|length| length > DRAINED) {
        return Err(too_long);
    }
    match tokio::time::timeout(PATIENCE, to_bytes(body, DRAINED)).await {
        Ok(Ok(bytes)) if bytes.len() <= MAX_LENGTH => Ok(bytes),
        Ok(_) => Err(too_long),
        Err(_) => Err(BodyError::NotRead(
            StatusCode::REQUEST_TIMEOUT,
            "Request body did not arrive in time",
        )),
    }
}
