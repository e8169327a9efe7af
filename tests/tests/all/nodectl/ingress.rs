//! Nodes behind a gateway that demands a header, or TLS with a client certificate.

use std::{path::Path, sync::atomic::Ordering};

use integration_tests::{
    hostile::Certificate,
    ingress::{HEADER, Ingress, SECRET},
    proxy::Proxy,
};
use nodeproof_client::{Client, ClientOptions, transport::SecretHeaders};
use nodeproof_devnode::Config;

use crate::nodectl::{claims::Verifier, program::Home};

async fn node() -> nodeproof_devnode::Handle {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await;
    node.expect("a node")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_and_a_client_certificate_open_a_gateway() {
    let node = node().await;
    let gateway = Ingress::tls(&node).await.expect("a gateway");
    let (authority, client) = gateway.files().expect("files");
    let path = |path: &Path| path.display().to_string();
    let (authority, client) = (path(authority), path(client));
    let home = Home::new();
    home.file("key.txt", &format!("{SECRET}\n"));
    let header = format!("{HEADER}: @key.txt");
    let certificates = ["--ca-file", &authority, "--client-cert", &client];
    let read = ["block", "1", "--header", &header];
    home.ask(&gateway.base_url, &[&read[..], &certificates].concat())
        .ended(0);
    assert_eq!(gateway.refused(), 0);

    // Without the header, the gateway refuses; without the certificate, there is no connection.
    let refused = home
        .ask(&gateway.base_url, &[&read[..2], &certificates].concat())
        .ended(3);
    assert!(refused.err.contains("401"), "{refused:?}");
    let closed = [&read[..], &certificates[..2]].concat();
    home.ask(&gateway.base_url, &closed).ended(3);

    // The library, with the same files.
    let mut headers = SecretHeaders::default();
    headers.add(HEADER, SECRET).expect("a header");
    let options = ClientOptions {
        headers,
        extra_roots_pem: vec![std::fs::read(&authority).expect("a file")],
        client_certificate_pem: Some(std::fs::read(&client).expect("a file").into()),
        ..ClientOptions::default()
    };
    assert!(!format!("{options:?}").contains("PRIVATE"));
    let client = Client::with_options(&*gateway.base_url, options).expect("a client");
    assert!(client.block(1).await.expect("a response").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_of_the_configuration_file_go_to_its_own_server_only() {
    let node = node().await;
    let gateway = Ingress::plain(&node, Some("/get-balances"))
        .await
        .expect("a gateway");
    let home = Home::new();
    home.file("key.txt", SECRET);
    let config = home.file(
        "config.toml",
        &format!(
            "base_url = \"{}/\"\nnetwork = \"devnet\"\nheaders = \"{HEADER}: @key.txt\"\n",
            gateway.base_url
        ),
    );
    home.run(&["block", "1", "--config", &config]).ended(0);
    assert_eq!(gateway.refused(), 0);
    let wallet = "0x030447bb3f8cd2c001c88cb160464493881e085a";
    let failed = home
        .run(&["balances", wallet, "--config", &config, "--json"])
        .ended(3);
    let message = failed.error()["message"].to_string();
    assert!(message.contains("no upstream for [redacted]"), "{message}");

    // Another server gets no header of the file. A gateway shows that it would have refused.
    let other = Ingress::plain(&node, None).await.expect("a gateway");
    home.ask(&other.base_url, &["block", "1", "--config", &config])
        .ended(3);
    assert_eq!(other.refused(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_that_can_not_be_sent_is_named_without_its_value() {
    let node = node().await;
    let proxy = Proxy::honest(&node).await.expect("a proxy");
    let home = Home::new();
    for (header, words) in [
        ("5ec2e7", "does not begin with its name and a colon"),
        ("Content-Length: 5ec2e7", "content-length"),
        ("x-key: @5ec2e7", "the file of the header"),
    ] {
        let url = proxy.server.base_url();
        let failed = home.ask(&url, &["block", "1", "--header", header]).ended(2);
        let shown = failed.err.to_lowercase();
        assert!(
            shown.contains(words) && !shown.contains("5ec2e7"),
            "{shown}"
        );
    }
    assert!(proxy.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_to_a_node_whose_certificate_became_wrong() {
    for fault in [
        Certificate::Expired,
        Certificate::SelfSigned,
        Certificate::ForAnotherName,
    ] {
        let node = node().await;
        // The certificate changes between signing and sending.
        let (url, authority, _server, has_changed) = Ingress::changing(&node, fault, "/call-sc")
            .await
            .expect("a gateway");
        let verifier = Verifier::of(&node);
        let authority = authority.path().display().to_string();
        let more = ["--no-wait", "--ca-file", &authority];
        let refused = verifier.add_with(&[], &url, "an asset", &more).ended(3);
        let message = refused.error()["message"].to_string();
        assert!(message.contains("certificate"), "{fault:?}: {message}");
        assert_eq!(node.node().submissions_received(), 0, "{fault:?}");

        // The claim is saved. With the right certificate, it is submitted.
        has_changed.store(false, Ordering::SeqCst);
        verifier.add_with(&[], &url, "an asset", &more).ended(0);
        assert_eq!(node.node().submissions_received(), 1, "{fault:?}");
    }
}
