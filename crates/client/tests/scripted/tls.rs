//! Nodes behind TLS.

use std::sync::{Arc, Mutex};

use nodeproof_client::{Client, ErrorKind, SignedTransaction, SubmitPolicy};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::{TlsAcceptor, rustls};

use crate::{
    BLOCK, client,
    server::{Reply, Server, serve},
    with,
};

/// A self-signed certificate for `localhost`. Its key is used only here.
const CERTIFICATE: &[u8] = include_bytes!("tls/localhost.der");
const KEY: &[u8] = include_bytes!("tls/localhost.key.der");

fn acceptor() -> TlsAcceptor {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![CERTIFICATE.into()], KEY.try_into().unwrap())
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// Starts a server with one reply over TLS. Returns its port.
async fn responding(reply: Reply) -> u16 {
    let acceptor = acceptor();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let replies = Arc::new(vec![reply]);
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, seen, replies) =
                (acceptor.clone(), Arc::clone(&seen), Arc::clone(&replies));
            tokio::spawn(async move {
                if let Ok(stream) = acceptor.accept(stream).await {
                    serve(stream, seen, replies).await;
                }
            });
        }
    });
    port
}

/// Returns a client that trusts the certificate of these servers.
fn trusting(base: &str) -> Client {
    let pem = include_bytes!("tls/localhost.pem").to_vec();
    with(base, |options| options.extra_roots_pem = vec![pem]).unwrap()
}

#[tokio::test]
async fn a_certificate_in_a_pem_file_is_trusted_and_another_file_is_refused() {
    let base = format!("https://localhost:{}", responding(Reply::json(BLOCK)).await);
    let pem = include_bytes!("tls/localhost.pem");
    let client = with(&base, |options| {
        options.extra_roots_pem = vec![pem.to_vec()]
    })
    .unwrap();
    assert!(client.block(1).await.is_ok());
    let key = b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".as_slice();
    for (file, words) in [
        (&b""[..], "has no certificate"),
        (CERTIFICATE, "has no certificate"),
        (key, "has no certificate"),
        (&pem[..60], "a certificate is not PEM"),
    ] {
        // A wrong file is an error also where TLS is not used.
        for base in [&base, "http://localhost:8420"] {
            let error = with(base, |options| {
                options.extra_roots_pem = vec![file.to_vec()]
            })
            .unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}

#[tokio::test]
async fn https_at_a_port_with_plain_http_is_an_error_that_says_so() {
    let config = nodeproof_devnode::Config::for_tests();
    let node = nodeproof_devnode::spawn(config).await.unwrap();
    let client = trusting(&node.base_url().replace("http://", "https://"));
    let error = client.block(1).await.unwrap_err();
    assert!(error.kind() == ErrorKind::Connect && !error.maybe_sent());
    assert_eq!(
        error.reason(),
        "can't connect: the server does not use TLS on this port: if it serves plain HTTP, write \
         http:// in the base URL"
    );
}

/// Returns the start of a handshake in which a server selects this version of TLS.
fn server_hello(minor: u8) -> Vec<u8> {
    let hello = [
        &[3, minor][..],
        &[7; 32],
        // No session, TLS_RSA_WITH_AES_128_CBC_SHA, no compression.
        &[0, 0x00, 0x2f, 0],
    ]
    .concat();
    let length = u8::try_from(hello.len()).unwrap();
    let head = [22, 3, minor, 0, length + 4, 2, 0, 0, length];
    [&head[..], &hello].concat()
}

#[tokio::test]
async fn a_server_that_has_only_an_old_version_of_tls_is_refused() {
    const ALERT: [u8; 7] = [21, 3, 1, 0, 2, 2, 70];
    for response in [server_hello(1), server_hello(2), ALERT.to_vec()] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut seen = vec![0; 4096];
            let length = stream.read(&mut seen).await.unwrap();
            stream.write_all(&response).await.unwrap();
            seen.truncate(length);
            stream.read_to_end(&mut seen).await.unwrap_or_default();
            seen
        });
        let client = trusting(&format!("https://localhost:{port}"));
        let signed = r#"{"transaction":{},"signatures":[{"msgsign":"secret"}]}"#;
        let signed = SignedTransaction::from_json(signed).unwrap();
        let error = client
            .submit(&signed, &SubmitPolicy::ONCE)
            .await
            .unwrap_err();
        assert!(!error.maybe_sent(), "{error:?}");
        let request = error.client_error().unwrap();
        assert_eq!(request.kind(), ErrorKind::Connect);
        assert_eq!(
            request.reason(),
            "can't connect: the server supports only outdated versions of TLS: expected TLS 1.2 or TLS 1.3"
        );
        let seen = server.await.unwrap();
        let sent = String::from_utf8_lossy(&seen);
        assert!(!sent.contains("secret"), "{sent}");
    }
}

#[tokio::test]
async fn a_redirect_from_https_to_http_is_not_followed() {
    let plain = Server::responding(Reply::json(BLOCK)).await;
    for status in [301, 302, 307, 308] {
        let location = format!("location: {}/get-block?block_index=1\r\n", plain.base);
        let port = responding(Reply::with(status, &location, "")).await;
        let client = trusting(&format!("https://localhost:{port}"));
        let error = client.block(1).await.unwrap_err();
        assert!(error.to_string().contains("a redirect to "), "{error}");
        let signed = r#"{"transaction":{},"signatures":[]}"#;
        let signed = SignedTransaction::from_json(signed).unwrap();
        client
            .submit(&signed, &SubmitPolicy::ONCE)
            .await
            .unwrap_err();
    }
    assert_eq!(plain.count(), 0);
}

#[tokio::test]
async fn a_broken_response_over_tls_does_not_hide_that_a_post_may_have_arrived() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = acceptor().accept(stream).await.unwrap();
        // The server receives the request, and responds without TLS.
        stream.read_exact(&mut [0; 100]).await.unwrap();
        let (connection, _) = stream.get_mut();
        connection.write_all(b"HTTP/1.1 200 OK\r\n").await.unwrap();
        // The client closes the connection.
        let _rest = connection.read_to_end(&mut Vec::new()).await;
    });
    let client = trusting(&format!("https://localhost:{port}"));
    let signed = r#"{"transaction":{},"signatures":[]}"#;
    let signed = SignedTransaction::from_json(signed).unwrap();
    let error = client
        .submit(&signed, &SubmitPolicy::ONCE)
        .await
        .unwrap_err();
    server.await.unwrap();
    assert!(error.maybe_sent(), "{error:?}");
    let request = error.client_error().unwrap();
    assert_eq!(request.kind(), ErrorKind::Connection, "{error:?}");
    assert!(!request.reason().contains("http://"), "{error}");
}

#[test]
fn plain_http_needs_no_certificate_authorities() {
    client("http://localhost:1");
}
