//! Sweeps that several processes share, and that continue every night.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use integration_tests::{
    proxy::{Fault, Proxy, RecordedRequest, Response},
    restart,
};
use nodeproof_devnode::{BlockTime, Config, Handle};
use serde::Deserialize as _;
use serde_json::json;
use yaml_serde::Value;

use super::{NODEPROOF, json as read_json, node, node_report, ran, run};

/// Returns the blocks with findings in a report, by case.
fn findings(report: &Path) -> BTreeSet<(String, u64)> {
    let report = node_report(report);
    assert_eq!(report["sweep"]["done"], true);
    // Without findings, there is no list.
    let kinds = report["sweep"]["kinds"].as_array();
    let kinds = kinds.cloned().unwrap_or_default();
    let places = kinds.iter().flat_map(|kind| {
        let case = kind["case"].as_str().expect("a case");
        let blocks = kind["blocks"].as_array().expect("blocks");
        blocks
            .iter()
            .filter_map(move |block| Some((case.to_owned(), block.as_u64()?)))
    });
    places.collect()
}

/// Makes these blocks an hour older. Only a comparison with the blocks before them shows that.
fn an_hour_older(blocks: &'static [u64]) -> Fault {
    Arc::new(move |request: &RecordedRequest, response: Response| {
        let index = request.query.strip_prefix("block_index=");
        let index: Option<u64> = index.and_then(|index| index.parse().ok());
        let is_changed = index.is_some_and(|index| blocks.contains(&index));
        match is_changed && response.status.is_success() {
            true => response.with_json(|block| {
                let time = block["timestamp"].as_i64().expect("a time");
                block["timestamp"] = json!(time - 3_600_000);
            }),
            false => response,
        }
    })
}

async fn long_chain() -> Handle {
    let config = Config::for_tests()
        .with_block_time(BlockTime::Manual)
        .with_blocks(1_600);
    nodeproof_devnode::spawn(config).await.expect("a node")
}

/// Returns the arguments of the sweep in the manifest of Kubernetes, for this part of four.
fn arguments(part: usize, url: &str, folder: &Path) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/sweep.kubernetes.yaml");
    let text = fs::read_to_string(path).expect("a manifest");
    let mut documents = yaml_serde::Deserializer::from_str(&text)
        .map(|document| Value::deserialize(document).expect("YAML"));
    let job = documents
        .find(|one| one["kind"].as_str() == Some("Job"))
        .expect("a job");
    let spec = &job["spec"];
    assert_eq!(spec["completions"].as_u64(), Some(16));
    let container = &spec["template"]["spec"]["containers"][0];
    let arguments = container["args"].as_sequence().expect("arguments");
    arguments
        .iter()
        .map(|argument| {
            let argument = argument.as_str().expect("text");
            argument
                .replace("http://node.example.org:8420", url)
                .replace("50000000", "1600")
                .replace("$(PART)", &part.to_string())
                .replace("/16", "/4")
                .replace("/var/lib/nodeproof", &folder.display().to_string())
        })
        .collect()
}

fn start(part: usize, url: &str, folder: &Path, rate: &str) -> Child {
    Command::new(&*NODEPROOF)
        .args(arguments(part, url, folder))
        .args(["--jobs", "2", "--rate", rate])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// Waits until the saved state of a sweep is in the middle of its range.
async fn half_done(folder: &Path) {
    let started = Instant::now();
    loop {
        if let Some(state) = state_in(folder) {
            let state = read_json(&state);
            let at = |name: &str| state[name].as_u64().expect("a block");
            assert!(
                at("next") < at("to"),
                "the sweep ended before it was killed"
            );
            if at("next") > at("from") {
                return;
            }
        }
        assert!(started.elapsed() < Duration::from_secs(120), "no progress");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_job_of_kubernetes_as_four_processes_finds_what_one_sweep_finds() {
    let node = long_chain().await;
    // Block 801 is the first one of part 2, so only a sweep that has the blocks before it finds its time.
    let broken = Proxy::spawn(&node, an_hour_older(&[100, 801, 1_300]))
        .await
        .expect("a proxy");
    let url = broken.server.base_url();
    let folder = tempfile::tempdir().expect("a folder");

    let whole = folder.path().join("whole");
    let mut one = run(&url);
    one.args(["--quiet", "--blocks", "1..=1600", "--report-dir"]);
    ran(one.arg(&whole));
    let expected = findings(&whole.join("report.json"));
    assert_eq!(expected.len(), 3, "{expected:?}");

    let place = |part: usize| folder.path().join(format!("part-{part}"));
    let mut parts = [0, 1, 2, 3].map(|part| {
        let rate = if part == 1 || part == 2 {
            "150"
        } else {
            "1000"
        };
        start(part, &url, folder.path(), rate)
    });
    for part in [1, 2] {
        half_done(&place(part)).await;
        parts[part].kill().expect("it is killed");
    }
    for part in &mut parts {
        part.wait().expect("it ends");
    }
    let mut found = BTreeSet::new();
    for part in [0, 1, 2, 3] {
        let again = start(part, &url, folder.path(), "1000").wait();
        assert_eq!(again.expect("it ends").code(), Some(0), "warnings only");
        let report = place(part).join("report.json");
        let sweep = &node_report(&report)["sweep"];
        assert_eq!(sweep["to"], 1 + 400 * (part + 1));
        found.extend(findings(&report));
    }
    assert_eq!(found, expected);

    let merged = folder.path().join("merged");
    let mut command = run(&url);
    command.args(["--quiet", "--blocks", "1..=1600", "--merge"]);
    // A report folder stands for the state in it.
    let last = state_in(&place(3)).expect("a state");
    command.args([&last, &place(0), &place(2), &place(1)]);
    let (status, _, errors) = ran(command.arg("--report-dir").arg(&merged));
    assert_eq!(status, 0, "{errors}");
    let swept = |folder: &Path| node_report(&folder.join("report.json"))["sweep"].clone();
    assert_eq!(swept(&merged), swept(&whole));
    // It is the state of a finished sweep, so new blocks can follow.
    let state = read_json(&state_in(&merged).expect("a state"));
    assert_eq!(state["finished"], 0);

    let mut command = run(&url);
    command.args(["--quiet", "--blocks", "1..=1600", "--merge"]);
    command.args([&place(0), &place(1), &place(2), &last]);
    let (status, _, errors) = ran(command.arg("--state").arg(&last));
    assert_eq!(status, 2, "{errors}");
    assert!(errors.contains("give another --state FILE"), "{errors}");
}

pub(super) fn state_in(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths = entries.map(|entry| entry.path());
    paths.find(|path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with("sweep-")
    })
}

/// Checks the new blocks of a node, with a report and a state in this folder.
fn nightly(url: &str, folder: &Path) -> (i32, String, String) {
    let mut command = run(url);
    command.args(["--quiet", "--blocks", "..", "--new-blocks", "--report-dir"]);
    ran(command.arg(folder))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nightly_sweep_checks_the_new_blocks_and_compares_them_with_the_last_ones() {
    let node = node(None).await;
    let height = node.node().height();
    // Only a comparison with the last block of the first night shows that this one is too old.
    let blocks = Vec::leak(vec![height + 1]);
    let broken = Proxy::spawn(&node, an_hour_older(blocks)).await;
    let broken = broken.expect("a proxy");
    let url = broken.server.base_url();
    let folder = tempfile::tempdir().expect("a folder");
    let report = folder.path().join("report.json");
    let nightly = || nightly(&url, folder.path());
    let (status, _, errors) = nightly();
    assert_eq!(status, 0, "{errors}");
    assert!(errors.contains("the sweep starts"), "{errors}");
    assert_eq!(node_report(&report)["sweep"]["to"], height + 1);

    let (status, output, _) = nightly();
    assert_eq!(status, 3, "no new block: {output}");
    assert!(output.contains("has no block to check"), "{output}");

    for _ in 0..5 {
        node.node().make_block();
    }
    let (status, output, errors) = nightly();
    // Its time is a warning. That it is not the block that was hashed is a failure.
    assert_eq!(status, 1, "{output}{errors}");
    assert!(output.contains("chain/altered-blocks"), "{output}");
    let sweep = &node_report(&report)["sweep"];
    assert_eq!(
        (&sweep["from"], &sweep["judged"]),
        (&json!(height + 1), &json!(5))
    );
    assert_eq!(sweep["none_below"], serde_json::Value::Null);
    let expected = [("chain/time-goes-on".to_owned(), height + 1)];
    assert_eq!(findings(&report), BTreeSet::from(expected));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_does_not_continue_on_another_chain() {
    let first = restart::start(Config::for_tests()).await;
    let url = first.base_url().to_owned();
    let folder = tempfile::tempdir().expect("a folder");
    let nightly = || nightly(&url, folder.path());
    let (status, output, _) = nightly();
    assert_eq!(status, 0, "{output}");
    let port = restart::stop(first).await;
    let longer = Config::for_tests().with_seed(9).with_blocks(30);
    let _other = restart::start_at(port, longer).await;
    let (status, output, _) = nightly();
    assert_eq!(status, 3, "{output}");
    let reason = "is not the one that the sweep has read";
    assert!(output.contains(reason), "{output}");
}
