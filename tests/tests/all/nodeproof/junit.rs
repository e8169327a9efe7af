//! `junit.xml`, read by readers of JUnit.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use integration_tests::{
    faults::{change_json, set},
    proxy::Proxy,
};
use nodeproof_devnode::InjectedFault;
use quick_junit::{NonSuccessKind, TestCaseStatus};
use roxmltree::Document;
use serde_json::{Value, json};

use super::{json as read, node, ran, run};

/// Returns the numbers of cases that pass, fail, have an error and are skipped, read with quick-junit.
fn counts(xml: &str) -> BTreeMap<&'static str, usize> {
    let report = quick_junit::Report::deserialize_from_str(xml).expect("JUnit");
    let mut counts = BTreeMap::new();
    for case in report
        .test_suites
        .iter()
        .flat_map(|suite| &suite.test_cases)
    {
        let status = match &case.status {
            TestCaseStatus::Success { .. } => "passed",
            TestCaseStatus::NonSuccess { kind, .. } => match kind {
                NonSuccessKind::Failure => "failures",
                NonSuccessKind::Error => "errors",
            },
            TestCaseStatus::Skipped { .. } => "skipped",
        };
        *counts.entry(status).or_default() += 1;
    }
    counts
}

/// Counts in the same way with `junitparser`, if Python has it.
fn counted_by_junitparser(path: &Path) -> Option<BTreeMap<&'static str, usize>> {
    const SCRIPT: &str = "\
import sys
try:
    import junitparser as j
except ImportError:
    sys.exit(77)
kinds = {'passed': 0, 'failures': 0, 'errors': 0, 'skipped': 0}
for suite in j.JUnitXml.fromfile(sys.argv[1]):
    for case in suite:
        name = {j.Failure: 'failures', j.Error: 'errors', j.Skipped: 'skipped'}
        kinds[name[type(case.result[0])] if case.result else 'passed'] += 1
print(*kinds.values())
";
    let output = Command::new("python3")
        .args(["-c", SCRIPT])
        .arg(path)
        .output();
    let output = output
        .ok()
        .filter(|output| output.status.code() != Some(77))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let numbers = text
        .split_whitespace()
        .map(|number| number.parse().expect("a number"));
    let names = ["passed", "failures", "errors", "skipped"];
    Some(
        names
            .into_iter()
            .zip(numbers)
            .filter(|(_, count)| *count > 0)
            .collect(),
    )
}

/// Returns the counts that `junit.xml` must have, from `report.json`.
fn expected(report: &Value) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    let mut add = |name| *counts.entry(name).or_insert(0) += 1;
    for node in report["nodes"].as_array().expect("nodes") {
        // The run is a separate case.
        add(match node["verdict"].as_str() {
            Some("unreachable" | "error") => "errors",
            _ => "passed",
        });
        for case in node["cases"].as_array().expect("cases") {
            add(match case["outcome"].as_str().expect("an outcome") {
                "fail" => "failures",
                "inconclusive" | "skipped" => "skipped",
                _ => "passed",
            });
        }
    }
    for check in report["cross_check"].as_array().into_iter().flatten() {
        add(match check["outcome"].as_str().expect("an outcome") {
            "fail" => "failures",
            "inconclusive" => "skipped",
            _ => "passed",
        });
    }
    counts
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_report_is_read_back_as_it_was_meant() {
    let (good, rows) = (node(None).await, node(Some(InjectedFault::BlockRows)).await);
    let hostile = change_json("/get-block", |_, block| {
        let text = "]]><system-err/>&#0;\u{0}\u{8}\u{1b}\u{fffe}\" time='x'";
        set(block, "/creator_wallet", json!(text));
        set(block, "/proof", json!({text: text}));
    });
    let hostile = Proxy::spawn(&good, hostile).await.expect("a proxy").server;
    let honest = Proxy::honest(&good).await.expect("a proxy").server;
    let mut skipped = false;
    for (name, urls) in [
        ("a good node", vec![good.base_url().to_owned()]),
        ("a node with a fault", vec![rows.base_url().to_owned()]),
        ("a hostile node", vec![hostile.base_url()]),
        ("no node", vec!["http://127.0.0.1:1".to_owned()]),
        (
            "two nodes",
            vec![good.base_url().to_owned(), honest.base_url()],
        ),
        (
            "two nodes that differ",
            vec![good.base_url().to_owned(), hostile.base_url()],
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = run(&urls[0]);
        for url in &urls[1..] {
            command.args(["--base-url", url]);
        }
        ran(command.arg("--report-dir").arg(folder.path()));
        let path = folder.path().join("junit.xml");
        let xml = fs::read_to_string(&path).expect("junit.xml");
        let document = Document::parse(&xml).expect("XML");
        // The writer would add the count of skipped cases, which the schema of Jenkins has only on suites.
        let root = document.root_element();
        assert_eq!(root.tag_name().name(), "testsuites");
        let attributes: BTreeSet<_> = root.attributes().map(|one| one.name()).collect();
        let allowed = ["errors", "failures", "name", "tests", "time"];
        assert_eq!(attributes, BTreeSet::from(allowed), "{name}");

        let suites: Vec<_> = document
            .descendants()
            .filter(|part| part.has_tag_name("testsuite"))
            .collect();
        let names: BTreeSet<_> = suites.iter().map(|suite| suite.attribute("name")).collect();
        assert_eq!(names.len(), suites.len(), "{name}: one suite for each name");
        assert!(
            suites.iter().all(|suite| suite.has_attribute("timestamp")),
            "{name}"
        );

        let expected = expected(&read(&folder.path().join("report.json")));
        assert_eq!(counts(&xml), expected, "{name}");
        match counted_by_junitparser(&path) {
            Some(counted) => assert_eq!(counted, expected, "{name}"),
            None => skipped = true,
        }
        // The numbers in the attributes match those of the cases.
        for attribute in ["failures", "errors"] {
            let count: usize = root
                .attribute(attribute)
                .expect("it")
                .parse()
                .expect("a number");
            let counted = expected.get(attribute).copied().unwrap_or_default();
            assert_eq!(count, counted, "{name}: {attribute}");
        }
    }
    if skipped {
        eprintln!("SKIPPED: python3 has no junitparser, so it did not read the reports");
    }
}
