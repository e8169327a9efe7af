//! Responses that can't be used, and the messages of their errors.

use std::error::Error as _;

use nodeproof_client::{
    Client, Clock, ContractCall, ErrorKind, Fee, RawJson, SignedTransaction, SubmitPolicy,
};
use reqwest::StatusCode;

use crate::{
    BLOCK, CONTRACT, OTHER, WALLET, client,
    server::{Reply, Server},
};

async fn refusal(reply: Reply) -> nodeproof_client::Error {
    let server = Server::responding(reply).await;
    let error = client(&server.base).block(9).await.unwrap_err();
    let url = format!("{}/get-block?block_index=9", server.base);
    assert_eq!(error.operation(), Some("get_block"));
    assert_eq!(error.url(), Some(url.as_str()));
    assert!(!error.to_string().contains('\n'), "{error}");
    error
}

/// Returns the error of a method that does not return `None` for what is absent.
async fn failure(reply: Reply) -> nodeproof_client::Error {
    let server = Server::responding(reply).await;
    let call = ContractCall::new(CONTRACT.parse().unwrap(), "f");
    let fee = Fee::new(1.into(), "TKN").unwrap();
    let built = client(&server.base)
        .build_call(&call, &fee, Clock::Local)
        .await;
    built.unwrap_err()
}

const ABSENT: [(u16, &str); 7] = [
    (400, r#"{"detail":"Block not found"}"#),
    (400, r#"{"detail":"Trust score not available"}"#),
    (400, r#"{"error":"whatever it says"}"#),
    (404, r#"{"detail":"Not Found"}"#),
    (404, "{}"),
    (410, "null"),
    (
        422,
        r#"{"detail":[{"loc":["query","block_index"],"msg":"field required"}]}"#,
    ),
];

const NOT_ABSENT: [(u16, &str); 10] = [
    // Not JSON: the page of a proxy.
    (400, ""),
    (404, ""),
    (404, "404 page not found"),
    (404, "\n<!DOCTYPE html><title>Not found</title>"),
    (422, "{"),
    // Other statuses.
    (401, r#"{"detail":"Block not found"}"#),
    (403, r#"{"detail":"Block not found"}"#),
    (405, r#"{"detail":"Method Not Allowed"}"#),
    (500, r#"{"detail":"Block not found"}"#),
    (501, "{}"),
];

#[tokio::test]
async fn a_refusal_with_json_is_an_absence_whatever_the_node_says() {
    for (status, body) in ABSENT {
        let error = failure(Reply::status(status, body)).await;
        assert!(error.is_absent(), "{error}");
        assert_eq!(error.kind(), ErrorKind::Status);
        assert_eq!(error.status().unwrap().as_u16(), status);
        assert_eq!(error.body_excerpt(), Some(body));
        assert!(!error.is_retryable() && error.kind() == ErrorKind::Status);
    }
    for (status, body) in NOT_ABSENT {
        let error = failure(Reply::status(status, body)).await;
        assert!(!error.is_absent(), "{error}");
    }
    let error = failure(Reply::status(400, r#"{"detail":"Block not found"}"#)).await;
    let message = "the node responded with 400 Bad Request: Block not found";
    assert!(error.to_string().ends_with(message), "{error}");
    assert_eq!(
        (error.reason().as_str(), error.detail()),
        (message, Some("Block not found"))
    );
    let (status, body) = ABSENT[6];
    let error = failure(Reply::status(status, body)).await;
    assert_eq!(error.detail(), Some("query.block_index: field required"));
}

#[tokio::test]
async fn what_is_absent_is_none_in_every_method() {
    let (wallet, other) = (WALLET.parse().unwrap(), OTHER.parse().unwrap());
    let contract = CONTRACT.parse().unwrap();
    for (status, body) in ABSENT {
        let server = Server::responding(Reply::status(status, body)).await;
        let node = client(&server.base);
        assert_eq!(node.block(9).await.unwrap(), None, "{status} {body}");
        assert_eq!(node.token_balance("T", wallet).await.unwrap(), None);
        assert_eq!(node.balances(wallet).await.unwrap(), []);
        assert_eq!(node.holders("T").await.unwrap(), []);
        assert_eq!(node.trust_score(wallet, other).await.unwrap(), None);
        assert_eq!(
            node.contract_state("t", contract, "c", "v").await.unwrap(),
            None
        );
        assert_eq!(node.verification(contract, "a").await.unwrap(), None);
        assert_eq!(
            node.verifications(contract, "asset_id", "a").await.unwrap(),
            []
        );
    }
    let unreadable = [
        (200, "null"),
        (200, "[]"),
        (200, r#"{"status":"FAILURE","msg":"unknown asset"}"#),
        (200, r#"{"detail":"unknown error"}"#),
        (200, "<html>not found</html>"),
    ];
    for (status, body) in NOT_ABSENT.into_iter().chain(unreadable) {
        let server = Server::responding(Reply::status(status, body)).await;
        let node = client(&server.base);
        for error in [
            node.block(9).await.err(),
            node.token_balance("T", wallet).await.err(),
            node.balances(wallet).await.err(),
            node.holders("T").await.err(),
            node.trust_score(wallet, other).await.err(),
            node.contract_state("t", contract, "c", "v").await.err(),
            node.verification(contract, "a").await.err(),
            node.verifications(contract, "asset_id", "a").await.err(),
        ] {
            let error = error.unwrap_or_else(|| panic!("{status} {body}"));
            assert!(!error.is_absent(), "{error}");
        }
    }
}

#[tokio::test]
async fn a_response_about_something_else_is_an_error() {
    let (wallet, other) = (WALLET.parse().unwrap(), OTHER.parse().unwrap());
    let contract = CONTRACT.parse().unwrap();
    let server = Server::responding(Reply::json(BLOCK)).await;
    let error = client(&server.base).block(9).await.unwrap_err();
    let said = "in the response, block 9 was requested, and this is block 1";
    assert!(
        error.kind() == ErrorKind::Decode && error.to_string().ends_with(said),
        "{error}"
    );
    assert!(client(&server.base).block(1).await.unwrap().is_some());

    let server = Server::responding(Reply::json(r#"{"status":"no","trust_score":1}"#)).await;
    let error = client(&server.base)
        .trust_score(wallet, other)
        .await
        .unwrap_err();
    let said = "`status`: expected \"SUCCESS\", received \"no\"";
    assert!(
        error.kind() == ErrorKind::Decode && error.to_string().ends_with(said),
        "{error}"
    );

    let server = Server::responding(Reply::json(r#"{"balance":1,"value":2}"#)).await;
    let error = client(&server.base)
        .token_balance("T", wallet)
        .await
        .unwrap_err();
    assert!(
        error.to_string().ends_with("`balance` and `value` differ"),
        "{error}"
    );

    let row = format!(
        r#"{{"status":"SUCCESS","data":["{CONTRACT}","b","token","{WALLET}",1,"[]","[]","",9]}}"#
    );
    let server = Server::responding(Reply::json(&row)).await;
    let error = client(&server.base)
        .verification(contract, "a")
        .await
        .unwrap_err();
    assert!(
        error.kind() == ErrorKind::Decode && error.to_string().contains("the record of \"b\""),
        "{error}"
    );
}

#[tokio::test]
async fn a_state_is_in_value_or_in_data() {
    let contract = CONTRACT.parse().unwrap();
    for (body, expected) in [
        (
            r#"{"value":{"a" : 1.0},"data":null}"#,
            Ok(Some(r#"{"a" : 1.0}"#)),
        ),
        (
            r#"{"value":[1],"data":[1.0]}"#,
            Err("`value` and `data` have different records"),
        ),
        (r#"{"value":"[1]","data":[1]}"#, Ok(Some("\"[1]\""))),
        (r#"{"value":null}"#, Ok(None)),
        (r#"{"status":"SUCCESS"}"#, Ok(None)),
        (
            r#"{"status":"FAILURE","data":null}"#,
            Err("received \"FAILURE\""),
        ),
        (
            r#"{"status":"SUCCESS","data":{"a" : 1}}"#,
            Ok(Some(r#"{"a" : 1}"#)),
        ),
        (
            r#"{"msg":"unknown"}"#,
            Err("neither `value` nor `data`, but other members"),
        ),
    ] {
        let server = Server::responding(Reply::json(body)).await;
        let state = client(&server.base)
            .contract_state("t", contract, "c", "v")
            .await;
        match (state, expected) {
            (Ok(record), Ok(expected)) => {
                assert_eq!(record.as_ref().map(RawJson::as_str), expected, "{body}");
            }
            (Err(error), Err(said)) => {
                assert!(
                    error.kind() == ErrorKind::Decode && error.to_string().contains(said),
                    "{error}"
                );
            }
            (state, _) => panic!("{body}: {state:?}"),
        }
    }
}

/// Returns the messages of an error and of its causes.
fn chain(error: &(dyn std::error::Error + 'static)) -> Vec<String> {
    let causes = std::iter::successors(Some(error), |error| (*error).source());
    causes.map(ToString::to_string).collect()
}

#[tokio::test]
async fn each_cause_is_shown_once() {
    let nobody = client("http://127.0.0.1:1");
    let request = nobody.block(1).await.unwrap_err();
    let signed = SignedTransaction::from_json(r#"{"transaction":{},"signatures":[]}"#).unwrap();
    let once = SubmitPolicy::ONCE;
    let submission = nobody.submit(&signed, &once).await.unwrap_err();
    let input = Client::new("http://localhost:99999").unwrap_err();
    for (messages, length) in [
        (chain(&request), 2),
        (chain(&submission), 2),
        (chain(&input), 1),
    ] {
        assert_eq!(messages.len(), length, "{messages:?}");
        for (position, message) in messages.iter().enumerate() {
            let mut earlier = messages.iter().take(position);
            assert!(
                !earlier.any(|earlier| earlier.contains(message.as_str())),
                "{messages:?}"
            );
        }
    }
    for reason in [format!("{request:#}"), format!("{submission:#}")] {
        assert_eq!(reason.matches("Connection refused").count(), 1, "{reason}");
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
        ("", "[]", "expected a block, which is an object"),
    ] {
        let error = refusal(Reply::with(200, headers, body)).await;
        assert!(error.kind() == ErrorKind::Decode, "{error}");
        assert_eq!(error.status(), Some(StatusCode::OK));
        assert!(error.to_string().contains(reason), "{error}");
        assert!(!error.is_retryable());
        assert!(error.source().is_none());
    }
}

#[tokio::test]
async fn a_response_without_a_balance_is_an_error_with_its_url() {
    let server = Server::responding(Reply::json(r#"{"balance":"12\u001b[0m"}"#)).await;
    let error = client(&server.base)
        .token_balance("T", WALLET.parse().unwrap())
        .await
        .unwrap_err();
    assert!(error.kind() == ErrorKind::Decode);
    let said = "`balance`: expected an integer, received the string";
    assert!(error.to_string().contains(said), "{error}");
    assert!(error.url().unwrap().contains("TOKEN_IN_WALLET"));
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
        let error = failure(reply).await;
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
