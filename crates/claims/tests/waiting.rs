//! Waiting for a record, with scripted nodes.

#![expect(clippy::unwrap_used, reason = "a test fails if its setup fails")]

#[expect(dead_code, reason = "the client's tests use more of it")]
#[path = "../../client/tests/scripted/server.rs"]
mod server;

use std::time::Duration;

use nodeproof_claims::{ReadBack, wait_for_claim};
use nodeproof_client::{AddVerification, Client, ClientOptions, Error, transport::RetryPolicy};

use server::{Reply, Server};

const CONTRACT: &str = "ctcc8321d6375c494d043fdd0260f21bc0ec51dacc";
const WALLET: &str = "0xe8cf534e934cf1d5fb523b8c3134a501037d470e";
const NOTHING: &str = r#"{"status":"SUCCESS","data":null}"#;
const SHORT: Duration = Duration::from_millis(1);

async fn wait(server: &Server, wait: Duration) -> Result<ReadBack, Error> {
    let claim = AddVerification::new("a", WALLET.parse().unwrap(), 9);
    let contract = CONTRACT.parse().unwrap();
    let client = Client::with_options(
        &server.base,
        ClientOptions {
            retry: RetryPolicy {
                first_pause: SHORT,
                longest_pause: Duration::from_millis(2),
                ..RetryPolicy::default()
            },
            request_timeout: Duration::from_secs(5),
            ..ClientOptions::default()
        },
    )
    .unwrap();
    wait_for_claim(&client, contract, &claim, wait, SHORT).await
}

#[tokio::test]
async fn a_node_that_hangs_does_not_outlast_the_wait() {
    let hang = Reply::Hang(b"HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n{".to_vec());
    let server = Server::start(vec![Reply::json(NOTHING), hang]).await;
    let seen = wait(&server, Duration::from_millis(50)).await.unwrap();
    assert_eq!(seen, ReadBack::Nothing);
    assert_eq!(server.count(), 2);
}

#[tokio::test]
async fn a_node_that_fails_for_a_while_is_asked_again() {
    let record = format!(r#"{{"data":["{CONTRACT}","a","token","{WALLET}",1,"[]","[]","",9]}}"#);
    // There are more failures than the client's own retries.
    let mut replies = vec![Reply::status(503, "{}"); 7];
    replies.push(Reply::json(&record));
    let server = Server::start(replies).await;
    let seen = wait(&server, Duration::from_secs(60)).await.unwrap();
    assert!(seen.record().is_some());
    assert_eq!(server.count(), 8);
}

#[tokio::test]
async fn a_look_that_fails_does_not_end_the_wait() {
    let record = format!(r#"{{"data":["{CONTRACT}","a","token","{WALLET}",1,"[]","[]","",9]}}"#);
    let under_failure = record.replacen('{', r#"{"status":"FAILURE","#, 1);
    for failure in [
        Reply::status(500, r#"{"detail":"no such table: verification"}"#),
        Reply::status(404, "{}"),
        Reply::json("nonsense"),
        Reply::json("{}"),
        // Neither a record nor a response that means "no record".
        Reply::json(r#"{"data":{}}"#),
        Reply::json(&under_failure),
    ] {
        for first in [failure.clone(), Reply::json(NOTHING)] {
            let server = Server::start(vec![first, failure.clone(), Reply::json(&record)]).await;
            let seen = wait(&server, Duration::from_secs(60)).await.unwrap();
            assert!(seen.record().is_some());
            assert_eq!(server.count(), 3);
        }
    }
}

#[tokio::test]
async fn a_wait_tells_the_last_failure_at_its_end() {
    let detail = r#"{"detail":"no such table: verification"}"#;
    let server = Server::responding(Reply::status(500, detail)).await;
    let error = wait(&server, Duration::from_millis(20)).await.unwrap_err();
    assert_eq!(error.detail(), Some("no such table: verification"));
}
