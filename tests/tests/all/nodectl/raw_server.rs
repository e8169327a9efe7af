//! A server with a function in place of a node, or one that does not respond.

use std::{
    net::TcpListener,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    http::Response,
};
use tokio::runtime::Runtime;

/// The reply to a request.
pub(crate) enum Reply {
    Response(Response<Body>),
    /// Closes the connection without a response.
    Nothing,
    /// Does not respond for as long as the other side waits.
    Silence,
}

impl Reply {
    /// Returns a block with this index.
    pub(crate) fn block(index: impl std::fmt::Display) -> Self {
        let hash = format!("{index:0>64}");
        let body =
            format!(r#"{{"index":{index},"timestamp":1767225600000,"previous_hash":"{hash}"}}"#);
        Self::json("200 OK", &body)
    }

    /// Returns a response with a status, such as `200 OK`, and a JSON body.
    pub(crate) fn json(status: &str, body: &str) -> Self {
        Self::with_header(status, ("connection", "close"), body)
    }

    /// Does the same with an additional header.
    pub(crate) fn with_header(status: &str, (name, value): (&str, &str), body: &str) -> Self {
        let response = Response::builder()
            .status(&status[..3])
            .header("content-type", "application/json")
            .header(name, value)
            .body(Body::from(body.to_owned()));
        Self::Response(response.expect("a response"))
    }
}

/// A server for one test. It ends with the process.
pub(crate) struct RawServer {
    pub(crate) base_url: String,
    requests: Arc<AtomicUsize>,
}

impl RawServer {
    /// Replies to each request with the result of the function. Its argument is the request line.
    pub(crate) fn spawn(reply: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        // Most of these tests have no runtime of their own.
        static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        listener.set_nonblocking(true).expect("a socket");
        let base_url = format!("http://{}", listener.local_addr().expect("an address"));
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&requests);
        let reply = Arc::new(reply);
        let router = Router::new().fallback(async move |request: Request| {
            let (head, body) = request.into_parts();
            // A connection that is closed earlier would be reset.
            let _read = to_bytes(body, usize::MAX).await;
            counted.fetch_add(1, Ordering::SeqCst);
            match reply(&format!("{} {} {:?}", head.method, head.uri, head.version)) {
                Reply::Response(response) => response,
                // Ends the task of the connection. Prints nothing, as a panic would.
                Reply::Nothing => std::panic::resume_unwind(Box::new("the connection closes")),
                Reply::Silence => std::future::pending().await,
            }
        });
        RUNTIME.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
            axum::serve(listener, router).await
        });
        Self { base_url, requests }
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// Waits until this many requests have arrived.
    pub(crate) fn wait_for(&self, requests: usize) {
        let begun = Instant::now();
        while self.requests() < requests {
            let waited = begun.elapsed();
            assert!(waited < Duration::from_secs(60), "{} came", self.requests());
            thread::sleep(Duration::from_millis(1));
        }
    }
}
