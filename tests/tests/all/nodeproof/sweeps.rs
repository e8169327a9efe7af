//! Sweeps that are interrupted and resumed, and the messages if a sweep can't be resumed.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use integration_tests::{
    faults::remove,
    proxy::{Proxy, RecordedRequest, Response},
};
use nodeproof_devnode::{ChainTime, Config};
use serde_json::Value;

use super::sharing::state_in;

const BLOCKS: u64 = 400;

/// Starts a node behind a proxy that removes a field of every tenth block.
async fn broken() -> (nodeproof_devnode::Handle, Proxy) {
    let config = Config::for_tests()
        .with_blocks(BLOCKS)
        .with_time(ChainTime::FIXED);
    let node = nodeproof_devnode::spawn(config)
        .await
        .expect("a local node");
    let fault = |request: &RecordedRequest, response: Response| {
        if request.path == "/get-block" && request.query.ends_with('0') {
            response.with_json(|block| remove(block, "", "status"))
        } else {
            response
        }
    };
    let proxy = Proxy::spawn(node.base_url(), Arc::new(fault)).await;
    (node, proxy.expect("a proxy"))
}

fn command(url: &str, reports: &Path, more: &[&str]) -> Command {
    let mut command = super::run(url);
    command
        .args(["--blocks", "..", "--report-dir"])
        .arg(reports)
        .args(more)
        .stdin(Stdio::null());
    command
}

/// Runs the command to its end. Returns the exit status and all output.
fn run(mut command: Command) -> (i32, String) {
    let (status, out, errors) = super::ran(&mut command);
    (status, out + &errors)
}

/// Returns the next block according to the state, which must be complete.
fn next(reports: &Path) -> Option<u64> {
    let text = fs::read_to_string(state_in(reports)?).ok()?;
    let state: Value = serde_json::from_str(&text).expect("a state is whole at any time");
    state.get("next")?.as_u64()
}

fn report(reports: &Path) -> Value {
    super::node_report(&reports.join("report.json"))
}

#[tokio::test(flavor = "multi_thread")]
async fn resuming_a_finished_sweep_keeps_its_report_and_its_exit_status() {
    let (_node, proxy) = broken().await;
    let url = proxy.server.base_url();
    let folder = tempfile::tempdir().expect("a folder");
    let reports = folder.path();
    let resume = || run(command(&url, reports, &["--quiet", "--resume"]));
    let (code, text) = resume();
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("the sweep starts"), "{text}");
    let written = fs::read(reports.join("report.json")).expect("a report");
    let before = proxy.requests().len();
    let (code, text) = resume();
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("finished, with exit status 1"), "{text}");
    assert_eq!(proxy.requests().len(), before, "nothing is sent again");
    let kept = fs::read(reports.join("report.json")).expect("the report");
    assert!(kept == written, "the report is the same");
    // A lost report is written again, without another request for a block of the sweep.
    fs::remove_file(reports.join("report.json")).expect("a report");
    let (code, text) = resume();
    assert_eq!(code, 1, "{text}");
    assert_eq!(report(reports)["sweep"]["done"], true);
    // Without --resume, the sweep starts again.
    let (code, text) = run(command(
        &url,
        reports,
        &["--quiet", "--max-requests", "440"],
    ));
    assert_eq!((code, next(reports) < Some(BLOCKS)), (3, true), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_resumed_is_refused_and_nothing_is_sent() {
    let (_node, proxy) = broken().await;
    let url = proxy.server.base_url();
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("state.json");
    let kept_text = kept.to_str().expect("UTF-8");
    let (code, text) = run(command(
        &url,
        folder.path(),
        &["--quiet", "--state", kept_text, "--max-requests", "500"],
    ));
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("--resume continues from there"), "{text}");
    let before = proxy.requests().len();
    let with = |more: &[&str]| command(&url, folder.path(), more);
    let damaged = folder.path().join("damaged.json");
    let whole = fs::read_to_string(&kept).expect("a state");
    fs::write(&damaged, &whole[..whole.len() - 40]).expect("a file");
    let damaged = damaged.to_str().expect("UTF-8");
    let other = |url: &str| {
        let mut command = command(url, folder.path(), &["--resume", "--state", kept_text]);
        command.stdin(Stdio::null());
        command
    };
    let mut other_range = super::run(&url);
    other_range.args(["--blocks", "5..", "--resume", "--state", kept_text]);
    for (command, parts) in [
        (
            with(&["--resume", "--state", damaged]),
            &["is damaged", "without --resume"][..],
        ),
        (
            other("http://127.0.0.1:1"),
            &["of another sweep", "its node is"],
        ),
        (other_range, &["its range of blocks is .., not 5.."]),
        (
            with(&["--resume", "--state", kept_text, "--skip", "chain/*"]),
            &[
                "its selection of cases is another one",
                "only the state has chain/",
            ],
        ),
        (
            with(&["--resume", "--state", "/proc/none/state"]),
            &["/proc/none/state can't be used"],
        ),
        (
            with(&["--state", "/proc/none/state"]),
            &["/proc/none/state can't be used"],
        ),
    ] {
        let ended = run(command);
        assert_eq!(ended.0, 2, "{}", ended.1);
        for part in parts {
            assert!(ended.1.contains(part), "{part}: {}", ended.1);
        }
    }
    assert_eq!(proxy.requests().len(), before);
    // A sweep that starts again reports what is lost.
    let (_, text) = run(with(&["--state", kept_text, "--quiet"]));
    assert!(
        text.contains("starts again from the beginning, because --resume is not given"),
        "{text}"
    );
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_reports_what_was_found_and_leaves_a_state() {
    let (_node, proxy) = broken().await;
    let url = proxy.server.base_url();
    let folder = tempfile::tempdir().expect("a folder");
    let reports = folder.path().join("reports");
    let run = command(&url, &reports, &["--rate", "60"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the task starts");
    while next(&reports).is_none_or(|next| next < 40) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let killed = Command::new("kill")
        .args(["-INT", &run.id().to_string()])
        .status();
    assert!(killed.expect("kill starts").success());
    let output = run.wait_with_output().expect("the task ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(
        text.contains("status is missing") && text.contains("in block  10"),
        "{text}"
    );
    let report = report(&reports);
    assert_eq!(report["exit_code"], 130);
    // No finding is lost between the last state and the end.
    assert_eq!(report["sweep"]["next"].as_u64(), next(&reports));
}
