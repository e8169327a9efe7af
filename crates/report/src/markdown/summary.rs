//! A summary of a run, for the page of a CI job.

use std::fmt::Write;

use super::code::code;
use crate::model::{CaseReport, FindingReport, NodesReport, Outcome, Report};

/// Maximum number of findings in a summary. CI systems limit its size.
const MAX_FINDINGS: usize = 50;

/// Renders a summary of a run as Markdown: the verdict, the counts and the findings.
#[must_use]
pub fn summary(report: &Report) -> String {
    let mut out = String::new();
    node(report, &mut out);
    out
}

/// Renders a summary of a run against several nodes as Markdown.
#[must_use]
pub fn nodes_summary(report: &NodesReport) -> String {
    let mut out = String::new();
    for report in &report.nodes {
        node(report, &mut out);
        out.push('\n');
    }
    out.push_str("## The nodes, compared with each other\n\n");
    for check in &report.cross_check {
        let first = check.findings.first().map(|finding| finding.what.as_str());
        let reason = first.or(check.reason.as_deref());
        let reason = reason.map(|reason| format!(": {}", code(reason, 400)));
        let (outcome, id) = (check.outcome.name(), code(&check.id, 200));
        let _ = writeln!(out, "- **{outcome}** {id}{}", reason.unwrap_or_default());
    }
    if report.cross_check.is_empty() {
        out.push_str("They were not compared.\n");
    }
    let _ = writeln!(out, "\nExit status {}.", report.exit_code);
    out
}

fn node(report: &Report, out: &mut String) {
    let _ = writeln!(out, "## nodeproof: {}\n", report.in_words());
    let (url, network) = (&report.target.base_url, &report.target.network);
    let _ = writeln!(out, "- Node: {} ({})", code(url, 200), code(network, 40));
    if let Some(reason) = &report.reason {
        let _ = writeln!(out, "- Reason: {}", code(reason, 600));
    }
    let counts = Outcome::WORST_FIRST.map(|outcome| {
        let count = report.count_own(outcome);
        (count > 0).then(|| format!("{count} {}", outcome.participle()))
    });
    let counts: Vec<_> = counts.into_iter().flatten().collect();
    let _ = writeln!(out, "- Cases: {}", counts.join(", "));
    let _ = writeln!(out, "- Exit status: {}", report.exit_code);
    if let Some(examined) = report.examined() {
        let _ = writeln!(out, "- {}", code(&examined, 400));
    }
    if let Some(cost) = &report.cost {
        let _ = writeln!(out, "- Cost to the node: {}", cost.in_words());
    }
    for note in &report.notes {
        let _ = writeln!(out, "- Note: {}", code(note, 400));
    }
    findings(report, out);
    let stale = report.cases.iter();
    for case in stale.filter(|case| case.outcome == Outcome::Stale) {
        let note = code(case.note.as_deref().unwrap_or_default(), 300);
        let _ = writeln!(
            out,
            "\n### stale: {}\n\n- Expectation: {note}",
            code(&case.id, 200)
        );
    }
    for (reason, ids) in report.inconclusive_by_reason() {
        let count = ids.len();
        let cases = if count == 1 { "case" } else { "cases" };
        let _ = writeln!(out, "\n{count} inconclusive {cases}: {}", code(reason, 400));
    }
}

fn findings(report: &Report, out: &mut String) {
    let causes = report.causes();
    for (cause, explained) in causes.iter().take(MAX_FINDINGS) {
        case(cause, out);
        let failing = explained.iter();
        let failing = failing
            .filter(|case| case.outcome.has_new_findings())
            .count();
        let others = explained.len() - failing;
        if failing > 0 {
            let _ = writeln!(out, "- Cases that fail for the same reason: {failing}");
        }
        if others > 0 {
            let _ = writeln!(
                out,
                "- Cases that were not checked because of this finding: {others}"
            );
        }
    }
    if causes.len() > MAX_FINDINGS {
        let more = causes.len() - MAX_FINDINGS;
        let _ = writeln!(out, "\n{more} more findings are in the reports.");
    }
}

fn case(case: &CaseReport, out: &mut String) {
    let _ = writeln!(
        out,
        "\n### {}: {}\n",
        case.outcome.name(),
        code(&case.id, 200)
    );
    for requirement in &case.requirements {
        let text = code(&requirement.text, 600);
        let _ = writeln!(out, "- Requires: {}: {text}", code(&requirement.id, 40));
    }
    if let Some(finding) = case.findings.first() {
        first(finding, out);
    }
    let more = case.findings.len().saturating_sub(1) + case.more_findings;
    if more > 0 {
        let _ = writeln!(out, "- And in {more} more places");
    }
}

fn first(finding: &FindingReport, out: &mut String) {
    let values = [
        ("Found", Some(&finding.what), 400),
        (
            "At",
            finding.pointer.as_ref().filter(|at| !at.is_empty()),
            200,
        ),
        ("Expected", Some(&finding.expected), 400),
        ("Actual", Some(&finding.actual), 400),
        (
            "Try",
            finding.curl.as_ref().filter(|curl| curl.len() <= 1000),
            1000,
        ),
    ];
    for (label, value, most) in values {
        if let Some(value) = value {
            let _ = writeln!(out, "- {label}: {}", code(value, most));
        }
    }
}
