//! `junit.xml`, read by readers of JUnit.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
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
}
