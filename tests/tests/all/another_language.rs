//! The Python node, which was written from the documentation alone, conforms in every tier. It
//! handles one connection at a time, so it also shows that `--jobs 1` leaves no connection open.

#![expect(clippy::expect_used, reason = "a test fails if its setup fails")]
#![expect(clippy::print_stderr, reason = "a skipped test prints a note")]

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use integration_tests::built::program;
use nodeproof_wallet::{KeyFile, KeyPair, Protection};
use serde_json::Value;

/// A running Python node. It ends when it is dropped.
struct PythonNode {
    child: Child,
    base_url: String,
    contract: String,
    currency: String,
    /// The program that checks it.
    nodeproof: PathBuf,
}

impl Drop for PythonNode {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts the node, or returns `None` if Python is not installed.
fn start(options: &[&str]) -> Option<PythonNode> {
    let has_python = Command::new("python3")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !has_python {
        eprintln!("skipped: there is no python3");
        return None;
    }
    let mut child = Command::new("python3")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("python_node/node.py"))
        .args(["--port", "0"])
        .args(options)
        .stdout(Stdio::piped())
        // It prints a trace for each connection that its caller closes.
        .stderr(Stdio::null())
        .spawn()
        .expect("the node starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut line = || lines.next().and_then(Result::ok).expect("a line");
    Some(PythonNode {
        base_url: line(),
        contract: line(),
        currency: line(),
        nodeproof: program("nodeproof").expect("the program"),
        child,
    })
}

/// Runs the program and returns its report. If a request waited for an idle connection, it would get
/// no response.
fn nodeproof(node: &PythonNode, folder: &Path, args: &[&str]) -> Value {
    let output = Command::new(&node.nodeproof)
        .args(["--base-url", &node.base_url, "--network", "devnet"])
        .args(["--request-timeout", "60", "--deadline", "100"])
        .arg("--report-dir")
        .arg(folder)
        .args(args)
        .output()
        .expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}:\n{text}\n{errors}");
    let report = std::fs::read(folder.join("report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let with = |outcome: &str| -> Vec<_> {
        let cases = report["nodes"][0]["cases"].as_array().into_iter().flatten();
        cases
            .filter(|case| case["outcome"] == outcome)
            // Only real nodes were seen to have this endpoint.
            .filter(|case| case["id"] != "submit-transaction/batch")
            .map(|case| case["id"].clone())
            .collect()
    };
    for outcome in ["fail", "warn", "inconclusive"] {
        assert!(
            with(outcome).is_empty(),
            "{args:?}: {:?}\n{text}",
            with(outcome)
        );
    }
    report
}

#[test]
fn a_node_written_from_the_documentation_conforms_in_every_tier() {
    let folder = tempfile::tempdir().expect("a folder");
    let wallet = folder.path().join("wallet.json");
    let keys = KeyPair::from_hex(&"31".repeat(32)).expect("a key");
    let address = keys.address().to_string();
    KeyFile::write(&wallet, &keys, Protection::Plain).expect("a key file");
    let wallet = wallet.to_str().expect("a path in UTF-8");
    let Some(node) = start(&["--fund", &address]) else {
        return;
    };
    let paid = ["--currency", &node.currency, "--contract", &node.contract];
    let with_wallet = [&["write,probe", "--wallet", wallet][..], &paid].concat();
    // This tier has the requests of the ones below it.
    let args = [
        &["--jobs", "1", "--blocks", "..", "--allow"],
        &with_wallet[..],
    ]
    .concat();
    nodeproof(&node, folder.path(), &args);
}

#[test]
fn a_server_without_keep_alive_is_checked_with_several_jobs() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(node) = start(&["--protocol", "HTTP/1.0"]) else {
        return;
    };
    nodeproof(&node, folder.path(), &["--jobs", "8"]);
}

#[test]
fn a_node_that_waits_for_another_connection_is_not_blamed() {
    let Some(node) = start(&[]) else {
        return;
    };
    let output = Command::new(&node.nodeproof)
        .args(["--base-url", &node.base_url, "--network", "devnet"])
        .args(["--jobs", "4", "--request-timeout", "1"])
        .args(["--only", "http/*", "--only", "get-block/*"])
        .output()
        .expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains(" 0 failed"), "{text}");
    assert!(text.contains("needs --jobs 1"), "{text}");
}
