//! Serves the metrics and the health of the monitor.

use std::{future::Future, net::IpAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header, uri::Authority},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    sync::Semaphore,
    time::{sleep, timeout},
};

use super::{
    metrics::Metrics,
    text_format::{TEXT, prefers_text, text_format},
};

/// The content type of OpenMetrics text.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Maximum number of connections at a time. More of them wait until others are closed.
const MAX_CONNECTIONS: usize = 64;
/// The longest time until a request's headers have arrived.
const MAX_HEADER_TIME: Duration = Duration::from_secs(2);
/// The longest time of a connection. Each connection has one request.
const MAX_TIME: Duration = Duration::from_secs(10);
/// The pause after a connection could not be accepted, for example because no file handle is free.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves `/metrics`, `/healthz` and `/readyz` until `stop` is ready. A run that takes longer than `longest` is
/// overdue.
pub(super) async fn serve(
    listener: TcpListener,
    metrics: Arc<Metrics>,
    longest: Duration,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let address = listener.local_addr();
    let is_local = address.is_ok_and(|address| address.ip().to_canonical().is_loopback());
    // Dropping the future ends the listener. Open connections end with the process.
    tokio::select! {
        () = accept(listener, router(metrics, longest, is_local)) => {}
        () = stop => {}
    }
}

/// Returns the endpoints. With `is_local`, only programs of this machine can connect.
fn router(metrics: Arc<Metrics>, longest: Duration, is_local: bool) -> Router {
    let health = move |metrics| async move { health(metrics, longest) };
    let router = Router::new()
        .route("/metrics", get(text))
        .route("/healthz", get(health))
        .route("/readyz", get(readiness))
        .with_state(metrics);
    match is_local {
        true => router.layer(middleware::from_fn(only_for_this_machine)),
        false => router,
    }
}

async fn accept(listener: TcpListener, router: Router) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    // The semaphore is never closed, so this loop does not end.
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let router = router.clone();
                tokio::spawn(async move {
                    connection(stream, router).await;
                    drop(slot);
                });
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// Serves one request. Ends after [`MAX_TIME`], also if the client does not read the response.
async fn connection<S>(stream: S, router: Router)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(MAX_HEADER_TIME)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    // The client is gone, or too slow.
    let _served = timeout(MAX_TIME, served).await;
}

async fn text(State(metrics): State<Arc<Metrics>>, headers: HeaderMap) -> Response {
    let Ok(text) = metrics.text() else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    match prefers_text(&headers) {
        true => ([(header::CONTENT_TYPE, TEXT)], text_format(&text)).into_response(),
        false => ([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
    }
}

/// Reports whether the monitor itself works. The metrics report whether the nodes conform.
fn health(State(metrics): State<Arc<Metrics>>, longest: Duration) -> (StatusCode, String) {
    let late = metrics.overdue(longest);
    unless_any("ok", "no run has ended in time for", &late)
}

/// Reports whether the metrics have a result for each node.
async fn readiness(State(metrics): State<Arc<Metrics>>) -> (StatusCode, String) {
    unless_any("ready", "no run has ended yet for", &metrics.without_run())
}

fn unless_any(good: &str, bad: &str, nodes: &[String]) -> (StatusCode, String) {
    match nodes {
        [] => (StatusCode::OK, format!("{good}\n")),
        _ => {
            let text = format!("{bad} {}\n", nodes.join(", "));
            (StatusCode::SERVICE_UNAVAILABLE, text)
        }
    }
}

async fn only_for_this_machine(request: Request, next: Next) -> Response {
    if names_this_machine(request.headers()) {
        return next.run(request).await;
    }
    let text = "use an IP address or localhost as the host\n";
    (StatusCode::MISDIRECTED_REQUEST, text).into_response()
}

/// Returns whether a request is for an IP address or for `localhost`.
///
/// A web page in a browser can make its own host name resolve to this machine, and then read what the
/// server returns. Such a request has that name. A request without a host does not come from a browser.
fn names_this_machine(headers: &HeaderMap) -> bool {
    headers.get_all(header::HOST).iter().all(|host| {
        let Ok(authority) = host.to_str().unwrap_or_default().parse::<Authority>() else {
            return false;
        };
        let name = authority.host();
        let address = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        name.eq_ignore_ascii_case("localhost") || address.unwrap_or(name).parse::<IpAddr>().is_ok()
    })
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, duplex},
        time::{Instant, sleep},
    };

    use super::*;

    /// The pause of a slow reader before each byte.
    const SLOW: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_reader_of_one_byte_a_second_is_disconnected() {
        let router = router(Arc::new(Metrics::new(MAX_TIME)), MAX_TIME, true);
        // The response is longer than what fits into the connection.
        let (mut client, server) = duplex(64);
        let started = Instant::now();
        let serving = tokio::spawn(connection(server, router));
        let request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
        client.write_all(request).await.unwrap();
        let mut received = Vec::new();
        while !serving.is_finished() {
            sleep(SLOW).await;
            received.push(client.read_u8().await.unwrap());
        }
        assert!(received.starts_with(b"HTTP/1.1 "));
        assert!(
            started.elapsed() <= MAX_TIME + SLOW,
            "{:?}",
            started.elapsed()
        );
    }
}
