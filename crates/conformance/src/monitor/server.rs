//! Serves the metrics and the health of the monitor.

use std::{future::Future, io, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use tokio::net::TcpListener;

use super::metrics::Metrics;

/// The content type of OpenMetrics text.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves `/metrics` and `/healthz` until `stop` is ready.
pub(super) async fn serve(
    listener: TcpListener,
    metrics: Arc<Metrics>,
    overdue: Duration,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let router = Router::new()
        .route("/metrics", get(text))
        .route("/healthz", get(move |state| health(state, overdue)))
        .with_state(metrics);
    let server = axum::serve(listener, router).into_future();
    // Scrapers keep connections open, so the server does not wait until they are closed.
    tokio::select! {
        served = server => served,
        () = stop => Ok(()),
    }
}

async fn text(State(metrics): State<Arc<Metrics>>) -> Response {
    match metrics.text() {
        Ok(text) => ([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Reports whether the monitor itself works. The metrics report whether the nodes conform.
async fn health(State(metrics): State<Arc<Metrics>>, overdue: Duration) -> Response {
    let late = metrics.overdue(overdue);
    if late.is_empty() {
        return "ok\n".into_response();
    }
    let message = format!("no run has ended in time for {}\n", late.join(", "));
    (StatusCode::SERVICE_UNAVAILABLE, message).into_response()
}
