//! Tests of the client against servers with various faults.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
};

use nodeproof_primitives::Network;

use super::*;

/// Starts a node that runs `respond` for each connection after its first bytes arrived.
fn node(respond: fn(&mut TcpStream)) -> Node {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let node = node_at(&listener, false);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                respond(&mut stream);
            });
        }
    });
    node
}

fn node_at(listener: &TcpListener, one_connection: bool) -> Node {
    let url = format!("http://{}", listener.local_addr().unwrap());
    let limits = Limits {
        request_timeout: Duration::from_secs(60),
        requests: 100,
        body: 16 * MIB,
        memory: 64 * MIB,
        depth: 64,
        submits: false,
        one_connection,
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

#[tokio::test]
async fn a_long_response_takes_little_memory_before_it_has_its_turn() {
    let node = endless();
    let request = Request::get("/get-block").with("block_index", "1");
    let sending = node.connections.next(false).await;
    let mut response = node.begin(&request, &sending, true).await.ok().unwrap();
    assert!(!response.whole && response.body.len() > LONG_BODY);
    let taken = response.body.capacity();
    assert!(taken < 2 * LONG_BODY + LONG_BODY / 4, "{taken}");
    let failure = node.read_on(&mut response, &request, usize::MAX).await;
    assert!(matches!(failure, Err(Failure::TooLarge(_))));
    assert_eq!(response.body.capacity(), 0);
}

/// Handles one connection at a time. Closes it when the client closes it or sends `Connection: close`.
fn one_at_a_time(listener: TcpListener) {
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(&stream).lines();
            let mut closes = false;
            while let Some(Ok(line)) = lines.next() {
                closes |= line.eq_ignore_ascii_case("connection: close");
                if line.is_empty() {
                    let head = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
                    let sent = (&stream).write_all(head.as_bytes());
                    if closes || sent.is_err() {
                        break;
                    }
                }
            }
        }
    });
}

#[tokio::test]
async fn no_request_waits_behind_an_idle_connection() {
    for one_connection in [false, true] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let node = node_at(&listener, one_connection);
        one_at_a_time(listener);
        let requests = (0..20).map(|index| {
            node.send(Request::get("/get-block").with("block_index", index.to_string()))
        });
        let responses = futures_util::future::join_all(requests).await;
        assert!(responses.iter().all(Result::is_ok));
        assert_eq!(node.requests(), 20);
        // If the run starts with one connection, nothing is tried, so nothing is detected.
        assert_eq!(node.handles_one_connection(), !one_connection);
    }
}

#[tokio::test]
async fn a_server_that_handles_many_connections_gets_them() {
    let node = node(|stream| {
        let head = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
        while stream.write_all(head).is_ok() && stream.read(&mut [0; 4096]).is_ok_and(|n| n > 0) {}
    });
    for _ in 0..3 {
        node.send(Request::get("/get-block")).await.unwrap();
    }
    assert!(!node.handles_one_connection());
    assert!(node.connections.next(false).await.trial.is_none());
}

#[tokio::test]
async fn a_connection_that_closes_without_a_response_is_described() {
    let node = node(|_| {});
    let request = Request::get("/get-block").with("block_index", "7");
    let reason = node.send(request).await.unwrap_err();
    let reason = reason.reason();
    for part in [
        "the node closed the connection without a response to GET http://127.0.0.1:",
        "/get-block?block_index=7, twice",
        "may have crashed on the request, or the port expects https",
    ] {
        assert!(reason.contains(part), "{reason}");
    }
}
