//! The generated client against a local server that returns each request.

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{Request, Response, header::CONTENT_TYPE},
};
use nodeproof_client::{
    BaseUrl,
    transport::{TransportOptions, http_client},
};
use serde_json::{Value, json};

use super::{Client, Error, transport::HookState};

/// Returns the request as JSON, and failures for the shelf `none`.
async fn echo(request: Request<Body>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let header = |name: &str| {
        let value = parts.headers.get(name);
        value.map(|value| value.to_str().unwrap().to_owned())
    };
    let (reader, copies) = (header("x-reader"), header("x-copies"));
    let media = header("content-type");
    let line = format!("{} {}", parts.method, parts.uri);
    let body = to_bytes(body, 10_000).await.unwrap();
    let body = String::from_utf8(body.to_vec()).unwrap();
    let status = if line.contains("/none/") { 404 } else { 200 };
    let text =
        json!({ "line": line, "reader": reader, "copies": copies, "media": media, "body": body });
    Response::builder()
        .status(status)
        .header(CONTENT_TYPE, "application/json")
        .body(text.to_string().into())
        .unwrap()
}

async fn client() -> Client {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base: BaseUrl = format!("http://{}", listener.local_addr().unwrap())
        .parse()
        .unwrap();
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(echo)).await });
    let http = http_client(&base, &TransportOptions::default()).unwrap();
    Client::new_with_client(base.as_str(), http, HookState)
}

#[tokio::test]
async fn path_header_and_list_parameters_are_sent() {
    let wallet = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e";
    let response = client()
        .await
        .read_archive()
        .shelf("a/b c")
        .number(7_u64)
        .x_reader("someone")
        .x_copies(2_u64)
        .tag(vec!["old".to_owned(), "r&d".to_owned()])
        .wallet(vec![wallet.parse().unwrap()])
        .send()
        .await
        .unwrap();
    assert_eq!(
        response["line"],
        json!(format!(
            "GET /archive/a%2Fb%20c/7?tag=old&tag=r%26d&wallet={wallet}"
        ))
    );
    assert_eq!(response["reader"], "someone");
    assert_eq!(response["copies"], "2");
}

#[tokio::test]
async fn optional_parameters_can_be_left_out_and_required_ones_not() {
    let client = client().await;
    let request = client.read_archive().shelf("a").number(7_u64);
    let failure = request.clone().send().await.unwrap_err();
    assert!(
        matches!(&failure, Error::InvalidRequest(what) if what.contains("x_reader")),
        "{failure}"
    );
    let response = request.x_reader("someone").send().await.unwrap();
    assert_eq!(response["line"], "GET /archive/a/7");
    assert_eq!(response["copies"], Value::Null);
}

#[tokio::test]
async fn a_body_with_two_media_types_is_sent_as_json_and_a_table_comes_back_raw() {
    let signature: super::SignatureEntry = serde_json::from_value(json!({
        "wallet_address": "0xe8cf534e934cf1d5fb523b8c3134a501037d470e", "msgsign": "ab",
    }))
    .unwrap();
    let response = client()
        .await
        .write_archive()
        .shelf("a")
        .number(7_u64)
        .body(signature.clone())
        .send()
        .await
        .unwrap();
    let stream = response.into_inner_stream();
    let body = reqwest::Body::wrap_stream(stream);
    let response: reqwest::Response = axum::http::Response::new(body).into();
    let echoed: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
    assert_eq!(echoed["line"], "PUT /archive/a/7");
    assert_eq!(echoed["media"], "application/json");
    assert_eq!(echoed["body"], serde_json::to_string(&signature).unwrap());
}

#[tokio::test]
async fn a_failure_is_the_whole_response() {
    let client = client().await;
    let request = client.read_archive().shelf("none").number(7_u64);
    let failure = request.x_reader("someone").send().await.unwrap_err();
    let Error::UnexpectedResponse(response) = failure else {
        unreachable!("{failure}")
    };
    assert_eq!(response.status(), 404);
    assert!(response.text().await.unwrap().contains("/archive/none/7"));
}

#[tokio::test]
async fn the_operations_of_the_api_are_still_there() {
    let client = client().await;
    let block = client.get_block().block_index(5_u64).send().await.unwrap();
    let line = block.extra().get("line").unwrap().as_str();
    assert_eq!(line, "\"GET /get-block?block_index=5\"");
}
