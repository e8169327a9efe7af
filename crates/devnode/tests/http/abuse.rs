//! Tests with slow, invalid and numerous clients. The node must not fail.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use nodeproof_devnode::{ChainTime, Config};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::peer::Peer;

/// Only waiting for a silent client takes this long, on any machine. The time limit is 30 s.
const NEVER: Duration = Duration::from_secs(20);

/// Sends bytes on a new connection, and reads until the node closes it.
async fn raw(peer: &Peer, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(peer.node.address()).await.unwrap();
    // The node may close the connection before it has received everything.
    let _sent = stream.write_all(bytes).await;
    let mut response = Vec::new();
    let _read =
        tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut response)).await;
    String::from_utf8_lossy(&response).into_owned()
}

#[tokio::test]
async fn bodies_over_the_limit_are_413_however_they_are_sent() {
    let peer = Peer::new().await;
    let fits = format!("\"{}\"", "x".repeat((1 << 20) - 2));
    let over = format!("\"{}\"", "x".repeat((1 << 20) - 1));
    for path in [
        "/call-sc",
        "/submit-transaction",
        "/submit-transaction-batch",
    ] {
        peer.post(path, fits.clone()).await.assert_faulted();
        let response = peer.post(path, over.clone()).await;
        assert_eq!(
            (response.status, response.json()["detail"].is_string()),
            (413, true)
        );
        let huge = peer.post(path, "x".repeat(4 << 20)).await;
        assert_eq!(huge.status, 413);
    }
    let head = "POST /call-sc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    let announced = format!("{head}content-length: 99999999999\r\nexpect: 100-continue\r\n\r\n");
    assert!(
        raw(&peer, announced.as_bytes())
            .await
            .starts_with("HTTP/1.1 413")
    );
    let chunk = format!("80000\r\n{}\r\n", "x".repeat(1 << 19));
    let chunked = format!(
        "{head}transfer-encoding: chunked\r\n\r\n{}0\r\n\r\n",
        chunk.repeat(3)
    );
    assert!(
        raw(&peer, chunked.as_bytes())
            .await
            .starts_with("HTTP/1.1 413")
    );
}

#[tokio::test]
async fn depth_is_bounded_before_anything_is_read() {
    let peer = Peer::new().await;
    for body in [
        "[".repeat(1_000_000),
        format!("{}{}", "[".repeat(200), "]".repeat(200)),
        format!("{}1{}", "{\"a\":".repeat(129), "}".repeat(129)),
    ] {
        for path in [
            "/call-sc",
            "/submit-transaction",
            "/submit-transaction-batch",
        ] {
            peer.post(path, body.clone()).await.assert_faulted();
        }
    }
}

#[tokio::test]
async fn what_is_no_http_ends_its_own_connection_only() {
    let peer = Peer::new().await;
    for bytes in [
        &b"\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /get-block?block_index=1\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"POST /call-sc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: -1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let response = raw(&peer, &[bytes, b"\r\nconnection: close\r\n\r\n"].concat()).await;
        assert!(!response.starts_with("HTTP/1.1 5"), "{response}");
    }
    let many_headers = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(10_000));
    assert!(
        raw(&peer, many_headers.as_bytes())
            .await
            .starts_with("HTTP/1.1 431")
    );
    assert_eq!(peer.get("/get-block?block_index=1").await.status, 200);
}

#[tokio::test]
async fn unusual_requests_get_the_usual_responses() {
    let peer = Peer::new().await;
    for (line, status) in [
        ("GET http://localhost/get-block?block_index=1", "200 OK"),
        ("GET /get-block?block_index=1#2", "200 OK"),
        ("GET /get-block?block_index=%zz&&=&%", "400 Bad Request"),
        ("GET /get-block?block_index=1%00", "400 Bad Request"),
        ("OPTIONS *", "404 Not Found"),
        ("CONNECT localhost:1", "404 Not Found"),
        ("get /get-block?block_index=1", "405 Method Not Allowed"),
        ("TRACE /docs", "405 Method Not Allowed"),
    ] {
        let request = format!("{line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        let response = raw(&peer, request.as_bytes()).await;
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status}\r\n")),
            "{line}: {response}"
        );
        assert!(
            response.contains("content-type: application/json\r\n"),
            "{line}: {response}"
        );
    }
}

#[tokio::test]
async fn silent_and_slow_clients_hold_up_nobody() {
    let peer = Peer::new().await;
    let mut silent = Vec::new();
    for place in 0..500 {
        let mut stream = TcpStream::connect(peer.node.address()).await.unwrap();
        let part =
            &b"POST /submit-transaction HTTP/1.1\r\ncontent-length: 9\r\n\r\n{"[..place % 50];
        stream.write_all(part).await.unwrap();
        silent.push(stream);
    }
    let response = timeout(NEVER, peer.get("/get-block?block_index=1")).await;
    assert_eq!(response.unwrap().status, 200);
    timeout(NEVER, peer.node.shutdown()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_a_whole_head_is_closed() {
    let peer = Peer::new().await;
    for part in [
        "",
        "GET /get-bl",
        "GET /get-block?block_index=1 HTTP/1.1\r\n",
    ] {
        let mut stream = TcpStream::connect(peer.node.address()).await.unwrap();
        stream.write_all(part.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        let closed = stream.read_to_end(&mut rest).await;
        assert!(closed.is_ok_and(|read| read == 0), "{part:?} {rest:?}");
    }
}

#[tokio::test]
async fn a_node_ends_when_its_handle_goes() {
    let peer = Peer::new().await;
    let address = peer.node.address();
    drop(peer);
    for _ in 0..100 {
        if TcpStream::connect(address).await.is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("still listening");
}

#[tokio::test]
async fn blocks_come_on_time_when_they_are_asked_for() {
    let config = Config::for_tests()
        .with_time(ChainTime::FIXED)
        .with_block_time("10ms".parse().unwrap());
    let peer = Peer::with(config).await;
    for _ in 0..500 {
        if peer.node.height() > 14 {
            let [newer, older] = [peer.block(14).await, peer.block(13).await];
            let gap = newer["timestamp"].as_i64().unwrap() - older["timestamp"].as_i64().unwrap();
            assert_eq!(gap, 10);
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no blocks were made");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_submissions_stops_nobody() {
    const CLIENTS: usize = 20;

    let peer = Arc::new(Peer::new().await);
    let valid = peer.signed_claim("alice", "flooded").await;
    let transaction = peer.raw(&peer.claim_request(&["bob"], "flood")).await;
    // Its signature is looked up and computed, and does not match.
    let bodies = [
        valid.replace("flooded", "altered"),
        peer.signed(&transaction, &["alice"]),
        "{}".to_owned(),
        format!("{{\"transaction\":{}", "[".repeat(100_000)),
    ];
    let is_over = Arc::new(AtomicBool::new(false));
    let flood = (0..CLIENTS).map(|number| {
        let (peer, is_over) = (Arc::clone(&peer), Arc::clone(&is_over));
        let body = bodies[number % bodies.len()].clone();
        tokio::spawn(async move {
            let mut sent = 0;
            while !is_over.load(Ordering::SeqCst) || sent < 50 {
                let response = peer.submit(body.clone()).await;
                assert!(!response.text.contains("\"valid\":true"), "{response:?}");
                sent += 1;
            }
        })
    });
    let flood: Vec<_> = flood.collect();
    for _ in 0..20 {
        let response = timeout(NEVER, peer.get("/get-block?block_index=1")).await;
        assert_eq!(response.unwrap().status, 200);
    }
    let (is_valid, _, is_new) = timeout(NEVER, peer.submit(valid)).await.unwrap().verdict();
    assert!(is_valid && is_new);
    is_over.store(true, Ordering::SeqCst);
    for client in flood {
        timeout(NEVER, client).await.unwrap().unwrap();
    }
    // Nothing of it stayed.
    assert_eq!(peer.node.node().pending(), 1);
}
