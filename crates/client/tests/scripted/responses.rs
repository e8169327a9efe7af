//! Responses that can't be used, and the messages of their errors.

use std::error::Error as _;

use nodeproof_client::{DecodeError, ErrorKind};
use reqwest::StatusCode;

use crate::{
    CONTRACT, OTHER, WALLET, builder, client,
    server::{Reply, Server},
};

async fn refusal(reply: Reply) -> nodeproof_client::Error {
    let server = Server::responding(reply).await;
    let error = client(&server.base).block_response(9).await.unwrap_err();
    let url = format!("{}/get-block?block_index=9", server.base);
    assert_eq!(error.operation(), Some("get_block"));
    assert_eq!(error.url(), Some(url.as_str()));
    assert!(!error.to_string().contains('\n'), "{error}");
    error
}

#[tokio::test]
async fn an_unknown_block_is_not_found_however_the_node_says_it() {
    for (status, body) in [
        (400, r#"{"detail":"Block not found"}"#),
        (404, r#"{"detail":"Not Found"}"#),
        (404, ""),
        (404, "404 page not found"),
        (400, r#"{"error":"the block does not exist"}"#),
    ] {
        let error = refusal(Reply::status(status, body)).await;
        assert!(error.is_not_found(), "{error}");
        assert_eq!(error.kind(), ErrorKind::Status);
        assert_eq!(error.status().unwrap().as_u16(), status);
        assert!(!error.is_retryable() && !error.is_decode() && !error.is_timeout());
    }
    let error = refusal(Reply::status(400, r#"{"detail":"Block not found"}"#)).await;
    assert!(
        error
            .to_string()
            .ends_with("the node responded with 400 Bad Request: Block not found"),
        "{error}"
    );
    assert_eq!(error.detail(), Some("Block not found"));
    assert_eq!(
        error.body_excerpt(),
        Some(r#"{"detail":"Block not found"}"#)
    );
}

#[tokio::test]
async fn an_unknown_pair_is_not_found() {
    let server = Server::responding(Reply::status(
        400,
        r#"{"detail":"Trust score not available"}"#,
    ))
    .await;
    let (from, to) = (WALLET.parse().unwrap(), OTHER.parse().unwrap());
    let error = client(&server.base)
        .trust_response(from, to)
        .await
        .unwrap_err();
    assert!(error.is_not_found());
    assert_eq!(error.operation(), Some("get_trustscore_wallets"));
}

#[tokio::test]
async fn what_is_not_there_is_none_in_every_method() {
    let (wallet, contract) = (WALLET.parse().unwrap(), CONTRACT.parse().unwrap());
    for (status, body) in [
        (404, ""),
        (410, "x"),
        (400, r#"{"detail":"Block not found"}"#),
        (422, r#"{"detail":"no such wallet"}"#),
        (200, "null"),
        (200, r#"{"status":"FAILURE","msg":"unknown asset"}"#),
    ] {
        let server = Server::responding(Reply::status(status, body)).await;
        let node = client(&server.base);
        assert!(node.block(9).await.unwrap().is_none(), "{status} {body}");
        assert_eq!(node.token_balance("T", wallet).await.unwrap(), None);
        assert_eq!(
            node.balances(wallet).await.unwrap(),
            None,
            "{status} {body}"
        );
        assert_eq!(node.holders("T").await.unwrap(), None, "{status} {body}");
        assert_eq!(node.trust_score(wallet, wallet).await.unwrap(), None);
        assert_eq!(node.verification(contract, "a").await.unwrap(), None);
        let records = node.verification_records(contract, "asset_id", "a").await;
        assert_eq!(records.unwrap(), []);
    }
    for (status, body) in [
        (400, ""),
        (400, r#"{"detail":"unknown error"}"#),
        (401, r#"{"detail":"Block not found"}"#),
        (500, r#"{"detail":"Block not found"}"#),
        (200, "{}"),
        (200, r#"{"detail":"unknown error"}"#),
        (200, "<html>not found</html>"),
        (404, "\n<!DOCTYPE html><title>Not found</title>"),
    ] {
        let server = Server::responding(Reply::status(status, body)).await;
        let node = client(&server.base);
        for error in [
            node.block(9).await.err(),
            node.token_balance("T", wallet).await.err(),
            node.balances(wallet).await.err(),
            node.holders("T").await.err(),
            node.trust_score(wallet, wallet).await.err(),
            node.verification(contract, "a").await.err(),
            node.verification_records(contract, "asset_id", "a")
                .await
                .err(),
        ] {
            let error = error.unwrap_or_else(|| panic!("{status} {body}"));
            assert!(!error.is_not_found(), "{error}");
        }
    }
}

#[tokio::test]
async fn another_block_is_not_the_requested_one() {
    let server = Server::responding(Reply::json(r#"{"index":8}"#)).await;
    let error = client(&server.base).block(9).await.unwrap_err();
    assert!(error.is_decode());
    assert!(
        error
            .to_string()
            .contains("block 9 was requested, and this is block 8"),
        "{error}"
    );
    assert!(client(&server.base).block(8).await.unwrap().is_some());
}

#[tokio::test]
async fn a_failure_that_is_no_absence_is_not_taken_for_one() {
    for (status, body) in [
        (
            422,
            r#"{"detail":[{"loc":["query","block_index"],"msg":"field required"}]}"#,
        ),
        (500, r#"{"detail":"table not found"}"#),
        (400, r#"{"detail":"unknown error"}"#),
        (405, r#"{"detail":"Method Not Allowed"}"#),
    ] {
        assert!(
            !refusal(Reply::status(status, body)).await.is_not_found(),
            "{body}"
        );
    }
    let error = refusal(Reply::status(
        422,
        r#"{"detail":[{"loc":["query","block_index"],"msg":"field required"}]}"#,
    ))
    .await;
    assert_eq!(error.detail(), Some("query.block_index: field required"));
    let server =
        Server::responding(Reply::status(500, r#"{"detail":"no such table: claims"}"#)).await;
    let error = client(&server.base)
        .contract_state("claims", CONTRACT.parse().unwrap(), "a", "b")
        .await
        .unwrap_err();
    assert_eq!(error.detail(), Some("no such table: claims"));
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn successes_without_a_body_are_errors() {
    for (status, head) in [
        (204, ""),
        (304, ""),
        (201, "content-length: 0\r\n"),
        (206, "content-length: 0\r\n"),
    ] {
        let response = format!("HTTP/1.1 {status} X\r\n{head}\r\n").into_bytes();
        let error = refusal(Reply::Bytes(response)).await;
        assert_eq!(error.kind(), ErrorKind::Status, "{error}");
        assert_eq!(error.status().unwrap().as_u16(), status);
        assert!(
            error.to_string().contains("where 200 with a block belongs"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn redirects_are_told_and_not_followed() {
    let aim = Server::responding(Reply::json(r#"{"index":1}"#)).await;
    for target in [
        format!("{}/get-block", aim.base),
        "file:///etc/passwd".into(),
        "/\u{202e}gnp".into(),
    ] {
        let reply = Reply::with(302, &format!("location: {target}\r\n"), "");
        let error = refusal(reply).await;
        assert_eq!(error.status(), Some(StatusCode::FOUND));
        assert!(error.to_string().contains("a redirect to "), "{error}");
        assert!(
            error.to_string().contains("which is not followed"),
            "{error}"
        );
        assert!(!error.to_string().contains('\u{202e}'));
    }
    assert_eq!(aim.count(), 0);
}

#[tokio::test]
async fn what_is_no_json_says_what_it_is() {
    for (headers, body, reason) in [
        (
            "content-type: text/html\r\n",
            "<html></html>",
            "the response is not a block (sent as text/html): it looks like HTML",
        ),
        (
            "content-type: application/json\r\n",
            "",
            "the response is not a block: it is empty",
        ),
        ("", "{\"index\":NaN}", "expected value at line 1 column 10"),
        ("", "{\"index\":1} x", "trailing characters"),
        ("", "\u{feff}{}", "byte order mark"),
        ("", "[]", "expected a block, which is an object"),
    ] {
        let error = refusal(Reply::with(200, headers, body)).await;
        assert!(error.is_decode(), "{error}");
        assert_eq!(error.status(), Some(StatusCode::OK));
        assert!(error.to_string().contains(reason), "{error}");
        assert!(!error.is_retryable());
        assert!(error.source().unwrap().is::<DecodeError>());
    }
    let mut latin = b"HTTP/1.1 200 X\r\ncontent-length: 14\r\n\r\n{\"hash\":\"caf".to_vec();
    latin.extend_from_slice(b"\xe9\"}");
    let error = refusal(Reply::Bytes(latin)).await;
    assert!(error.is_decode(), "{error}");
}

#[tokio::test]
async fn a_response_without_a_balance_is_an_error_with_its_url() {
    let server = Server::responding(Reply::json(r#"{"balance":"12\u001b[0m"}"#)).await;
    let error = client(&server.base)
        .token_balance("T", WALLET.parse().unwrap())
        .await
        .unwrap_err();
    assert!(error.is_decode());
    assert!(
        error
            .to_string()
            .contains("in the response, `balance` is malformed"),
        "{error}"
    );
    assert!(error.url().unwrap().contains("TOKEN_IN_WALLET"));
    assert!(error.source().unwrap().is::<nodeproof_client::FieldError>());
    assert!(!format!("{error} {error:?}").contains('\u{1b}'));
}

#[tokio::test]
async fn nothing_of_a_nodes_making_reaches_a_terminal() {
    let hostile = "\u{1b}]0;owned\u{7}\u{202e}gnp.exe\u{0}\r\nset-cookie: a";
    let body = serde_json::to_string(&serde_json::json!({ "detail": hostile })).unwrap();
    for reply in [
        Reply::status(400, &body),
        Reply::status(400, hostile),
        Reply::json(hostile),
        Reply::with(200, "content-type: text/\u{1b}[31m\r\n", "x"),
    ] {
        let error = refusal(reply).await;
        for text in [
            error.to_string(),
            format!("{error:?}"),
            error.body_excerpt().unwrap_or("").to_owned(),
        ] {
            assert!(
                text.chars().all(|c| !c.is_control() && c != '\u{202e}'),
                "{text:?}"
            );
        }
    }
}

#[tokio::test]
async fn only_the_start_of_a_body_is_kept() {
    for reply in [
        Reply::status(500, &"x".repeat(1_000_000)),
        Reply::json(&"y".repeat(1_000_000)),
    ] {
        let error = refusal(reply).await;
        assert_eq!(error.body_excerpt().unwrap().len(), 512 + "…".len());
        assert!(error.to_string().len() < 500, "{}", error.to_string().len());
        assert!(format!("{error:?}").len() < 3000);
    }
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_a_failed_connection() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = client(&base).block_response(1).await.unwrap_err();
    assert!(
        error.is_connect() && error.is_retryable() && !error.maybe_sent() && !error.is_timeout()
    );
    assert_eq!(error.status(), None);
    assert!(
        error
            .to_string()
            .contains("can't connect: Connection refused"),
        "{error}"
    );
    assert_eq!(error.tries(), 3);
    assert!(error.to_string().ends_with("(tried 3 times)"), "{error}");
}

#[tokio::test]
async fn a_host_that_does_not_exist_is_a_failed_connection() {
    let error = builder("http://no-such-host.invalid:8420")
        .build()
        .unwrap()
        .block_response(1)
        .await
        .unwrap_err();
    assert!(error.is_connect(), "{error}");
    assert!(
        error.to_string().contains("no-such-host.invalid"),
        "{error}"
    );
}

#[tokio::test]
async fn what_is_not_http_is_a_failed_connection_but_no_decode_error() {
    for bytes in [
        &b"SSH-2.0-OpenSSH_9.6\r\n"[..],
        b"<html>HTTP/0.9</html>",
        b"\x15\x03\x01\x00\x02\x02\x16",
        b"",
    ] {
        let error = refusal(Reply::Last(bytes.to_vec())).await;
        assert_eq!(error.kind(), ErrorKind::Connection, "{error}");
        assert!(error.is_retryable() && !error.is_decode());
    }
}
