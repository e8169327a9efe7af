//! Parts of the responses of `/docs`.

use axum::http::{HeaderValue, StatusCode, header};
use integration_tests::proxy::Answer;

pub(crate) const DOCUMENT: &str = "/openapi.json";

/// A listing that a script makes from the node's document.
pub(crate) const SWAGGER: &str = "<!DOCTYPE html><html><body><div id=\"swagger-ui\"></div>\
    <script>SwaggerUIBundle({ url: '/openapi.json' })</script></body></html>";

/// A redirect.
pub(crate) fn moved(answer: Answer, to: &'static str) -> Answer {
    let mut answer = answer
        .with_status(StatusCode::TEMPORARY_REDIRECT)
        .with_body("");
    answer
        .headers
        .insert(header::LOCATION, HeaderValue::from_static(to));
    answer
}
