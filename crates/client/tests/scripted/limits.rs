//! Limits of time and memory.

use std::{future::Future, time::Duration};

use nodeproof_client::{ContractCall, ErrorKind, transport::RetryPolicy};

use crate::{
    BLOCK, CONTRACT, client,
    server::{Reply, Server},
    with,
};

const BRIEF: Duration = Duration::from_millis(150);
/// Longer than anything takes that ends at all, on any machine.
const NEVER: Duration = Duration::from_secs(30);

/// Returns a block with one more member.
fn padded(value: &str) -> String {
    BLOCK.replacen('{', &format!("{{\"more\":{value},"), 1)
}

/// Returns the result of work that has to end by itself.
async fn ended<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(NEVER, work).await.unwrap()
}

#[tokio::test]
async fn a_body_over_the_limit_is_not_read() {
    let body = padded(&format!("{:?}", "x".repeat(1000)));
    let announced = Reply::json(&body);
    let lie =
        Reply::Hang(b"HTTP/1.1 200 X\r\ncontent-length: 4611686018427387904\r\n\r\n".to_vec());
    for reply in [announced, lie] {
        let server = Server::responding(reply).await;
        let client = with(&server.base, |options| options.max_body = 1000).unwrap();
        let error = client.block(1).await.unwrap_err();
        assert!(error.kind() == ErrorKind::BodyTooLarge, "{error}");
        assert!(!error.is_retryable() && error.kind() != ErrorKind::Decode);
        assert_eq!(error.kind(), ErrorKind::BodyTooLarge);
        assert_eq!(error.status().unwrap().as_u16(), 200);
        assert!(
            error.to_string().contains("larger than 1000 bytes"),
            "{error}"
        );
        assert_eq!(server.count(), 1, "not tried again");
    }
}

#[tokio::test]
async fn a_body_at_the_limit_is_read() {
    let body = padded(&format!("{:?}", "x".repeat(1000)));
    let server = Server::responding(Reply::json(&body)).await;
    let client = with(&server.base, |options| options.max_body = body.len()).unwrap();
    assert!(client.block(1).await.is_ok());
}

#[tokio::test]
async fn a_response_with_too_many_values_or_levels_is_not_parsed() {
    let many = padded(&format!("[{}]", vec!["0"; 1000].join(",")));
    let deep = padded(&format!("{}{}", "[".repeat(200), "]".repeat(200)));
    for (body, said) in [
        (&many, "the response has more than 500 values"),
        (&deep, "the response is nested more than 127 levels deep"),
    ] {
        let server = Server::responding(Reply::json(body)).await;
        let client = with(&server.base, |options| options.max_values = 500).unwrap();
        let error = client.block(1).await.unwrap_err();
        assert!(
            error.kind() == ErrorKind::BodyTooLarge && error.kind() != ErrorKind::Decode,
            "{error:?}"
        );
        assert!(error.to_string().ends_with(said), "{error}");
        assert_eq!(server.count(), 1);
    }
    let server = Server::responding(Reply::json(&many)).await;
    assert!(client(&server.base).block(1).await.unwrap().is_some());
    // With a higher limit, what stays text is read. Types can't be parsed from it.
    let server = Server::responding(Reply::json(&deep)).await;
    let client = with(&server.base, |options| options.max_depth = 300).unwrap();
    let call = ContractCall::new(CONTRACT.parse().unwrap(), "f");
    assert_eq!(
        client
            .generated()
            .call_sc(&call)
            .await
            .unwrap()
            .into_inner()
            .text()
            .as_str(),
        deep
    );
    let error = client.block(1).await.unwrap_err();
    assert!(
        error.kind() == ErrorKind::Decode && error.to_string().contains("recursion limit"),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_list_of_rubbish_is_an_error_that_names_its_first_element() {
    let rubbish = vec!["0"; 20_000].join(",");
    let text = |receipts: &str| {
        let text = format!(r#"{{"transactions":[],"previous_block_receipts":[{receipts}]}}"#);
        BLOCK.replacen('{', &format!("{{\"text\":{text},"), 1)
    };
    for (body, place) in [
        (text(&rubbish), "`text.previous_block_receipts[0]`"),
        (
            text(&rubbish.replace('0', "{}")),
            "`text.previous_block_receipts[0].data` is missing",
        ),
        (
            BLOCK.replacen('{', &format!("{{\"committee\":[{rubbish}],"), 1),
            "`committee[0]`",
        ),
    ] {
        let server = Server::responding(Reply::json(&body)).await;
        let error = client(&server.base).block(1).await.unwrap_err();
        assert!(
            error.kind() == ErrorKind::Decode && error.to_string().contains(place),
            "{error}"
        );
    }
    let server = Server::responding(Reply::json(&format!("{{\"balance\":[{rubbish}]}}"))).await;
    let error = client(&server.base).holders("T").await.unwrap_err();
    assert!(error.to_string().contains("`balance[0]`"), "{error}");
}

#[tokio::test]
async fn the_listing_has_the_same_limit() {
    let server = Server::responding(Reply::json(&"x".repeat(2000))).await;
    let client = with(&server.base, |options| options.max_body = 1000).unwrap();
    assert!(client.docs().await.unwrap_err().kind() == ErrorKind::BodyTooLarge);
}

#[tokio::test]
async fn a_call_ends_by_its_total_time_out_whatever_its_tries_would_take() {
    let server = Server::responding(Reply::Hang(Vec::new())).await;
    let client = with(&server.base, |options| {
        options.request_timeout = Duration::from_secs(60);
        options.total_timeout = BRIEF;
        options.retry = RetryPolicy {
            retries: 100,
            first_pause: Duration::ZERO,
            ..RetryPolicy::default()
        };
    })
    .unwrap();
    let error = ended(client.block(1)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error:?}");
}
