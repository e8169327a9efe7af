//! A proxy in front of a good node. It records the requests and can change the responses.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    http::{self, HeaderMap, StatusCode, header},
    middleware::map_request,
};
use nodeproof_client::transport::{TransportOptions, http_client};
use nodeproof_conformance::{Options, Target, cli::LocalNode, report::NodeReport};
use nodeproof_devnode::{
    Handle, Node,
    edit::{Edit, edited},
};
use nodeproof_primitives::Network;
use tower::ServiceExt as _;

pub use nodeproof_devnode::edit::{Request as RecordedRequest, Response, ResponseEdit as Fault};

use crate::{server::Server, watch::check_target};

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

impl Upstream {
    fn router(self) -> Result<Router, Box<dyn std::error::Error>> {
        let url = match self {
            Self::Local(node) => {
                let node = nodeproof_devnode::router(node);
                return Ok(node.layer(map_request(without_host)));
            }
            Self::Url(url) => url,
        };
        let http = http_client(&url.parse()?, &TransportOptions::default())?;
        Ok(Router::new().fallback(async move |request: Request| {
            let unreachable = StatusCode::BAD_GATEWAY;
            forward(&http, &url, request).await.ok_or(unreachable)
        }))
    }
}

/// Removes the host. A client may request another one through a proxy, and the node refuses its name.
async fn without_host(mut request: Request) -> Request {
    request.headers_mut().remove(header::HOST);
    let path = request.uri().path_and_query().cloned();
    if let Some(path) = path {
        *request.uri_mut() = path.into();
    }
    request
}

/// Sends a request to the node at a base URL. Returns `None` if the node does not respond.
async fn forward(
    http: &reqwest::Client,
    url: &str,
    request: Request,
) -> Option<http::Response<Body>> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let mut headers = parts.headers;
    let sent: HeaderMap = [header::CONTENT_TYPE, header::ACCEPT]
        .into_iter()
        .filter_map(|name| headers.remove(&name).map(|value| (name, value)))
        .collect();
    let request = http.request(parts.method, format!("{url}{path}"));
    let body = to_bytes(body, usize::MAX).await.ok()?;
    let received = request.headers(sent).body(body).send().await.ok()?;
    let (status, headers) = (received.status(), received.headers().clone());
    let body = received.bytes().await.unwrap_or_default();
    let mut response = http::Response::new(Body::from(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Some(response)
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
        let requests = Arc::<Mutex<Vec<RecordedRequest>>>::default();
        let recorded = Arc::clone(&requests);
        let record = Edit::request(move |request| {
            if let Ok(mut list) = recorded.lock() {
                list.push(request.clone());
            }
            None
        });
        let router = edited(upstream.into().router()?, fault);
        Ok(Self {
            router: edited(router, record),
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
        let requests = self.requests.lock();
        requests.map(|list| list.clone()).unwrap_or_default()
    }

    /// Checks the node behind the proxy, which is of devnet.
    ///
    /// # Panics
    /// Never, because the base URL is right.
    #[expect(clippy::expect_used, reason = "the text is a base URL")]
    pub async fn check(&self, options: &Options) -> NodeReport {
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

/// A proxy that listens.
#[derive(Debug)]
pub struct Proxy {
    /// The server itself.
    pub server: Server,
    local: LocalProxy,
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
        let local = LocalProxy::new(upstream, fault)?;
        Ok(Self {
            server: Server::spawn(local.router.clone()).await?,
            local,
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
        self.local.requests()
    }
}
