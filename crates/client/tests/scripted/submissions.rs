//! Submitting until there is a clear response, to nodes with scripted responses.

use std::time::Duration;

use nodeproof_client::{CallErrorKind, ErrorKind, SignedTransaction, SubmitPolicy};

use crate::{
    client,
    server::{Reply, Server},
};

const TAKEN: &str =
    r#"{"status":"SUCCESS","response":{"valid":true,"msg":"known","new_transaction":false}}"#;
const SHORT: Duration = Duration::from_millis(1);

fn signed() -> SignedTransaction {
    SignedTransaction::from_json(r#"{"transaction":{"fee":1.50},"signatures":[]}"#).unwrap()
}

fn policy() -> SubmitPolicy {
    SubmitPolicy {
        first_pause: SHORT,
        longest_pause: Duration::from_secs(5),
        ..SubmitPolicy::default()
    }
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
        // A response that contradicts itself, and responses in no stated form.
        Reply::json(r#"{"status":"FAILURE","response":{"valid":true,"msg":""}}"#),
        Reply::json(r#"{"response":{"valid":true,"msg":""}}"#),
        Reply::json(r#"{"status":"SUCCESS","response":{"valid":"true","msg":""}}"#),
    ] {
        let server = Server::start(vec![lost.clone(), lost, Reply::json(TAKEN)]).await;
        let submitted = client(&server.base)
            .submit(&signed(), &policy())
            .await
            .unwrap();
        assert_eq!(submitted.sent, 3);
        assert_eq!(submitted.response.response.new_transaction, Some(false));
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
async fn a_node_that_is_busy_uses_up_no_attempt() {
    let (busy, failed) = (Reply::status(429, "{}"), Reply::status(503, "{}"));
    let policy = SubmitPolicy {
        attempts: 2,
        longest_pause: SHORT,
        ..policy()
    };
    let mut replies = vec![busy.clone(); 9];
    replies.extend([failed.clone(), busy.clone()]);
    let accepted = [replies.clone(), vec![Reply::json(TAKEN)]].concat();
    let server = Server::start(accepted).await;
    let submitting = client(&server.base);
    let submitted = submitting.submit(&signed(), &policy).await;
    assert_eq!((submitted.unwrap().sent, server.count()), (12, 12));

    let server = Server::start([replies, vec![failed]].concat()).await;
    let submitting = client(&server.base);
    let failed = submitting.submit(&signed(), &policy).await;
    let error = failed.unwrap_err();
    // All submissions count where they are reported.
    assert_eq!(
        (error.attempts(), error.sent(), server.count()),
        (12, 12, 12)
    );

    let server = Server::responding(busy).await;
    let once = SubmitPolicy::ONCE;
    let submitting = client(&server.base);
    let failed = submitting.submit(&signed(), &once).await;
    assert!(!failed.unwrap_err().maybe_sent());
    assert_eq!(server.count(), 1);
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
            .submit(&signed(), &policy())
            .await
            .unwrap_err();
        assert_eq!((server.count(), error.sent()), (1, 1), "{error}");
        // The status means that the transaction was not accepted.
        assert!(!error.maybe_sent() && error.refusal().is_none());
        assert!(error.client_error().is_some());
    }
    // The last status does not show what happened to the submission before.
    let server = Server::start(vec![Reply::status(502, "{}"), Reply::status(400, "{}")]).await;
    let error = client(&server.base)
        .submit(&signed(), &policy())
        .await
        .unwrap_err();
    assert_eq!((server.count(), error.sent()), (2, 2), "{error}");
    assert!(error.maybe_sent());
}

#[tokio::test]
async fn a_refusal_is_an_error_with_the_messages_and_is_final() {
    let refused =
        r#"{"status":"SUCCESS","response":{"valid":false,"msg":["a","b"],"new_transaction":true}}"#;
    let server = Server::responding(Reply::json(refused)).await;
    let error = client(&server.base)
        .submit(&signed(), &policy())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Refused);
    assert_eq!(error.messages(), ["a", "b"]);
    assert_eq!(
        (server.count(), error.sent(), error.new_transaction()),
        (1, 1, Some(true))
    );
    // The submission before it may have been accepted.
    let server = Server::start(vec![Reply::Last(Vec::new()), Reply::json(refused)]).await;
    let error = client(&server.base)
        .submit(&signed(), &policy())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), CallErrorKind::Uncertain);
    assert!(error.refusal().is_some());
    assert_eq!((server.count(), error.sent()), (2, 2));
}

#[tokio::test]
async fn a_signature_that_a_node_sends_back_is_not_shown() {
    let signature = "5a1b".repeat(32);
    let wallet = format!("0x{}", "1".repeat(40));
    let signed = format!(
        r#"{{"transaction":{{"fee":1}},"signatures":[{{"wallet_address":"{wallet}","msgsign":"{signature}"}}]}}"#
    );
    let signed = SignedTransaction::from_json(&signed).unwrap();
    let capitals = signature.to_uppercase();
    for echo in [&signature, &capitals, &signature[..40], &capitals[88..]] {
        let detail = format!(r#"{{"detail":"bad {echo}."}}"#);
        let msg = format!(
            r#"{{"status":"SUCCESS","response":{{"valid":false,"msg":"bad {echo}.","new_transaction":true}}}}"#
        );
        for reply in [
            Reply::status(400, &detail),
            Reply::status(500, &detail),
            Reply::json(&msg),
            Reply::json(&detail),
        ] {
            let server = Server::responding(reply).await;
            let client = client(&server.base);
            let error = client
                .submit(&signed, &SubmitPolicy::ONCE)
                .await
                .unwrap_err();
            let shown = format!("{error} {error:#} {error:?} {:?}", error.messages());
            assert!(!shown.contains(echo), "{shown}");
        }
    }
}

#[tokio::test]
async fn submitting_ends_after_as_many_times_as_are_allowed() {
    let server = Server::responding(Reply::status(503, "{}")).await;
    let error = client(&server.base)
        .submit(
            &signed(),
            &SubmitPolicy {
                attempts: 3,
                ..policy()
            },
        )
        .await
        .unwrap_err();
    assert_eq!((server.count(), error.sent()), (3, 3));
    assert!(
        error.to_string().ends_with("(submitted 3 times)"),
        "{error}"
    );

    let server = Server::responding(Reply::json("{}")).await;
    let error = client(&server.base)
        .submit(&signed(), &SubmitPolicy::ONCE)
        .await
        .unwrap_err();
    assert!(error.maybe_sent() && error.refusal().is_none());
    assert!(
        error.client_error().unwrap().kind() == ErrorKind::Decode,
        "{error}"
    );
    assert!(
        error.to_string().ends_with("`response` is missing"),
        "{error}"
    );
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
        let body = format!(r#"{{"status":{status},"response":{{"valid":true,"msg":""}}}}"#);
        let server = Server::responding(Reply::json(&body)).await;
        let error = client(&server.base)
            .submit(&signed(), &SubmitPolicy::ONCE)
            .await
            .unwrap_err();
        assert!(error.maybe_sent() && error.refusal().is_none(), "{status}");
        match error.client_error() {
            None => assert!(error.to_string().contains("instead of"), "{error}"),
            Some(error) => assert!(
                error.reason().contains("`status`: expected a string"),
                "{error}"
            ),
        }
    }
}
