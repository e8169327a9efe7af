//! Baselines and coverage, through the real binary against a real node.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use integration_tests::proxy::{Fault, Proxy, RecordedRequest, Response};
use nodeproof_conformance::report::Report;
use nodeproof_devnode::{BlockTime, Config};
use nodeproof_primitives::Network;

use super::conformance;

async fn devnode() -> nodeproof_devnode::Handle {
    let mut config = Config::new(Network::Devnet);
    config.port = Some(0);
    config.block_time = BlockTime::Manual;
    nodeproof_devnode::spawn(config)
        .await
        .expect("a local node")
}

async fn run(base_url: &str, more: &[&str]) -> (i32, String) {
    super::run(command(base_url, more)).await
}

fn command(base_url: &str, more: &[&str]) -> Command {
    let mut command = conformance(&["--quiet", "--network", "devnet", "--base-url", base_url]);
    command.args(more);
    command
}

async fn run_in(folder: &Path, base_url: &str, more: &[&str]) -> (i32, String) {
    let mut command = command(base_url, more);
    command.current_dir(folder);
    super::run(command).await
}

fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    fs::read_dir(folder)
        .expect("the baseline's folder")
        .map(|file| file.expect("a file").path())
        .map(|path| {
            let name = PathBuf::from(path.file_name().expect("a name"));
            (name, fs::read_to_string(path).expect("text"))
        })
        .collect()
}

/// Returns a fault: the node words its error about tables differently than before.
fn other_words() -> Fault {
    Arc::new(|request: &RecordedRequest, response: Response| {
        if request.query.contains("no_such_table") {
            response.with_body(r#"{"detail":"there is no table of that name"}"#)
        } else {
            response
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_baseline_holds_nothing_that_changes_by_itself() {
    let node = devnode().await;
    let folder = tempfile::tempdir().expect("a folder");
    let below = folder.path().to_str().expect("UTF-8");
    for name in ["one", "two"] {
        let flags = ["--baseline", name, "--record", "--baseline-dir", below];
        let (code, text) = run(node.base_url(), &flags).await;
        assert_eq!(code, 0, "{text}");
    }
    let (one, two) = (
        files(&folder.path().join("one")),
        files(&folder.path().join("two")),
    );
    assert!(one.len() > 20, "{:?}", one.keys());
    assert_eq!(one, two);
    let flags = ["--baseline", "one", "--baseline-dir", below];
    let (code, text) = run(node.base_url(), &flags).await;
    assert_eq!(code, 0, "{text}");
    assert_eq!(
        files(&folder.path().join("one")),
        two,
        "a run that does not record wrote"
    );
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_pinned_response_is_a_regular_file() {
    let node = devnode().await;
    let folder = tempfile::tempdir().expect("a folder");
    let below = folder.path().to_str().expect("UTF-8");
    let record = ["--baseline", "it", "--record", "--baseline-dir", below];
    let (code, text) = run(node.base_url(), &record).await;
    assert_eq!(code, 0, "{text}");
    let pinned = folder.path().join("it/state-unknown-table.snap");
    let elsewhere = folder.path().join("elsewhere");
    fs::rename(&pinned, &elsewhere).expect("a file");
    for target in [elsewhere.as_path(), "/dev/zero".as_ref()] {
        std::os::unix::fs::symlink(target, &pinned).expect("a link");
        let (code, text) = run(node.base_url(), &record).await;
        assert!(
            code == 4 && text.contains("it is a symbolic link"),
            "{code}: {text}"
        );
        fs::remove_file(&pinned).expect("the link");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn drift_is_shown_as_a_diff_and_left_for_review_only_where_it_is_recorded() {
    let node = devnode().await;
    let folder = tempfile::tempdir().expect("a folder");
    let below = folder.path().to_str().expect("UTF-8");
    let proxy = Proxy::honest(node.base_url()).await.expect("a proxy");
    let record = ["--baseline", "it", "--record", "--baseline-dir", below];
    let (code, text) = run(&proxy.server.base_url(), &record).await;
    assert_eq!(code, 0, "{text}");
    let pinned = files(&folder.path().join("it"));

    let drifted = Proxy::spawn(node.base_url(), other_words())
        .await
        .expect("a proxy");
    let compare = ["--baseline", "it", "--baseline-dir", below];
    let (code, text) = run(&drifted.server.base_url(), &compare).await;
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("baseline/state-unknown-table"), "{text}");
    assert!(
        text.contains(r#"-  "detail": "no such table: no_such_table""#),
        "{text}"
    );
    assert!(
        text.contains(r#"+  "detail": "there is no table of that name""#),
        "{text}"
    );
    assert!(text.contains("1 failed"), "{text}");
    // No sentence of the specification is broken.
    let verdict = "conforms, but the run failed: one response differs from the baseline";
    assert!(text.contains(verdict), "{text}");
    assert_eq!(files(&folder.path().join("it")), pinned);

    // What was accepted is not replaced without a review.
    for update in ["always", "1", "unseen"] {
        let mut command = command(&drifted.server.base_url(), &record);
        command.env("INSTA_UPDATE", update);
        let (code, text) = super::run(command).await;
        assert!(code == 1 && text.contains("1 failed"), "{text}");
        assert_eq!(files(&folder.path().join("it")), pinned, "{update}");
    }

    let (code, _) = run(&drifted.server.base_url(), &record).await;
    assert_eq!(code, 1);
    let after = files(&folder.path().join("it"));
    let new: Vec<_> = after
        .keys()
        .filter(|name| !pinned.contains_key(*name))
        .collect();
    assert_eq!(new, [Path::new("state-unknown-table.snap.new")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relative_folder_is_below_the_current_one() {
    let node = devnode().await;
    let drifted = Proxy::spawn(node.base_url(), other_words())
        .await
        .expect("a proxy");
    for (more, folder) in [
        (&["--baseline-dir", "kept/here"][..], "kept/here"),
        (&[], "baselines"),
    ] {
        let work = tempfile::tempdir().expect("a folder");
        let record = [&["--baseline", "it", "--record"], more].concat();
        let (code, text) = run_in(work.path(), node.base_url(), &record).await;
        assert_eq!(code, 0, "{text}");
        let below = work.path().join(folder).join("it");
        let recorded = files(&below);
        assert!(recorded.len() > 20, "{:?}", recorded.keys());
        for (base_url, expected) in [(node.base_url(), 0), (&*drifted.server.base_url(), 1)] {
            let (code, text) = run_in(work.path(), base_url, &record).await;
            assert_eq!(code, expected, "{text}");
        }
        assert_eq!(files(&below).len(), recorded.len() + 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_baseline_that_is_not_there_or_can_not_be_is_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let below = folder.path().to_str().expect("UTF-8");
    let url = "http://localhost";
    let (code, text) = run(url, &["--baseline", "none", "--baseline-dir", below]).await;
    assert!(code == 2 && text.contains("--record"), "{text}");
    let (code, text) = run(
        url,
        &["--baseline", "../up", "--record", "--baseline-dir", below],
    )
    .await;
    assert!(
        code == 2 && text.contains("not a valid name of a baseline"),
        "{text}"
    );
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 0);
    let (code, _) = run(url, &["--record"]).await;
    assert_eq!(code, 2, "--record alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn coverage_tells_what_was_sent_and_a_gap_fails_where_that_is_asked_for() {
    let node = devnode().await;
    let flags = ["--only", "get-block/*", "--format", "json"];
    let (code, text) = run(node.base_url(), &flags).await;
    let report = Report::from_json(&text).expect("a report");
    let report = &report.nodes[0];
    assert_eq!(code, 0);
    let of = |name: &str| {
        let found = report
            .coverage
            .operations
            .iter()
            .find(|one| one.operation == name);
        found.expect("a documented operation")
    };
    let block = of("get-block");
    assert!(block.requests > 5 && block.statuses.contains(&200) && block.statuses.contains(&422));
    assert!(
        block.parameters.iter().all(|parameter| parameter.exercised),
        "{block:?}"
    );
    assert!(block.fields.len() >= 18 && block.fields.iter().all(|field| field.exercised));
    assert!(of("sc-state").reason.is_some() && of("sc-state").parameters.len() == 4);

    let (code, text) = run(
        node.base_url(),
        &["--only", "get-block/*", "--require-coverage"],
    )
    .await;
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("sc-state was not requested"), "{text}");
}
