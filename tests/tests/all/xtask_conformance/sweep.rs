//! Sweeps from the command line: killed and resumed, and the messages if a sweep can't be resumed.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use integration_tests::{
    faults::remove,
    proxy::{Proxy, RecordedRequest, Response},
};
use nodeproof_devnode::{ChainTime, Config};
use serde_json::{Value, json};

use super::{conformance, run};

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
    let mut command = conformance(&["--network", "devnet", "--base-url", url]);
    command
        .args(["--blocks", "..", "--report-dir"])
        .arg(reports)
        .args(more);
    command
}

/// Returns the path of the only state in a folder of reports.
fn state(reports: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(reports).ok()?.flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths.find(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("sweep-"))
    })
}

/// Returns the next block according to the state, which must be complete.
fn next(reports: &Path) -> Option<u64> {
    let text = fs::read_to_string(state(reports)?).ok()?;
    let state: Value = serde_json::from_str(&text).expect("a state is whole at any time");
    state.get("next")?.as_u64()
}

/// Returns the content of a report, without times and numbers of requests.
fn report(reports: &Path) -> Value {
    let text = fs::read_to_string(reports.join("report.json")).expect("a report");
    let mut report: Value = serde_json::from_str(&text).expect("JSON");
    let mut report = report["nodes"][0].take();
    for name in [
        "started_at",
        "elapsed_ms",
        "cost",
        "requests",
        "most_requests",
        // A resumed run lists only its own requests.
        "requested",
    ] {
        remove(&mut report, "", name);
    }
    for list in ["/cases", "/exchanges"] {
        let list = report.pointer_mut(list).and_then(Value::as_array_mut);
        for entry in list.into_iter().flatten() {
            remove(entry, "", "elapsed_ms");
        }
    }
    let operations = report.pointer_mut("/coverage/operations");
    for entry in operations
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        remove(entry, "", "requests");
    }
    report
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_that_was_killed_goes_on_and_reports_what_a_whole_one_reports() {
    let (_node, proxy) = broken().await;
    let url = proxy.server.base_url();
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    let (code, text) = run(command(&url, &whole, &["--quiet"])).await;
    assert_eq!(code, 1, "{text}");
    let mut from = 0;
    for resume in [&[][..], &["--resume"]] {
        let mut killed = command(&url, &cut, &["--quiet", "--rate", "60"])
            .args(resume)
            .stdout(Stdio::null())
            .spawn()
            .expect("the task starts");
        // Kill it at any point, without warning.
        while next(&cut).is_none_or(|next| next < from + 40) {
            assert!(killed.try_wait().expect("a process").is_none(), "it ended");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        killed.kill().expect("kill -9");
        killed.wait().expect("a process");
        from = next(&cut).expect("a state");
        assert!(from < BLOCKS, "it was killed too late");
    }
    let before = proxy.requests().len();
    let (code, text) = run(command(&url, &cut, &["--resume"])).await;
    assert_eq!(code, 1, "{text}");
    let requests = proxy.requests().split_off(before);
    let again = requests
        .iter()
        .filter(|request| request.query == "block_index=30")
        .count();
    assert_eq!(again, 0, "checked blocks are not checked again");
    assert!(text.contains(&format!("of {BLOCKS} blocks")), "{text}");
    assert_eq!(report(&cut), report(&whole));
    assert_eq!(
        report(&whole)["sweep"]["kinds"],
        json!([{"case": "get-block/status", "what": "status is missing", "count": BLOCKS / 10,
            "blocks": [10, 20, 30, 40, 50]}])
    );
    assert_eq!(next(&cut), next(&whole));
}

#[tokio::test(flavor = "multi_thread")]
async fn resuming_a_finished_sweep_keeps_its_report_and_its_exit_status() {
    let (_node, proxy) = broken().await;
    let url = proxy.server.base_url();
    let folder = tempfile::tempdir().expect("a folder");
    let reports = folder.path();
    let resume = || run(command(&url, reports, &["--quiet", "--resume"]));
    let (code, text) = resume().await;
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("the sweep starts"), "{text}");
    let written = fs::read(reports.join("report.json")).expect("a report");
    let before = proxy.requests().len();
    let (code, text) = resume().await;
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("finished, with exit status 1"), "{text}");
    assert_eq!(proxy.requests().len(), before, "nothing is sent again");
    let kept = fs::read(reports.join("report.json")).expect("the report");
    assert!(kept == written, "the report is the same");
    // A lost report is written again, without another request for a block of the sweep.
    fs::remove_file(reports.join("report.json")).expect("a report");
    let (code, text) = resume().await;
    assert_eq!(code, 1, "{text}");
    assert_eq!(report(reports)["sweep"]["done"], true);
    // Without --resume, the sweep starts again.
    let (code, text) = run(command(
        &url,
        reports,
        &["--quiet", "--max-requests", "180"],
    ))
    .await;
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
        &["--quiet", "--state", kept_text, "--max-requests", "180"],
    ))
    .await;
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("--resume continues from there"), "{text}");
    let before = proxy.requests().len();
    let with = |more: &[&str]| command(&url, folder.path(), more);
    let damaged = folder.path().join("damaged.json");
    let whole = fs::read_to_string(&kept).expect("a state");
    fs::write(&damaged, &whole[..whole.len() - 40]).expect("a file");
    let damaged = damaged.to_str().expect("UTF-8");
    let other = |url: &str| command(url, folder.path(), &["--resume", "--state", kept_text]);
    let mut other_range = conformance(&["--network", "devnet", "--base-url", &url]);
    other_range.args(["--blocks", "5..", "--resume", "--state", kept_text]);
    let local = conformance(&["--blocks", "..", "--resume"]);
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
        (local, &["--resume needs the --base-url"]),
    ] {
        let told = run(command).await;
        assert_eq!(told.0, 2, "{}", told.1);
        for part in parts {
            assert!(told.1.contains(part), "{part}: {}", told.1);
        }
    }
    assert_eq!(proxy.requests().len(), before);
    // A sweep that starts again reports what is lost.
    let (_, text) = run(with(&["--state", kept_text, "--quiet"])).await;
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
