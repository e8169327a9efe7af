//! Proxies that the environment names.

use std::{fs, process::Command};

use integration_tests::{built::program, proxy::Proxy};
use nodeproof_devnode::Config;

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
