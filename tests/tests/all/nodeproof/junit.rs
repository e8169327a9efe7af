//! `junit.xml`, checked with the schema that Jenkins publishes, and with readers of JUnit.
//!
//! The schema is `junit-10.xsd` of Jenkins' xUnit plugin. It is not copied. This file lists what the
//! schema allows.

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
use roxmltree::{Document, Node};
use serde_json::{Value, json};

use super::{json as read, node, ran, run};

/// What the schema allows in an element: its children, its required and its optional attributes, and whether it
/// may contain text.
type Allowed = (&'static str, &'static str, &'static str, bool);

/// Returns what the schema allows in an element that we may write.
fn allowed(element: &str) -> Option<Allowed> {
    Some(match element {
        "testsuites" => ("testsuite", "", "name time tests failures errors", false),
        "testsuite" => (
            "testsuite properties testcase system-out system-err",
            "name tests failures errors",
            "group time skipped timestamp hostname id package file log url",
            false,
        ),
        "properties" => ("property", "", "", false),
        "property" => ("", "name value", "", false),
        "testcase" => (
            "skipped error failure system-out system-err",
            "name",
            "time classname group",
            false,
        ),
        "skipped" | "error" | "failure" => ("", "", "type message", true),
        "system-out" | "system-err" => ("", "", "", true),
        _ => return None,
    })
}

fn has(names: &str, name: &str) -> bool {
    names.split(' ').any(|one| one == name)
}

/// Returns the violations of the schema.
fn violations(element: Node<'_, '_>) -> Vec<String> {
    let name = element.tag_name().name();
    let Some((children, required, optional, is_mixed)) = allowed(name) else {
        return vec![format!("unknown element {name}")];
    };
    let mut found = Vec::new();
    for attribute in element.attributes() {
        let of = attribute.name();
        if !has(required, of) && !has(optional, of) {
            found.push(format!("{name} has {of}"));
        }
        // The time of a suite consists of digits, optional commas between them, and a fraction.
        let mut digits = attribute.value().chars();
        let is_time = digits.all(|c| c.is_ascii_digit() || c == '.' || c == ',');
        if of == "time" && (!is_time || attribute.value().matches('.').count() > 1) {
            found.push(format!("{name} has time {}", attribute.value()));
        }
    }
    for required in required.split_terminator(' ') {
        if !element.has_attribute(required) {
            found.push(format!("{name} has no {required}"));
        }
    }
    for child in element.children() {
        if child.is_element() && !has(children, child.tag_name().name()) {
            found.push(format!("{name} contains {}", child.tag_name().name()));
        }
        let is_text = child.is_text() && child.text().is_some_and(|text| !text.trim().is_empty());
        if is_text && !is_mixed {
            found.push(format!("{name} contains text"));
        }
        if child.is_element() {
            found.extend(violations(child));
        }
    }
    found
}

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
async fn every_report_keeps_the_schema_and_is_read_back_as_it_was_meant() {
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
        assert_eq!(document.root_element().tag_name().name(), "testsuites");
        let none: [&str; 0] = [];
        assert_eq!(violations(document.root_element()), none, "{name}");

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
        let root = document.root_element();
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

#[test]
fn violations_are_found() {
    let broken = "<testsuites skipped='1' time='1.2.3'>x<testsuite name='a' tests='1' errors='0'>\
                  <case/><testcase><failure why='b'/></testcase></testsuite></testsuites>";
    let document = Document::parse(broken).expect("XML");
    assert_eq!(
        violations(document.root_element()),
        [
            "testsuites has skipped",
            "testsuites has time 1.2.3",
            "testsuites contains text",
            "testsuite has no failures",
            "testsuite contains case",
            "unknown element case",
            "testcase has no name",
            "failure has why",
        ]
    );
}
