//! Renders findings as annotations of a GitHub Actions job.
//!
//! GitHub runs each line of a job's output that begins with `::` as a command. Every line here is
//! one of our own commands. A node's text cannot begin a command, because its line ends are escaped.

use std::fmt::Write;

use nodeproof_primitives::escape::escaped_up_to;

use crate::model::{CaseReport, NodesReport, Outcome, Report, Verdict};

/// Renders each finding as an annotation, and the verdict as the last annotation.
#[must_use]
pub fn github(report: &Report) -> String {
    let mut out = String::new();
    node(report, &mut out);
    out
}

/// Renders the findings of several nodes, and the differences between the nodes.
#[must_use]
pub fn nodes_github(report: &NodesReport) -> String {
    let mut out = String::new();
    for report in &report.nodes {
        node(report, &mut out);
    }
    for check in &report.cross_check {
        if let (Outcome::Fail, Some(first)) = (check.outcome, check.findings.first()) {
            let lines = [line("found", &first.what), line("at", &first.place)];
            command("error", &check.id, &lines.concat(), &mut out);
        }
    }
    out
}

fn node(report: &Report, out: &mut String) {
    let target = &report.target;
    for (cause, explained) in report.causes() {
        let kind = match cause.outcome {
            Outcome::Fail => "error",
            Outcome::Warn if report.strict => "error",
            Outcome::Warn => "warning",
            _ => "notice",
        };
        let failing = explained.iter();
        let failing = failing
            .filter(|case| case.outcome.has_new_findings())
            .count();
        command(
            kind,
            &cause.id,
            &message(cause, &target.base_url, failing),
            out,
        );
    }
    let stale = report.cases.iter();
    for case in stale.filter(|case| case.outcome == Outcome::Stale) {
        let note = case.note.as_deref().unwrap_or_default();
        let text = format!("stale: it passes; the note of the expectation: {note}");
        command("error", &case.id, &escaped_up_to(&text, 600), out);
    }
    let kind = match (report.verdict, report.exit_code) {
        (Verdict::Conforms, 0) => "notice",
        _ => "error",
    };
    let mut text = format!(
        "{} ({}): {}",
        target.base_url,
        target.network,
        report.in_words()
    );
    if let Some(reason) = &report.reason {
        let _ = write!(text, ": {reason}");
    }
    let counts = [Outcome::Pass, Outcome::Fail, Outcome::Inconclusive];
    let counts =
        counts.map(|outcome| format!("{} {}", report.count_own(outcome), outcome.participle()));
    let _ = write!(text, "; {}", counts.join(", "));
    command(kind, "nodeproof", &escaped_up_to(&text, 1_000), out);
}

/// Describes a finding in several lines: the mismatch, the requirement and the next step.
fn message(case: &CaseReport, base_url: &str, failing: usize) -> String {
    let mut text = line("node", base_url);
    for requirement in &case.requirements {
        text.push_str(&line(
            "requires",
            &format!("{}: {}", requirement.id, requirement.text),
        ));
    }
    if let Some(finding) = case.findings.first() {
        text.push_str(&line("found", &finding.what));
        if let Some(at) = finding.pointer.as_deref().filter(|at| !at.is_empty()) {
            text.push_str(&line("at", at));
        }
        text.push_str(&line("expected", &finding.expected));
        text.push_str(&line("actual", &finding.actual));
        // A truncated command would send a different request.
        if let Some(curl) = finding.curl.as_deref().filter(|curl| curl.len() <= 500) {
            text.push_str(&line("try", curl));
        }
    }
    if failing > 0 {
        let cases = if failing == 1 {
            "case fails"
        } else {
            "cases fail"
        };
        text.push_str(&format!("{failing} more {cases} for the same reason\n"));
    }
    text.push_str(&line("explain", &format!("nodeproof explain {}", case.id)));
    text
}

fn line(label: &str, text: &str) -> String {
    format!("{label}: {}\n", escaped_up_to(text, 600))
}

/// Writes a workflow command. `message` may have several lines.
fn command(kind: &str, title: &str, message: &str, out: &mut String) {
    let title = data(&escaped_up_to(title, 200))
        .replace(':', "%3A")
        .replace(',', "%2C");
    let _ = writeln!(out, "::{kind} title={title}::{}", data(message.trim_end()));
}

/// Escapes a command's data.
fn data(text: &str) -> String {
    let text = text
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A");
    without_old_commands(&text)
}

/// Escapes the beginning of an older form of commands: `##[` anywhere in a line of a job's output.
#[must_use]
pub fn without_old_commands(text: &str) -> String {
    text.replace("##[", "#\\u{23}[")
}

/// Renders an error that prevented a run as an annotation.
#[must_use]
pub fn github_error(message: &str) -> String {
    let mut out = String::new();
    command(
        "error",
        "nodeproof",
        &escaped_up_to(message, 1_000),
        &mut out,
    );
    out
}
