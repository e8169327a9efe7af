//! Tests of the client against servers with various faults.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Barrier, atomic::AtomicUsize},
};

use futures_util::future::try_join_all;
use nodeproof_primitives::Network;

use super::*;

/// Starts a node that runs `respond` for each connection after its first bytes arrived.
fn node(respond: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> Node {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let respond = Arc::new(respond);
    let node = node_at(&listener);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let respond = Arc::clone(&respond);
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                respond(&mut stream);
            });
        }
    });
    node
}

fn node_at(listener: &TcpListener) -> Node {
    let url = format!("http://{}", listener.local_addr().unwrap());
    let limits = Limits {
        request_timeout: Duration::from_secs(60),
        requests: 100,
        body: 8 * 1024 * 1024,
        values: 1_000,
        depth: 64,
        submits: false,
        jobs: 4,
        rate: None,
    };
    let target = Target::parse(&url, Network::Devnet).unwrap();
    Node::new(target, limits).unwrap()
}

/// Starts a node whose responses never end and have no `Content-Length`.
fn endless() -> Node {
    node(|stream| {
        let head = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
        let mut sent = stream.write_all(head);
        while sent.is_ok() {
            sent = stream.write_all(&[b' '; 64 * 1024]);
        }
    })
}

#[tokio::test]
async fn a_node_may_close_its_connection_whenever_it_likes() {
    let says_so: fn(&mut TcpStream) = |stream| {
        let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}";
        let _ = stream.write_all(head.as_bytes());
    };
    let without_a_word: fn(&mut TcpStream) = |stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
    };
    let without_a_length: fn(&mut TcpStream) = |stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: a/b\r\n\r\n{}");
    };
    for respond in [says_so, without_a_word, without_a_length] {
        let node = node(respond);
        for index in 0..20 {
            let request = Request::get("/get-block").with("block_index", index.to_string());
            let exchange = node.send(request).await.unwrap();
            assert_eq!(exchange.body, b"{}");
        }
        // A request that found its connection closed may have been sent twice.
        assert!((20..=40).contains(&node.requests()));
    }
}

#[test]
fn a_node_on_another_machine_is_not_flooded() {
    for (url, rate) in [
        ("http://localhost:8420", None),
        ("http://127.0.0.1:8420", None),
        ("http://node.example.org", Some(50.0)),
        ("http://10.0.0.7:8420", Some(50.0)),
    ] {
        let target = Target::parse(url, Network::Devnet).unwrap();
        assert_eq!(usual_rate(&target), rate, "{url}");
    }
}

#[tokio::test]
async fn a_long_response_waits_for_its_turn_before_it_takes_memory() {
    let node = endless();
    let turn = node.connections.permit().await;
    let request = || Request::get("/get-block").with("block_index", "1");
    let mut sending = std::pin::pin!(node.send(request()));
    let waits = tokio::time::timeout(Duration::from_millis(300), &mut sending).await;
    assert!(waits.is_err());
    drop(turn);
    let reason = sending.await.unwrap_err();
    assert!(
        matches!(reason, InconclusiveReason::TooLarge(_)),
        "{reason:?}"
    );
}

#[tokio::test]
async fn more_http_than_the_client_reads_is_no_missing_response() {
    let long = |length: usize| "x".repeat(length);
    let many = |count: usize| "x-more: and more\r\n".repeat(count);
    let whole = |headers: String| format!("{headers}content-length: 2\r\n\r\n{{}}");
    let chunked = |extension: String, trailers: String| {
        format!("transfer-encoding: chunked\r\n\r\n2{extension}\r\n{{}}\r\n0\r\n{trailers}\r\n")
    };
    let header = || format!("x-long: {}\r\n", long(600_000));
    for (what, rest) in [
        ("200 headers", whole(many(200))),
        ("a header of 600 kB", whole(header())),
        (
            "a chunk extension of 20 kB",
            chunked(format!(";{}", long(20_000)), String::new()),
        ),
        ("a trailer of 600 kB", chunked(String::new(), header())),
        ("2,000 trailers", chunked(String::new(), many(2_000))),
    ] {
        let node = node(move |stream| {
            let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\n{rest}").as_bytes());
        });
        let request = Request::get("/get-block").with("block_index", "1");
        let reason = node.send(request).await.unwrap_err();
        assert!(
            matches!(reason, InconclusiveReason::TooLarge(_)),
            "{what}: {reason:?}"
        );
    }
}

#[tokio::test]
async fn responses_in_use_share_their_limits() {
    let node = node(|stream| {
        let body = format!("[{}0]", "0,".repeat(599));
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
        let _ = stream.write_all((head + &body).as_bytes());
    });
    let one_of_many = SendOptions {
        is_one_of_many: true,
        ..SendOptions::default()
    };
    let request = || Request::get("/get-block").with("block_index", "1");
    let kept = node.send(request()).await.unwrap();
    let reason = node.send(request()).await.unwrap_err();
    assert!(reason.reason().contains("has 600 values"), "{reason:?}");
    assert!(node.send_with(request(), one_of_many).await.is_ok());
    drop(kept);
    assert!(node.send(request()).await.is_ok());
}

/// The node responds as soon as it has four requests.
#[tokio::test]
async fn as_many_requests_as_jobs_are_sent_at_a_time() {
    let (all, at_a_time, most) = (Barrier::new(4), AtomicUsize::new(0), AtomicUsize::new(0));
    let counts = Arc::new((all, at_a_time, most));
    let counted = Arc::clone(&counts);
    let node = node(move |stream| {
        let (all, at_a_time, most) = &*counted;
        most.fetch_max(
            at_a_time.fetch_add(1, Ordering::SeqCst) + 1,
            Ordering::SeqCst,
        );
        all.wait();
        at_a_time.fetch_sub(1, Ordering::SeqCst);
        let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}";
        let _ = stream.write_all(head.as_bytes());
    });
    let block = |index: u64| Request::get("/get-block").with("block_index", index.to_string());
    let lists = [0, 8].map(|first| node.send_all((first..first + 8).map(block).collect()));
    let [one, other] = try_join_all(lists).await.unwrap().try_into().unwrap();
    let responses = one.iter().chain(&other);
    let requests = responses.map(|response| response.request.clone());
    assert!(requests.eq((0..16).map(block)));
    assert_eq!(counts.2.load(Ordering::SeqCst), 4);
}

#[test]
fn a_slow_node_gets_several_requests_of_a_search_at_a_time() {
    let node = node(|_| {});
    let response = |elapsed| {
        let request = Request::get("/get-block");
        Exchange::new(
            request,
            &node.connections.base,
            200,
            None,
            Vec::new(),
            elapsed,
        )
    };
    let requests = [Duration::ZERO, Duration::from_secs(1)]
        .map(|elapsed| node.requests_of_search(Some(&response(elapsed))));
    assert_eq!(requests, [1, 4]);
    assert_eq!(node.requests_of_search(None), 1);
}

#[tokio::test]
async fn a_timeout_names_the_option_for_a_node_that_handles_one_connection_at_a_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut node = node_at(&listener);
    node.connections.limits.request_timeout = Duration::from_millis(50);
    let reason = node.send(Request::get("/get-block")).await.unwrap_err();
    assert!(reason.reason().ends_with("needs --jobs 1"), "{reason:?}");
}

#[tokio::test]
async fn a_connection_that_closes_without_a_response_is_described() {
    let node = node(|_| {});
    let request = Request::get("/get-block").with("block_index", "7");
    let reason = node.send(request).await.unwrap_err();
    let reason = reason.reason();
    for part in [
        "the node closed the connection without a response to GET http://127.0.0.1:",
        "/get-block?block_index=7, also on new connections",
        "may have crashed on the request, or the port expects https",
    ] {
        assert!(reason.contains(part), "{reason}");
    }
}
