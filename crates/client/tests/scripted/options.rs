//! Default headers, time-outs of single requests, the rate, and several nodes.

use std::{
    error::Error as _,
    num::NonZeroU32,
    time::{Duration, Instant},
};

use nodeproof_client::{
    Client, ClientOptions, Clock, Error, ErrorKind, Fee, SignedTransaction, SubmitPolicy,
    transport::RetryPolicy,
};

use crate::{
    server::{Reply, Request, Server},
    spans::Trace,
};

const SECRET: &str = "gateway-key-0a1b2c3d";
const OK: &str = r#"{"balance":1}"#;

fn wallet() -> nodeproof_client::WalletAddress {
    nodeproof_client::wallet_address!("0x00000000000000000000000000000000000000a1")
}

fn last(server: &Server) -> Request {
    server.requests().pop().unwrap()
}

fn quick() -> ClientOptions {
    ClientOptions {
        retry: RetryPolicy {
            first_pause: Duration::ZERO,
            longest_pause: Duration::ZERO,
            ..RetryPolicy::default()
        },
        ..ClientOptions::default()
    }
}

fn with_key(value: &str) -> ClientOptions {
    let mut options = quick();
    options.headers.add("X-Api-Key", value).unwrap();
    options
}

/// Returns everything that an error shows, to people and to programs.
fn shown(error: &Error) -> String {
    let mut text = format!(
        "{error} {error:?} {error:#?} {:?} {:?}",
        error.detail(),
        error.body_excerpt()
    );
    text += &error.reason();
    text += error.url().unwrap_or_default();
    let mut source = error.source();
    while let Some(cause) = source {
        text += &format!("{cause} {cause:?}");
        source = cause.source();
    }
    text
}

#[tokio::test]
async fn the_value_of_a_default_header_is_sent_and_shown_nowhere() {
    let trace = Trace::default();
    let _guard = tracing::subscriber::set_default(trace.clone());
    // The node sends the key back, in every place from which an error takes text.
    let echo = |text: &str| text.replace("KEY", SECRET);
    let replies = [
        Reply::status(401, &echo(r#"{"detail":"the key KEY is not known"}"#)),
        Reply::status(403, &echo("no entry with Bearer KEY")),
        Reply::status(500, &echo(r#"{"detail":[{"loc":["KEY"],"msg":"KEY"}]}"#)),
        Reply::json(&echo(r#"{"balance":"KEY"}"#)),
        Reply::json(&echo(r#"{"balance":1,"value":"KEY"}"#)),
        Reply::json(&echo("\"KEY\"")),
        Reply::json(&echo("KEY")),
        Reply::with(302, &echo("location: /KEY\r\n"), ""),
        Reply::with(200, &echo("content-type: text/KEY\r\n"), "<p>"),
    ];
    for value in [SECRET.to_owned(), format!("Bearer {SECRET}")] {
        let server = Server::start(replies.to_vec()).await;
        let options = with_key(&value);
        let mut texts = vec![format!("{options:?}")];
        let client = Client::with_options(&server.base, options).unwrap();
        texts.push(format!("{client:?} {client:#?}"));
        for _ in &replies {
            let error = client.token_balance("TKN", wallet()).await.unwrap_err();
            texts.push(shown(&error));
            assert_eq!(last(&server).header("x-api-key"), Some(value.as_str()));
        }
        texts.push(trace.text());
        for text in texts {
            assert!(!text.contains(SECRET), "{text}");
        }
    }
}

#[tokio::test]
async fn a_default_header_goes_with_submissions_and_generated_calls_too() {
    let server = Server::responding(Reply::json(OK)).await;
    let client = Client::with_options(&server.base, with_key(SECRET)).unwrap();
    let _page = client.docs().await;
    assert_eq!(last(&server).header("x-api-key"), Some(SECRET));
    let _block = client.generated().get_block(&1.into()).await;
    assert_eq!(last(&server).header("x-api-key"), Some(SECRET));
    let contract =
        nodeproof_client::contract_address!("ct00000000000000000000000000000000000000a1");
    let call = nodeproof_client::ContractCall::new(contract, "f");
    let fee = Fee::new(1.into(), "TKN").unwrap();
    let _built = client.build_call(&call, &fee, Clock::Local).await;
    let request = last(&server);
    assert_eq!(request.header("x-api-key"), Some(SECRET));
    assert_eq!(request.header("content-type"), Some("application/json"));
}

#[test]
fn rejects_headers_that_can_not_be_sent_without_their_values() {
    for (name, value, words) in [
        ("x key", SECRET, "\"x key\" is not the name of a header"),
        ("", SECRET, "\"\" is not the name"),
        ("Content-Type", SECRET, "is set by the client"),
        ("host", SECRET, "is set by the client"),
        ("x-key", &format!("{SECRET}\r\nx: y"), "without line breaks"),
    ] {
        let error = quick().headers.add(name, value).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration);
        let text = shown(&error);
        assert!(text.contains(words) && !text.contains(SECRET), "{text}");
    }
}

#[tokio::test]
async fn requests_keep_to_the_rate_together() {
    let server = Server::responding(Reply::json(OK)).await;
    let rate = NonZeroU32::new(50).unwrap();
    let client = Client::with_options(
        &server.base,
        ClientOptions {
            rate_limit: Some(rate),
            ..quick()
        },
    )
    .unwrap();
    let started = Instant::now();
    let one = async {
        for _ in 0..4 {
            client.token_balance("TKN", wallet()).await.unwrap();
        }
    };
    let clone = client.clone();
    let other = async {
        for _ in 0..4 {
            clone.token_balance("TKN", wallet()).await.unwrap();
        }
    };
    tokio::join!(one, other);
    // 8 requests have 7 pauses of 20 ms between them. A slower machine takes longer, and never less.
    assert!(started.elapsed() >= Duration::from_millis(140));
    assert_eq!(server.count(), 8);
}

#[tokio::test]
async fn reads_go_to_the_node_that_responds_and_submissions_to_the_first() {
    let busy = Server::responding(Reply::status(503, r#"{"detail":"syncing"}"#)).await;
    let good = Server::responding(Reply::json(OK)).await;
    let client = Client::with_options(
        &busy.base,
        ClientOptions {
            fallbacks: vec![
                "http://127.0.0.1:1".parse().unwrap(),
                format!("{}/behind/a/proxy", good.base).parse().unwrap(),
            ],
            retry: RetryPolicy::NEVER,
            ..quick()
        },
    )
    .unwrap();
    for _ in 0..3 {
        let balance = client.token_balance("TKN", wallet()).await.unwrap();
        assert_eq!(balance.unwrap(), 1);
        let line = last(&good).line;
        assert!(
            line.starts_with("GET /behind/a/proxy/get-balances?balance_type="),
            "{line}"
        );
    }
    // Only the first read tried the others.
    assert_eq!((busy.count(), good.count()), (1, 3));

    let contract =
        nodeproof_client::contract_address!("ct00000000000000000000000000000000000000a1");
    let call = nodeproof_client::ContractCall::new(contract, "f");
    let fee = Fee::new(1.into(), "TKN").unwrap();
    let built = client.build_call(&call, &fee, Clock::Local).await;
    let error = built.unwrap_err();
    assert_eq!(error.status().unwrap().as_u16(), 503);
    let signed = SignedTransaction::from_json(r#"{"transaction":{},"signatures":[]}"#).unwrap();
    let error = client
        .submit(&signed, &SubmitPolicy::ONCE)
        .await
        .unwrap_err();
    let request = error.client_error().unwrap();
    assert_eq!(
        (request.status().unwrap().as_u16(), error.attempts()),
        (503, 1)
    );
    assert_eq!((busy.count(), good.count()), (3, 3));
}

#[tokio::test]
async fn a_read_that_fails_on_all_nodes_reports_the_last_one() {
    let busy = Server::responding(Reply::status(503, "{}")).await;
    let client = Client::with_options(
        "http://127.0.0.1:1",
        ClientOptions {
            fallbacks: vec![busy.base.parse().unwrap()],
            ..quick()
        },
    )
    .unwrap();
    let error = client.docs().await.unwrap_err();
    // Two nodes, in a first round and two more.
    assert_eq!((error.attempts(), busy.count()), (6, 3));
    assert!(
        error.url().unwrap().starts_with("http://127.0.0.1:"),
        "{error}"
    );
    // A request that is wrong itself does not go to another node.
    let refusing = Server::responding(Reply::status(400, r#"{"detail":"no"}"#)).await;
    let good = Server::responding(Reply::json(OK)).await;
    let client = Client::with_options(
        &refusing.base,
        ClientOptions {
            fallbacks: vec![good.base.parse().unwrap()],
            ..quick()
        },
    )
    .unwrap();
    assert_eq!(client.docs().await.unwrap_err().attempts(), 1);
    assert_eq!(good.count(), 0);
}
