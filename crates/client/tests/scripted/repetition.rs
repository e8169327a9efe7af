//! Which requests are retried, how often, and when. The server counts them.

use std::time::{Duration, Instant};

use nodeproof_client::{
    Clock, ContractCall, ErrorKind, Fee, SignedTransaction, SubmitPolicy, transport::RetryPolicy,
};

use crate::{
    BLOCK as OK, CONTRACT, client,
    server::{Reply, Server},
    with,
};

#[tokio::test]
async fn a_get_is_tried_again_until_it_succeeds() {
    let cut = Reply::Last(b"HTTP/1.1 200 X\r\ncontent-length: 50\r\n\r\n{\"ind".to_vec());
    for failing in [
        Reply::status(503, "{}"),
        Reply::status(502, "{}"),
        Reply::status(504, "{}"),
        Reply::status(429, "{}"),
        Reply::status(408, "{}"),
        Reply::Last(Vec::new()),
        Reply::Last(b"HTTP/1.1 2".to_vec()),
        cut,
    ] {
        let server = Server::start(vec![failing.clone(), failing, Reply::json(OK)]).await;
        let block = client(&server.base).block(1).await.unwrap().unwrap();
        assert_eq!(block.index, 1);
        assert_eq!(server.count(), 3);
    }
}

#[tokio::test]
async fn a_node_that_stays_busy_is_given_up() {
    let limited = Reply::with(
        429,
        "",
        r#"{"error":"Rate limit exceeded: 10 per 1 second"}"#,
    );
    let server = Server::responding(limited).await;
    let error = client(&server.base).block(1).await.unwrap_err();
    assert!(
        (error.status() == Some(nodeproof_client::StatusCode::TOO_MANY_REQUESTS))
            && error.is_retryable()
    );
    assert_eq!((server.count(), error.attempts()), (3, 3));
    assert_eq!(error.retry_after(), None);
    let message = "the node responded with 429 Too Many Requests: Rate limit exceeded: 10 per 1 second (tried 3 times)";
    assert!(error.to_string().ends_with(message), "{error}");
}

#[tokio::test]
async fn what_will_not_pass_is_not_tried_again() {
    for reply in [
        Reply::status(400, "{}"),
        Reply::status(404, "{}"),
        Reply::status(422, "{}"),
        Reply::status(500, "{}"),
        Reply::status(302, ""),
        Reply::json("nonsense"),
    ] {
        let server = Server::responding(reply).await;
        let outcome = client(&server.base).block(1).await;
        assert!(!matches!(outcome, Ok(Some(_))), "{outcome:?}");
        assert_eq!(server.count(), 1);
    }
}

#[tokio::test]
async fn a_post_is_sent_once_whatever_comes_back() {
    let signed = SignedTransaction::from_json(r#"{"transaction":{},"signatures":[]}"#).unwrap();
    for reply in [
        Reply::status(503, "{}"),
        Reply::with(429, "retry-after: 0\r\n", "{}"),
        Reply::status(500, "{}"),
        Reply::Last(Vec::new()),
        Reply::Last(b"HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n{".to_vec()),
        Reply::with(307, "location: /submit-transaction\r\n", ""),
    ] {
        let server = Server::responding(reply).await;
        let client = client(&server.base);
        let once = SubmitPolicy::ONCE;
        let error = client.submit(&signed, &once).await.unwrap_err();
        assert_eq!((server.count(), error.attempts()), (1, 1));
        let call = ContractCall::new(CONTRACT.parse().unwrap(), "f");
        let fee = Fee::new(1.into(), "TKN").unwrap();
        let built = client.build_call(&call, &fee, Clock::Local).await;
        built.unwrap_err();
        assert_eq!(server.count(), 2);
    }
}

#[tokio::test]
async fn a_post_on_a_connection_that_was_closed_meanwhile_is_sent_at_most_once() {
    let accepted =
        r#"{"status":"SUCCESS","response":{"valid":true,"msg":"ok","new_transaction":true}}"#;
    // The response leaves the connection open. Then the node closes it, and a POST follows.
    let closing = Reply::Last(
        format!("HTTP/1.1 200 X\r\ncontent-length: {}\r\n\r\n{OK}", OK.len()).into_bytes(),
    );
    let server = Server::start(vec![closing, Reply::json(accepted)]).await;
    let client = client(&server.base);
    client.block(1).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let signed = SignedTransaction::from_json(r#"{"transaction":{},"signatures":[]}"#).unwrap();
    client.submit(&signed, &SubmitPolicy::ONCE).await.unwrap();
    let submissions = server
        .requests()
        .iter()
        .filter(|request| request.line.starts_with("POST"))
        .count();
    assert_eq!(submissions, 1);
}

#[tokio::test]
async fn the_pause_is_the_one_that_the_node_asks_for() {
    let busy = Reply::with(503, "retry-after: 1\r\n", "{}");
    let server = Server::start(vec![busy, Reply::json(OK)]).await;
    let started = Instant::now();
    client(&server.base).block(1).await.unwrap();
    assert!(started.elapsed() >= Duration::from_secs(1));
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn a_date_in_the_past_is_no_pause() {
    let busy = Reply::with(503, "retry-after: Fri, 20 Nov 2020 12:00:00 GMT\r\n", "{}");
    let server = Server::start(vec![busy, Reply::json(OK)]).await;
    client(&server.base).block(1).await.unwrap();
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn a_longer_pause_than_allowed_ends_the_call_and_is_told() {
    for header in [
        "retry-after: 3600\r\n",
        "retry-after: 99999999999999999999\r\n",
    ] {
        let server = Server::responding(Reply::with(429, header, "{}")).await;
        let error = client(&server.base).block(1).await.unwrap_err();
        assert_eq!(server.count(), 1);
        assert!(error.retry_after().unwrap() >= Duration::from_secs(3600));
    }
    // A pause longer than the total time-out also ends the request.
    let server = Server::responding(Reply::with(429, "retry-after: 5\r\n", "{}")).await;
    let client = with(&server.base, |options| {
        options.total_timeout = Duration::from_secs(1)
    })
    .unwrap();
    let error = client.block(1).await.unwrap_err();
    // It did not wait until the time-out: otherwise the error would be a time-out.
    assert_ne!(error.kind(), ErrorKind::Timeout, "{error:?}");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(5)));
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn repetition_can_be_turned_off() {
    let server = Server::responding(Reply::Last(Vec::new())).await;
    let client = with(&server.base, |options| options.retry = RetryPolicy::NEVER).unwrap();
    let error = client.block(1).await.unwrap_err();
    assert_eq!((server.count(), error.attempts()), (1, 1));
    assert_eq!(error.kind(), ErrorKind::Connection);
}
