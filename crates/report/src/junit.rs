//! Renders reports as JUnit XML for Jenkins, GitLab and other CI servers.
//!
//! A failed case is a `failure`, and an inconclusive case is `skipped`. The servers look only at
//! failures and errors. A document that contains only skipped cases would look like a success, so a
//! run without a verdict has a separate `error`.

use std::{io, time::Duration};

use chrono::DateTime;
use nodeproof_primitives::escape::{escaped, escaped_lines, escaped_up_to};
use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use crate::model::{
    CaseReport, CrossCheck, CrossFinding, CrossValue, ExitStatus, FindingReport, NodesReport,
    Outcome, Report, Verdict,
};

/// Maximum length of a message in an attribute, in characters.
const MAX_MESSAGE: usize = 400;

/// Renders a report as JUnit XML, with a suite for each operation.
///
/// # Errors
/// Returns an error if the document cannot be written. That would be a bug in this crate.
pub fn junit(report: &Report) -> io::Result<String> {
    let mut document = quick_junit::Report::new("nodeproof");
    document.set_time(Duration::from_millis(report.elapsed_ms));
    document.add_test_suite(suite(report, "run", vec![whole_run(report)]));
    let mut suites: Vec<(&str, Vec<TestCase>)> = Vec::new();
    for case in &report.cases {
        let operation = case.operation();
        let place = suites.iter().position(|(name, _)| *name == operation);
        let place = place.unwrap_or_else(|| {
            suites.push((operation, Vec::new()));
            suites.len() - 1
        });
        suites[place].1.push(test_case(case, report));
    }
    for (operation, cases) in suites {
        document.add_test_suite(suite(report, operation, cases));
    }
    written(&document)
}

/// Renders the report of several nodes as JUnit XML, with a suite for each node, and one for the
/// comparison between them.
///
/// # Errors
/// Returns an error if the document cannot be written. That would be a bug in this crate.
pub fn nodes_junit(report: &NodesReport) -> io::Result<String> {
    let mut document = quick_junit::Report::new("nodeproof");
    let longest = report.nodes.iter().map(|node| node.elapsed_ms).max();
    document.set_time(Duration::from_millis(longest.unwrap_or_default()));
    for node in &report.nodes {
        let mut cases = vec![whole_run(node)];
        cases.extend(node.cases.iter().map(|case| test_case(case, node)));
        document.add_test_suite(suite(node, &node.target.base_url, cases));
    }
    let mut suite = TestSuite::new("cross-check");
    let started = report.nodes.iter().map(|node| &node.started_at).min();
    if let Some(Ok(started)) = started.map(|started| DateTime::parse_from_rfc3339(started)) {
        suite.set_timestamp(started);
    }
    suite.add_test_cases(report.cross_check.iter().map(cross_check));
    document.add_test_suite(suite);
    written(&document)
}

/// Writes a document. It removes the count of skipped cases from the root element, because the schema
/// that Jenkins publishes allows it only on suites.
fn written(document: &quick_junit::Report) -> io::Result<String> {
    let mut xml = document.to_string().map_err(io::Error::other)?;
    if let Some(root) = xml.find("<testsuites ")
        && let Some(length) = xml[root..].find('>')
        && let Some(start) = xml[root..root + length].find(" skipped=\"")
    {
        let start = root + start;
        let value = start + " skipped=\"".len();
        if let Some(end) = xml[value..].find('"') {
            xml.replace_range(start..=value + end, "");
        }
    }
    Ok(xml)
}

fn cross_check(check: &CrossCheck) -> TestCase {
    let reason = escaped_up_to(check.reason.as_deref().unwrap_or_default(), MAX_MESSAGE);
    let status = match (check.outcome, check.findings.first()) {
        (Outcome::Fail, first) => {
            let message = first.map_or("", |finding| &finding.what);
            let text: String = check.findings.iter().map(differing).collect();
            let message = escaped_up_to(message, MAX_MESSAGE);
            non_success(NonSuccessKind::Failure, "differs", &message, Some(&text))
        }
        (Outcome::Inconclusive, _) => skipped("inconclusive", &reason),
        _ => TestCaseStatus::success(),
    };
    let mut junit = TestCase::new(escaped(&check.id), status);
    junit.set_classname("cross-check");
    if !reason.is_empty() {
        junit.set_system_out(reason);
    }
    junit
}

fn differing(finding: &CrossFinding) -> String {
    let mut text = format!("\nfound:    {}\n", escaped_lines(&finding.what));
    text.push_str(&format!("at:       {}\n", escaped_lines(&finding.place)));
    if finding.count > 1 {
        text.push_str(&format!(
            "          the first of {} places\n",
            finding.count
        ));
    }
    for CrossValue { value, nodes } in &finding.values {
        let nodes = escaped_lines(&nodes.join(", "));
        text.push_str(&format!("{}: {nodes}\n", escaped_lines(value)));
    }
    text
}

fn suite(report: &Report, name: &str, cases: Vec<TestCase>) -> TestSuite {
    let mut suite = TestSuite::new(escaped_up_to(name, MAX_MESSAGE));
    suite.set_time(cases.iter().filter_map(|case| case.time).sum());
    if let Ok(started) = DateTime::parse_from_rfc3339(&report.started_at) {
        suite.set_timestamp(started);
    }
    for (name, value) in [
        ("base_url", escaped_up_to(&report.target.base_url, 2_000)),
        (
            "network",
            escaped_up_to(&report.target.network, MAX_MESSAGE),
        ),
        ("verdict", report.verdict.name().to_owned()),
        ("exit_code", report.exit_code.to_string()),
        ("requests", report.requests.to_string()),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
    ] {
        suite.add_property(Property::new(name, value));
    }
    suite.add_test_cases(cases);
    suite
}

/// Returns an extra case that shows whether the run has a verdict.
fn whole_run(report: &Report) -> TestCase {
    let reason = || {
        escaped_up_to(
            report.reason.as_deref().unwrap_or("no reason is known"),
            MAX_MESSAGE,
        )
    };
    let failed = report.cases.iter().any(|case| fails(case, report));
    let status = match report.verdict {
        Verdict::Unreachable => {
            let kind = match ExitStatus::from_code(report.exit_code) {
                Some(ExitStatus::Interrupted | ExitStatus::Terminated) => "interrupted",
                _ => "unreachable",
            };
            non_success(NonSuccessKind::Error, kind, &reason(), None)
        }
        Verdict::Error => non_success(NonSuccessKind::Error, "harness", &reason(), None),
        // An exit status other than 0 must not look like a success.
        Verdict::Conforms | Verdict::DoesNotConform if report.exit_code != 0 && !failed => {
            non_success(NonSuccessKind::Failure, "run", &reason(), None)
        }
        Verdict::Conforms | Verdict::DoesNotConform => TestCaseStatus::success(),
    };
    let mut case = TestCase::new("run/has-verdict", status);
    case.set_classname("run");
    case.set_time(Duration::from_millis(report.elapsed_ms));
    case
}

/// Returns whether the case fails the run.
fn fails(case: &CaseReport, report: &Report) -> bool {
    match case.outcome {
        Outcome::Fail | Outcome::Stale => true,
        Outcome::Warn => report.strict,
        _ => false,
    }
}

fn test_case(case: &CaseReport, report: &Report) -> TestCase {
    let reason = escaped_up_to(case.reason.as_deref().unwrap_or_default(), MAX_MESSAGE);
    let note = escaped_up_to(case.note.as_deref().unwrap_or_default(), MAX_MESSAGE);
    let status = match case.outcome {
        Outcome::Stale => non_success(NonSuccessKind::Failure, "stale", &note, None),
        _ if fails(case, report) => {
            let text = text(case);
            non_success(
                NonSuccessKind::Failure,
                case.level.name(),
                &reason,
                Some(&text),
            )
        }
        Outcome::Known => skipped("known", &format!("known mismatch: {note}")),
        Outcome::Inconclusive => skipped("inconclusive", &reason),
        Outcome::Skipped => skipped("skipped", &reason),
        _ => TestCaseStatus::success(),
    };
    let mut junit = TestCase::new(escaped(&case.id), status);
    junit.set_classname(escaped(case.operation()));
    junit.set_time(Duration::from_millis(case.elapsed_ms));
    if !fails(case, report) && !case.findings.is_empty() {
        junit.set_system_out(format!(
            "{}: {reason}\n\n{}",
            case.outcome.name(),
            text(case)
        ));
    }
    junit
}

fn non_success(
    kind: NonSuccessKind,
    of: &str,
    message: &str,
    text: Option<&str>,
) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    // GitLab shows the text but not the message.
    status
        .set_type(of)
        .set_message(message)
        .set_description(text.unwrap_or(message));
    status
}

fn skipped(of: &str, reason: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_type(of).set_message(reason);
    status
}

/// Describes a case with findings.
fn text(case: &CaseReport) -> String {
    let cited = case.requirements.iter();
    let mut text: String = cited
        .map(|one| {
            format!(
                "requires: {}: {}\n",
                escaped_lines(&one.id),
                escaped_lines(&one.text)
            )
        })
        .collect();
    for finding in &case.findings {
        text.push_str(&found(finding));
    }
    if case.more_findings > 0 {
        text.push_str(&format!("\nand {} more\n", case.more_findings));
    }
    if let Some(snapshot) = &case.snapshot {
        text.push_str(&format!("\nsnapshot: {}\n", escaped_lines(snapshot)));
    }
    if !case.requirements.is_empty() {
        text.push_str(&format!(
            "\nexplain:  nodeproof explain {}\n",
            escaped_lines(&case.id)
        ));
    }
    text
}

fn found(finding: &FindingReport) -> String {
    let mut text = format!("\nfound:    {}\n", escaped_lines(&finding.what));
    let at = finding
        .pointer
        .as_deref()
        .map(|at| if at.is_empty() { "the whole body" } else { at });
    let block = finding.block.map(|block| match finding.count {
        Some(count @ 2..) => format!("{block}, the first of {count} places"),
        _ => block.to_string(),
    });
    let signed = finding.signed.as_ref();
    let values = [
        ("at", at),
        ("in block", block.as_deref()),
        ("expected", Some(finding.expected.as_str())),
        ("actual", Some(finding.actual.as_str())),
        (
            "signed",
            signed.and_then(|signed| signed.message.as_deref()),
        ),
        ("digest", signed.map(|signed| signed.digest.as_str())),
        ("verify", signed.and_then(|signed| signed.verify.as_deref())),
        ("try", finding.curl.as_deref()),
    ];
    for (name, value) in values {
        let Some(value) = value.map(escaped_lines) else {
            continue;
        };
        let name = format!("{name}:");
        if value.contains('\n') {
            text.push_str(&format!("{name}\n{value}\n"));
        } else {
            text.push_str(&format!("{name:<9} {value}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns a report with one case.
    fn report(verdict: &str, exit_code: u8, outcome: &str) -> Report {
        serde_json::from_value(json!({
            "version": 1,
            "target": {"base_url": "http://127.0.0.1:8420/", "network": "devnet"},
            "verdict": verdict, "exit_code": exit_code, "reason": "as it is",
            "requests": 3, "started_at": "2026-11-20T23:40:00Z", "elapsed_ms": 1500, "strict": false,
            "cases": [{
                "id": "get-block/proof", "level": "must", "outcome": outcome, "note": "is tracked",
                "requirements": [{"id": "BLOCK-4", "text": "`proof` is an integer."}],
                "elapsed_ms": 20,
            }],
            "coverage": {"operations": [], "unseen_fields": []},
        }))
        .unwrap()
    }

    fn has(verdict: &str, exit_code: u8, outcome: &str, parts: &[&str]) {
        let xml = junit(&report(verdict, exit_code, outcome)).unwrap();
        for part in parts {
            assert!(xml.contains(part), "{part}: {xml}");
        }
    }

    #[test]
    fn a_known_deviation_is_skipped_with_the_reason() {
        has(
            "conforms",
            0,
            "known",
            &[
                "<testsuites name=\"nodeproof\" tests=\"2\" failures=\"0\" errors=\"0\" time=\"1.500\">",
                "<skipped message=\"known mismatch: is tracked\" type=\"known\"/>",
            ],
        );
    }

    #[test]
    fn a_stale_expectation_is_a_failure() {
        let parts = [
            "failures=\"1\"",
            "<failure message=\"is tracked\" type=\"stale\">",
        ];
        has("conforms", 5, "stale", &parts);
    }

    #[test]
    fn a_failed_run_never_looks_like_a_success() {
        has(
            "conforms",
            1,
            "pass",
            &[
                "failures=\"1\"",
                "<failure message=\"as it is\" type=\"run\"",
            ],
        );
        has(
            "unreachable",
            3,
            "inconclusive",
            &["errors=\"1\"", "type=\"unreachable\""],
        );
        has(
            "unreachable",
            130,
            "pass",
            &["errors=\"1\"", "type=\"interrupted\""],
        );
        has("error", 4, "pass", &["errors=\"1\"", "type=\"harness\""]);
    }
}
