//! Ctrl-C ends a run. The run then reports its results so far.

use std::{
    net::TcpListener,
    process::{Command, Stdio},
};

use nodeproof_conformance::report::Report;

use super::conformance;

#[test]
fn an_interrupted_run_writes_its_reports_and_exits_with_130() {
    let node = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", node.local_addr().expect("an address"));
    let reports = tempfile::tempdir().expect("a folder");
    let run = conformance(&["--network", "devnet", "--base-url", &url, "--report-dir"])
        .arg(reports.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the task starts");
    // It has connected, so it already handles signals. It never gets a response.
    let connection = node.accept().expect("a connection");
    let killed = Command::new("kill")
        .args(["-INT", &run.id().to_string()])
        .status()
        .expect("kill starts");
    assert!(killed.success());
    let output = run.wait_with_output().expect("the task ends");
    drop(connection);
    let stdout = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(130), "{stdout}");
    assert!(stdout.contains("interrupted"), "{stdout}");
    let text = std::fs::read_to_string(reports.path().join("report.json")).expect("a report");
    let report: Report = serde_json::from_str(&text).expect("its form");
    assert_eq!(report.exit_code, 130);
    assert!(reports.path().join("junit.xml").is_file());
    assert!(reports.path().join("report.html").is_file());
}
