//! Later runs remember that a transaction may have been sent.

use std::sync::atomic::{AtomicU32, Ordering};

use axum::http::{HeaderValue, StatusCode, header};
use nodeproof_claims::{ClaimError, TransactionState};

use super::{crashes::crash, *};

/// Makes a claim without a node, using the transaction that was saved while there was a node.
async fn claim_without_node(
    world: TestEnvironment,
    claim: &Claim,
) -> (ClaimError, TransactionState) {
    let wallet = world.wallet(0);
    let options = world.options();
    let path = world.file();
    let TestEnvironment {
        node,
        client,
        folder: _folder,
    } = world;
    restart::stop(node).await;
    let error = claim.make(&client, &[&wallet], &options).await.unwrap_err();
    (
        error,
        SavedTransaction::open(&path).unwrap().unwrap().state(),
    )
}

#[tokio::test]
async fn a_node_that_is_gone_does_not_make_an_earlier_submission_unsent() {
    let world = TestEnvironment::new().await;
    let (claim, wallet) = (world.claim("a"), world.wallet(0));
    let options = world.options();
    let made = claim.make(&world.client, &[&wallet], &options).await;
    made.unwrap();
    let (error, state) = claim_without_node(world, &claim).await;
    assert!(error.maybe_sent());
    let ClaimError::Submission { error: failed, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!((failed.sent(), failed.attempts()), (0, 4));
    assert!(
        error.to_string().contains("may have been accepted"),
        "{error}"
    );
    assert_eq!(state, TransactionState::Accepted);
}

#[tokio::test]
async fn that_it_was_about_to_be_sent_is_on_disk_before_it_is() {
    let world = TestEnvironment::new().await;
    let claim = world.claim("a");
    crash(&world, &claim, |step| {
        matches!(step, ClaimStep::Submitting { .. })
    })
    .await;
    assert_eq!(world.node.submissions_received(), 0);
    assert_eq!(world.saved().state(), TransactionState::Sent);
    let (error, state) = claim_without_node(world, &claim).await;
    assert!(error.maybe_sent(), "{error}");
    assert_eq!(state, TransactionState::Sent);
}

/// Replaces the responses to submissions, one after the other. The last one is repeated.
fn submitting(responses: Vec<(StatusCode, &'static str, &'static str)>) -> Fault {
    let count = AtomicU32::new(0);
    Arc::new(move |request, mut response| {
        if request.path != "/submit-transaction" {
            return response;
        }
        let number = count.fetch_add(1, Ordering::SeqCst) as usize;
        let (status, pause, body) = *responses.get(number).or(responses.last()).unwrap();
        let pause = HeaderValue::from_static(pause);
        response.headers.insert(header::RETRY_AFTER, pause);
        response.with_status(status).with_body(body)
    })
}

#[tokio::test]
async fn a_status_that_says_that_it_was_not_taken_says_so_of_that_submission_only() {
    let busy = (StatusCode::TOO_MANY_REQUESTS, "3600", "{}");
    let bad = (StatusCode::BAD_REQUEST, "0", "{}");
    let lost = (StatusCode::BAD_GATEWAY, "0", "{}");
    for (responses, maybe_sent, state) in [
        (vec![busy], false, TransactionState::Refused),
        (vec![bad], false, TransactionState::Refused),
        (vec![lost, busy], true, TransactionState::Sent),
        (vec![lost, bad], true, TransactionState::Sent),
    ] {
        let world = TestEnvironment::new().await;
        let (claim, wallet) = (world.claim("a"), world.wallet(0));
        let (_proxy, client) = world.behind(submitting(responses)).await;
        let error = claim.make(&client, &[&wallet], &world.options()).await;
        let error = error.unwrap_err();
        assert_eq!(error.maybe_sent(), maybe_sent, "{error}");
        assert_eq!(world.saved().state(), state, "{error}");
        assert!(
            error.to_string().contains("repeat the same claim"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_contradictory_response_leaves_the_outcome_open() {
    let world = TestEnvironment::new().await;
    let (claim, wallet) = (world.claim("a"), world.wallet(0));
    let contradictory =
        r#"{"status":"FAILURE","response":{"valid":true,"msg":"fine","new_transaction":true}}"#;
    let responses = vec![(StatusCode::OK, "0", contradictory)];
    let (_proxy, client) = world.behind(submitting(responses)).await;
    let error = claim.make(&client, &[&wallet], &world.options()).await;
    let error = error.unwrap_err();
    assert!(error.maybe_sent());
    let ClaimError::Submission { error: failed, .. } = &error else {
        panic!("{error}");
    };
    assert!(
        failed
            .request_error()
            .is_none_or(nodeproof_client::Error::is_decode)
    );
    assert!(failed.maybe_accepted());
    assert!(error.to_string().contains("FAILURE"), "{error}");
    assert_eq!(world.saved().state(), TransactionState::Sent);
}

#[tokio::test]
async fn a_refusal_after_a_submission_without_a_response_is_not_final() {
    let lost = (StatusCode::BAD_GATEWAY, "0", "{}");
    let known =
        r#"{"status":"SUCCESS","response":{"valid":false,"msg":"old","new_transaction":false}}"#;
    let new =
        r#"{"status":"SUCCESS","response":{"valid":false,"msg":"old","new_transaction":true}}"#;
    for (responses, open, state) in [
        (
            vec![lost, (StatusCode::OK, "0", known)],
            true,
            TransactionState::Sent,
        ),
        // It had not arrived before.
        (
            vec![lost, (StatusCode::OK, "0", new)],
            false,
            TransactionState::Refused,
        ),
        (
            vec![(StatusCode::OK, "0", known)],
            false,
            TransactionState::Refused,
        ),
    ] {
        let world = TestEnvironment::new().await;
        let (claim, wallet) = (world.claim("a"), world.wallet(0));
        let (_proxy, client) = world.behind(submitting(responses)).await;
        let error = claim.make(&client, &[&wallet], &world.options()).await;
        let error = error.unwrap_err();
        let ClaimError::Refused {
            maybe_accepted_before,
            ..
        } = &error
        else {
            panic!("{error}");
        };
        assert_eq!(*maybe_accepted_before, open);
        assert_eq!(world.saved().state(), state);
        let text = error.to_string();
        // The file is the only proof, so the message must not suggest removing it.
        assert!(!text.contains("remove"), "{text}");
        assert!(text.contains("only proof"), "{text}");
    }
}
