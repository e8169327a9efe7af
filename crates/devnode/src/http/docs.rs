//! `GET /docs`: the interactive listing, with everything that it needs inside the binary.

use std::sync::{Arc, LazyLock};

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, Uri, header},
    response::Response,
};
use utoipa_swagger_ui::Config;

use super::answer::detail;

const YAML: &str = include_str!("../../openapi/node.yaml");
const JSON: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));
const CALLS: &str = include_str!(concat!(env!("OUT_DIR"), "/calls.html"));
const PAGE: &str = include_str!("docs.html");

/// Nothing may be fetched from anywhere else.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'";

/// The files of Swagger UI that the page uses.
const ASSETS: [&str; 4] = [
    "swagger-ui.css",
    "swagger-ui-bundle.js",
    "favicon-16x16.png",
    "favicon-32x32.png",
];

fn answer(content_type: &str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    if let Ok(value) = HeaderValue::from_str(content_type) {
        response.headers_mut().insert(header::CONTENT_TYPE, value);
    }
    response
}

/// The page. It is answered right away at both of its addresses, as clients don't
/// follow redirects, so its relative links start from where it was asked for.
pub(super) async fn page(uri: Uri) -> Response {
    static PAGES: LazyLock<[String; 2]> = LazyLock::new(|| {
        ["./", "../"].map(|base| PAGE.replace("{{base}}", base).replace("{{calls}}", CALLS))
    });
    let [below_root, below_docs] = &*PAGES;
    let page = if uri.path().ends_with('/') {
        below_docs
    } else {
        below_root
    };
    let mut response = answer("text/html; charset=utf-8", page.as_str());
    response.headers_mut().insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(POLICY),
    );
    response
}

/// A file of Swagger UI.
pub(super) async fn asset(uri: Uri) -> Response {
    static CONFIG: LazyLock<Arc<Config<'static>>> = LazyLock::new(|| Arc::new(Config::default()));
    let name = uri.path().strip_prefix("/docs/").unwrap_or_default();
    let file = ASSETS
        .contains(&name)
        .then(|| utoipa_swagger_ui::serve(name, Arc::clone(&CONFIG)).ok())
        .flatten()
        .flatten();
    match file {
        Some(file) => answer(&file.content_type, file.bytes.into_owned()),
        None => detail(StatusCode::NOT_FOUND, "Not Found"),
    }
}

/// The description of the contract, as it was written.
pub(super) async fn yaml() -> Response {
    answer("application/yaml", YAML)
}

/// The same as JSON, where real nodes have theirs.
pub(super) async fn json() -> Response {
    answer("application/json", JSON)
}
