//! Submitting until there is a clear response, to nodes with scripted responses.

use std::time::Duration;

use nodeproof_client::{SignedTransaction, contract_call::SubmitPolicy};

use crate::{
    client,
    server::{Reply, Server},
};

const TAKEN: &str = r#"{"status":"SUCCESS","response":{"valid":true,"new_transaction":false}}"#;
const SHORT: Duration = Duration::from_millis(1);

fn signed() -> SignedTransaction {
    SignedTransaction::from_text(r#"{"transaction":{"fee":1.50},"signatures":[]}"#).unwrap()
}

fn policy() -> SubmitPolicy {
    SubmitPolicy::default().pauses(SHORT, Duration::from_secs(5))
}

#[tokio::test]
async fn the_same_bytes_are_submitted_until_a_response_is_clear() {
    for lost in [
        Reply::Last(Vec::new()),
        Reply::Last(b"HTTP/1.1 2".to_vec()),
        Reply::status(500, "{}"),
        Reply::with(429, "retry-after: 0\r\n", "{}"),
        Reply::json("nonsense"),
        // A node that is syncing returns this in place of the outcome.
        Reply::json(r#"{"status":"FAILURE","response":"NODE_BUSY"}"#),
        // A response that contradicts itself.
        Reply::json(r#"{"status":"FAILURE","response":{"valid":true,"new_transaction":true}}"#),
        Reply::json(r#"{"response":{"valid":true}}"#),
    ] {
        let server = Server::start(vec![lost.clone(), lost, Reply::json(TAKEN)]).await;
        let submitted = client(&server.base)
            .submit_with_retries(&signed(), &policy())
            .await
            .unwrap();
        assert_eq!(submitted.sent, 3);
        assert_eq!(submitted.response.new_transaction(), Some(false));
        let requests = server.requests();
        assert_eq!(requests.len(), 3);
        assert!(
            requests
                .iter()
                .all(|one| one.body == signed().text().as_str())
        );
    }
}

#[tokio::test]
async fn what_will_not_pass_is_submitted_once() {
    for reply in [
        Reply::status(400, "{}"),
        Reply::status(413, "{}"),
        Reply::status(422, "{}"),
        // A longer pause than the policy allows.
        Reply::with(429, "retry-after: 3600\r\n", "{}"),
    ] {
        let server = Server::responding(reply).await;
        let error = client(&server.base)
            .submit_with_retries(&signed(), &policy())
            .await
            .unwrap_err();
        assert_eq!((server.count(), error.sent()), (1, 1), "{error}");
        // The status means that the transaction was not taken.
        assert!(!error.maybe_sent());
        assert!(error.client_error().is_some());
    }
    // The last status does not show what happened to the submission before.
    let server = Server::start(vec![Reply::status(502, "{}"), Reply::status(400, "{}")]).await;
    let error = client(&server.base)
        .submit_with_retries(&signed(), &policy())
        .await
        .unwrap_err();
    assert_eq!((server.count(), error.sent()), (2, 2), "{error}");
    assert!(error.maybe_sent());
    let refused = Reply::json(r#"{"response":{"valid":false,"msg":"no"}}"#);
    let server = Server::responding(refused).await;
    let submitted = client(&server.base)
        .submit_with_retries(&signed(), &policy())
        .await
        .unwrap();
    assert!(!submitted.response.is_valid());
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn submitting_ends_after_as_many_times_as_are_allowed() {
    let server = Server::responding(Reply::status(503, "{}")).await;
    let error = client(&server.base)
        .submit_with_retries(&signed(), &policy().most(3))
        .await
        .unwrap_err();
    assert_eq!((server.count(), error.sent()), (3, 3));
    assert!(
        error.to_string().ends_with("(submitted 3 times)"),
        "{error}"
    );

    let server = Server::responding(Reply::json("{}")).await;
    let error = client(&server.base)
        .submit_with_retries(&signed(), &SubmitPolicy::once())
        .await
        .unwrap_err();
    assert!(error.maybe_sent() && error.client_error().is_none());
    assert!(
        error.to_string().contains("does not say whether"),
        "{error}"
    );
    assert!(error.response().is_some());
}

#[tokio::test]
async fn a_contradictory_response_is_neither_a_success_nor_a_refusal() {
    for status in [
        "\"FAILURE\"",
        "\"success\"",
        "\"ERROR\"",
        "\"\"",
        "null",
        "5",
    ] {
        let body = format!(r#"{{"status":{status},"response":{{"valid":true}}}}"#);
        let server = Server::responding(Reply::json(&body)).await;
        let error = client(&server.base)
            .submit_with_retries(&signed(), &SubmitPolicy::once())
            .await
            .unwrap_err();
        assert!(error.maybe_sent(), "{status}");
        assert!(error.to_string().contains("instead of"), "{error}");
        let response = error.response().unwrap();
        assert_eq!((response.valid(), response.is_valid()), (Ok(true), false));
    }
}

#[tokio::test]
async fn what_was_never_sent_is_not_counted_as_sent() {
    let closed = {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    let error = client(&closed)
        .submit_with_retries(&signed(), &policy())
        .await
        .unwrap_err();
    assert_eq!((error.tried(), error.sent()), (4, 0));
    assert!(!error.maybe_sent());
    assert!(
        error
            .to_string()
            .ends_with("(tried 4 times, and never sent)"),
        "{error}"
    );
}
