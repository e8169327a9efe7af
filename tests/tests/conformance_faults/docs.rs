//! `GET /docs`: the listing of the endpoints, and the document behind it.

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use integration_tests::{
    broken,
    faults::{Broken, json_of, remove, response_of, set},
    proxy::{Asked, Response},
};
use serde_json::json;

use crate::listing::{DOCUMENT, SWAGGER, moved};

const CALL: &str = "/call-sc";
const TRUST: &str = "/get-trustscore-wallets";

pub(crate) fn faults() -> Vec<Broken> {
    broken! {
        "the listing is not there", response_of("/docs", |_, response| {
            response.with_status(StatusCode::NOT_FOUND)
        }) => ["docs/responds"];
        "the listing is JSON", response_of("/docs", |_, mut response| {
            let json = HeaderValue::from_static("application/json");
            response.headers.insert(header::CONTENT_TYPE, json);
            response.with_body("{}")
        }) => ["docs/lists-calls", "docs/page"];
        "the listing is on another server", response_of("/docs", |_, response| {
            moved(response, "http://localhost:9/docs/")
        }) => ["docs/responds"];
        "the listing moves for ever", response_of("/docs", |_, response| moved(response, "/docs"))
            => ["docs/responds"];
        "the listing lists nothing", response_of("/docs", |_, response| response.with_body(
            "<!DOCTYPE html><html><title>Calls</title>get-blocks</html>",
        )) => ["docs/lists-calls", "docs/page"];
        "the listing lists one call", response_of("/docs", |_, response| response.with_body(
            "<!DOCTYPE html><html><title>Calls</title>get-block</html>",
        )) => ["docs/lists-calls"];
        "the listing says that it was not found", response_of("/docs", |_, response| response.with_body(
            "<!DOCTYPE html><html><title>404</title><h1>404 Not Found</h1></html>",
        )) => ["docs/lists-calls", "docs/page"];
        "neither the listing nor its document has a call", Arc::new(|asked: &Asked, response: Response| {
            match asked.path.as_str() {
                "/docs" => response.with_body(SWAGGER),
                DOCUMENT => response.with_json(|document| remove(document, "/paths", CALL)),
                _ => response,
            }
        }) => ["docs/lists-calls", "docs/openapi-document"];
        "the listing's document is not there", Arc::new(|asked: &Asked, response: Response| {
            match asked.path.as_str() {
                "/docs" => response.with_body(SWAGGER),
                DOCUMENT => response.with_status(StatusCode::NOT_FOUND),
                _ => response,
            }
        }) => ["docs/lists-calls"];
        "the node's document has a call less", json_of(DOCUMENT, |_, document| {
            remove(document, "/paths", TRUST);
        }) => ["docs/openapi-document"];
        "the node's document lacks a parameter", json_of(DOCUMENT, |_, document| {
            set(document, "/paths/~1sc-state/get/parameters/0", json!({}));
        }) => ["docs/openapi-document"];
        "the node's document lets a parameter be left out", json_of(DOCUMENT, |_, document| {
            set(document, "/paths/~1get-block/get/parameters/0/required", json!(false));
        }) => ["docs/openapi-document"];
    }
}
