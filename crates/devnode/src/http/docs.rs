//! `GET /docs`: the interactive listing. The binary contains all its files.

use std::sync::{Arc, LazyLock};

use axum::{
    body::Body,
    extract::State,
    http::{HeaderValue, Uri, header},
    response::Response,
};
use nodeproof_openapi::{NODE_JSON, NODE_YAML};
use serde_json::Value;

use crate::Node;

/// Without Swagger UI, the page is only the list of operations for readers without scripts.
const PAGE: &str = if cfg!(feature = "swagger-ui") {
    include_str!("docs.html")
} else {
    include_str!("docs_list.html")
};

/// The page may not load anything from other servers.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'";

fn response(content_type: &str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    if let Ok(value) = HeaderValue::from_str(content_type) {
        response.headers_mut().insert(header::CONTENT_TYPE, value);
    }
    response
}

/// Returns the page, with or without a slash at the end of the path.
///
/// There is no redirect, because clients of nodes don't follow redirects. So the page's relative links
/// depend on the request's path.
pub(super) async fn page(uri: Uri) -> Response {
    static PAGES: LazyLock<[String; 2]> = LazyLock::new(|| {
        let calls = calls();
        ["./", "../"].map(|base| PAGE.replace("{{base}}", base).replace("{{calls}}", &calls))
    });
    let [below_root, below_docs] = &*PAGES;
    let page = if uri.path().ends_with('/') {
        below_docs
    } else {
        below_root
    };
    let mut response = response("text/html; charset=utf-8", page.as_str());
    response.headers_mut().insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(POLICY),
    );
    response
}

/// Returns a list item for each operation, for readers without scripts and for programs.
fn calls() -> String {
    const METHODS: [&str; 8] = [
        "get", "put", "post", "delete", "options", "head", "patch", "trace",
    ];
    let document: Value = serde_json::from_str(NODE_JSON).unwrap_or_default();
    let mut list = String::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            if METHODS.contains(&method.as_str()) {
                let method = method.to_uppercase();
                let summary = escaped(operation["summary"].as_str().unwrap_or_default());
                let path = escaped(path);
                list += &format!("<li><code>{method} {path}</code> {summary}</li>\n");
            }
        }
    }
    list
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Returns the endpoints of Swagger UI's files, below `/docs`. Its own page is not used: it shows
/// nothing to readers without scripts.
#[cfg(feature = "swagger-ui")]
pub(super) fn files() -> axum::Router {
    use swagger_ui_dist::{ApiDefinition, OpenApiSource, generate_routes};
    let source = OpenApiSource::Uri("/openapi.yaml");
    generate_routes(ApiDefinition {
        uri_prefix: "/docs",
        api_definition: source,
        title: None,
    })
}

/// Returns the OpenAPI description as YAML, with examples of this chain, which the page sends.
pub(super) async fn yaml(State(node): State<Arc<Node>>) -> Response {
    let wallet = |name| node.wallet(name).map(|wallet| wallet.address().to_string());
    let [alice, bob] = ["alice", "bob"].map(|name| wallet(name).unwrap_or_default());
    let asset = node.claimed_asset().unwrap_or_default();
    let text = NODE_YAML
        .replacen("example: 1200\n", "example: 1\n", 1)
        .replace(
            "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc",
            &node.contract_address().to_string(),
        )
        .replace("0xe8cf534e934cf1d5fb523b8c3134a501037d470e", &alice)
        .replace("0xb21854c8df7c314b3778036b532c5438abfeff03", &bob)
        .replace("warehouse-receipt-0042", asset)
        .replace("TKN", node.native_token());
    response("application/yaml", text)
}

/// Returns the OpenAPI description as JSON, at the same path as real nodes.
pub(super) async fn json() -> Response {
    response("application/json", NODE_JSON)
}
