//! Checks of several nodes from the command line.

use std::fs;

use integration_tests::{faults::change_json, proxy::Proxy};
use nodeproof_conformance::report::Report;
use nodeproof_devnode::{ChainTime, Config};
use serde_json::json;

use super::{conformance, run};

async fn devnode() -> nodeproof_devnode::Handle {
    // Two nodes with one seed have the same chain.
    let config = Config::for_tests()
        .with_seed(3)
        .with_blocks(30)
        .with_time(ChainTime::FIXED);
    nodeproof_devnode::spawn(config)
        .await
        .expect("a local node")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_nodes_gives_one_report_with_a_column_each() {
    let (one, two) = (devnode().await, devnode().await);
    // The node sends markup in a field that a finding shows.
    let fault = change_json("/get-block", |_, block| {
        block["expected_miner"] = json!("<script>alert(1)</script>\u{1b}[31m");
    });
    let broken = Proxy::spawn(two.base_url(), fault).await.expect("a proxy");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("nodes.toml");
    let text = format!(
        "[[node]]\nbase_url = \"{}\"\nnetwork = \"devnet\"\n\n[[node]]\nbase_url = \"{}\"\n",
        one.base_url(),
        broken.server.base_url()
    );
    fs::write(&file, text).expect("a file");
    let reports = folder.path().join("reports");
    let (code, text) = run(conformance(&[
        "--targets",
        file.to_str().expect("UTF-8"),
        "--network",
        "devnet",
        "--blocks",
        "..",
        "--report-dir",
        reports.to_str().expect("UTF-8"),
    ]))
    .await;
    assert_eq!(code, 1, "{text}");
    for part in [
        "fail         get-block/expected-miner\n",
        "at node   2",
        "fail         cross-check/blocks",
        "expected_miner: the nodes disagree",
        "exit status 1, the worst of all",
    ] {
        assert!(text.contains(part), "{part:?} is missing: {text}");
    }
    assert!(!text.contains('\u{1b}'), "{text:?}");
    let read = |name| fs::read_to_string(reports.join(name)).expect("a report");
    let report: Report = serde_json::from_str(&read("report.json")).expect("its form");
    assert_eq!((report.version, report.nodes.len()), (2, 2));
    let html = read("report.html");
    assert!(html.contains("&lt;script&gt;alert(1)") && !html.contains("<script>alert"));
    assert!(html.contains(" node 1 <code>") && html.contains(" node 2 <code>"));
    let policy = html.find("Content-Security-Policy").expect("a policy");
    assert!(policy < html.find("<style>").expect("a style sheet"));
    let junit = read("junit.xml");
    assert_eq!(junit.matches("<testsuite ").count(), 3, "{junit}");
    assert!(junit.contains("name=\"cross-check\""));
    // The folder contains the four files, and the state of each finished sweep.
    assert_eq!(reports.read_dir().expect("a folder").count(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn sweeps_of_several_nodes_are_resumed_each_from_where_it_was() {
    let (one, two) = (devnode().await, devnode().await);
    let folder = tempfile::tempdir().expect("a folder");
    let reports = folder.path().to_str().expect("UTF-8");
    let with = |more: &[&str]| {
        let urls = ["--base-url", one.base_url(), "--base-url", two.base_url()];
        let rest = ["--network", "devnet", "--only", "chain/*", "--blocks", ".."];
        conformance(&[&urls[..], &rest, &["--report-dir", reports], more].concat())
    };
    let states = || {
        let entries = folder.path().read_dir().expect("a folder").flatten();
        let paths = entries.map(|entry| entry.path());
        let is_state = |path: &std::path::PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with("sweep-"))
        };
        paths.filter(is_state).collect::<Vec<_>>()
    };
    let (code, text) = run(with(&["--resume", "--max-requests", "45"])).await;
    assert_eq!((code, states().len()), (3, 2), "{text}");
    // Simulate that one of the states never existed.
    fs::remove_file(&states()[0]).expect("a state");
    let (code, text) = run(with(&["--resume"])).await;
    assert_eq!((code, states().len()), (0, 2), "{text}");
    assert_eq!(
        text.matches("sweep of blocks 1 to 30: 30 checked").count(),
        2,
        "{text}"
    );
    let (code, text) = run(with(&["--resume"])).await;
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("finished, with exit status 0"), "{text}");
    assert!(folder.path().join("report.html").is_file());
}
