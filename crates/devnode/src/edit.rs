//! Edits of requests and responses, in one layer in front of a node.
//!
//! The [deliberate faults](crate::InjectedFault) of single responses are such edits. A test can put its
//! own in front of a node:
//!
//! ```
//! use std::sync::Arc;
//!
//! use nodeproof_devnode::{
//!     Config, Node,
//!     edit::{Edit, Response, change_json, edited},
//! };
//!
//! let node = Arc::new(Node::new(&Config::for_tests()));
//! let in_seconds = change_json("/get-block", |_, block| {
//!     block["timestamp"] = 1_767_225_600.into();
//! });
//! let router: axum::Router = edited(nodeproof_devnode::router(node), in_seconds);
//!
//! let teapot = axum::http::StatusCode::IM_A_TEAPOT;
//! let busy = Edit::request(move |_| Some(Response::json(teapot, "{}")));
//! let chatty = Edit::response(move |request, response| match request.path.as_str() {
//!     "/docs" => response.with_status(teapot).with_body("tea"),
//!     _ => response.with_json(|document| document["drink"] = "tea".into()),
//! });
//! let router: axum::Router = edited(edited(router, busy), chatty);
//! ```

mod exact_numbers;

use std::{fmt, sync::Arc};

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{self, State},
    http::{self, Extensions, HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::{self, Next},
};
use serde_json::Value;

use self::exact_numbers::keep;
pub(crate) use self::exact_numbers::restore;

/// Maximum length of a request body, in bytes. A longer one arrives empty.
const MAX_BODY: usize = 64 << 20;

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The path, without the query.
    pub path: String,
    /// The query as sent, or an empty text.
    pub query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// A response.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The headers. The length is always that of the body.
    pub headers: HeaderMap,
    /// Values for the server, such as a reason phrase of hyper.
    pub extensions: Extensions,
    /// The body.
    pub body: Bytes,
}

impl Response {
    /// Creates a response with JSON text.
    pub fn json(status: StatusCode, text: impl Into<Bytes>) -> Self {
        let json = HeaderValue::from_static("application/json");
        Self {
            status,
            headers: HeaderMap::from_iter([(header::CONTENT_TYPE, json)]),
            extensions: Extensions::new(),
            body: text.into(),
        }
    }

    /// Changes the body's JSON document. Any other body stays unchanged. So do the digits of numbers
    /// that the change does not replace.
    #[must_use]
    pub fn with_json(mut self, change: impl FnOnce(&mut Value)) -> Self {
        let text = String::from_utf8_lossy(&self.body);
        if let Ok(mut value) = serde_json::from_str(&keep(&text)) {
            change(&mut value);
            self.body = restore(&value.to_string()).into();
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

    async fn of(response: http::Response<Body>) -> Self {
        let (head, body) = response.into_parts();
        match to_bytes(body, usize::MAX).await {
            Ok(body) => Self {
                status: head.status,
                headers: head.headers,
                extensions: head.extensions,
                body,
            },
            // The node broke off its response.
            Err(_) => Self::json(StatusCode::BAD_GATEWAY, "{\"detail\":\"Bad Gateway\"}"),
        }
    }

    fn sent(self) -> http::Response<Body> {
        let mut response = http::Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        *response.extensions_mut() = self.extensions;
        // The server sets these.
        for name in [
            header::CONTENT_LENGTH,
            header::TRANSFER_ENCODING,
            header::DATE,
        ] {
            response.headers_mut().remove(name);
        }
        response
    }
}

/// Changes a request's query or body, or responds to it in place of the node.
pub type RequestEdit = Arc<dyn Fn(&mut Request) -> Option<Response> + Send + Sync>;

/// Changes a response.
pub type ResponseEdit = Arc<dyn Fn(&Request, Response) -> Response + Send + Sync>;

/// An edit of every request, or of every response.
#[derive(Clone)]
pub enum Edit {
    /// Changes a request's query or body before the node gets it. A response replaces the node's: the node
    /// does not get the request.
    Request(RequestEdit),
    /// Changes the node's response.
    Response(ResponseEdit),
}

impl Edit {
    /// Creates an edit of requests.
    pub fn request(
        edit: impl Fn(&mut Request) -> Option<Response> + Send + Sync + 'static,
    ) -> Self {
        Self::Request(Arc::new(edit))
    }

    /// Creates an edit of responses.
    pub fn response(edit: impl Fn(&Request, Response) -> Response + Send + Sync + 'static) -> Self {
        Self::Response(Arc::new(edit))
    }
}

impl From<ResponseEdit> for Edit {
    fn from(edit: ResponseEdit) -> Self {
        Self::Response(edit)
    }
}

/// Creates an edit of the JSON documents in responses with status 200 to requests for a path.
pub fn change_json(
    path: &'static str,
    change: impl Fn(&Request, &mut Value) + Send + Sync + 'static,
) -> ResponseEdit {
    Arc::new(move |request, response| {
        if request.path == path && response.status == StatusCode::OK {
            response.with_json(|document| change(request, document))
        } else {
            response
        }
    })
}

impl fmt::Debug for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Request(_) => "Edit::Request",
            Self::Response(_) => "Edit::Response",
        })
    }
}

/// Puts an edit in front of endpoints.
pub fn edited(router: Router, edit: impl Into<Edit>) -> Router {
    router.layer(middleware::from_fn_with_state(edit.into(), apply))
}

async fn apply(
    State(edit): State<Edit>,
    request: extract::Request,
    next: Next,
) -> http::Response<Body> {
    let (mut head, body) = request.into_parts();
    let mut request = Request {
        method: head.method.clone(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        headers: head.headers.clone(),
        body: to_bytes(body, MAX_BODY).await.unwrap_or_default(),
    };
    if let Edit::Request(edit) = &edit {
        if let Some(response) = edit(&mut request) {
            return response.sent();
        }
        // The endpoint was chosen from the path before.
        let changed = format!("{}?{}", head.uri.path(), request.query);
        if head.uri.query().is_some_and(|query| query != request.query)
            && let Ok(uri) = changed.parse()
        {
            head.uri = uri;
        }
    }
    let forwarded = extract::Request::from_parts(head, request.body.clone().into());
    let response = next.run(forwarded).await;
    match edit {
        Edit::Request(_) => response,
        Edit::Response(edit) => edit(&request, Response::of(response).await).sent(),
    }
}
