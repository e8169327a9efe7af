//! One case and its findings.

use std::{fmt::Write, path::Path};

use nodeproof_primitives::escape::{escaped, escaped_up_to};
use similar::TextDiff;

use super::style::Style;
use crate::model::{CaseReport, FindingReport, Outcome};

/// Renders a case as one line without a line feed: its outcome, its ID and its reason.
#[must_use]
pub fn line_of_case(case: &CaseReport, style: Style) -> String {
    let start = format!("{}{}", style.outcome(case.outcome), escaped(&case.id));
    match &case.reason {
        Some(text) if case.outcome != Outcome::Pass => format!("{start}: {}", reason(text)),
        _ => start,
    }
}

/// Escapes a reason, shortened to what fits a line.
pub(super) fn reason(text: &str) -> String {
    escaped_up_to(text, 200)
}

/// Maximum length of a command that is shown in a terminal, in bytes.
pub(super) const LONGEST_COMMAND: usize = 1_000;

/// Renders a case with its requirement and its findings.
#[must_use]
pub fn text_of_case(case: &CaseReport, style: Style) -> String {
    text_of_case_with(case, style, None)
}

/// Does the same. `saved` is the file that has the first finding's command.
pub(super) fn text_of_case_with(case: &CaseReport, style: Style, saved: Option<&Path>) -> String {
    let mut out = String::new();
    let outcome = style.outcome(case.outcome);
    let _ = writeln!(out, "\n{outcome}{}", style.paint("1", &escaped(&case.id)));
    for requirement in &case.requirements {
        let text = format!(
            "{}: {}",
            escaped(&requirement.id),
            escaped(&requirement.text)
        );
        line(&mut out, "contract", &text);
    }
    // Equal mismatches in several responses are shown once.
    let mut shown: Vec<&str> = Vec::new();
    for finding in &case.findings {
        if !shown.contains(&finding.what.as_str()) {
            render_finding(finding, case, style, &mut out);
            if let Some(curl) = finding.curl.as_ref().filter(|_| shown.is_empty()) {
                line(&mut out, "try", &command(curl, saved));
            }
            shown.push(&finding.what);
        }
    }
    let all = case.findings.len() + case.more_findings;
    let counted: u64 = case.findings.iter().filter_map(|one| one.count).sum();
    let more = match usize::try_from(counted) {
        Ok(counted @ 1..) => all.saturating_sub(counted),
        _ => all - shown.len(),
    };
    if more > 0 {
        let places = if more == 1 { "place" } else { "places" };
        let more = format!("{more} more {places}; report.json has some");
        line(&mut out, "and in", &more);
    }
    if let Some(snapshot) = &case.snapshot {
        line(&mut out, "snapshot", &escaped(snapshot));
    }
    if !case.requirements.is_empty() {
        line(
            &mut out,
            "explain",
            &format!("nodeproof explain {}", escaped(&case.id)),
        );
    }
    out
}

/// A command that can be copied, or where it is. It is never cut.
fn command(curl: &str, saved: Option<&Path>) -> String {
    let shown = escaped(curl);
    match saved {
        Some(path) => format!("sh {}", escaped(&path.display().to_string())),
        None if shown.len() > LONGEST_COMMAND => {
            format!("a command of {} bytes: `curl` in report.json", curl.len())
        }
        None => shown,
    }
}

fn render_finding(finding: &FindingReport, case: &CaseReport, style: Style, out: &mut String) {
    line(out, "found", &escaped_up_to(&finding.what, 400));
    match finding.pointer.as_deref() {
        Some("") => line(out, "at", "the whole body"),
        Some(pointer) => line(out, "at", &escaped_up_to(pointer, 200)),
        None => {}
    }
    match (finding.block, finding.count) {
        (Some(block), Some(count @ 2..)) => {
            let text = format!("{block}, the first of {count} places");
            line(out, "in block", &text);
        }
        (Some(block), _) => line(out, "in block", &block.to_string()),
        (None, _) => {}
    }
    if finding.expected.contains('\n') || finding.actual.contains('\n') {
        render_diff(finding, style, out);
    } else {
        if case
            .requirements
            .iter()
            .all(|one| one.text != finding.expected)
        {
            line(out, "expected", &escaped_up_to(&finding.expected, 400));
        }
        line(out, "actual", &escaped_up_to(&finding.actual, 400));
    }
}

fn render_diff(finding: &FindingReport, style: Style, out: &mut String) {
    let expected = escaped_each_line(&finding.expected, 400);
    let actual = escaped_each_line(&finding.actual, 400);
    let diff = TextDiff::from_lines(&expected, &actual);
    let mut diff = diff.unified_diff();
    let diff = diff.context_radius(3).missing_newline_hint(false);
    for line in diff.to_string().lines() {
        let colour = match line.as_bytes().first() {
            Some(b'-') => "31",
            Some(b'+') => "32",
            _ => "0",
        };
        let _ = writeln!(out, "    {}", style.paint(colour, line));
    }
}

/// Escapes each line of a text, and cuts it after `most` characters.
fn escaped_each_line(text: &str, most: usize) -> String {
    let lines = text.split('\n').map(|line| escaped_up_to(line, most));
    lines.collect::<Vec<_>>().join("\n")
}

/// Writes an indented line: a label and its text.
pub(super) fn line(out: &mut String, label: &str, text: &str) {
    let _ = writeln!(out, "  {label:<9} {text}");
}
