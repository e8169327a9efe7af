//! The layer that applies an outage.

use std::{io, sync::Arc};

use axum::{
    body::Body,
    extract::{Request, State},
    http::StatusCode,
    middleware::Next,
    response::Response,
};
use futures_util::stream;

use super::{
    response::detail,
    submit::{BATCH_PATH, PATH},
};
use crate::{Node, Outage};

/// Handles a request as the current outage requires.
pub(super) async fn apply(State(node): State<Arc<Node>>, request: Request, next: Next) -> Response {
    let is_submission = [PATH, BATCH_PATH].contains(&request.uri().path());
    match node.outage(is_submission) {
        None => next.run(request).await,
        Some(Outage::Unavailable) => detail(StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable"),
        Some(Outage::LostResponses) => {
            let (head, _) = next.run(request).await.into_parts();
            // The server closes the connection when the body fails.
            let lost: io::Result<&[u8]> = Err(io::ErrorKind::BrokenPipe.into());
            Response::from_parts(head, Body::from_stream(stream::iter([lost])))
        }
        Some(Outage::Delayed(time)) => {
            let response = next.run(request).await;
            tokio::time::sleep(time).await;
            response
        }
    }
}
