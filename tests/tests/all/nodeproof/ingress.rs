//! Nodes behind a gateway that demands a header, or TLS with a client certificate.

use std::{ffi::OsStr, fs, path::Path, sync::Arc};

use integration_tests::{
    hostile::Certificate,
    ingress::{HEADER, Ingress, SECRET},
    proxy::{Fault, Proxy},
};
use serde_json::json;

use super::*;

/// The option's value for a file in this folder.
fn header_in(folder: &Path) -> String {
    let file = folder.join("key.txt");
    fs::write(&file, format!("{SECRET}\n")).expect("a file");
    format!("{HEADER}: @{}", file.display())
}

/// Returns the texts of all files in a folder.
fn all_files(folder: &Path) -> String {
    let files = fs::read_dir(folder).expect("a folder").flatten();
    let texts = files.map(|file| fs::read_to_string(file.path()).expect("text"));
    texts.collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_is_sent_with_every_request_of_a_run_and_its_value_is_in_no_report() {
    let node = node(None).await;
    let gateway = Ingress::plain(&node, Some("/get-trustscore-wallets"))
        .await
        .expect("a gateway");
    let folder = tempfile::tempdir().expect("a folder");
    let header = header_in(folder.path());
    let reports = folder.path().join("reports");
    let mut command = run(&gateway.base_url);
    command.args(["--header", &header, "--blocks", ".."]);
    command.arg("--report-dir").arg(&reports);
    let (status, out, error) = ran(&mut command);
    // The gateway responds to one endpoint itself, and sends the key back.
    assert_eq!(status, 1, "{out}{error}");
    assert_eq!(gateway.refused(), 0);
    let curl = "curl -sS --globoff -H 'x-gateway-key: <hidden>' 'http";
    assert!(out.contains(curl), "{out}");
    assert!(out.contains("no upstream for [redacted]"), "{out}");
    assert!(!(out + &error).contains(&SECRET[7..15]));
    assert!(!all_files(&reports).contains(&SECRET[7..15]));

    let mut command = run(&gateway.base_url);
    let given = format!("{HEADER}: {SECRET}");
    command.args(["--header", &given, "--dry-run"]);
    let (status, out, error) = ran(&mut command);
    assert_eq!(status, 0, "{error}");
    assert!(out.contains("header x-gateway-key, whose value is not shown"));
    assert!(!out.contains(SECRET));

    let (status, out, _) = ran(&mut run(&gateway.base_url));
    assert_eq!(status, 3, "{out}");
    assert!(out.contains("--header"), "{out}");
}

/// Each response has the value of the header, also the blocks of a sweep and what a baseline records.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_back_is_in_no_file_that_is_kept() {
    let node = node(None).await;
    let echo: Fault =
        Arc::new(|_, response| response.with_json(|body| body["echo"] = json!(SECRET)));
    let proxy = Proxy::spawn(&node, echo).await.expect("a proxy");
    let folder = tempfile::tempdir().expect("a folder");
    let header = header_in(folder.path());
    let [reports, baselines] = ["reports", "baselines"].map(|name| folder.path().join(name));
    let sweep: [&OsStr; 4] = ["--blocks", "..", "--report-dir", ""].map(OsStr::new);
    let pinned: [&OsStr; 5] =
        ["--baseline", "one", "--record", "--baseline-dir", ""].map(OsStr::new);
    for (arguments, kept) in [
        (&sweep[..], &reports),
        (&pinned, &baselines),
        (&pinned, &baselines),
    ] {
        let (_, arguments) = arguments.split_last().expect("a place");
        let mut command = run(&proxy.server.base_url());
        let (status, out, error) = ran(command
            .args(["--header", &header])
            .args(arguments)
            .arg(kept));
        assert_eq!(status, 0, "{out}{error}");
        let kept = if kept == &baselines {
            kept.join("one")
        } else {
            kept.clone()
        };
        let files = all_files(&kept);
        assert!(files.contains("[redacted]"), "{arguments:?}");
        assert!(
            !(out + &error + &files).contains(&SECRET[7..15]),
            "{arguments:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn several_nodes_and_a_monitor_get_each_their_own_header_and_certificate() {
    let node = node(None).await;
    let plain = Ingress::plain(&node, None).await.expect("a gateway");
    let tls = Ingress::tls(&node).await.expect("a gateway");
    let (authority, client) = tls.files().expect("files");
    let folder = tempfile::tempdir().expect("a folder");
    header_in(folder.path());
    let targets = folder.path().join("nodes.toml");
    let text = format!(
        "[[node]]\nbase_url = \"{}\"\nnetwork = \"devnet\"\nheaders = \"{HEADER}: @key.txt\"\n\
         [[node]]\nbase_url = \"{}\"\nnetwork = \"devnet\"\nheaders = [\"{HEADER}: env:THE_KEY\"]\n\
         ca_file = {authority:?}\nclient_cert = {client:?}\n",
        plain.base_url, tls.base_url
    );
    fs::write(&targets, text).expect("a file");
    let mut command = Command::new(&*NODEPROOF);
    command.arg("--targets").arg(&targets).arg("--quiet");
    let (status, out, error) = ran(command.env("THE_KEY", SECRET));
    assert_eq!(status, 0, "{out}{error}");
    assert!(out.contains("the nodes agree"), "{out}");
    assert_eq!((plain.refused(), tls.refused()), (0, 0));

    // One header for two servers could be a secret that the other one must not get.
    let mut command = run(&plain.base_url);
    command.args(["--base-url", &tls.base_url, "--header", "x-key: 5ec2e7"]);
    let (status, _, error) = ran(&mut command);
    assert_eq!(status, 2, "{error}");
    assert!(error.contains("are for one server") && !error.contains("5ec2e7"));
    assert_eq!((plain.refused(), tls.refused()), (0, 0));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_monitor_uses_headers_and_certificates() {
    let node = node(None).await;
    let gateway = Ingress::tls(&node).await.expect("a gateway");
    let (authority, client) = gateway.files().expect("files");
    let path = |path: &Path| path.display().to_string();
    let (authority, client) = (path(authority), path(client));
    let folder = tempfile::tempdir().expect("a folder");
    let header = header_in(folder.path());
    let more = [
        "--header",
        &header,
        "--ca-file",
        &authority,
        "--client-cert",
        &client,
    ];
    let command = Command::new(&*NODEPROOF);
    let mut monitor = super::monitor::Monitor::start_with(command, &[&gateway.base_url], &more);
    let (about, result) = monitor.result();
    assert_eq!((&*about, &*result), ("verdict", "conforms"));
    assert_eq!(gateway.refused(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_and_certificates_that_can_not_be_used_are_usage_errors() {
    let node = node(None).await;
    let gateway = Ingress::tls(&node).await.expect("a gateway");
    let (authority, client) = gateway.files().expect("files");
    let path = |path: &Path| path.display().to_string();
    let (authority, client) = (path(authority), path(client));
    for (arguments, words) in [
        (vec!["--header", "5ec2e7"], "does not begin with its name"),
        (vec!["--header", "Host: 5ec2e7"], "set by the client"),
        (vec!["--header", "x-key: @5ec2e7"], "can't be read"),
        (vec!["--header", "x-key: env:5EC2E7"], "is not set"),
        (vec!["--ca-file", "no-such-file"], "no-such-file can't be"),
        (vec!["--client-cert", &authority], "and its private key"),
        (vec!["--ca-file", &client], ""),
    ] {
        let mut command = run(&gateway.base_url);
        let (status, out, error) = ran(command.args(&arguments));
        let shown = out + &error;
        assert_eq!(status, if words.is_empty() { 3 } else { 2 }, "{shown}");
        assert!(shown.contains(words), "{shown}");
        assert!(
            !shown.contains("5ec2e7") && !shown.contains("5EC2E7"),
            "{shown}"
        );
    }
    let mut command = run(node.base_url());
    let (status, _, error) = ran(command.args(["--client-cert", &client]));
    assert_eq!(status, 2, "{error}");
    assert!(error.contains("only with TLS"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_becomes_wrong_during_a_run_withholds_the_verdict() {
    let withheld = async |fault| {
        let node = node(None).await;
        let (url, authority, _server, _) = Ingress::changing(&node, fault, "/sc-state")
            .await
            .expect("a gateway");
        let mut command = run(&url);
        command.arg("--ca-file").arg(authority.path());
        let ended = tokio::task::spawn_blocking(move || ran(&mut command)).await;
        let (status, out, error) = ended.expect("an end");
        assert_eq!(status, 3, "{fault:?}: {out}{error}");
        assert!(out.contains("certificate"), "{fault:?}: {out}");
    };
    tokio::join!(
        withheld(Certificate::Expired),
        withheld(Certificate::SelfSigned),
        withheld(Certificate::ForAnotherName),
    );
}
