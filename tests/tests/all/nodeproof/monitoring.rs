//! `nodeproof monitor`.

use std::{
    collections::BTreeMap,
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::http::StatusCode;
use integration_tests::{
    faults::{change_json, change_response},
    proxy::{Fault, Proxy},
    restart::{start_at, stop},
};
use nodeproof_devnode::{BlockTime, Config, InjectedFault};
use serde_json::{Value, json};

use super::{
    NODEPROOF,
    alerting::is_installed,
    monitor::{Monitor, PATIENCE, get, label, pair},
    node,
};

/// The labels of a case that `remarks-cut` fails.
const RECORD_FAILED: &str = r#",case="sc-state/record-matches-claim",level="must""#;

#[tokio::test(flavor = "multi_thread")]
async fn a_monitor_survives_a_restart_and_logs_each_change_once() {
    let first = node(None).await;
    let base_url = first.base_url().to_owned();
    let mut monitor = Monitor::start(&[&base_url]);
    assert_eq!(monitor.result(), pair("verdict", "conforms"));
    monitor
        .reaches(&label("runs_total", &base_url, ""), 3.0)
        .await;
    let port = stop(first).await;
    // Depending on the moment, the run loses the node or can't begin.
    let lost = monitor.change();
    assert_eq!(
        (&lost["about"], &lost["result"]),
        (&json!("verdict"), &json!("unreachable"))
    );
    let up = label("up", &base_url, "");
    monitor.becomes(&up, Some(0.0)).await;
    let faulty = Config::for_tests().with_fault(InjectedFault::RemarksCut);
    let _second = start_at(port, faulty).await;
    loop {
        match monitor.result() {
            found if found == pair("verdict", "unreachable") => {}
            // The chain of the second node has other times.
            found if found == pair("chain", "reset") || found == pair("chain", "skipped") => {}
            found => {
                assert_eq!(found, pair("verdict", "does-not-conform"));
                break;
            }
        }
    }
    assert_eq!(
        monitor.result(),
        pair("sc-state/record-matches-claim", "fail")
    );
    let runs = label("runs_total", &base_url, "");
    let so_far = monitor.metrics().await[&runs];
    monitor.reaches(&runs, so_far + 3.0).await;
    let metrics = monitor.metrics().await;
    assert_eq!(
        metrics[&label("verdict", &base_url, r#",verdict="does-not-conform""#)],
        1.0
    );
    assert_eq!(
        metrics[&label("verdict", &base_url, r#",verdict="conforms""#)],
        0.0
    );
    assert_eq!(
        metrics[&label("cases", &base_url, r#",outcome="fail""#)],
        1.0
    );
    assert_eq!(
        metrics[&label("case_failed", &base_url, RECORD_FAILED)],
        1.0
    );
    let responses = label("response_seconds_count", &base_url, "");
    assert!(metrics[&responses] > 0.0);
    assert_eq!(monitor.get("/healthz").await, (200, "ok\n".to_owned()));
    assert_eq!(monitor.get("/readyz").await, (200, "ready\n".to_owned()));
    monitor.becomes(&up, Some(1.0)).await;
    let (status, rest) = monitor.end();
    assert_eq!(status, Some(0));
    // The probe's line may come after those of the run.
    for line in rest.lines() {
        assert!(
            line.contains(r#""about":"probe","result":"reachable""#),
            "{rest}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_whose_request_is_not_repeated_is_logged_as_not_seen_again() {
    let first = node(Some(InjectedFault::RemarksCut)).await;
    let url = first.base_url().to_owned();
    let mut monitor = Monitor::start(&[&url]);
    let case = "sc-state/record-matches-claim";
    while monitor.result() != pair(case, "fail") {}
    let port = stop(first).await;
    // No run sees both chains.
    while monitor.result() != pair("verdict", "unreachable") {}
    // A shorter chain with other claims: the samples of the earlier finding mean nothing here.
    let other = Config::for_tests().with_seed(7).with_blocks(10);
    let _other = start_at(port, other).await;
    let mut results = Vec::new();
    while results
        .last()
        .is_none_or(|(about, _): &(String, _)| about != case)
    {
        results.push(monitor.result());
    }
    assert!(results.contains(&pair("chain", "reset")), "{results:?}");
    assert!(
        results.contains(&pair("verdict", "conforms")),
        "{results:?}"
    );
    assert_eq!(results.last(), Some(&pair(case, "not seen again")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_responds_is_not_unreachable_if_it_can_not_be_checked() {
    let node = node(None).await;
    let fault: Fault = Arc::new(|_, response| response.with_status(StatusCode::NOT_FOUND));
    let other = Proxy::spawn(&node, fault).await.expect("a proxy");
    let url = other.server.base_url();
    let mut monitor = Monitor::start(&[&url]);
    assert_eq!(monitor.result(), pair("verdict", "inconclusive"));
    let inconclusive = label("verdict", &url, ",verdict=\"inconclusive\"");
    monitor.reaches(&inconclusive, 1.0).await;
    let metrics = monitor.metrics().await;
    let unreachable = label("verdict", &url, ",verdict=\"unreachable\"");
    assert_eq!(metrics.get(&unreachable), Some(&0.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_invents_blocks_does_not_conform_in_any_run() {
    let node = nodeproof_devnode::spawn(Config::for_tests().with_block_time(BlockTime::Manual))
        .await
        .expect("a node");
    let fifth = format!("{}/get-block?block_index=5", node.base_url());
    let (_, fifth) = get(&fifth).await.expect("a block");
    let fifth: Value = serde_json::from_str(&fifth).expect("a block");
    let invents = Arc::new(AtomicBool::new(false));
    let is_wrong = Arc::clone(&invents);
    let fault: Fault = change_response("/get-block", move |request, response| {
        let index = request.query.strip_prefix("block_index=");
        let index: Option<u64> = index.and_then(|index| index.parse().ok());
        match index {
            Some(index @ 13..) if is_wrong.load(Ordering::Relaxed) => {
                let mut block = fifth.clone();
                block["index"] = json!(index);
                response
                    .with_status(StatusCode::OK)
                    .with_body(block.to_string())
            }
            _ => response,
        }
    });
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
    let url = proxy.server.base_url();
    let mut monitor = Monitor::start(&[&url]);
    assert_eq!(monitor.result(), pair("verdict", "conforms"));
    invents.store(true, Ordering::Relaxed);
    assert_eq!(monitor.result(), pair("chain", "reset"));
    assert_eq!(monitor.result(), pair("verdict", "does-not-conform"));
    let runs = label("runs_total", &url, "");
    let done = monitor.metrics().await[&runs];
    monitor.reaches(&runs, done + 3.0).await;
    let verdict = label("verdict", &url, ",verdict=\"does-not-conform\"");
    // It is gone while a run takes long.
    let shown = loop {
        if let Some(shown) = monitor.metrics().await.get(&verdict) {
            break *shown;
        }
    };
    assert_eq!(shown, 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn new_blocks_are_checked_and_a_lagging_node_is_measured() {
    let ahead = nodeproof_devnode::spawn(Config::for_tests().with_block_time(BlockTime::Manual))
        .await
        .expect("a node");
    let without_blocks: Fault = change_response("/get-block", |_, response| {
        let block: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        match block["index"].as_u64() {
            Some(6..) => response
                .with_status(StatusCode::BAD_REQUEST)
                .with_body(r#"{"detail":"Block not found"}"#),
            _ => response,
        }
    });
    let behind = Proxy::spawn(&ahead, without_blocks).await.expect("a proxy");
    // The times of the blocks from 15 on are in seconds.
    let late: Fault = change_json("/get-block", |_, response| {
        if response["index"].as_u64().is_some_and(|index| index >= 15) {
            response["timestamp"] =
                json!(response["timestamp"].as_u64().unwrap_or_default() / 1000);
        }
    });
    let proxy = Proxy::spawn(&ahead, late).await.expect("a proxy");
    let (one, other) = (proxy.server.base_url(), behind.server.base_url());
    let mut monitor = Monitor::start(&[&one, &other]);
    for _ in 0..2 {
        assert_eq!(monitor.result(), pair("verdict", "conforms"));
    }
    monitor.reaches(&label("lag_blocks", &other, ""), 7.0).await;
    // The height of the other node may not have been known to the first probe.
    monitor
        .becomes(&label("height", &one, ""), Some(12.0))
        .await;
    monitor
        .becomes(&label("lag_blocks", &one, ""), Some(0.0))
        .await;
    for _ in 0..3 {
        ahead.node().make_block();
    }
    assert_eq!(monitor.result(), pair("verdict", "does-not-conform"));
    assert_eq!(monitor.result(), pair("get-block/timestamp-unit", "fail"));
    assert!(monitor.metrics().await[&label("checked_blocks_total", &one, "")] >= 4.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_configuration_is_refused_in_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let wrong = folder.path().join("wrong.toml");
    fs::write(&wrong, "[[node]]\nbase_ulr = \"http://a\"\n").expect("a file");
    let wrong = wrong.to_str().expect("a path");
    let url = ["--base-url", "http://localhost:8420"];
    for (arguments, part) in [
        (vec![], "--base-url"),
        (vec!["--targets", wrong], "base_ulr"),
        (vec!["--targets", "/no/such/file"], "/no/such/file"),
        ([&url[..], &["--listen", &port]].concat(), "in use"),
        ([&url[..], &["--allow", "write"]].concat(), "costs a fee"),
        ([&url[..], &["--interval", "soon"]].concat(), "soon"),
        (
            [&url[..], &["--only", "no-such-case"]].concat(),
            "no-such-case",
        ),
    ] {
        let output = Command::new(&*NODEPROOF)
            .arg("monitor")
            .args(&arguments)
            .output();
        let output = output.expect("the program");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        let line = message.lines().next().unwrap_or_default();
        assert!(line.starts_with("error: "), "{arguments:?}: {message}");
        assert!(message.contains(part), "{arguments:?}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_case_that_passes_again_has_no_series() {
    let node = node(None).await;
    let is_wrong = Arc::new(AtomicBool::new(true));
    let wrong = Arc::clone(&is_wrong);
    let cut = change_json("/get-trustscore-wallets", move |_, response| {
        if wrong.load(Ordering::Relaxed) {
            response["status"] = json!(1);
        }
    });
    let proxy = Proxy::spawn(&node, cut).await.expect("a proxy");
    let url = proxy.server.base_url();
    let monitor = Monitor::start(&[&url]);
    let failed = |metrics: BTreeMap<String, f64>| {
        let prefix = label("case_failed", &url, "")
            .trim_end_matches('}')
            .to_owned();
        metrics
            .into_keys()
            .filter(move |name| name.starts_with(&prefix))
            .count()
    };
    let case = r#",case="get-trustscore-wallets/status",level="must""#;
    monitor
        .reaches(&label("case_failed", &url, case), 1.0)
        .await;
    assert!(failed(monitor.metrics().await) > 0);
    is_wrong.store(false, Ordering::Relaxed);
    monitor
        .reaches(&label("verdict", &url, ",verdict=\"conforms\""), 1.0)
        .await;
    assert_eq!(failed(monitor.metrics().await), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_monitor_is_ready_after_the_first_run() {
    // It accepts connections, and does not respond.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", silent.local_addr().expect("an address"));
    let monitor = Monitor::start(&[&url]);
    let (status, text) = monitor.get("/readyz").await;
    assert_eq!(
        (status, text),
        (503, format!("no run has ended yet for {url}\n"))
    );
    assert_eq!(monitor.get("/healthz").await.0, 200);
    drop(silent);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scraper_gets_the_format_that_it_prefers() {
    let node = node(Some(InjectedFault::RemarksCut)).await;
    let monitor = Monitor::start(&[node.base_url()]);
    monitor
        .reaches(&label("case_failed", node.base_url(), RECORD_FAILED), 1.0)
        .await;
    let scraped = |accept: &str| {
        let request =
            format!("GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\r\n");
        let response = sent(&monitor.address, &request);
        let (head, body) = response.split_once("\r\n\r\n").expect("a head");
        (
            head.contains("application/openmetrics-text"),
            body.to_owned(),
        )
    };
    for accept in [
        "*/*",
        "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
        "text/plain;q=0.3, application/openmetrics-text;q=0.3",
    ] {
        let (is_open, body) = scraped(accept);
        assert!(is_open && body.ends_with("# EOF\n"), "{accept}: {body}");
    }
    for accept in [
        "text/plain",
        "application/openmetrics-text;q=0.4,text/plain;version=0.0.4;q=0.5",
    ] {
        let (is_open, body) = scraped(accept);
        assert!(!is_open && !body.contains("# EOF"), "{accept}: {body}");
        for line in [
            "# TYPE nodeproof_runs_total counter\n",
            "# TYPE nodeproof_build_info gauge\n",
            "# TYPE nodeproof_response_seconds histogram\n",
            "# TYPE process_cpu_seconds_total counter\n",
            "\nprocess_start_time_seconds 1",
            "\nprocess_resident_memory_bytes ",
            "\nprocess_open_fds ",
        ] {
            assert!(body.contains(line), "{line}: {body}");
        }
        if is_installed("promtool") {
            let mut check = Command::new("promtool")
                .args(["check", "metrics"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("promtool");
            let mut input = check.stdin.take().expect("its input");
            input.write_all(body.as_bytes()).expect("text");
            drop(input);
            let checked = check.wait_with_output().expect("promtool");
            assert!(checked.status.success(), "{checked:?}");
        }
    }
}

/// Sends a request to a monitor as it is, and returns the whole response.
fn sent(address: &str, request: &str) -> String {
    let mut connection = TcpStream::connect(address).expect("a connection");
    connection.write_all(request.as_bytes()).expect("a request");
    let mut response = String::new();
    connection
        .read_to_string(&mut response)
        .expect("a response");
    response
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_without_a_request_do_not_stop_the_monitor() {
    let node = node(None).await;
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 256; exec \"$0\" \"$@\""]);
    shell.arg(&*NODEPROOF);
    let monitor = Monitor::start_by(shell, &[node.base_url()]);
    let mut open = Vec::new();
    for _ in 0..300 {
        let mut connection = TcpStream::connect(&monitor.address).expect("a connection");
        let begun = connection.write_all(b"GET /healthz HTTP/1.1\r\n");
        begun.expect("the start of a request");
        open.push(connection);
    }
    let health = tokio::time::timeout(PATIENCE, monitor.get("/healthz")).await;
    assert_eq!(health.expect("a response").0, 200);
    // The nodes are checked in the meantime, although that needs file handles, too.
    monitor
        .reaches(&label("height", node.base_url(), ""), 12.0)
        .await;
    drop(open);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_web_page_with_its_own_host_name_can_not_read_the_metrics() {
    let node = node(None).await;
    for listen in ["127.0.0.1:0", "[::ffff:127.0.0.1]:0"] {
        // A machine may have no IPv6.
        if std::net::TcpListener::bind(listen).is_ok() {
            only_this_machine_reads(node.base_url(), listen).await;
        }
    }
}

/// Checks that a monitor that listens at this address of this machine refuses the names of others.
async fn only_this_machine_reads(node: &str, listen: &str) {
    let mut command = Command::new(&*NODEPROOF);
    command.args(["monitor", "--network", "devnet", "--log", "json"]);
    command.args(["--listen", listen, "--rate", "10000", "--base-url", node]);
    let monitor = Monitor::of(command);
    monitor.reaches(&label("runs_total", node, ""), 1.0).await;
    let port = monitor
        .address
        .rsplit_once(':')
        .expect("a port")
        .1
        .to_owned();
    for (host, status) in [
        (monitor.address.clone(), "200 OK"),
        (format!("localhost:{port}"), "200 OK"),
        (format!("[::1]:{port}"), "200 OK"),
        (format!("evil.example:{port}"), "421 Misdirected Request"),
        (
            "localhost.evil.example".to_owned(),
            "421 Misdirected Request",
        ),
        (String::new(), "421 Misdirected Request"),
    ] {
        for path in ["metrics", "healthz", "readyz"] {
            let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
            let response = sent(&monitor.address, &request);
            let line = format!("HTTP/1.1 {status}");
            assert!(response.starts_with(&line), "{host:?}: {response}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restarted_monitor_continues_where_it_stopped() {
    let node = node(None).await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("state.json");
    let state = path.to_str().expect("UTF-8");
    let start = || {
        let command = Command::new(&*NODEPROOF);
        Monitor::start_with(command, &[node.base_url()], &["--state", state])
    };
    let mut monitor = start();
    assert_eq!(monitor.result(), pair("verdict", "conforms"));
    assert_eq!(monitor.end().0, Some(0));
    for _ in 0..1_200 {
        node.node().make_block();
    }
    let mut monitor = start();
    assert_eq!(monitor.result(), pair("chain", "continued"));
    // A run checks 1,000 new blocks. The next one continues after them.
    assert_eq!(monitor.result(), pair("chain", "growth"));
    let checked = label("checked_blocks_total", node.base_url(), "");
    monitor.reaches(&checked, 1_202.0).await;
    assert_eq!(monitor.end().0, Some(0));

    // One with another chain has another block there.
    let text = fs::read_to_string(&path).expect("a state");
    let state: Value = serde_json::from_str(&text).expect("JSON");
    let links = state["links"].as_object().expect("an object");
    let link = links.values().next().and_then(Value::as_str);
    let other = text.replace(link.expect("a hash"), &"0".repeat(32));
    fs::write(&path, other).expect("a state");
    let mut monitor = start();
    assert_eq!(monitor.result(), pair("chain", "reset"));
    assert_eq!(monitor.end().0, Some(0));

    // A node that was reset has fewer blocks than the saved one.
    let text = fs::read_to_string(&path).expect("a state");
    let height = node.node().height().to_string();
    assert!(text.contains(&height), "{text}");
    fs::write(&path, text.replace(&height, "1000000")).expect("a state");
    let mut monitor = start();
    assert_eq!(monitor.result(), pair("chain", "reset"));
    let event = |event: &str| {
        let event = format!(",event=\"{event}\"");
        label("chain_event_timestamp_seconds", node.base_url(), &event)
    };
    monitor.reaches(&event("skipped"), 1.0).await;
    monitor.reaches(&event("reset"), 1.0).await;
    let saved = label("state_saved", node.base_url(), "");
    monitor.becomes(&saved, Some(1.0)).await;
    let skipped = monitor.change();
    assert_eq!(skipped["result"], "skipped");
    let message = skipped["message"].as_str().expect("text");
    assert!(
        message.contains(&format!("the blocks up to {height}")),
        "{message}"
    );
    fs::remove_dir_all(folder.path()).expect("a folder");
    node.node().make_block();
    monitor.becomes(&saved, Some(0.0)).await;
}
