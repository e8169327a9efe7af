//! Thousands of clients at the same time.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

use crate::peer::Peer;

/// Number of connections that are open at the same time, if the system allows it.
const CONNECTIONS: u64 = 10_000;
/// Number of file descriptors for everything else, such as other tests in this process.
const SPARE: u64 = 3_000;

/// Returns how many connections this process may have. Both of their ends are in it.
fn possible_connections() -> u64 {
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    let wanted = (2 * CONNECTIONS + SPARE).min(most);
    setrlimit(Resource::RLIMIT_NOFILE, wanted, most).unwrap();
    CONNECTIONS.min((wanted - SPARE) / 2)
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_connections_all_get_a_response() {
    let peer = Peer::new().await;
    let address = peer.node.address();
    let mut open = Vec::new();
    for _ in 0..possible_connections() {
        let mut stream = TcpStream::connect(address).await.unwrap();
        // Each client sends only part of a request until all have begun one.
        stream
            .write_all(b"GET /get-block?block_index=1 HTTP/1.1\r\nhost: localhost\r\nconnec")
            .await
            .unwrap();
        open.push(stream);
    }
    assert!(open.len() > 500, "only {} connections", open.len());
    // A later client still gets a response immediately.
    assert_eq!(peer.get("/get-block?block_index=2").await.status, 200);
    let sent = open.len();
    let mut responses: JoinSet<_> = open
        .into_iter()
        .map(|mut stream| async move {
            stream.write_all(b"tion: close\r\n\r\n").await.unwrap();
            let mut response = String::new();
            stream.read_to_string(&mut response).await.unwrap();
            response
        })
        .collect();
    let mut good = 0;
    while let Some(response) = responses.join_next().await {
        let response = response.unwrap();
        assert!(response.starts_with("HTTP/1.1 200 OK"), "{response}");
        assert!(response.contains("\"index\":1,"), "{response}");
        good += 1;
    }
    assert_eq!(good, sent);
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_bodies_in_parallel_all_get_a_response() {
    let peer = Peer::new().await;
    let address = peer.node.address();
    let body = b"{\"transaction\": 1}";
    let head = format!(
        "POST /submit-transaction HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut slow = Vec::new();
    for _ in 0..200 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    for byte in body {
        for stream in &mut slow {
            stream.write_all(&[*byte]).await.unwrap();
        }
    }
    for mut stream in slow {
        let mut response = String::new();
        stream.read_to_string(&mut response).await.unwrap();
        assert!(response.starts_with("HTTP/1.1 422"), "{response}");
    }
}
