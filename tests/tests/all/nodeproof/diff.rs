//! `nodeproof diff`.

use std::{fs, path::Path, process::Command, sync::Arc};

use integration_tests::{
    faults::change_json,
    proxy::{Fault, Proxy},
};
use nodeproof_devnode::InjectedFault;

use super::{NODEPROOF, json, node, ran, run};

fn diff(before: &Path, after: &Path, more: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(&*NODEPROOF);
    ran(command.arg("diff").arg(before).arg(after).args(more))
}

/// Writes the report of a run against a node, and returns its path.
fn report(folder: &Path, urls: &[&str]) -> std::path::PathBuf {
    let mut command = run(urls[0]);
    for url in &urls[1..] {
        command.args(["--base-url", url]);
    }
    let (_, _, errors) = ran(command.arg("--quiet").arg("--report-dir").arg(folder));
    assert_eq!(errors, "");
    folder.join("report.json")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_fault_is_new_in_one_direction_and_fixed_in_the_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let (good, bad) = (
        node(None).await,
        node(Some(InjectedFault::BlockSeconds)).await,
    );
    let before = report(&folder.path().join("before"), &[good.base_url()]);
    let after = report(&folder.path().join("after"), &[bad.base_url()]);

    let (status, text, errors) = diff(&before, &after, &[]);
    assert_eq!((status, errors.as_str()), (1, ""), "{text}");
    let new = "\nnew\nfail         get-block/timestamp-unit: ";
    assert!(
        text.contains(new) && text.ends_with("\nworse than before\n"),
        "{text}"
    );
    assert!(!text.contains("\nfixed\n"), "{text}");

    let (status, text, _) = diff(&after, &before, &[]);
    assert_eq!(status, 0, "{text}");
    let fixed = "\nfixed\npass         get-block/timestamp-unit\n  was fail: ";
    assert!(text.contains(fixed) && !text.contains("\nnew\n"), "{text}");

    let (status, text, _) = diff(&before, &after, &["--format", "markdown"]);
    assert_eq!(status, 1, "{text}");
    let new = "\nnew\nfail         get-block/timestamp-unit: ";
    assert!(
        text.starts_with("## Comparison: worse than before\n") && text.contains(new),
        "{text}"
    );

    let (status, text, _) = diff(&before, &before, &[]);
    assert!(
        status == 0 && text.ends_with("\nthe same as before\n"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reports_of_several_nodes_are_compared_node_by_node() {
    let folder = tempfile::tempdir().expect("a folder");
    let node = node(None).await;
    let one = node.base_url();
    let other = Proxy::honest(one).await.expect("a proxy").server;
    let seconds = change_json("/get-block", |_, block| {
        let time = block["timestamp"].as_i64().unwrap_or_default();
        block["timestamp"] = (time / 1000).into();
    });
    let bad = Proxy::spawn(one, seconds).await.expect("a proxy").server;
    let before = report(&folder.path().join("before"), &[one, &other.base_url()]);
    let after = report(&folder.path().join("after"), &[one, &bad.base_url()]);
    let (status, text, _) = diff(&before, &after, &[]);
    assert_eq!(status, 1, "{text}");
    let parts: Vec<_> = text.split("\nbefore ").collect();
    assert_eq!(parts.len(), 4, "{text}");
    assert!(parts[0].ends_with("the same as before\n"), "{text}");
    assert!(parts[1].contains("get-block/timestamp-unit"), "{text}");
    assert!(
        parts[1].contains("this node is not in the report"),
        "{text}"
    );
    assert!(
        parts[3].contains("\nfail         cross-check/blocks: "),
        "{text}"
    );

    let single = report(&folder.path().join("single"), &[one]);
    let (status, text, _) = diff(&single, &after, &[]);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("this node is not in the report"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_no_report_of_this_version_gets_one_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let node = node(None).await;
    let good = report(folder.path(), &[node.base_url()]);
    let mut other = json(&good);
    other["version"] = 1.into();
    let mut cut = json(&good);
    cut["nodes"][0]
        .as_object_mut()
        .expect("an object")
        .remove("cases");
    for (name, text, part) in [
        (
            "other.json",
            other.to_string(),
            "a report of version 1, and this program reads version 2: repeat the run",
        ),
        ("cut.json", cut.to_string(), "missing field `cases`"),
        ("page.json", "<html>".to_owned(), "not a report.json"),
        ("list.json", "[]".to_owned(), "not a report.json"),
        ("empty.json", String::new(), "not a report.json"),
        ("deep.json", "[".repeat(100_000), "not a report.json"),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("a file");
        for (before, after) in [(&path, &good), (&good, &path)] {
            let (status, out, errors) = diff(before, after, &[]);
            assert_eq!((status, out.as_str()), (2, ""), "{name}: {errors}");
            assert!(
                errors.contains(part) && errors.contains(name),
                "{name}: {errors}"
            );
            assert_eq!(errors.lines().count(), 1, "{name}: {errors}");
        }
    }
    let (status, _, errors) = diff(&folder.path().join("nothing"), &good, &[]);
    assert!(
        status == 2 && errors.contains("nothing can't be compared"),
        "{errors}"
    );
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn only_regular_files_of_a_limited_size_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let endless = folder.path().join("endless.json");
    let file = fs::File::create(&endless).expect("a file");
    file.set_len(1 << 40).expect("a sparse file");
    let pipe = folder.path().join("pipe.json");
    ran(Command::new("mkfifo").arg(&pipe));
    let good = report(&folder.path().join("good"), &[node(None).await.base_url()]);
    for (path, reason) in [
        (&*endless, "it is longer than"),
        (folder.path(), "it is not a regular file"),
        (&*pipe, "it is not a regular file"),
        (Path::new("/dev/zero"), "it is not a regular file"),
    ] {
        let both = [diff(&good, path, &[]), diff(path, &good, &[])];
        let options = ["--fixture", "--expect", "--targets"].map(|option| {
            let mut command = Command::new(&*NODEPROOF);
            command.arg(option).arg(path);
            if option != "--targets" {
                command.args(["--network", "devnet", "--base-url", "http://127.0.0.1:1"]);
            }
            ran(&mut command)
        });
        for (status, out, errors) in both.into_iter().chain(options) {
            assert_eq!(status, 2, "{}: {out}{errors}", path.display());
            assert!(errors.contains(reason), "{}: {errors}", path.display());
        }
    }
    let mut command = Command::new(&*NODEPROOF);
    command.args(["--network", "devnet", "--base-url", "http://127.0.0.1:1"]);
    let (status, _, errors) = ran(command.arg("--summary").arg(&pipe));
    assert_eq!(status, 2, "{errors}");
    assert!(errors.contains("it is a pipe"), "{errors}");
}

/// A file from elsewhere may have names that change what a terminal shows.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn errors_escape_what_a_file_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let control = "\u{1b}[2J\u{202e}";
    let good = report(&folder.path().join("good"), &[node(None).await.base_url()]);
    let text = fs::read_to_string(&good).expect("a report");
    let file = folder.path().join("file");
    let json = serde_json::json!({ control: 1 }).to_string();
    let toml = format!("[[expect]]\n\"{control}\" = 1\n").replace('\u{1b}', "\\u001b");
    let targets = toml.replace("expect", "node");
    let level = text.replacen(
        "\"level\": \"must\"",
        &format!("\"level\": \"{}2J\u{202e}\"", "\\u001b["),
        1,
    );
    assert_ne!(level, text);
    for (option, text) in [
        ("--fixture", &json),
        ("--expect", &toml),
        ("--targets", &targets),
        ("--recheck", &level),
        ("diff", &level),
    ] {
        fs::write(&file, text).expect("a file");
        let mut command = Command::new(&*NODEPROOF);
        command.arg(option).arg(&file);
        match option {
            "diff" => command.arg(&good),
            "--targets" => &mut command,
            _ => command.args(["--network", "devnet", "--base-url", "http://127.0.0.1:1"]),
        };
        let (status, out, errors) = ran(&mut command);
        assert_eq!(status, 2, "{option}: {out}{errors}");
        assert!(errors.contains("202e"), "{option}: {errors}");
        assert!(
            !errors.contains(['\u{1b}', '\u{202e}']),
            "{option}: {errors}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_difference_from_a_baseline_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let node = node(None).await;
    let reworded: Fault =
        Arc::new(
            |request, response| match request.query.contains("no_such_table") {
                true => response.with_body(r#"{"detail":"there is no table of that name"}"#),
                false => response,
            },
        );
    let proxy = Proxy::spawn(node.base_url(), reworded)
        .await
        .expect("a proxy");
    let baseline = |url: &str, name: &str, more: &[&str]| {
        let out = folder.path().join(name);
        let mut command = run(url);
        command.args(["--quiet", "--baseline", "it", "--baseline-dir"]);
        command.arg(folder.path()).args(more);
        let ran = ran(command.arg("--report-dir").arg(&out));
        (ran.0, out.join("report.json"))
    };
    let (recorded, before) = baseline(node.base_url(), "before", &["--record"]);
    let (compared, after) = baseline(&proxy.server.base_url(), "after", &[]);
    assert_eq!((recorded, compared), (0, 1));
    let (status, text, _) = diff(&before, &after, &[]);
    let lines = [
        "fail         baseline/state-unknown-table: ",
        "\n    -  \"detail\": \"no such table: no_such_table\"\n",
        "\n    +  \"detail\": \"there is no table of that name\"\n",
    ];
    for line in lines {
        assert!(status == 1 && text.contains(line), "{line}: {text}");
    }
}
