//! A proxy in front of a good node. It records the requests and can change the responses.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{self, HeaderMap, Method, StatusCode, header, request::Parts},
};
use hyper::ext::ReasonPhrase;
use nodeproof_client::transport::{TransportOptions, http_client};
use nodeproof_conformance::{Options, Target, cli::LocalNode, report::Report};
use nodeproof_devnode::{Handle, Node};
use nodeproof_primitives::Network;
use tower::ServiceExt as _;

use crate::{server::Server, watch::check_target};

/// A request.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// The method.
    pub method: Method,
    /// The path, without the query.
    pub path: String,
    /// The query as sent.
    pub query: String,
    /// The header `accept`, or an empty text.
    pub accept: String,
    /// The body.
    pub body: Bytes,
}

/// A header of a [`Response`] that becomes the reason phrase of the status line.
pub const REASON_PHRASE: &str = "x-reason-phrase-of-the-status-line";

/// A response.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The headers. The length is always that of the body.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Response {
    /// Changes the body's JSON document. Any other body stays unchanged.
    #[must_use]
    pub fn with_json(mut self, change: impl FnOnce(&mut serde_json::Value)) -> Self {
        let text = String::from_utf8_lossy(&self.body);
        if let Ok(mut value) = serde_json::from_str(&numbers_kept(&text)) {
            change(&mut value);
            self.body = numbers_restored(&value.to_string()).into();
        }
        self
    }

    /// Replaces the body.
    #[must_use]
    pub fn with_body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Replaces the status.
    #[must_use]
    pub fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }
}

/// The mark of a number that a [`serde_json::Value`] would change.
const KEPT: &str = "\"kept number ";

/// Turns such numbers into text. So a fault changes only its target.
fn numbers_kept(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => {
                let mut escaped = false;
                let end = rest[1..].find(|c| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                end.map_or(rest.len(), |end| end + 2)
            }
            '-' | '0'..='9' => rest
                .find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'))
                .unwrap_or(rest.len()),
            other => other.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        let number = matches!(first, '-' | '0'..='9');
        let kept = || {
            let value: Option<serde_json::Value> = serde_json::from_str(token).ok();
            value.is_none_or(|value| value.to_string().as_str() == token)
        };
        if number && !kept() {
            out.push_str(&format!("{KEPT}{token}\""));
        } else {
            out.push_str(token);
        }
        rest = after;
    }
    out
}

/// Undoes [`numbers_kept`].
fn numbers_restored(text: &str) -> String {
    let mut parts = text.split(KEPT);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, after) = part.split_once('"').unwrap_or((part, ""));
        out.push_str(number);
        out.push_str(after);
    }
    out
}

/// Changes a response.
pub type Fault = Arc<dyn Fn(&RecordedRequest, Response) -> Response + Send + Sync>;

/// A running proxy.
#[derive(Debug)]
pub struct Proxy {
    /// The server itself.
    pub server: Server,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
}

/// The node behind a proxy.
#[derive(Clone, Debug)]
pub enum Upstream {
    /// A local node in this process. It is called without a connection.
    Local(Arc<Node>),
    /// A node at a base URL.
    Url(String),
}

impl From<&Handle> for Upstream {
    fn from(node: &Handle) -> Self {
        Self::Local(Arc::clone(node.node()))
    }
}

impl From<&Arc<Handle>> for Upstream {
    fn from(node: &Arc<Handle>) -> Self {
        Self::from(&**node)
    }
}

impl From<&LocalNode> for Upstream {
    fn from(node: &LocalNode) -> Self {
        match node.guard.downcast_ref::<Handle>() {
            Some(handle) => handle.into(),
            None => node.base_url.as_str().into(),
        }
    }
}

impl From<&str> for Upstream {
    fn from(url: &str) -> Self {
        Self::Url(url.trim_end_matches('/').to_owned())
    }
}

/// Sends requests to the node behind a proxy.
#[derive(Clone)]
enum Sender {
    Router(Router),
    Http(reqwest::Client, String),
}

impl Sender {
    fn new(upstream: Upstream) -> Result<Self, Box<dyn std::error::Error>> {
        match upstream {
            Upstream::Local(node) => Ok(Self::Router(nodeproof_devnode::router(node))),
            Upstream::Url(url) => {
                let options = TransportOptions::default();
                let http = http_client(&url.parse()?, &options)?;
                Ok(Self::Http(http, url))
            }
        }
    }

    /// Returns `None` if the node does not respond completely.
    async fn send(&self, parts: &Parts, body: Bytes) -> Option<Response> {
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let mut headers = HeaderMap::new();
        for name in [header::CONTENT_TYPE, header::ACCEPT] {
            if let Some(value) = parts.headers.get(&name) {
                headers.insert(name, value.clone());
            }
        }
        match self {
            Self::Router(router) => {
                let mut request = Request::new(Body::from(body));
                *request.method_mut() = parts.method.clone();
                *request.uri_mut() = path.parse().ok()?;
                *request.headers_mut() = headers;
                let Ok(response) = router.clone().oneshot(request).await;
                let (parts, body) = response.into_parts();
                Some(Response {
                    status: parts.status,
                    headers: parts.headers,
                    body: to_bytes(body, usize::MAX).await.ok()?,
                })
            }
            Self::Http(http, url) => {
                let request = http.request(parts.method.clone(), format!("{url}{path}"));
                let response = request.headers(headers).body(body).send().await.ok()?;
                Some(Response {
                    status: response.status(),
                    headers: response.headers().clone(),
                    body: response.bytes().await.unwrap_or_default(),
                })
            }
        }
    }
}

#[derive(Clone)]
struct Shared {
    upstream: Sender,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
    fault: Fault,
}

/// A proxy in this process. It is called without a connection.
#[derive(Clone, Debug)]
pub struct LocalProxy {
    router: Router,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
}

impl LocalProxy {
    /// Makes a proxy in front of a node.
    ///
    /// # Errors
    /// When no client for the node can be made.
    pub fn new(
        upstream: impl Into<Upstream>,
        fault: Fault,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let requests = Arc::default();
        Ok(Self {
            router: router(upstream, fault, Arc::clone(&requests))?,
            requests,
        })
    }

    /// Makes a proxy that changes nothing.
    ///
    /// # Errors
    /// The errors of [`LocalProxy::new`].
    pub fn honest(upstream: impl Into<Upstream>) -> Result<Self, Box<dyn std::error::Error>> {
        Self::new(upstream, Arc::new(|_, received| received))
    }

    /// Returns all requests so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        recorded(&self.requests)
    }

    /// Checks the node behind the proxy, which is of devnet.
    ///
    /// # Panics
    /// Never, because the base URL is right.
    #[expect(clippy::expect_used, reason = "the text is a base URL")]
    pub async fn check(&self, options: &Options) -> Report {
        let target = Target::parse("http://127.0.0.1:8420", Network::Devnet).expect("a base URL");
        let proxy = self.clone();
        let respond = move |request: http::Request<Vec<u8>>| {
            let response = proxy.clone().respond(request.map(Body::from));
            // A fault that panics stands for a node that closes the connection.
            let response = tokio::spawn(response);
            async move { response.await.ok().flatten() }
        };
        check_target(target.in_process(respond), options).await
    }

    async fn respond(self, request: Request) -> Option<http::Response<Vec<u8>>> {
        let Ok(response) = self.router.oneshot(request).await;
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.ok()?;
        Some(http::Response::from_parts(parts, body.to_vec()))
    }
}

fn router(
    upstream: impl Into<Upstream>,
    fault: Fault,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
) -> Result<Router, Box<dyn std::error::Error>> {
    let shared = Shared {
        upstream: Sender::new(upstream.into())?,
        requests,
        fault,
    };
    Ok(Router::new().fallback(forward).with_state(shared))
}

impl Proxy {
    /// Starts a proxy in front of a node.
    ///
    /// # Errors
    /// When no port is free, or no client can be made.
    pub async fn spawn(
        upstream: impl Into<Upstream>,
        fault: Fault,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let requests = Arc::default();
        let router = router(upstream, fault, Arc::clone(&requests))?;
        Ok(Self {
            server: Server::spawn(router).await?,
            requests,
        })
    }

    /// Starts a proxy that changes nothing.
    ///
    /// # Errors
    /// The errors of [`Proxy::spawn`].
    pub async fn honest(upstream: impl Into<Upstream>) -> Result<Self, Box<dyn std::error::Error>> {
        Self::spawn(upstream, Arc::new(|_, received| received)).await
    }

    /// Returns all requests so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        recorded(&self.requests)
    }
}

fn recorded(requests: &Mutex<Vec<RecordedRequest>>) -> Vec<RecordedRequest> {
    let requests = requests.lock();
    requests.map(|list| list.clone()).unwrap_or_default()
}

async fn forward(State(shared): State<Shared>, request: Request) -> http::Response<Body> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 64 << 20).await.unwrap_or_default();
    let accept = parts.headers.get(header::ACCEPT);
    let accept = accept.and_then(|value| value.to_str().ok());
    let request = RecordedRequest {
        method: parts.method.clone(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        accept: accept.unwrap_or_default().to_owned(),
        body: body.clone(),
    };
    if let Ok(mut list) = shared.requests.lock() {
        list.push(request.clone());
    }
    let received = shared.upstream.send(&parts, body).await;
    let received = received.unwrap_or_else(|| Response {
        status: StatusCode::BAD_GATEWAY,
        headers: HeaderMap::new(),
        body: Bytes::new(),
    });
    let received = (shared.fault)(&request, received);
    let mut response = http::Response::new(Body::from(received.body));
    *response.status_mut() = received.status;
    for (name, value) in &received.headers {
        if name == REASON_PHRASE {
            if let Ok(reason) = ReasonPhrase::try_from(value.as_bytes()) {
                response.extensions_mut().insert(reason);
            }
        } else if !matches!(
            *name,
            header::CONTENT_LENGTH | header::TRANSFER_ENCODING | header::DATE
        ) {
            response.headers_mut().append(name.clone(), value.clone());
        }
    }
    response
}
