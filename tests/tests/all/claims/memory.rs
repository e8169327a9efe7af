//! What the responses to submissions mean for a claim, in this run and in later ones.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::http::{HeaderValue, StatusCode, header};
use nodeproof_claims::{CallErrorKind, TransactionState};

use super::*;

type Reply = (StatusCode, &'static str, &'static str);

/// Replaces the responses to submissions, one after the other. After the last one, the node's own
/// responses follow, or the last one is repeated. The node receives all submissions.
fn submitting(responses: Vec<Reply>, repeats: bool) -> Fault {
    let count = AtomicUsize::new(0);
    Arc::new(move |request, mut response| {
        if request.path != "/submit-transaction" {
            return response;
        }
        let number = count.fetch_add(1, Ordering::SeqCst);
        let last = responses.last().filter(|_| repeats);
        let Some((status, pause, body)) = responses.get(number).or(last) else {
            return response;
        };
        let pause = HeaderValue::from_static(pause);
        response.headers.insert(header::RETRY_AFTER, pause);
        response.with_status(*status).with_body(*body)
    })
}

const BUSY: Reply = (StatusCode::TOO_MANY_REQUESTS, "3600", "{}");
const BAD: Reply = (StatusCode::BAD_REQUEST, "0", "{}");
const LOST: Reply = (StatusCode::BAD_GATEWAY, "0", "{}");
const CONTRADICTORY: Reply = (
    StatusCode::OK,
    "0",
    r#"{"status":"FAILURE","response":{"valid":true,"msg":"fine","new_transaction":true}}"#,
);
const KNOWN: Reply = (
    StatusCode::OK,
    "0",
    r#"{"status":"SUCCESS","response":{"valid":false,"msg":"old","new_transaction":false}}"#,
);
const NEW: Reply = (
    StatusCode::OK,
    "0",
    r#"{"status":"SUCCESS","response":{"valid":false,"msg":"old","new_transaction":true}}"#,
);

#[tokio::test]
async fn an_error_says_whether_the_claim_may_have_been_made() {
    use CallErrorKind::{Refused, Uncertain};
    for (responses, kind) in [
        (vec![BUSY], Refused),
        (vec![BAD], Refused),
        (vec![LOST], Uncertain),
        // A status that the node did not take it is about that submission only.
        (vec![LOST, BUSY], Uncertain),
        (vec![LOST, BAD], Uncertain),
        (vec![CONTRADICTORY], Uncertain),
        (vec![KNOWN], Refused),
        (vec![LOST, KNOWN], Uncertain),
        // Several servers may respond for a node. So it can be new to one of them, and not to the others.
        (vec![LOST, NEW], Uncertain),
    ] {
        let world = TestEnvironment::new().await;
        let (_proxy, client) = world.behind(submitting(responses.clone(), true)).await;
        let made = world
            .make_at(&client, &world.claim("a"), &world.options())
            .await;
        let error = made.unwrap_err();
        assert_eq!(error.kind(), kind, "{responses:?}: {error}");
        let state = match kind {
            Refused => TransactionState::Refused,
            _ => TransactionState::Sent,
        };
        assert_eq!(world.saved().state(), state, "{responses:?}: {error}");
        let text = error.to_string();
        assert!(text.contains("repeat the same call"), "{text}");
        // The file is the only proof, so the message must not suggest removing it.
        assert!(text.contains("only proof") && !text.contains("remove"));
    }
}
