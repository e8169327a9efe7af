//! Parts of the responses of `/docs`.

use axum::http::{HeaderValue, StatusCode, header};
use integration_tests::proxy::Response;

pub(crate) const DOCUMENT: &str = "/openapi.json";

/// A listing that a script makes from the node's document.
pub(crate) const SWAGGER: &str = "<!DOCTYPE html><html><body><div id=\"swagger-ui\"></div>\
    <script>SwaggerUIBundle({ url: '/openapi.json' })</script></body></html>";

/// A redirect.
pub(crate) fn moved(response: Response, to: &'static str) -> Response {
    let mut response = response
        .with_status(StatusCode::TEMPORARY_REDIRECT)
        .with_body("");
    response
        .headers
        .insert(header::LOCATION, HeaderValue::from_static(to));
    response
}
