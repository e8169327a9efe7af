//! Serves the metrics and the health of the monitor.

use std::{convert::Infallible, future::Future, net::IpAddr, sync::Arc, time::Duration};

use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming,
    header::{self, HeaderMap, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
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

/// What the server responds with.
struct Service {
    metrics: Arc<Metrics>,
    overdue: Duration,
    /// Whether only programs of this machine can connect.
    is_local: bool,
}

/// Serves `/metrics`, `/healthz` and `/readyz` until `stop` is ready.
pub(super) async fn serve(
    listener: TcpListener,
    metrics: Arc<Metrics>,
    overdue: Duration,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let address = listener.local_addr();
    let service = Arc::new(Service {
        metrics,
        overdue,
        is_local: address.is_ok_and(|address| address.ip().is_loopback()),
    });
    // Dropping the future ends the listener. Open connections end with the process.
    tokio::select! {
        () = accept(listener, service) => {}
        () = stop => {}
    }
}

async fn accept(listener: TcpListener, service: Arc<Service>) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    // The semaphore is never closed, so this loop does not end.
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let service = Arc::clone(&service);
                tokio::spawn(async move {
                    connection(stream, service).await;
                    drop(slot);
                });
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// Serves one request. Ends after [`MAX_TIME`], also if the client does not read the response.
async fn connection<S>(stream: S, service: Arc<Service>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let respond = service_fn(move |request| {
        let response = service.respond(&request);
        async move { Ok::<_, Infallible>(response) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(MAX_HEADER_TIME)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), respond);
    // The client is gone, or too slow.
    let _served = timeout(MAX_TIME, served).await;
}

impl Service {
    fn respond(&self, request: &Request<Incoming>) -> Response<String> {
        if self.is_local && !names_this_machine(request.headers()) {
            let text = "use an IP address or localhost as the host\n".to_owned();
            return response(StatusCode::MISDIRECTED_REQUEST, text);
        }
        match (request.method(), request.uri().path()) {
            (&Method::GET | &Method::HEAD, "/metrics") => self.text(request.headers()),
            (&Method::GET | &Method::HEAD, "/healthz") => self.health(),
            (&Method::GET | &Method::HEAD, "/readyz") => self.readiness(),
            (_, "/metrics" | "/healthz" | "/readyz") => {
                response(StatusCode::METHOD_NOT_ALLOWED, String::new())
            }
            _ => response(StatusCode::NOT_FOUND, String::new()),
        }
    }

    fn text(&self, headers: &HeaderMap) -> Response<String> {
        let Ok(text) = self.metrics.text() else {
            return response(StatusCode::INTERNAL_SERVER_ERROR, String::new());
        };
        let (text, kind) = match prefers_text(headers) {
            true => (text_format(&text), TEXT),
            false => (text, OPEN_METRICS),
        };
        let mut response = response(StatusCode::OK, text);
        let kind = HeaderValue::from_static(kind);
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        response
    }

    /// Reports whether the monitor itself works. The metrics report whether the nodes conform.
    fn health(&self) -> Response<String> {
        let late = self.metrics.overdue(self.overdue);
        if late.is_empty() {
            return response(StatusCode::OK, "ok\n".to_owned());
        }
        let message = format!("no run has ended in time for {}\n", late.join(", "));
        response(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// Reports whether the metrics have a result for each node.
    fn readiness(&self) -> Response<String> {
        let without = self.metrics.without_run();
        if without.is_empty() {
            return response(StatusCode::OK, "ready\n".to_owned());
        }
        let message = format!("no run has ended yet for {}\n", without.join(", "));
        response(StatusCode::SERVICE_UNAVAILABLE, message)
    }
}

fn response(status: StatusCode, text: String) -> Response<String> {
    let mut response = Response::new(text);
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// Returns whether a request is for an IP address or for `localhost`.
///
/// A web page in a browser can make its own host name resolve to this machine, and then read what the
/// server returns. Such a request has that name. A request without a host does not come from a browser.
fn names_this_machine(headers: &HeaderMap) -> bool {
    headers.get_all(header::HOST).iter().all(|host| {
        let Ok(authority) = host
            .to_str()
            .unwrap_or_default()
            .parse::<hyper::http::uri::Authority>()
        else {
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
        let service = Arc::new(Service {
            metrics: Arc::new(Metrics::new()),
            overdue: MAX_TIME,
            is_local: true,
        });
        // The response is longer than what fits into the connection.
        let (mut client, server) = duplex(64);
        let started = Instant::now();
        let serving = tokio::spawn(connection(server, service));
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
