//! Proxies that the environment names.

use std::{fs, process::Command, sync::Arc};

use axum::http::{StatusCode, header};
use integration_tests::{
    built::program,
    proxy::{Fault, Proxy},
};
use nodeproof_devnode::Config;
use serde_json::json;

use crate::nodectl::{claims::Verifier, program::RunOutput};

const VARIABLES: [&str; 6] = [
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_node_on_this_machine_is_never_requested_through_a_proxy() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let proxy = Proxy::honest(&node).await.unwrap();
    let (url, address) = (node.base_url(), proxy.server.base_url());
    let verifier = Verifier::of(&node);
    let variables = VARIABLES.map(|name| (name, address.as_str()));
    for host in ["127.0.0.1", "localhost"] {
        let url = url.replace("127.0.0.1", host);
        verifier
            .add_with(&variables, &url, host, &["--no-wait"])
            .ended(0);
        let mut command = Command::new(program("nodeproof").expect("the program"));
        command.args(["--network", "devnet", "--base-url", &url, "--quiet"]);
        let ran = RunOutput::of(command.envs(variables).output().expect("the program"));
        ran.ended(0);
    }
    assert!(node.node().submissions_received() >= 2);
    // Whether the machine's own name leads to it is up to its name service.
    let own = fs::read_to_string("/proc/sys/kernel/hostname");
    if let Some(own) = own.ok().filter(|_| cfg!(target_os = "linux")) {
        let url = url.replace("127.0.0.1", own.trim());
        verifier.add_with(&variables, &url, "own", &["--no-wait"]);
    }
    assert!(proxy.requests().is_empty(), "{:?}", proxy.requests());
}

#[tokio::test(flavor = "multi_thread")]
async fn another_node_is_requested_through_the_proxy_of_the_environment() {
    // Only the proxy can reach this host.
    const URL: &str = "http://node.invalid:8420";
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    let proxy = Proxy::honest(&node).await.unwrap();
    let address = proxy.server.base_url();
    let verifier = Verifier::of(&node);
    for (count, name) in ["HTTP_PROXY", "ALL_PROXY"].iter().enumerate() {
        verifier
            .add_with(&[(name, &address)], URL, name, &["--no-wait"])
            .ended(0);
        // Over plain HTTP, the proxy reads everything, also the signed transaction.
        let submissions = proxy.requests().into_iter();
        let submissions = submissions.filter(|one| one.path == "/submit-transaction");
        assert_eq!(submissions.count(), count + 1);
    }
    let before = proxy.requests().len();
    for unused in [
        [
            ("HTTP_PROXY", address.as_str()),
            ("NO_PROXY", "node.invalid"),
        ],
        [("ALL_PROXY", &address), ("no_proxy", ".invalid")],
        // A proxy for https is not one for http.
        [("HTTPS_PROXY", &address), ("https_proxy", &address)],
    ] {
        let ran = verifier.add_with(&unused, URL, "b", &["--no-wait"]);
        ran.ended(3);
    }
    assert_eq!(proxy.requests().len(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_credentials_for_a_proxy_are_never_shown() {
    const URL: &str = "http://node.invalid:8420";
    let node = nodeproof_devnode::spawn(Config::for_tests()).await.unwrap();
    // Some proxies repeat the request on their pages.
    let fault: Fault = Arc::new(|request, response| {
        let sent = request.headers.get(header::PROXY_AUTHORIZATION);
        let sent = sent.and_then(|sent| sent.to_str().ok()).unwrap_or_default();
        let pair = "user:s3cr3t p@ssword";
        assert!(sent.starts_with("Basic dXNlcjpz"), "{sent}");
        response
            .with_status(StatusCode::FORBIDDEN)
            .with_body(json!({"detail": format!("refused: {sent} = {pair}")}).to_string())
    });
    let proxy = Proxy::spawn(&node, fault).await.unwrap();
    let address = proxy.server.base_url();
    let address = address.replace("http://", "http://user:s3cr3t%20p%40ssword@");
    let folder = tempfile::tempdir().unwrap();
    let of_run = ["--quiet", "--report-dir"];
    for (name, arguments) in [("nodectl", &["block", "3"][..]), ("nodeproof", &of_run)] {
        let mut command = Command::new(program(name).expect("the program"));
        command
            .args(["--network", "devnet", "--base-url", URL])
            .args(arguments);
        if name == "nodeproof" {
            command.arg(folder.path());
        }
        let output = command
            .env("http_proxy", &address)
            .output()
            .expect("the program");
        let ran = RunOutput::of(output);
        let reports = fs::read_dir(folder.path()).expect("a folder");
        let reports = reports.map(|file| fs::read_to_string(file.expect("a file").path()));
        let mut texts = vec![ran.out.clone(), ran.err.clone()];
        texts.extend(reports.map(|text| text.expect("a text")));
        assert_eq!(texts.len() > 2, name == "nodeproof");
        assert!(texts.concat().contains("refused"), "{texts:?}");
        for text in texts {
            assert!(
                !text.contains("p@ssword") && !text.contains("dXNlcjpz"),
                "{text}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_can_not_be_reached_is_named() {
    for (name, status) in [("nodectl", 3), ("nodeproof", 3)] {
        let mut command = Command::new(program(name).expect("the program"));
        command.args([
            "--network",
            "devnet",
            "--base-url",
            "http://node.invalid:8420",
        ]);
        if name == "nodectl" {
            command.args(["block", "3"]);
        }
        let ran = command
            .env("http_proxy", "http://user:password@127.0.0.1:1")
            .output();
        let ran = RunOutput::of(ran.expect("the program")).ended(status);
        let text = format!("{}{}", ran.out, ran.err);
        assert!(
            text.contains("http_proxy names a proxy, 127.0.0.1:1"),
            "{text}"
        );
    }
}
