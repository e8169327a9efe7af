//! The generated client, and HTTP clients that the caller built.

use nodeproof_client::{
    BaseUrl, generated,
    transport::{TransportOptions, http_client},
};
use progenitor_client::{ClientHooks, OperationInfo};

use crate::{
    BLOCK, client,
    server::{Reply, Server},
    with,
};

#[tokio::test]
async fn its_calls_return_status_and_headers() {
    let server = Server::responding(Reply::with(200, "x-node: a\r\n", BLOCK)).await;
    let client = client(&server.base);
    let response = client.generated().get_block(&1.into()).await.unwrap();
    assert_eq!(response.status().as_u16(), 200);
    assert_eq!(response.headers()["x-node"], "a");
    assert_eq!(response.into_inner().index, 1);
    assert_eq!(server.request().header("api-version"), None);
}

#[tokio::test]
async fn a_failure_reaches_the_caller_as_a_whole_response() {
    let server = Server::responding(Reply::status(400, r#"{"detail":"Block not found"}"#)).await;
    let client = client(&server.base);
    let failure = client.generated().get_block(&3.into()).await.unwrap_err();
    let generated::Error::UnexpectedResponse(response) = failure else {
        panic!("{failure}")
    };
    assert_eq!(response.status().as_u16(), 400);
    assert!(
        response
            .url()
            .as_str()
            .ends_with("/get-block?block_index=3"),
        "{}",
        response.url()
    );
    assert_eq!(
        response.text().await.unwrap(),
        r#"{"detail":"Block not found"}"#
    );
}

#[tokio::test]
async fn it_has_the_limits_of_its_client() {
    let server =
        Server::responding(Reply::json(&format!("{{\"a\":\"{}\"}}", "x".repeat(500)))).await;
    let client = with(&server.base, |options| options.max_body = 100).unwrap();
    let failure = client.generated().get_block(&1.into()).await.unwrap_err();
    assert!(
        matches!(failure, generated::Error::ResponseBodyError(_)),
        "{failure}"
    );
}

#[tokio::test]
async fn its_hook_returns_a_body_to_read_from() {
    let server = Server::responding(Reply::json(r#"{"index":3}"#)).await;
    let client = client(&server.base);
    let url = format!("{}/get-block?block_index=3", server.base);
    let request = reqwest::Request::new(reqwest::Method::GET, url.parse().unwrap());
    let info = OperationInfo {
        operation_id: "get_block",
    };
    let response = client.generated().exec(request, &info).await.unwrap();
    assert_eq!(response.text().await.unwrap(), r#"{"index":3}"#);
}

#[tokio::test]
async fn a_parameter_that_is_left_out_is_not_in_the_query() {
    let server = Server::responding(Reply::json(r#"{"balance":[]}"#)).await;
    let client = client(&server.base);
    let kind = generated::types::BalanceType::AllWalletsForToken;
    let generated = client.generated();
    generated
        .get_balances(kind, Some("A&B =é"), None)
        .await
        .unwrap();
    assert_eq!(
        server.request().line,
        "GET /get-balances?balance_type=ALL_WALLETS_FOR_TOKEN&token_code=A%26B+%3D%C3%A9 HTTP/1.1"
    );
}

#[tokio::test]
async fn a_client_of_ones_own_is_used_as_it_is() {
    let server = Server::responding(Reply::json(BLOCK)).await;
    let base: BaseUrl = server.base.parse().unwrap();
    let options = TransportOptions {
        user_agent: "my own/1".to_owned(),
        ..TransportOptions::default()
    };
    let http = http_client(&base, &options).unwrap();
    let client = with(&server.base, |options| options.http_client = Some(http)).unwrap();
    client.block(1).await.unwrap();
    assert_eq!(server.request().header("user-agent"), Some("my own/1"));
}

#[tokio::test]
async fn the_user_agent_is_sent_and_a_bad_one_refused() {
    let server = Server::responding(Reply::json(BLOCK)).await;
    with(&server.base, |options| {
        options.user_agent = "probe/2".to_owned()
    })
    .unwrap()
    .block(1)
    .await
    .unwrap();
    assert_eq!(server.request().header("user-agent"), Some("probe/2"));
    let error = with(&server.base, |options| {
        options.user_agent = "a\r\nb: c".to_owned()
    })
    .unwrap_err();
    assert_eq!(error.kind(), nodeproof_client::ErrorKind::Configuration);
}
