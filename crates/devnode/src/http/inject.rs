//! The layer that adds the node's fault to responses.

use std::sync::Arc;

use axum::{
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header::CONTENT_TYPE},
    middleware::Next,
    response::Response,
};

use super::response::json_text;
use crate::{InjectedFault, Node};

/// Handles a request, and applies the node's fault.
pub(super) async fn inject(
    State(node): State<Arc<Node>>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(faulty) = node.faulty() else {
        return next.run(request).await;
    };
    let path = request.uri().path().to_owned();
    let query = request.uri().query().unwrap_or_default().to_owned();
    if let Some(response) = faulty.instead(node.requests_received(), &path, &query) {
        return response;
    }
    if let Some(uri) = faulty.changed_uri(request.uri()) {
        *request.uri_mut() = uri;
    }
    let response = next.run(request).await;
    if faulty.fault == InjectedFault::LatestForUnknown
        && path == "/get-block"
        && response.status() == StatusCode::BAD_REQUEST
    {
        let chain = node.chain();
        let latest = chain.block_text(chain.height(), node.forms());
        return latest.map_or(response, |block| json_text(StatusCode::OK, block));
    }
    let (mut head, body) = response.into_parts();
    let is_json = |value: &HeaderValue| value.as_bytes().starts_with(b"application/json");
    if faulty.fault == InjectedFault::NoContentType
        && head.headers.get(CONTENT_TYPE).is_some_and(is_json)
    {
        head.headers.remove(CONTENT_TYPE);
    }
    // The node itself created the body, so reading it needs no limit.
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let body = match head.status {
        StatusCode::OK => faulty.body(&path, &query, body),
        _ => body,
    };
    head.headers.remove(axum::http::header::CONTENT_LENGTH);
    Response::from_parts(head, Body::from(body))
}
