//! `nodeproof monitor` with several nodes: their lag, their differences, and changes of the list.

use std::{
    fs,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::http::StatusCode;
use integration_tests::{
    faults::{change_json, change_response},
    proxy::{Fault, Proxy},
};
use nodeproof_devnode::{InjectedFault, Outage};
use serde_json::{Value, json};

use super::{
    NODEPROOF,
    monitor::{Monitor, PATIENCE, label, pair},
    node,
};

/// The same chain, which grows while one of the nodes sends a response.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_node_of_a_fast_chain_does_not_lag() {
    let node = node(None).await;
    let growing = Arc::clone(node.node());
    let slow: Fault = change_response("/get-block", move |_, response| {
        growing.make_block();
        response
    });
    let proxy = Proxy::spawn(&node, slow).await.expect("a proxy");
    let (fast, slow) = (node.base_url(), proxy.server.base_url());
    let only = ["--only", "get-block/index-echo"];
    let monitor = Monitor::start_with(Command::new(&*NODEPROOF), &[fast, &slow], &only);
    let runs = label("runs_total", &slow, "");
    let mut measured = 0;
    loop {
        let metrics = monitor.metrics().await;
        for url in [fast, &slow] {
            if let Some(lag) = metrics.get(&label("lag_blocks", url, "")) {
                assert_eq!(*lag, 0.0, "{url}: {metrics:?}");
                measured += 1;
            }
        }
        if measured > 1 && metrics.get(&runs).is_some_and(|runs| *runs >= 3.0) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(monitor.metrics().await[&label("height", &slow, "")] > 12.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_with_another_block_is_reported_until_it_agrees() {
    let node = node(None).await;
    let same: Fault = Arc::new(|_, response| response);
    let same = Proxy::spawn(&node, same).await.expect("a proxy");
    let differs = Arc::new(AtomicBool::new(false));
    let wrong = Arc::clone(&differs);
    let other: Fault = change_json("/get-block", move |_, response| {
        if wrong.load(Ordering::Relaxed) && response["index"] == 7 {
            response["proof"] = json!(987_654);
        }
    });
    let other = Proxy::spawn(&node, other).await.expect("a proxy");
    let (one, two, wrong) = (
        node.base_url(),
        same.server.base_url(),
        other.server.base_url(),
    );
    let only = ["--only", "get-block/index-echo"];
    let command = Command::new(&*NODEPROOF);
    let mut monitor = Monitor::start_with(command, &[one, &two, &wrong], &only);
    for _ in 0..3 {
        assert_eq!(monitor.result(), pair("verdict", "conforms"));
    }
    // Of two nodes, neither would be the one that differs.
    for node in [one, &two, &wrong] {
        monitor.reaches(&label("height", node, ""), 12.0).await;
    }
    differs.store(true, Ordering::Relaxed);
    let change = monitor.change();
    assert_eq!(
        (&change["node"], &change["about"], &change["result"]),
        (&json!(wrong), &json!("blocks"), &json!("differ"))
    );
    let message = change["message"].as_str().expect("text");
    assert!(
        message.starts_with(&format!(
            "block 7: proof: {wrong} differs from the others: "
        )) && message.contains(&format!("987654 at {wrong}")),
        "{message}"
    );
    let metric = |url: &str| label("blocks_differ", url, "");
    let metrics = monitor.metrics().await;
    assert_eq!(metrics[&metric(&wrong)], 1.0);
    assert_eq!((metrics[&metric(one)], metrics[&metric(&two)]), (0.0, 0.0));

    // Block 7 is no longer one of the latest blocks. It is compared nevertheless.
    for height in [40, 41] {
        while node.node().height() < height {
            node.node().make_block();
        }
        monitor
            .reaches(&label("height", &wrong, ""), index(height))
            .await;
    }
    assert_eq!(monitor.metrics().await[&metric(&wrong)], 1.0);
    differs.store(false, Ordering::Relaxed);
    let change = monitor.change();
    assert_eq!(
        (&change["node"], &change["about"], &change["result"]),
        (&json!(wrong), &json!("blocks"), &json!("agree"))
    );
    assert_eq!(monitor.metrics().await[&metric(&wrong)], 0.0);
}

/// Hides the blocks of a node that are higher than a number of the moment.
fn hiding(highest: Arc<AtomicU64>) -> Fault {
    change_response("/get-block", move |_, response| {
        let block: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        match block["index"].as_u64() {
            Some(index) if index > highest.load(Ordering::Relaxed) => response
                .with_status(StatusCode::BAD_REQUEST)
                .with_body(r#"{"detail":"Block not found"}"#),
            _ => response,
        }
    })
}

fn index(height: u64) -> f64 {
    f64::from(u32::try_from(height).expect("a height"))
}

/// A slow node makes the chain longer with its responses. The other one has 14 blocks less at each moment. The
/// threads are enough for all requests to the slow one.
#[tokio::test(flavor = "multi_thread", worker_threads = 24)]
async fn a_slow_node_does_not_change_the_lag_of_another() {
    let node = node(None).await;
    while node.node().height() < 40 {
        node.node().make_block();
    }
    let (behind, growing) = (Arc::new(AtomicU64::new(26)), Arc::clone(node.node()));
    let lagging = Proxy::spawn(&node, hiding(Arc::clone(&behind)));
    let lagging = lagging.await.expect("a proxy");
    let responses = AtomicU64::new(0);
    let slow: Fault = change_response("/get-block", move |_, response| {
        std::thread::sleep(Duration::from_millis(100));
        if responses.fetch_add(1, Ordering::Relaxed).is_multiple_of(8) {
            behind.store(growing.make_block() - 14, Ordering::Relaxed);
        }
        response
    });
    let slow = Proxy::spawn(&node, slow).await.expect("a proxy");
    let (fast, lagging, slow) = (
        node.base_url(),
        lagging.server.base_url(),
        slow.server.base_url(),
    );
    let only = ["--only", "get-block/index-echo"];
    let command = Command::new(&*NODEPROOF);
    let monitor = Monitor::start_with(command, &[fast, &lagging, &slow], &only);
    let lag = |url: &str| label("lag_blocks", url, "");
    monitor.reaches(&lag(&slow), 0.0).await;
    // Exactly, if no block is made while the lag is measured.
    monitor.reaches(&lag(&lagging), 14.0).await;
    let slow_requests = label("requests_total", &slow, "");
    let end = monitor.metrics().await[&slow_requests] + 60.0;
    loop {
        let metrics = monitor.metrics().await;
        assert_eq!((metrics[&lag(fast)], metrics[&lag(&slow)]), (0.0, 0.0));
        let lag = metrics[&lag(&lagging)];
        // The chain may grow meanwhile, by several blocks if many responses to the slow node end together.
        assert!((9.0..=14.0).contains(&lag), "{lag}");
        if metrics[&slow_requests] >= end {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_was_rebuilt_lags_until_it_has_its_blocks_again() {
    let node = node(None).await;
    let highest = Arc::new(AtomicU64::new(u64::MAX));
    let rebuilt = Proxy::spawn(&node, hiding(Arc::clone(&highest)));
    let rebuilt = rebuilt.await.expect("a proxy");
    let (one, url) = (node.base_url(), rebuilt.server.base_url());
    let only = ["--only", "get-block/index-echo"];
    let monitor = Monitor::start_with(Command::new(&*NODEPROOF), &[one, &url], &only);
    let (height, lag) = (label("height", &url, ""), label("lag_blocks", &url, ""));
    monitor.becomes(&lag, Some(0.0)).await;
    monitor.becomes(&height, Some(12.0)).await;
    highest.store(5, Ordering::Relaxed);
    monitor.becomes(&lag, Some(7.0)).await;
    assert_eq!(monitor.metrics().await[&height], 5.0);
    // Blocks that it does not have are not blocks that differ.
    monitor
        .becomes(&label("blocks_differ", &url, ""), Some(0.0))
        .await;
    highest.store(u64::MAX, Ordering::Relaxed);
    monitor.becomes(&lag, Some(0.0)).await;
}

/// At the height of the healthy node, only the one on another chain has blocks.
#[tokio::test(flavor = "multi_thread")]
async fn a_healthy_node_is_not_reported_because_of_one_on_another_chain() {
    let node = node(None).await;
    let (is_forked, highest) = (
        Arc::new(AtomicBool::new(true)),
        Arc::new(AtomicU64::new(20)),
    );
    let forks = Arc::clone(&is_forked);
    let fork: Fault = change_json("/get-block", move |_, block| {
        let index = block["index"].as_u64().unwrap_or_default();
        if forks.load(Ordering::Relaxed) && index >= 7 {
            block["proof"] = json!(987_654);
        }
        if forks.load(Ordering::Relaxed) && index > 7 {
            block["previous_hash"] = json!(format!("{index:064x}"));
        }
    });
    let forked = Proxy::spawn(&node, fork).await.expect("a proxy");
    let lagging = Proxy::spawn(&node, hiding(Arc::clone(&highest)));
    let lagging = lagging.await.expect("a proxy");
    let (healthy, lagging, forked) = (
        node.base_url(),
        lagging.server.base_url(),
        forked.server.base_url(),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("state.json");
    let state_text = || fs::read_to_string(&state).expect("a file");
    let state = state.to_str().expect("UTF-8");
    let only = ["--only", "get-block/index-echo", "--state", state];
    let start = || {
        let command = Command::new(&*NODEPROOF);
        Monitor::start_with(command, &[healthy, &lagging, &forked], &only)
    };
    let mut monitor = start();
    for _ in 0..3 {
        assert_eq!(monitor.result(), pair("verdict", "conforms"));
    }
    let change = monitor.change();
    let message = change["message"].as_str().expect("text");
    assert_eq!(
        (&change["node"], &change["result"]),
        (&json!(forked), &json!("differ"))
    );
    assert!(
        message.starts_with("another chain since block 7: "),
        "{message}"
    );
    while node.node().height() < 60 {
        node.node().make_block();
    }
    for url in [healthy, &forked] {
        monitor.becomes(&label("height", url, ""), Some(60.0)).await;
    }
    let requests = label("requests_total", healthy, "");
    let so_far = monitor.metrics().await[&requests];
    monitor.reaches(&requests, so_far + 100.0).await;
    let metrics = monitor.metrics().await;
    let differs = |url: &str| metrics[&label("blocks_differ", url, "")];
    assert_eq!(
        (differs(healthy), differs(&lagging), differs(&forked)),
        (0.0, 0.0, 1.0)
    );
    // A node on another chain does not count for the lag of others.
    assert_eq!(metrics[&label("lag_blocks", &lagging, "")], 40.0);
    assert_eq!(monitor.end(), (Some(0), String::new()));

    // A restarted monitor still reports that node, although only the healthy one also has its first other block.
    highest.store(5, Ordering::Relaxed);
    let mut monitor = start();
    let mut change = monitor.change();
    while change["about"] != "blocks" {
        assert!(
            ["continued", "reset", "skipped", "conforms"]
                .contains(&change["result"].as_str().expect("text")),
            "{change}"
        );
        change = monitor.change();
    }
    assert_eq!(
        (&change["node"], &change["result"]),
        (&json!(forked), &json!("differ"))
    );
    let metrics = monitor.metrics().await;
    let differs = |url: &str| metrics.get(&label("blocks_differ", url, "")).copied();
    assert_eq!(differs(&forked), Some(1.0));
    assert!(differs(healthy).is_none_or(|differs| differs == 0.0));
    assert!(state_text().contains("\"left\""));
    is_forked.store(false, Ordering::Relaxed);
    monitor
        .becomes(&label("blocks_differ", &forked, ""), Some(0.0))
        .await;
    assert_eq!(monitor.end().0, Some(0));
    let state: Value = serde_json::from_str(&state_text()).expect("JSON");
    assert_eq!(state["left"], json!({}));
}

/// In the file of an earlier monitor, both nodes have left the majority.
#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_that_differ_agree_again() {
    let node = node(None).await;
    let differs = Arc::new(AtomicBool::new(false));
    let wrong = Arc::clone(&differs);
    let other: Fault = change_json("/get-block", move |_, block| {
        if wrong.load(Ordering::Relaxed) && block["index"] == 7 {
            block["proof"] = json!(987_654);
        }
    });
    let other = Proxy::spawn(&node, other).await.expect("a proxy");
    let (one, two) = (node.base_url(), other.server.base_url());
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("state.json");
    let left = [one, &two].map(|url| (format!("devnet {url}/"), json!(u64::MAX)));
    let content = json!({
        "format": "nodeproof-monitor/1",
        "heights": {},
        "left": left.into_iter().collect::<serde_json::Map<_, _>>(),
    });
    fs::write(&state, content.to_string()).expect("a file");
    let state = state.to_str().expect("UTF-8");
    let only = ["--only", "get-block/index-echo", "--state", state];
    let monitor = Monitor::start_with(Command::new(&*NODEPROOF), &[one, &two], &only);
    for (is_different, value) in [(false, 0.0), (true, 1.0), (false, 0.0)] {
        differs.store(is_different, Ordering::Relaxed);
        for url in [one, &two] {
            let metric = label("blocks_differ", url, "");
            monitor.becomes(&metric, Some(value)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verdict_goes_if_no_run_ends() {
    let node = node(None).await;
    let url = node.base_url();
    let monitor = Monitor::start(&[url]);
    let verdict = label("verdict", url, r#",verdict="conforms""#);
    let stale = label("verdict_stale", url, "");
    monitor.becomes(&verdict, Some(1.0)).await;
    assert_eq!(monitor.metrics().await[&stale], 0.0);
    node.node().set_outage(Some(Outage::Delayed(PATIENCE)));
    monitor.becomes(&verdict, None).await;
    let metrics = monitor.metrics().await;
    assert_eq!(metrics[&stale], 1.0);
    assert!(!metrics.contains_key(&label("cases", url, r#",outcome="pass""#)));
    // The probe reports it before the run ends.
    monitor.becomes(&label("up", url, ""), Some(0.0)).await;
    monitor.becomes(&label("height", url, ""), None).await;
    node.node().set_outage(None);
    monitor.becomes(&label("up", url, ""), Some(1.0)).await;
    monitor.becomes(&verdict, Some(1.0)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_has_the_name_and_the_labels_of_the_file_in_its_metrics() {
    let node = node(Some(InjectedFault::NoContentType)).await;
    let folder = tempfile::tempdir().expect("a folder");
    let targets = folder.path().join("nodes.toml");
    let text = format!(
        "[[node]]\nbase_url = \"{}\"\nname = \"a \\\"b\\\"\"\nlabels = {{ dc = \"x\" }}\n",
        node.base_url()
    );
    fs::write(&targets, text).expect("a file");
    let targets = targets.to_str().expect("UTF-8");
    let mut series = Vec::new();
    for more in [&[][..], &["--strict"]] {
        let arguments = [&["--targets", targets, "--only", "http/content-type"], more].concat();
        let monitor = Monitor::start_with(Command::new(&*NODEPROOF), &[], &arguments);
        let labels = format!(
            r#"{{node="{}",network="devnet",name="a \"b\"",dc="x""#,
            node.base_url()
        );
        monitor
            .reaches(&format!("nodeproof_runs_total{labels}}}"), 1.0)
            .await;
        let metrics = monitor.metrics().await;
        let names = ["case_failed", "case_warned"];
        series.push(names.map(|name| {
            let is_case = |key: &&String| key.starts_with(&format!("nodeproof_{name}{labels}"));
            metrics.keys().filter(is_case).count()
        }));
    }
    // With --strict, a warning fails the run.
    assert_eq!(series, [[0, 1], [1, 0]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hangup_reads_the_files_again_and_a_faulty_one_changes_nothing() {
    let first = node(Some(InjectedFault::RemarksCut)).await;
    let same: Fault = Arc::new(|_, response| response);
    let second = Proxy::spawn(&first, same).await.expect("a proxy");
    let (one, two) = (first.base_url(), &*second.server.base_url());
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (targets, expected) = (path("nodes.toml"), path("expected.toml"));
    let write_targets = |urls: &[&str]| {
        let nodes = urls
            .iter()
            .map(|url| format!("[[node]]\nbase_url = \"{url}\"\n"));
        fs::write(&targets, nodes.collect::<String>()).expect("a file");
    };
    write_targets(&[one]);
    fs::write(&expected, "").expect("a file");
    let files = ["--targets", &targets, "--expect", &expected];
    let mut monitor = Monitor::start_with(Command::new(&*NODEPROOF), &[], &files);
    let runs = |url: &str| label("runs_total", url, "");
    assert_eq!(monitor.result(), pair("verdict", "does-not-conform"));
    assert_eq!(
        monitor.result(),
        pair("sc-state/record-matches-claim", "fail")
    );
    monitor.reaches(&runs(one), 3.0).await;

    // Another node, and a known failure of the first.
    write_targets(&[one, two]);
    let known = "[[expect]]\ncase = \"sc-state/record-matches-claim\"\nreason = \"known\"\n";
    fs::write(&expected, known).expect("a file");
    monitor.signal("HUP");
    let mut conforms = Vec::new();
    let mut message = Value::Null;
    while conforms.len() < 2 || message.is_null() {
        let change = monitor.change();
        match (&change["about"], &change["result"]) {
            (about, result) if about == "configuration" => {
                assert_eq!(result, "reloaded");
                message = change["message"].clone();
            }
            (about, result) if about == "verdict" => {
                assert_eq!(result, "conforms");
                conforms.push(change["node"].clone());
            }
            (_, result) => assert_eq!(result, "known"),
        }
    }
    assert_eq!(message, "nodes added: 1, removed: 0, kept: 1");
    assert!(conforms.contains(&json!(one)) && conforms.contains(&json!(two)));
    // The first node has its earlier runs.
    assert!(monitor.metrics().await[&runs(one)] >= 4.0);

    for (text, part) in [
        ("[[node]]\nbase_ulr = \"http://a\"\n", "base_ulr"),
        ("", "names no node"),
    ] {
        fs::write(&targets, text).expect("a file");
        monitor.signal("HUP");
        let mut change = monitor.change();
        while change["result"] == "known" {
            change = monitor.change();
        }
        assert_eq!(change["result"], "rejected", "{change}");
        let message = change["message"].as_str().expect("text");
        assert!(
            message.contains(part) && message.contains("nodes.toml"),
            "{message}"
        );
        for url in [one, two] {
            let so_far = monitor.metrics().await[&runs(url)];
            monitor.reaches(&runs(url), so_far + 2.0).await;
        }
    }

    write_targets(&[two]);
    monitor.signal("HUP");
    assert_eq!(monitor.result(), pair("configuration", "reloaded"));
    let so_far = monitor.metrics().await[&runs(two)];
    monitor.reaches(&runs(two), so_far + 2.0).await;
    let metrics = monitor.metrics().await;
    let mut names = metrics.keys();
    assert!(!names.any(|name| name.contains(one)), "{metrics:?}");
}
