//! Builds responses.

use std::borrow::Cow;

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::json;

/// Returns a response with JSON text.
pub(super) fn json_text(status: StatusCode, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Returns a failure with a message.
pub(super) fn detail(status: StatusCode, detail: &str) -> Response {
    json_text(status, json!({ "detail": detail }).to_string())
}

/// A part of a fault's location: `query` or `body`, then names and positions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Place {
    Name(Cow<'static, str>),
    Position(usize),
}

impl From<&'static str> for Place {
    fn from(name: &'static str) -> Self {
        Self::Name(name.into())
    }
}

/// One fault of a request, in the form that was observed on a real node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Fault {
    pub(super) loc: Vec<Place>,
    pub(super) msg: Cow<'static, str>,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
}

impl Fault {
    pub(super) fn missing(loc: Vec<Place>) -> Self {
        Self {
            loc,
            msg: "field required".into(),
            kind: "value_error.missing",
        }
    }

    pub(super) fn value(loc: Vec<Place>, msg: impl Into<Cow<'static, str>>) -> Self {
        Self {
            loc,
            msg: msg.into(),
            kind: "value_error",
        }
    }
}

/// All faults of a request. The response has status 422 and lists them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Faults(Vec<Fault>);

impl Faults {
    pub(super) fn push(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value, or adds its fault to the list.
    pub(super) fn note<T>(&mut self, value: Result<T, Fault>) -> Option<T> {
        value.map_err(|fault| self.push(fault)).ok()
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}

impl IntoResponse for Faults {
    fn into_response(self) -> Response {
        json_text(
            StatusCode::UNPROCESSABLE_ENTITY,
            json!({ "detail": self.0 }).to_string(),
        )
    }
}
