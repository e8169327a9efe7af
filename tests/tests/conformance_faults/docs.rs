//! `GET /docs`: the listing of the endpoints, and the document behind it.

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use integration_tests::{
    faults::{SeededFault, change_json, change_response, remove, set},
    proxy::{RecordedRequest, Response},
    seeded_faults,
};
use serde_json::json;

use crate::listing::{DOCUMENT, SWAGGER, moved};

const CALL: &str = "/call-sc";

pub(crate) fn faults() -> Vec<SeededFault> {
    seeded_faults! {
        "an unknown path gets the listing as JSON", Arc::new(|request: &RecordedRequest, response: Response| {
            match request.path.starts_with("/no-such-path") {
                true => response.with_status(StatusCode::OK).with_body(r#"{"paths":["/get-block"]}"#),
                false => response,
            }
        }) => ["http/unknown-path"];
        "errors have another content type than successes", Arc::new(|_: &RecordedRequest, mut response: Response| {
            if response.status.is_client_error() {
                let text = HeaderValue::from_static("text/plain");
                response.headers.insert(header::CONTENT_TYPE, text);
            }
            response
        }) => ["http/content-type"];
        "GET /docs returns status 404", change_response("/docs", |_, response| {
            response.with_status(StatusCode::NOT_FOUND)
        }) => ["docs/responds"];
        "the listing is JSON", change_response("/docs", |_, mut response| {
            let json = HeaderValue::from_static("application/json");
            response.headers.insert(header::CONTENT_TYPE, json);
            response.with_body("{}")
        }) => ["docs/lists-calls", "docs/page"];
        "GET /docs redirects to another server", change_response("/docs", |_, response| {
            moved(response, "http://localhost:9/docs/")
        }) => ["docs/responds"];
        "GET /docs redirects to itself", change_response("/docs", |_, response| moved(response, "/docs"))
            => ["docs/responds"];
        "the page lists no endpoint", change_response("/docs", |_, response| response.with_body(
            "<!DOCTYPE html><html><title>Calls</title>get-blocks</html>",
        )) => ["docs/lists-calls"];
        "the page lists only one endpoint", change_response("/docs", |_, response| response.with_body(
            "<!DOCTYPE html><html><title>Calls</title>get-block</html>",
        )) => ["docs/lists-calls"];
        "GET /docs returns a Not Found page with status 200", change_response("/docs", |_, response| response.with_body(
            "<!DOCTYPE html><html><title>404</title><h1>404 Not Found</h1></html>",
        )) => ["docs/lists-calls"];
        "the page and the OpenAPI document both lack an endpoint", Arc::new(|request: &RecordedRequest, response: Response| {
            match request.path.as_str() {
                "/docs" => response.with_body(SWAGGER),
                DOCUMENT => response.with_json(|document| remove(document, "/paths", CALL)),
                _ => response,
            }
        }) => ["docs/lists-calls"];
        "the OpenAPI document that the page loads is missing", Arc::new(|request: &RecordedRequest, response: Response| {
            match request.path.as_str() {
                "/docs" => response.with_body(SWAGGER),
                DOCUMENT => response.with_status(StatusCode::NOT_FOUND),
                _ => response,
            }
        }) => ["docs/responds"];
        "the page loads its document from a path of another network", change_response("/docs", |_, response| {
            response.with_body(SWAGGER.replace("/openapi.json", "/internal/api.json"))
        }) => ["docs/responds"];
        "the OpenAPI document has another name for a parameter", change_response(DOCUMENT, |_, response| {
            let text = String::from_utf8_lossy(&response.body).replace("\"wallet_address\"", "\"wallet\"");
            response.with_body(text)
        }) => ["docs/parameters"];
        "the OpenAPI document has the wrong method for a call", change_json(DOCUMENT, |_, document| {
            let call = document["paths"]["/call-sc"]["post"].take();
            document["paths"]["/call-sc"] = json!({"get": call});
        }) => ["docs/parameters"];
        "the OpenAPI document lacks a parameter", change_json(DOCUMENT, |_, document| {
            set(document, "/paths/~1sc-state/get/parameters/0", json!({}));
        }) => ["docs/parameters"];
        "the OpenAPI document requires a parameter without which a call succeeds", change_json(DOCUMENT, |_, document| {
            let parameters = document["paths"]["/get-block"]["get"]["parameters"].as_array_mut();
            let more = json!({"name": "network", "in": "query", "required": true, "schema": {"type": "string"}});
            parameters.expect("its parameters").push(more);
        }) => ["docs/parameters"];
    }
}
