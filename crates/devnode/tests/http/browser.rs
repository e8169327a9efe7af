//! Requests that web pages in a browser on the same machine must not be able to make.

use nodeproof_devnode::Config;

use crate::peer::Peer;

/// Sends a GET with this `Host` header and returns the status.
async fn status_for(peer: &Peer, host: &str) -> u16 {
    let request = peer.http.get(peer.url("/get-block?block_index=1"));
    peer.send(request.header("host", host)).await.status
}

#[tokio::test]
async fn a_host_name_that_is_not_allowed_is_refused() {
    let peer = Peer::new().await;
    let port = peer.node.address().port();
    for host in [
        "attacker.example".to_owned(),
        format!("attacker.example:{port}"),
        "localhost.attacker.example".to_owned(),
        "127.0.0.1.attacker.example".to_owned(),
        "user@127.0.0.1@attacker.example".to_owned(),
        "notlocalhost".to_owned(),
        "2130706433".to_owned(),
        "[attacker.example]".to_owned(),
        "attacker.example@localhost".to_owned(),
        "[::1].attacker.example".to_owned(),
        "localhost:99999".to_owned(),
        String::new(),
    ] {
        assert_eq!(status_for(&peer, &host).await, 403, "{host:?}");
    }
    for host in [
        "localhost".to_owned(),
        "LocalHost:1".to_owned(),
        "localhost.".to_owned(),
        "node.localhost".to_owned(),
        format!("127.0.0.1:{port}"),
        "192.168.1.20:8420".to_owned(),
        "[::1]:8420".to_owned(),
    ] {
        assert_eq!(status_for(&peer, &host).await, 200, "{host:?}");
    }
}

#[tokio::test]
async fn a_host_name_can_be_allowed() {
    let mut config = Config::for_tests();
    config.allowed_hosts.push("node.internal".to_owned());
    let peer = Peer::with(config).await;
    assert_eq!(status_for(&peer, "Node.Internal:8420").await, 200);
    assert_eq!(status_for(&peer, "other.internal").await, 403);
}

#[tokio::test]
async fn a_refused_host_reaches_no_endpoint() {
    let peer = Peer::new().await;
    for path in ["/get-balances", "/docs", "/openapi.json", "/nowhere"] {
        let request = peer.http.get(peer.url(path)).header("host", "evil.example");
        assert_eq!(peer.send(request).await.status, 403, "{path}");
    }
    let submission = peer.http.post(peer.url("/submit-transaction"));
    let submission = submission
        .header("host", "evil.example")
        .header("content-type", "application/json");
    assert_eq!(peer.send(submission.body("{}")).await.status, 403);
    assert_eq!(peer.node.submissions_received(), 0);
}

#[tokio::test]
async fn a_post_needs_the_content_type_of_json() {
    let peer = Peer::new().await;
    for path in [
        "/call-sc",
        "/submit-transaction",
        "/submit-transaction-batch",
    ] {
        let post = || peer.http.post(peer.url(path)).body("{}");
        for other in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "text/json",
            "application/jsonx",
            "",
        ] {
            let request = post().header("content-type", other);
            assert_eq!(peer.send(request).await.status, 415, "{path} {other:?}");
        }
        assert_eq!(peer.send(post()).await.status, 415, "{path} without one");
        let twice = post()
            .header("content-type", "application/json")
            .header("content-type", "text/plain");
        assert_eq!(peer.send(twice).await.status, 415, "{path} with two");
        for json in ["application/json", "Application/JSON; charset=utf-8"] {
            let request = post().header("content-type", json);
            assert_eq!(peer.send(request).await.status, 422, "{path} {json:?}");
        }
    }
    assert_eq!(peer.node.pending(), 0);
}
