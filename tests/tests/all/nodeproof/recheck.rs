//! `--recheck`: a finding is fixed only if its own request was repeated and passes.

use std::{fs, path::Path, process::Command};

use integration_tests::{faults::change_json, proxy::Proxy};
use nodeproof_devnode::{BlockTime, Config};

use super::{NODEPROOF, node_report, ran, run};

/// Runs against a node, and returns the exit status. The folder gets the report.
fn report(folder: &Path, url: &str, more: &[&str]) -> i32 {
    let mut command = run(url);
    let (status, _, errors) = ran(command
        .args(["--quiet", "--report-dir"])
        .arg(folder)
        .args(more));
    assert_eq!(errors, "");
    status
}

fn diff(before: &Path, after: &Path) -> (i32, String) {
    let mut command = Command::new(&*NODEPROOF);
    let reports = [before, after].map(|folder| folder.join("report.json"));
    let (status, text, errors) = ran(command.arg("diff").args(reports));
    assert_eq!(errors, "");
    (status, text)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_finding_that_a_run_did_not_check_again_is_not_fixed() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let config = Config::for_tests().with_block_time(BlockTime::Manual);
    let node = nodeproof_devnode::spawn(config.with_blocks(700)).await;
    let node = node.expect("a node");

    // A fault in a block that a default run does not read.
    assert_eq!(report(&at("good"), node.base_url(), &[]), 0);
    let good = node_report(&at("good").join("report.json"));
    let requested = good["requested"].as_array().expect("a list");
    let line = |block: u64| format!("/get-block?block_index={block}");
    let block = (300..600)
        .find(|block| !requested.contains(&line(*block).into()))
        .expect("a block that is not read");
    let fault = change_json("/get-block", move |_, document| {
        if document["index"] == block {
            document["proof"] = "42".into();
        }
    });
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
    let bad = proxy.server.base_url();

    let range = format!("{block}..={block}");
    assert_eq!(report(&at("sweep"), &bad, &["--blocks", &range]), 1);
    let sweep = node_report(&at("sweep").join("report.json"));
    let findings = sweep["cases"].as_array().expect("cases").iter();
    let findings = findings.flat_map(|case| case["findings"].as_array().into_iter().flatten());
    let samples: Vec<_> = findings.map(|finding| &finding["sample"]).collect();
    assert!(
        !samples.is_empty() && samples.iter().all(|sample| **sample == line(block)),
        "{samples:?}"
    );

    // A default run passes. That does not show that the fault is gone.
    assert_eq!(report(&at("lucky"), &bad, &[]), 0);
    let (status, text) = diff(&at("sweep"), &at("lucky"));
    assert_eq!(status, 3, "{text}");
    assert!(
        text.contains("not seen again") && text.contains("get-block/proof"),
        "{text}"
    );
    assert!(!text.contains("\nfixed\n"), "{text}");

    let earlier = at("sweep").join("report.json").display().to_string();
    let recheck = ["--recheck", &earlier];
    assert_eq!(report(&at("again"), &bad, &recheck), 1);
    assert_eq!(report(&at("fixed"), node.base_url(), &recheck), 0);
    let (status, text) = diff(&at("sweep"), &at("fixed"));
    assert_eq!(status, 0, "{text}");
    assert!(
        text.contains("\nfixed\npass         get-block/proof"),
        "{text}"
    );
    assert!(!text.contains("not seen again"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_run_that_could_not_repeat_a_request_has_no_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config::for_tests().with_block_time(BlockTime::Manual);
    let node = nodeproof_devnode::spawn(config).await.expect("a node");
    let fault = change_json("/get-trustscore-wallets", |_, document| {
        document["trust_score"] = "1".into();
    });
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
    let (before, after) = (folder.path().join("before"), folder.path().join("after"));
    assert_eq!(report(&before, &proxy.server.base_url(), &[]), 1);
    let earlier = before.join("report.json");

    // Too few requests for everything.
    let recheck = earlier.display().to_string();
    let status = report(
        &after,
        node.base_url(),
        &["--recheck", &recheck, "--max-requests", "40"],
    );
    assert_eq!(status, 3);

    // A case that another version had is not checked again.
    let text = fs::read_to_string(&earlier).expect("a report");
    let other = folder.path().join("other.json");
    fs::write(
        &other,
        text.replace(
            "get-trustscore-wallets/trust-score",
            "get-trustscore-wallets/gone",
        ),
    )
    .expect("a file");
    let mut command = run(node.base_url());
    let (_, _, errors) = ran(command.arg("--recheck").arg(&other));
    assert!(
        errors.contains("not checked again: get-trustscore-wallets/gone"),
        "{errors}"
    );

    // A report of something else gets a message.
    let wrong = folder.path().join("wrong.json");
    fs::write(&wrong, "[]").expect("a file");
    let mut command = run(node.base_url());
    let (status, _, errors) = ran(command.arg("--recheck").arg(&wrong));
    assert_eq!(status, 2);
    assert!(errors.contains("not a report.json"), "{errors}");
}

/// A run may write into the folder with the report that it reads. A command line that is wrong leaves no old verdict.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_report_is_read_before_the_new_one_replaces_it() {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await;
    let node = node.expect("a node");
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    assert_eq!(report(at, node.base_url(), &[]), 0);
    let earlier = at.join("report.json").display().to_string();
    let first = fs::read(&earlier).expect("a report");
    assert_eq!(report(at, node.base_url(), &["--recheck", &earlier]), 0);
    assert_ne!(fs::read(&earlier).expect("a report"), first);
    for (wrong, left) in [
        (&["--jobs", "0", "--recheck", &earlier][..], 1),
        (&["--jobs", "0"], 0),
    ] {
        let (status, ..) = ran(run(node.base_url()).arg("--report-dir").arg(at).args(wrong));
        assert_eq!(status, 2);
        let files = at.read_dir().expect("the folder");
        assert_eq!(
            files.count(),
            left,
            "only what was to be read is left: {wrong:?}"
        );
    }
}
