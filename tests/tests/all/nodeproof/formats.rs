//! The output in each format, written to a pipe.

use std::{fs, process::Command, sync::Arc};

use axum::http::{HeaderValue, StatusCode, header};
use integration_tests::{
    faults::{change_json, set},
    proxy::{Fault, Proxy},
};
use nodeproof_devnode::InjectedFault;
use serde_json::{Value, json};

use super::{NODEPROOF, node, node_report, ran, run};

/// Returns the cases of a report with this outcome.
fn with_outcome(report: &Value, outcome: &str) -> Vec<String> {
    let cases = report["cases"].as_array().expect("cases");
    let cases = cases.iter().filter(|case| case["outcome"] == outcome);
    cases
        .map(|case| case["id"].as_str().expect("an ID").to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_failure_is_printed_twice_in_a_pipe() {
    let node = node(Some(InjectedFault::BlockRows)).await;
    let folder = tempfile::tempdir().expect("a folder");
    let expect = folder.path().join("expect.toml");
    let stale = "[[expect]]\ncase = \"docs/responds\"\nreason = \"is tracked\"\n";
    fs::write(&expect, stale).expect("a file");
    for format in ["pretty", "compact", "github"] {
        let only_pretty = ["--verbose", "--quiet"].into_iter();
        let only_pretty = only_pretty.filter(|_| format == "pretty");
        for more in ["", "--blocks .."].into_iter().chain(only_pretty) {
            // Both streams go into one pipe.
            let script = format!(
                "\"$0\" --network devnet --base-url {} --only 'get-block/*' --only docs/responds \
                 --format {format} {more} --expect {} --report-dir {} 2>&1",
                node.base_url(),
                expect.display(),
                folder.path().display()
            );
            let (status, out, _) = ran(Command::new("sh").arg("-c").arg(script).arg(&*NODEPROOF));
            assert_eq!(status, 1, "{out}");
            let report = node_report(&folder.path().join("report.json"));
            let mut failed = with_outcome(&report, "fail");
            assert!(failed.len() > 3, "{failed:?}");
            failed.extend(with_outcome(&report, "stale"));
            assert_eq!(failed.last().map(String::as_str), Some("docs/responds"));
            for id in &failed {
                let is_told = |line: &&str| {
                    let words: Vec<_> = line.split([' ', ':', '=']).collect();
                    let tells = ["fail", "stale", "error", "found"];
                    words.iter().any(|word| tells.contains(word)) && words.contains(&id.as_str())
                };
                let count = out.lines().filter(is_told).count();
                assert!(count <= 1, "{format} {more} {id}: {count} times in {out}");
                if format == "compact" {
                    assert_eq!(count, 1, "{more} {id}: {out}");
                }
            }
            assert!(out.contains("get-block/shape"), "{format} {more}: {out}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_expectation_that_expired_says_so_beside_the_failure() {
    let node = node(Some(InjectedFault::RemarksCut)).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (expect, summary) = (
        folder.path().join("expect.toml"),
        folder.path().join("s.md"),
    );
    let case = "sc-state/record-matches-claim";
    let expired =
        format!("[[expect]]\ncase = \"{case}\"\nreason = \"fixed soon\"\nexpires = 2020-01-01\n");
    fs::write(&expect, expired).expect("a file");
    let mut command = run(node.base_url());
    command.args(["--only", case, "--quiet", "--expect"]);
    command.arg(&expect).arg("--summary").arg(&summary);
    let (status, out, _) = ran(&mut command);
    assert_eq!(status, 1, "{out}");
    let note = "known until it expired: fixed soon";
    assert!(out.contains(&format!("\n  note      {note}\n")), "{out}");
    let summary = fs::read_to_string(&summary).expect("a file");
    assert!(summary.contains(note), "{summary}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_list_of_findings_in_html_has_the_block() {
    let node = node(None).await;
    let wrong: Fault = change_json("/get-block", |_, block| {
        if block["index"] == 7 {
            block["proof"] = json!("x");
        }
    });
    let proxy = Proxy::spawn(&node, wrong).await.expect("a proxy");
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = run(&proxy.server.base_url());
    command.args([
        "--only",
        "get-block/proof",
        "--blocks",
        "..",
        "--report-dir",
    ]);
    let (status, out, _) = ran(command.arg(folder.path()));
    assert_eq!(status, 1, "{out}");
    let page = fs::read_to_string(folder.path().join("report.html")).expect("a page");
    assert!(page.contains("first at block 7"), "{page}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn compact_has_a_line_for_each_selected_case() {
    let (good, bad) = (
        node(None).await,
        node(Some(InjectedFault::BlockSeconds)).await,
    );
    let mut command = run(bad.base_url());
    let command = command.args(["--format", "compact", "--only", "get-block/*"]);
    let (status, out, _) = ran(command.args(["--skip", "get-block/s*"]));
    assert_eq!(status, 1, "{out}");
    let cases: Vec<_> = out
        .lines()
        .filter(|line| line.contains("get-block/"))
        .collect();
    assert!(
        cases.len() > 20 && cases.iter().all(|line| !line.contains("get-block/s")),
        "{out}"
    );
    let failed = "fail         get-block/timestamp-unit: ";
    assert!(cases.iter().any(|line| line.starts_with(failed)), "{out}");
    assert!(cases.contains(&"pass         get-block/index"), "{out}");
    // The verdict, the counts, what was examined and the cost follow.
    assert_eq!(out.lines().count(), cases.len() + 4, "{out}");

    let mut command = run(good.base_url());
    command.args(["--base-url", bad.base_url(), "--format", "compact"]);
    let (status, out, _) = ran(command.args(["--only", "get-block/index"]));
    let lines: Vec<_> = out
        .lines()
        .filter(|line| line.contains("get-block/index"))
        .collect();
    let expected = [
        "node 1  pass         get-block/index",
        "node 2  pass         get-block/index",
    ];
    assert_eq!(lines, expected, "{status}: {out}");
}

/// Text that would be a command of GitHub Actions or markup, or that a terminal would act on.
const HOSTILE: &str = "x\n::error title=mine::b\r\n  ::add-mask::c\n##[error]d%0A::notice::e\
                       </code><img src=x>`[f](http://g)\u{1b}[31m\u{202e}";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn annotations_and_summaries_are_safe_whatever_a_node_returns() {
    let node = node(None).await;
    let fault = change_json("/get-block", |_, block| {
        set(block, "/creator_wallet", json!(HOSTILE));
        set(block, "/proof", json!({HOSTILE: HOSTILE}));
    });
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
    let folder = tempfile::tempdir().expect("a folder");
    let summary = folder.path().join("summary.md");
    fs::write(&summary, "# Before\n\n").expect("a file");
    let mut command = run(&proxy.server.base_url());
    let command = command.args(["--format", "github", "--report-dir"]);
    let (status, out, errors) = ran(command.arg(folder.path()).arg("--summary").arg(&summary));
    assert_eq!((status, errors.as_str()), (1, ""), "{out}");
    let report = node_report(&folder.path().join("report.json"));
    let causes = report["cases"]
        .as_array()
        .expect("cases")
        .iter()
        .filter(|case| {
            let fails = ["fail", "warn", "info"]
                .map(Value::from)
                .contains(&case["outcome"]);
            fails && case["explained_by"].is_null()
        });
    let ours = ["::error title=", "::warning title=", "::notice title="];
    for line in out.lines() {
        assert!(ours.iter().any(|start| line.starts_with(start)), "{line}");
        assert!(!line.contains("##["), "{line}");
    }
    // One annotation for each finding, and one for the verdict.
    assert_eq!(out.lines().count(), causes.count() + 1, "{out}");
    let proof = out
        .lines()
        .find(|line| line.starts_with("::error title=get-block/proof::"));
    let proof = proof.expect("an annotation of the proof");
    for part in [
        "requires  BLOCK-4",
        "%0A  found     ",
        "%0A  actual    ",
        "%0A  try       curl -sS",
        "%250A",
    ] {
        assert!(proof.contains(part), "{part}: {proof}");
    }
    let hidden = |text: &str| text.contains(['\u{1b}', '\u{202e}', '\r']);
    assert!(!hidden(&out), "{out}");

    let text = fs::read_to_string(&summary).expect("a summary");
    assert!(
        text.starts_with("# Before\n\n## nodeproof: does not conform\n"),
        "{text}"
    );
    assert!(
        text.contains("\n### fail: ` get-block/proof `\n") && !hidden(&text),
        "{text}"
    );
    for line in text.lines().filter(|line| line.contains("<img")) {
        let start = line.find('`').expect("a code span");
        assert!(
            !line[..start].contains("<img") && line.ends_with('`'),
            "{line}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_summary_is_appended_for_one_node_and_for_several() {
    let one = node(None).await;
    let other = Proxy::honest(&one).await.expect("a proxy").server;
    let folder = tempfile::tempdir().expect("a folder");
    let summary = folder.path().join("summary.md");
    let with = |url: &str| {
        let mut command = run(url);
        command
            .args(["--only", "get-block/index", "--summary"])
            .arg(&summary);
        command
    };
    assert_eq!(ran(&mut with(one.base_url())).0, 0);
    let (status, _, errors) = ran(with(one.base_url()).args(["--base-url", &other.base_url()]));
    assert_eq!(status, 0, "{errors}");
    let text = fs::read_to_string(&summary).expect("a summary");
    for (part, count) in [
        ("## nodeproof: 1 of 1 selected cases passed", 1),
        ("## nodeproof: all nodes conform, and agree", 1),
        (": 1 of 1 selected cases passed", 4),
        ("- **pass** ` cross-check/height `", 1),
        ("- Load on the node: ", 3),
    ] {
        assert_eq!(text.matches(part).count(), count, "{part}: {text}");
    }

    let mut command = run(one.base_url());
    let (status, out, errors) = ran(command.arg("--summary").arg(folder.path()));
    assert_eq!((status, out.as_str()), (2, ""), "{errors}");
    assert!(
        errors.contains("the summary can't be written to"),
        "{errors}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_report_has_the_cost_to_the_node() {
    let node = node(None).await;
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = run(node.base_url());
    let (status, out, _) = ran(command.arg("--report-dir").arg(folder.path()));
    assert_eq!(status, 0, "{out}");
    let last = out.lines().last().expect("a line");
    assert!(
        last.starts_with("load on the node: ") && last.contains(" requests/s; latency: median ")
    );
    let report = node_report(&folder.path().join("report.json"));
    let cost = &report["cost"];
    let endpoints = cost["endpoints"].as_array().expect("endpoints");
    let responses = |latency: &Value| latency["responses"].as_u64().expect("a number");
    let sum: u64 = endpoints.iter().map(|one| responses(&one["latency"])).sum();
    // Every request to a good node gets one response. Half of a call that is held, a GET beside it, and a HEAD are not measured.
    assert_eq!(sum + 3, report["requests"].as_u64().expect("a number"));
    assert_eq!(responses(&cost["latency"]), sum);
    let blocks = endpoints.iter().find(|one| one["operation"] == "get-block");
    let latency = &blocks.expect("get-block")["latency"];
    let ms = |name: &str| latency[name].as_f64().expect("a number");
    assert!(
        ms("median_ms") > 0.0 && ms("median_ms") <= ms("p95_ms") && ms("p95_ms") <= ms("max_ms")
    );
    let page = fs::read_to_string(folder.path().join("report.html")).expect("a page");
    assert!(page.contains(" requests/s; latency: median "));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_pasted_command_sends_one_request_whatever_a_redirect_names() {
    let node = node(None).await;
    let fault: Fault = Arc::new(|request, mut response| {
        if request.path == "/docs" {
            let to = HeaderValue::from_static("/docs[1-3]{a,b}");
            response.headers.insert(header::LOCATION, to);
            return response.with_status(StatusCode::TEMPORARY_REDIRECT);
        }
        response
    });
    let proxy = Proxy::spawn(&node, fault).await.expect("a proxy");
    let (_, out, _) = ran(&mut run(&proxy.server.base_url()));
    let commands: Vec<&str> = out
        .lines()
        .filter_map(|line| line.strip_prefix("  try "))
        .map(str::trim_start)
        .filter(|command| command.contains('['))
        .collect();
    assert!(!commands.is_empty(), "{out}");
    for command in commands {
        let before = proxy.requests().len();
        let (_, _, errors) = ran(Command::new("sh").args(["-c", command]));
        assert_eq!(proxy.requests().len(), before + 1, "{command}: {errors}");
    }
}
