//! `nodeproof monitor` with several nodes: their lag, their differences, and changes of the list.

use std::{
    fs,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use integration_tests::{
    faults::{change_json, change_response},
    proxy::{Fault, Proxy},
};
use nodeproof_devnode::InjectedFault;
use serde_json::{Value, json};

use super::{
    NODEPROOF,
    monitor::{Monitor, label, pair},
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
        if measured > 1 && metrics.get(&runs).is_some_and(|runs| *runs >= 4.0) {
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
        let height = f64::from(u32::try_from(height).expect("a height"));
        monitor.reaches(&label("height", &wrong, ""), height).await;
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
