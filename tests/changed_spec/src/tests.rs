//! The generated client against local servers.

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{Request, Response, header::CONTENT_TYPE},
    response::IntoResponse,
    routing::get,
};
use nodeproof_client::{
    BaseUrl,
    transport::{TransportOptions, http_client},
};
use serde_json::{Value, json};

use super::{
    Client, Error,
    transport::HookState,
    types::{BalanceType, SignatureEntry},
};

const WALLET: &str = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e";

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

fn json_text(body: &'static str) -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], body)
}

/// Returns a client for a server that returns each request.
async fn client() -> Client {
    client_of(Router::new().fallback(echo)).await
}

async fn client_of(routes: Router) -> Client {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base: BaseUrl = format!("http://{}", listener.local_addr().unwrap())
        .parse()
        .unwrap();
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let http = http_client(&base, &TransportOptions::default()).unwrap();
    Client::new_with_client(base.as_str(), http, HookState)
}

/// Returns the value of a response.
macro_rules! ok {
    ($response:expr) => {
        $response.await.unwrap().into_inner()
    };
}

#[tokio::test]
async fn a_field_an_endpoint_and_an_enum_value_are_there_without_another_edit() {
    let trust =
        r#"{"status":"SUCCESS","trust_score":3,"since":1767225600000,"reasons":["a"],"x":1}"#;
    let routes = Router::new()
        .route("/get-trustscore-wallets", get(async || json_text(trust)))
        .route(
            "/get-height",
            get(async || json_text(r#"{"height":18446744073709551616}"#)),
        )
        .fallback(echo);
    let client = client_of(routes).await;
    let wallet = WALLET.parse().unwrap();

    let trust = ok!(client.get_trustscore_wallets(&wallet, &wallet));
    assert_eq!(
        (trust.trust_score, trust.since.as_millis()),
        (3.into(), 1_767_225_600_000)
    );
    assert_eq!(
        (trust.reasons, trust.extra.len()),
        (vec!["a".to_owned()], 1)
    );

    assert_eq!(
        ok!(client.get_height()).height.to_string(),
        "18446744073709551616"
    );

    let frozen = BalanceType::FrozenTokensInWallet;
    let response = ok!(client.get_balances(frozen, None, Some(&wallet)));
    let response: Value = response.decode().unwrap();
    let line =
        format!("GET /get-balances?balance_type=FROZEN_TOKENS_IN_WALLET&wallet_address={WALLET}");
    assert_eq!(response["line"], line);
}

#[tokio::test]
async fn a_response_without_the_new_required_field_is_an_error() {
    let trust = r#"{"status":"SUCCESS","trust_score":3}"#;
    let client = client_of(Router::new().fallback(async || json_text(trust))).await;
    let wallet = WALLET.parse().unwrap();
    let failure = client
        .get_trustscore_wallets(&wallet, &wallet)
        .await
        .unwrap_err();
    assert!(
        matches!(&failure, Error::InvalidResponsePayload(_, error) if error.to_string().contains("`since`")),
        "{failure}"
    );
}

#[tokio::test]
async fn path_header_and_list_parameters_are_sent() {
    let client = client().await;
    let (tags, wallets) = (
        vec!["old".to_owned(), "r&d".to_owned()],
        vec![WALLET.parse().unwrap()],
    );
    let (number, copies) = (7_u64.into(), 2_u64.into());
    let response = ok!(client.read_archive(
        "a/b c",
        &number,
        Some(&tags),
        Some(&wallets),
        Some(&copies),
        "someone",
    ));
    let line = format!("GET /archive/a%2Fb%20c/7?tag=old&tag=r%26d&wallet={WALLET}");
    assert_eq!(response["line"], line);
    assert_eq!(response["reader"], "someone");
    assert_eq!(response["copies"], "2");
}

#[tokio::test]
async fn optional_parameters_can_be_left_out() {
    let client = client().await;
    let number = 7_u64.into();
    let response = ok!(client.read_archive("a", &number, None, None, None, "someone"));
    assert_eq!(response["line"], "GET /archive/a/7");
    assert_eq!(response["copies"], Value::Null);
}

#[tokio::test]
async fn a_body_with_two_media_types_is_sent_as_json_and_a_table_comes_back_raw() {
    let signature = json!({ "wallet_address": WALLET, "msgsign": "ab" });
    let signature: SignatureEntry = serde_json::from_value(signature).unwrap();
    let client = client().await;
    let response = client
        .write_archive("a", &7_u64.into(), &signature)
        .await
        .unwrap();
    let body = reqwest::Body::wrap_stream(response.into_inner_stream());
    let response: reqwest::Response = axum::http::Response::new(body).into();
    let echoed: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
    assert_eq!(echoed["line"], "PUT /archive/a/7");
    assert_eq!(echoed["media"], "application/json");
    assert_eq!(echoed["body"], serde_json::to_string(&signature).unwrap());
}

#[tokio::test]
async fn a_failure_is_the_whole_response() {
    let client = client().await;
    let number = 7_u64.into();
    let request = client.read_archive("none", &number, None, None, None, "someone");
    let Error::UnexpectedResponse(response) = request.await.unwrap_err() else {
        unreachable!("the status is 404")
    };
    assert_eq!(response.status(), 404);
    assert!(response.text().await.unwrap().contains("/archive/none/7"));
}

#[tokio::test]
async fn the_operations_of_the_api_are_still_there() {
    let client = client().await;
    let call = json!({
        "sc_address": "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc", "function_called": "f",
        "signers": [], "params": {},
    });
    let raw = ok!(client.call_sc(&serde_json::from_value(call).unwrap()));
    assert!(raw.text().as_str().contains("POST /call-sc"), "{raw:?}");
}
