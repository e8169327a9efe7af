//! Recognising a node, following its blocks, and reading a range of them.

#![expect(clippy::unwrap_used, reason = "a test fails if its setup fails")]

mod read_ahead;
mod replaced_chains;

use std::{
    num::NonZeroU32,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    http::{StatusCode, Uri},
    response::IntoResponse,
};
use integration_tests::{
    proxy::{Fault, Proxy, RecordedRequest, Response},
    restart::{self, start_at, stop},
    server::Server,
};
use nodeproof_client::{
    Block, BlockStream, Client, ClientOptions, Error, ErrorKind, FollowEvent, FollowOptions,
    transport::RetryPolicy,
};
use nodeproof_devnode::{ChainTime, Config, Handle};
use nodeproof_primitives::TimestampMs;
use tokio::{io::AsyncReadExt, net::TcpListener};

const SHORT: Duration = Duration::from_millis(5);

async fn start() -> (Handle, Client) {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let client = client(node.base_url());
    (node, client)
}

fn client(base: &str) -> Client {
    Client::with_options(base, once()).unwrap()
}

fn once() -> ClientOptions {
    ClientOptions {
        retry: RetryPolicy::NEVER,
        ..ClientOptions::default()
    }
}

fn options() -> FollowOptions {
    FollowOptions {
        interval: SHORT,
        longest_pause: SHORT,
        ..FollowOptions::default()
    }
}

/// Returns the options with a start.
fn from(start: u64) -> FollowOptions {
    FollowOptions {
        start: Some(start),
        ..options()
    }
}

async fn index(blocks: &mut BlockStream) -> u64 {
    number(&blocks.next().await.unwrap().unwrap())
}

fn number(block: &Block) -> u64 {
    block.index.as_u64().unwrap()
}

async fn end(blocks: &mut BlockStream) -> Error {
    let error = loop {
        if let Err(error) = blocks.next().await.unwrap() {
            break error;
        }
    };
    assert!(blocks.next().await.is_none(), "an error ends the stream");
    error
}

/// Returns the requested index.
fn requested(request: &RecordedRequest) -> Option<u64> {
    request.query.strip_prefix("block_index=")?.parse().ok()
}

fn not_found(response: Response) -> Response {
    response
        .with_status(StatusCode::BAD_REQUEST)
        .with_body(r#"{"detail":"Block not found"}"#)
}

#[tokio::test]
async fn blocks_follow_one_another_from_an_index_and_from_the_latest() {
    let (node, client) = start().await;
    let height = node.height();
    let mut all = client.follow_blocks(from(1));
    for expected in 1..=height {
        assert_eq!(index(&mut all).await, expected);
    }
    let mut new = client.follow_blocks(options());
    assert_eq!(index(&mut new).await, height);
    for _ in 0..3 {
        let made = node.make_block();
        assert_eq!(index(&mut all).await, made);
        assert_eq!(index(&mut new).await, made);
    }
    // Two blocks appear between two requests.
    let (first, second) = (node.make_block(), node.make_block());
    assert_eq!(
        [index(&mut new).await, index(&mut new).await],
        [first, second]
    );
}

#[tokio::test]
async fn a_chain_is_followed_from_before_its_first_block() {
    let config = Config::for_tests().with_blocks(0);
    let node = nodeproof_devnode::spawn(config).await.unwrap();
    let client = client(node.base_url());
    client.check_node().await.unwrap();
    assert_eq!(client.latest_block().await.unwrap(), None);
    let received = node.requests_received();
    let mut blocks = client.follow_blocks(options());
    let following = tokio::spawn(async move { index(&mut blocks).await });
    // By then it has found no block.
    while node.requests_received() < received + 4 {
        tokio::time::sleep(SHORT).await;
    }
    node.make_block();
    assert_eq!(following.await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_stops_and_starts_again_leaves_no_gap() {
    let time = ChainTime::From(TimestampMs::from_millis(1_767_225_600_000));
    let config = Config::for_tests().with_time(time).with_blocks(5);
    let node = restart::start(config.clone()).await;
    let base = node.base_url().to_owned();
    let mut events = client(&base).follow_events(from(4));
    let mut next = async || match events.next().await.unwrap().unwrap() {
        FollowEvent::Block(block) => block.index.to_string(),
        FollowEvent::Outage { error, .. } => format!("outage: {:?}", error.kind()),
        other => format!("{other:?}"),
    };
    assert_eq!([next().await, next().await], ["4", "5"]);

    let port = stop(node).await;
    // There is no connection, or only one that is just being closed.
    assert!(next().await.starts_with("outage: Connect"));
    let again = config.with_blocks(7);
    let node = start_at(port, again.clone()).await;
    let mut resumed = next().await;
    while resumed.starts_with("outage: ") {
        resumed = next().await;
    }
    assert_eq!([resumed, next().await, next().await], ["Resumed", "6", "7"]);

    // An outage that lasts too long ends the stream. A stream does not begin during one.
    stop(node).await;
    let brief = FollowOptions {
        max_outage: 4 * SHORT,
        ..options()
    };
    let error = end(&mut client(&base).follow_blocks(brief.clone())).await;
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    let node = start_at(port, again).await;
    let mut blocks = client(&base).follow_blocks(brief);
    assert_eq!(index(&mut blocks).await, 7);
    stop(node).await;
    let error = end(&mut blocks).await;
    assert!(error.is_retryable(), "{error}");
}

#[tokio::test]
async fn what_is_not_a_node_is_not_followed() {
    let responding = |status: StatusCode, body: &'static str| {
        Router::new().fallback(move || async move { (status, body) })
    };
    let (moved, ok) = (StatusCode::MOVED_PERMANENTLY, StatusCode::OK);
    for (router, words) in [
        (
            responding(StatusCode::NOT_FOUND, "<html>nginx</html>"),
            "404",
        ),
        (
            responding(StatusCode::NOT_FOUND, r#"{"detail":"Not Found"}"#),
            "404",
        ),
        (
            responding(StatusCode::BAD_REQUEST, "400 Bad Request"),
            "400",
        ),
        (responding(ok, "<html>Welcome</html>"), "HTML"),
        (
            responding(ok, r#"{"status":"ok"}"#),
            "received the string \"ok\"",
        ),
        (responding(ok, r#"{"timestamp":1}"#), "`index` is missing"),
        (
            responding(ok, r#"{"index":1,"timestamp":1,"previous_hash":"0"}"#),
            "this is block 1",
        ),
        (responding(moved, ""), "redirect"),
        (responding(StatusCode::NO_CONTENT, ""), "204"),
    ] {
        let server = Server::spawn(router).await.unwrap();
        let client = client(&server.base_url());
        // A server that returns block 1 is one that only the search for the latest block recognises.
        let checked = client.check_node().await.map_err(|error| error.kind());
        let is_block_1 = words == "this is block 1";
        assert_eq!(
            checked.err(),
            (!is_block_1).then_some(ErrorKind::NotANode),
            "{words}"
        );
        let error = end(&mut client.follow_blocks(options())).await;
        assert_eq!(error.kind(), ErrorKind::NotANode, "{words}: {error}");
        assert!(error.to_string().contains(words), "{words}: {error}");
        // When a stream starts at an index, a wrong block is a separate error.
        let error = end(&mut client.follow_blocks(from(7))).await;
        assert!(!error.is_retryable(), "{words}: {error}");
    }
}

#[tokio::test]
async fn a_node_is_recognised_with_one_or_two_requests() {
    for (blocks, requests) in [(200, 1), (0, 2)] {
        let config = Config::for_tests().with_blocks(blocks);
        let node = nodeproof_devnode::spawn(config).await.unwrap();
        client(node.base_url()).check_node().await.unwrap();
        assert_eq!(node.requests_received(), requests);
    }
}

#[tokio::test]
async fn an_error_that_is_not_an_outage_ends_the_stream() {
    let (node, _) = start().await;
    let height = node.height();
    for (status, body, kind) in [
        (StatusCode::FORBIDDEN, "{}", ErrorKind::Status),
        (StatusCode::OK, "<html>", ErrorKind::Decode),
        (StatusCode::OK, r#"{"index":3}"#, ErrorKind::Decode),
    ] {
        let fault: Fault = Arc::new(move |request, response| {
            if requested(request) == Some(height + 1) {
                return response.with_status(status).with_body(body);
            }
            response
        });
        let proxy = Proxy::spawn(&node, fault).await.unwrap();
        let client = client(&proxy.server.base_url());
        let error = end(&mut client.follow_blocks(from(height))).await;
        assert_eq!(error.kind(), kind, "{error}");
    }
}

#[tokio::test]
async fn a_missing_block_is_an_error_or_is_reported() {
    let (node, _) = start().await;
    let fault: Fault = Arc::new(|request, response| match requested(request) {
        Some(3 | 4) => not_found(response),
        _ => response,
    });
    let proxy = Proxy::spawn(&node, fault).await.unwrap();
    let client = client(&proxy.server.base_url());
    let error = end(&mut client.follow_blocks(from(4))).await;
    assert_eq!(error.kind(), ErrorKind::MissingBlock);
    assert_eq!(
        error.to_string(),
        "the node has no block 4, but it has block 5"
    );

    let skipping = FollowOptions {
        skip_missing: true,
        ..from(4)
    };
    let mut blocks = client.follow_blocks(skipping.clone());
    assert_eq!([index(&mut blocks).await, index(&mut blocks).await], [5, 6]);
    let mut events = client.follow_events(skipping);
    let first = events.next().await.unwrap().unwrap();
    assert!(matches!(first, FollowEvent::Missing { index: 4 }));
    let second = events.next().await.unwrap().unwrap();
    assert!(matches!(second, FollowEvent::Block(block) if block.index == 5));
}

#[tokio::test]
async fn a_fallback_that_is_behind_is_an_outage_and_leaves_no_gap() {
    let (node, _) = start().await;
    let height = node.height();
    let is_down = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&is_down);
    let fault: Fault = Arc::new(move |_, response| match switch.load(Ordering::Relaxed) {
        true => response.with_status(StatusCode::SERVICE_UNAVAILABLE),
        false => response,
    });
    let primary = Proxy::spawn(&node, fault).await.unwrap();
    let catches_up = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&catches_up);
    let fault: Fault = Arc::new(move |request, response| match requested(request) {
        Some(index) if index > height - 2 && !switch.load(Ordering::Relaxed) => not_found(response),
        _ => response,
    });
    let behind = Proxy::spawn(&node, fault).await.unwrap();
    let with_fallback = ClientOptions {
        fallbacks: vec![behind.server.base_url().parse().unwrap()],
        ..once()
    };
    let client = Client::with_options(&*primary.server.base_url(), with_fallback).unwrap();
    let mut events = client.follow_events(options());
    let mut next = async || events.next().await.unwrap().unwrap();
    assert!(matches!(next().await, FollowEvent::Block(block) if block.index == height));
    is_down.store(true, Ordering::Relaxed);
    node.make_block();
    for _ in 0..3 {
        let FollowEvent::Outage { error, .. } = next().await else {
            panic!("expected an outage");
        };
        assert_eq!(error.kind(), ErrorKind::MissingBlock);
    }
    catches_up.store(true, Ordering::Relaxed);
    assert!(matches!(next().await, FollowEvent::Resumed));
    assert!(matches!(next().await, FollowEvent::Block(block) if block.index == height + 1));
}

#[tokio::test]
async fn a_node_without_its_first_blocks_is_followed_from_its_latest() {
    let (node, _) = start().await;
    let height = node.height();
    let fault: Fault = Arc::new(|request, response| match requested(request) {
        Some(0..=3) => not_found(response),
        _ => response,
    });
    let proxy = Proxy::spawn(&node, fault).await.unwrap();
    let client = client(&proxy.server.base_url());
    assert!(height > 4);
    client.check_node().await.unwrap();
    let mut blocks = client.follow_blocks(options());
    assert_eq!(index(&mut blocks).await, height);
}

#[tokio::test]
async fn dropping_a_stream_cancels_its_request() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let mut blocks = client(&base).follow_blocks(from(1));
    let mut byte = [0];
    let mut connection = tokio::select! {
        _ = blocks.next() => unreachable!("the server does not respond"),
        accepted = async {
            let (mut connection, _) = listener.accept().await.unwrap();
            connection.read_exact(&mut byte).await.unwrap();
            connection
        } => accepted,
    };
    drop(blocks);
    // The client closes the connection, so reading comes to an end.
    connection.read_to_end(&mut Vec::new()).await.unwrap();
}

/// Returns the base URL of a server whose requests go to these nodes in turn.
async fn in_turn(nodes: [&Proxy; 2]) -> Server {
    let bases = nodes.map(|node| node.server.base_url());
    let turn = Arc::new(AtomicUsize::new(0));
    let router = Router::new().fallback(move |uri: Uri| {
        let base = bases[turn.fetch_add(1, Ordering::SeqCst) % bases.len()].clone();
        async move {
            match client(&base).block(index_in(&uri)).await.unwrap() {
                Some(block) => (StatusCode::OK, serde_json::to_string(&block).unwrap()),
                None => (
                    StatusCode::BAD_REQUEST,
                    r#"{"detail":"Block not found"}"#.to_owned(),
                ),
            }
        }
    });
    Server::spawn(router).await.unwrap()
}

fn index_in(uri: &Uri) -> u64 {
    let query = uri.query().unwrap_or_default();
    query.trim_start_matches("block_index=").parse().unwrap()
}

#[tokio::test]
async fn nodes_behind_one_url_that_differ_in_height_leave_no_gap() {
    let (node, _) = start().await;
    let height = node.height();
    let hides_from = Arc::new(AtomicUsize::new(usize::try_from(height).unwrap()));
    let limit = Arc::clone(&hides_from);
    let fault: Fault = Arc::new(move |request, response| match requested(request) {
        Some(index) if index >= u64::try_from(limit.load(Ordering::SeqCst)).unwrap() => {
            not_found(response)
        }
        _ => response,
    });
    let behind = Proxy::spawn(&node, fault).await.unwrap();
    let ahead = Proxy::honest(&node).await.unwrap();
    let server = in_turn([&behind, &ahead]).await;
    let following = from(1);
    let mut blocks = client(&server.base_url()).follow_blocks(following);
    for expected in 1..=height {
        assert_eq!(index(&mut blocks).await, expected);
    }
    let (first, second) = (node.make_block(), node.make_block());
    assert_eq!(
        [index(&mut blocks).await, index(&mut blocks).await],
        [first, second]
    );
}

#[tokio::test]
async fn a_later_run_reads_on_after_the_last_block_of_an_earlier_one() {
    let (node, client) = start().await;
    for index in 1..node.height() {
        let block = client.block(index).await.unwrap().unwrap();
        let next = client.block(index + 1).await.unwrap().unwrap();
        assert_eq!(block.block_hash().as_ref(), next.previous_hash.hash());
    }
    let height = node.height();
    let hash = async |index: u64| {
        let block = client.block(index).await.unwrap().unwrap();
        block.block_hash().unwrap()
    };
    let after = async |last: u64| FollowOptions {
        after: Some((last, hash(last).await)),
        max_outage: 4 * SHORT,
        ..options()
    };
    let mut blocks = client.follow_blocks(after(2).await);
    assert_eq!([index(&mut blocks).await, index(&mut blocks).await], [3, 4]);
    // The next block does not exist yet.
    let mut blocks = client.follow_blocks(after(height).await);
    let following = tokio::spawn(async move { index(&mut blocks).await });
    assert_eq!(node.make_block(), height + 1);
    assert_eq!(following.await.unwrap(), height + 1);

    // A node that computes hashes in another way still has the same last block.
    let fault: Fault = Arc::new(|_, response| {
        response.with_json(|block| block["previous_hash"] = "5a".repeat(32).into())
    });
    let proxy = Proxy::spawn(&node, fault).await.unwrap();
    let other = self::client(&proxy.server.base_url());
    let last = other.block(2).await.unwrap().unwrap();
    let mut blocks = other.follow_blocks(FollowOptions {
        after: Some((2, last.block_hash().unwrap())),
        ..options()
    });
    assert_eq!(index(&mut blocks).await, 3);
}

#[tokio::test]
async fn a_stream_can_begin_before_its_node() {
    let config = Config::for_tests().with_blocks(3);
    let node = restart::start(config.clone()).await;
    let base = node.base_url().to_owned();
    let port = stop(node).await;
    for start in [None, Some(1)] {
        let mut events = client(&base).follow_events(FollowOptions {
            start,
            retry_at_start: true,
            ..options()
        });
        let mut next = async || events.next().await.unwrap().unwrap();
        assert!(matches!(next().await, FollowEvent::Outage { .. }));
        let node = start_at(port, config.clone()).await;
        let found = loop {
            if let FollowEvent::Block(block) = next().await {
                break block.index;
            }
        };
        assert_eq!(found, start.unwrap_or(3));
        stop(node).await;
    }
}

#[tokio::test]
async fn a_block_stream_that_is_not_polled_does_not_hold_up_the_rate_limit() {
    let (node, _) = start().await;
    let with_limit = ClientOptions {
        rate_limit: NonZeroU32::new(200),
        ..ClientOptions::default()
    };
    let limited = Client::with_options(node.base_url(), with_limit).unwrap();
    let mut blocks = limited.blocks(1..9, 4);
    while let Some(block) = blocks.next().await {
        let wallet = block.unwrap().creator_wallet.unwrap();
        assert!(!limited.balances(wallet).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_failed_request_does_not_move_the_start_to_the_first_block() {
    let (node, direct) = start().await;
    let received = node.requests_received();
    direct.latest_block().await.unwrap();
    // The request after this one is for the latest block.
    let search = node.requests_received() - received;
    let requests = AtomicUsize::new(0);
    let fault: Fault = Arc::new(move |_, response| {
        let earlier = requests.fetch_add(1, Ordering::SeqCst);
        match u64::try_from(earlier) == Ok(search) {
            true => response.with_status(StatusCode::SERVICE_UNAVAILABLE),
            false => response,
        }
    });
    let proxy = Proxy::spawn(&node, fault).await.unwrap();
    let mut blocks = client(&proxy.server.base_url()).follow_blocks(FollowOptions {
        retry_at_start: true,
        ..options()
    });
    assert_eq!(index(&mut blocks).await, node.height());
}
