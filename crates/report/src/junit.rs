//! Renders reports as JUnit XML for Jenkins, GitLab and other CI servers.
//!
//! A failed case is a `failure`, and an inconclusive case is `skipped`. The servers look only at
//! failures and errors. A document that contains only skipped cases would look like a success, so a
//! run without a verdict has a separate `error`.

use std::{io, time::Duration};

use chrono::DateTime;
use nodeproof_primitives::escape::{escaped, escaped_up_to};
use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use crate::{
    model::{CaseReport, ExitStatus, NodeReport, Outcome, Report, Verdict},
    text::{Style, details_text},
};

/// Maximum length of a message in an attribute, in characters.
const MAX_MESSAGE: usize = 400;

/// Renders a report as JUnit XML, with a suite for each node, and one for the comparison between
/// several nodes.
///
/// # Errors
/// Returns an error if the document cannot be written. That would be a bug in this crate.
pub fn junit(report: &Report) -> io::Result<String> {
    let mut document = quick_junit::Report::new("nodeproof");
    let longest = report.nodes.iter().map(|node| node.elapsed_ms).max();
    document.set_time(Duration::from_millis(longest.unwrap_or_default()));
    for node in &report.nodes {
        document.add_test_suite(suite(node));
    }
    if report.has_several() {
        let mut suite = TestSuite::new("cross-check");
        let started = report.nodes.iter().map(|node| &node.started_at).min();
        set_started(&mut suite, started.map_or("", String::as_str));
        suite.add_test_cases(
            report
                .cross_check
                .iter()
                .map(|check| test_case(check, false)),
        );
        document.add_test_suite(suite);
    }
    let xml = document.to_string().map_err(io::Error::other)?;
    Ok(without_skipped_of_root(xml))
}

/// Removes the count of skipped cases from the root element, because the schema that Jenkins publishes
/// allows it only on suites.
fn without_skipped_of_root(xml: String) -> String {
    let root = xml.split_once(" skipped=\"");
    let parts = root.and_then(|(before, rest)| Some((before, rest.split_once('"')?.1)));
    match parts {
        Some((before, after)) if !before.contains("<testsuite ") => format!("{before}{after}"),
        _ => xml,
    }
}

fn set_started(suite: &mut TestSuite, started_at: &str) {
    if let Ok(started) = DateTime::parse_from_rfc3339(started_at) {
        suite.set_timestamp(started);
    }
}

fn suite(node: &NodeReport) -> TestSuite {
    let base_url = escaped_up_to(&node.target.base_url, 2_000);
    let mut suite = TestSuite::new(base_url.clone());
    set_started(&mut suite, &node.started_at);
    for (name, value) in [
        ("base_url", base_url),
        ("network", escaped_up_to(&node.target.network, MAX_MESSAGE)),
        ("verdict", node.verdict.name().to_owned()),
        ("exit_code", node.exit_code.to_string()),
        ("requests", node.requests.to_string()),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
    ] {
        suite.add_property(Property::new(name, value));
    }
    suite.add_test_case(whole_run(node));
    let cases = node.cases.iter();
    suite.add_test_cases(cases.map(|case| test_case(case, node.strict)));
    suite.set_time(suite.test_cases.iter().filter_map(|case| case.time).sum());
    suite
}

/// Returns an extra case that shows whether the run has a verdict.
fn whole_run(node: &NodeReport) -> TestCase {
    let reason = node.reason.as_deref().unwrap_or("no reason is known");
    let reason = escaped_up_to(reason, MAX_MESSAGE);
    let failed = node.cases.iter().any(|case| fails(case, node.strict));
    let status = match node.verdict {
        Verdict::Unreachable => {
            let kind = match ExitStatus::from_code(node.exit_code) {
                Some(ExitStatus::Interrupted | ExitStatus::Terminated) => "interrupted",
                _ => "unreachable",
            };
            non_success(NonSuccessKind::Error, kind, &reason, None)
        }
        Verdict::Error => non_success(NonSuccessKind::Error, "harness", &reason, None),
        // An exit status other than 0 must not look like a success.
        Verdict::Conforms | Verdict::DoesNotConform if node.exit_code != 0 && !failed => {
            non_success(NonSuccessKind::Failure, "run", &reason, None)
        }
        Verdict::Conforms | Verdict::DoesNotConform => TestCaseStatus::success(),
    };
    let mut case = TestCase::new("run/has-verdict", status);
    case.set_classname("run");
    case.set_time(Duration::from_millis(node.elapsed_ms));
    case
}

/// Returns whether the case fails the run.
const fn fails(case: &CaseReport, strict: bool) -> bool {
    match case.outcome {
        Outcome::Fail | Outcome::Stale => true,
        Outcome::Warn => strict,
        _ => false,
    }
}

fn test_case(case: &CaseReport, strict: bool) -> TestCase {
    let reason = escaped_up_to(case.reason.as_deref().unwrap_or_default(), MAX_MESSAGE);
    let note = escaped_up_to(case.note.as_deref().unwrap_or_default(), MAX_MESSAGE);
    let text = details_text(case, Style::Plain);
    let fails = fails(case, strict);
    let status = match case.outcome {
        Outcome::Stale => non_success(NonSuccessKind::Failure, "stale", &note, None),
        _ if fails => {
            let level = case.level.name();
            non_success(NonSuccessKind::Failure, level, &reason, Some(&text))
        }
        Outcome::Known => skipped("known", &format!("known mismatch: {note}")),
        Outcome::Inconclusive => skipped("inconclusive", &reason),
        Outcome::Skipped => skipped("skipped", &reason),
        _ => TestCaseStatus::success(),
    };
    let mut junit = TestCase::new(escaped(&case.id), status);
    junit.set_classname(escaped(case.operation()));
    junit.set_time(Duration::from_millis(case.elapsed_ms));
    if !fails && !case.findings.is_empty() {
        junit.set_system_out(format!("{}: {reason}\n\n{text}", case.outcome.name()));
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns a report with one case.
    fn report(verdict: &str, exit_code: u8, outcome: &str) -> Report {
        let node: NodeReport = serde_json::from_value(json!({
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
        .unwrap();
        node.into()
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
