//! Runs that end early: by their deadline, by Ctrl-C, and by SIGTERM.

use std::{
    fs,
    io::Read,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use integration_tests::hostile::front::{Act, Front, Good, Seen, front, raw};
use nodeproof_devnode::Config;
use serde_json::Value;
use tokio::time::sleep;

/// The number of requests with a response. Later requests get none.
const BEFORE: usize = 30;
/// The number of checks for an expected event, and the pause between them.
const LOOKS: u32 = 600;
const BETWEEN: Duration = Duration::from_millis(50);

/// Starts a good node behind a front. It responds to a few requests, one of them wrongly, and then to
/// none.
async fn falling_silent() -> (nodeproof_devnode::Handle, Front) {
    falling(Act::Silence).await
}

/// The same, with another end.
async fn falling(end: Act) -> (nodeproof_devnode::Handle, Front) {
    let node = nodeproof_devnode::spawn(Config::for_tests())
        .await
        .expect("a node");
    let act = Arc::new(move |seen: &Seen, good: &Good| {
        if seen.place > BEFORE {
            end.clone()
        } else {
            let body = good.text().replace("\"status\":1", "\"status\":\"1\"");
            Act::send(good.changed(body))
        }
    });
    let front = front(node.base_url(), act).await.expect("a front");
    (node, front)
}

fn run(front: &Front, folder: &Path, more: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_hostile"))
        .args([
            "conformance",
            "--network",
            "devnet",
            "--request-timeout",
            "600",
        ])
        .args(["--base-url", &format!("http://{}", front.address)])
        .arg("--report-dir")
        .arg(folder)
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a program that runs")
}

/// Waits until the node no longer responds and has received one more request.
async fn silent(front: &Front) {
    for _ in 0..LOOKS {
        if front.heads().len() > BEFORE {
            break;
        }
        sleep(BETWEEN).await;
    }
    let came = front.heads().len();
    assert!(came > BEFORE, "only {came} requests came");
}

#[cfg(unix)]
fn send(signal: &str, child: &Child) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([signal, &id]).status();
    assert!(sent.expect("kill").success());
}

async fn ended(child: &mut Child) -> Option<ExitStatus> {
    for _ in 0..LOOKS {
        if let Some(status) = child.try_wait().expect("a status") {
            return Some(status);
        }
        sleep(BETWEEN).await;
    }
    child.kill().expect("an end");
    None
}

fn printed(child: &mut Child) -> String {
    let mut text = String::new();
    let mut out = child.stdout.take().expect("its output");
    out.read_to_string(&mut text).expect("text");
    text
}

/// Asserts that the report contains the reason for the missing verdict, and the findings so far.
fn assert_told(folder: &Path, printed: &str, exit: i32, why: &str) {
    let report = fs::read(folder.join("report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(report["exit_code"], exit, "{printed}");
    let report = &report["nodes"][0];
    let reason = report["reason"].as_str().unwrap_or_default();
    assert!(reason.contains(why), "{reason}");
    let cases = report["cases"].as_array().expect("cases");
    let failed = |case: &&Value| case["outcome"] == "fail";
    assert!(
        cases
            .iter()
            .any(|case| failed(&case) && case["id"] == "get-block/status"),
        "{printed}"
    );
    assert!(
        printed.contains("get-block/status") && printed.contains(why),
        "{printed}"
    );
    for name in ["junit.xml", "report.html"] {
        assert!(folder.join(name).is_file(), "{name} is missing");
    }
}

/// Runs with this deadline in seconds. It must end the run, and say so with this text.
async fn ends_at_its_deadline(front: &Front, deadline: &str, why: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = run(front, folder.path(), &["--deadline", deadline]);
    let status = ended(&mut child).await.expect("an end");
    assert_eq!(status.code(), Some(3));
    assert_told(folder.path(), &printed(&mut child), 3, why);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_falls_silent_ends_the_run_by_its_deadline() {
    let (_node, front) = falling_silent().await;
    ends_at_its_deadline(&front, "3", "not done within its --deadline of 3 s").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_asks_for_patience_is_named_as_the_reason() {
    let head =
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 31536000000\r\nContent-Length: 0\r\n";
    let (_node, front) = falling(Act::send(raw(head, b""))).await;
    // Each path is requested again after 5 s. A good response to an earlier request may arrive after the first refusal.
    let why = "within its --deadline of 8 s: the node was busy, and refused requests for /";
    ends_at_its_deadline(&front, "8", why).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_much_names_the_option_that_raises_the_limit() {
    let all = integration_tests::hostile::all();
    let large = all.iter().find(|hostile| hostile.name == "nested-at-limit");
    let server = large.expect("a row").start().await.expect("a server");
    let output = |more: &'static [&str]| {
        let command = Command::new(env!("CARGO_BIN_EXE_hostile"))
            .args([
                "conformance",
                "--network",
                "devnet",
                "--base-url",
                &server.base_url,
            ])
            .args(["--request-timeout", "60", "--only", "get-block/responds"])
            .args(more)
            .output();
        let output = command.expect("a program that runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text)
    };
    for (more, exit, says) in [
        (&[][..], 3, "in use leave"),
        (
            &["--max-values", "1000"],
            3,
            "has more than 1000 values; --max-values raises that limit",
        ),
        (
            &["--max-values", "1000000", "--max-depth", "2"],
            3,
            "nested more than 2 levels deep",
        ),
    ] {
        let (code, text) = output(more);
        assert_eq!(code, Some(exit), "{more:?}: {text}");
        assert!(text.contains(says), "{more:?}: {text}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_the_run_with_what_is_known_and_writes_the_reports() {
    for (signal, exit, why) in [("-INT", 130, "interrupted"), ("-TERM", 143, "SIGTERM")] {
        let (_node, front) = falling_silent().await;
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = run(&front, folder.path(), &["--deadline", "600"]);
        silent(&front).await;
        send(signal, &child);
        let status = ended(&mut child).await.expect("an end");
        assert_eq!(status.code(), Some(exit));
        assert_told(folder.path(), &printed(&mut child), exit, why);
        let units = fs::read_to_string(folder.path().join("junit.xml")).expect("a file");
        assert!(units.contains("type=\"interrupted\""), "{units}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_second_ctrl_c_ends_at_once_where_nobody_takes_the_report() {
    let (_node, front) = falling_silent().await;
    let folder = tempfile::tempdir().expect("a folder");
    // The report is longer than a pipe's buffer, and no process reads it.
    let mut child = run(
        &front,
        folder.path(),
        &["--deadline", "600", "--format", "json"],
    );
    silent(&front).await;
    for _ in 0..LOOKS {
        send("-INT", &child);
        sleep(BETWEEN).await;
        if let Some(status) = child.try_wait().expect("a status") {
            assert_eq!(status.code(), Some(130));
            return;
        }
    }
    child.kill().expect("an end");
    panic!("Ctrl-C did not end it");
}

/// Starts a good node of 200 blocks that never responds to requests for one of them.
async fn silent_at_block_150() -> (nodeproof_devnode::Handle, Front) {
    let node = nodeproof_devnode::spawn(Config::for_tests().with_blocks(200)).await;
    let node = node.expect("a node");
    let act = Arc::new(|seen: &Seen, _: &Good| {
        if seen.query == "block_index=150" {
            Act::Silence
        } else {
            Act::Right
        }
    });
    let front = front(node.base_url(), act).await.expect("a front");
    (node, front)
}

#[cfg(unix)]
async fn wait_for_requests_of_block_150(front: &Front, times: usize) {
    let is_for_it = |head: &&String| head.contains("block_index=150 ");
    let have_arrived = || front.heads().iter().filter(is_for_it).count() >= times;
    for _ in 0..LOOKS {
        if have_arrived() {
            break;
        }
        sleep(BETWEEN).await;
    }
    assert!(have_arrived(), "it was not requested");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn sigterm_ends_the_runs_of_several_nodes() {
    let (_node, front) = silent_at_block_150().await;
    let (_other, second) = silent_at_block_150().await;
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("http://{}", second.address);
    let mut child = run(
        &front,
        folder.path(),
        &["--blocks", "..", "--base-url", &url],
    );
    wait_for_requests_of_block_150(&front, 1).await;
    wait_for_requests_of_block_150(&second, 1).await;
    send("-TERM", &child);
    let status = ended(&mut child).await.expect("an end");
    assert_eq!(status.code(), Some(143));
    let report = fs::read(folder.path().join("report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(report["exit_code"], 143);
    for node in report["nodes"].as_array().expect("nodes") {
        assert_eq!(node["exit_code"], 143);
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn two_sweeps_do_not_keep_one_state_and_a_kill_leaves_no_lock() {
    let (_node, front) = silent_at_block_150().await;
    let folder = tempfile::tempdir().expect("a folder");
    let (reports, others) = (folder.path().join("one"), folder.path().join("two"));
    let state = folder.path().join("state.json");
    let path = state.to_str().expect("UTF-8");
    let sweep = ["--blocks", "..", "--state", path];
    let mut first = run(&front, &reports, &sweep);
    wait_for_requests_of_block_150(&front, 1).await;
    for more in [&sweep[..], &[&sweep[..], &["--resume"]].concat()] {
        let second = Command::new(env!("CARGO_BIN_EXE_hostile"))
            .args(["conformance", "--network", "devnet"])
            .args(["--base-url", &format!("http://{}", front.address)])
            .arg("--report-dir")
            .arg(&others)
            .args(more)
            .output()
            .expect("a program that runs");
        let message = String::from_utf8_lossy(&second.stderr);
        assert_eq!(second.status.code(), Some(2), "{message}");
        assert!(
            message.contains(path)
                && message.contains("another run")
                && message.contains("--state"),
            "{message}"
        );
    }
    first.kill().expect("an end");
    first.wait().expect("an end");
    let mut third = run(&front, &others, &[&sweep[..], &["--resume"]].concat());
    wait_for_requests_of_block_150(&front, 2).await;
    send("-TERM", &third);
    let status = ended(&mut third).await.expect("an end");
    assert_eq!(status.code(), Some(143));
    let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 3, "the state and two folders: {left:?}");
}
