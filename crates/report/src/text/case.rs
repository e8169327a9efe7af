//! One case and its findings.

use std::{
    collections::BTreeMap,
    fmt::Write,
    path::{Path, PathBuf},
};

use nodeproof_primitives::escape::{escaped, escaped_up_to};
use similar::TextDiff;

use super::style::Style;
use crate::model::{CaseReport, FindingReport, Outcome};

/// Renders a case as one line without a line feed: its outcome, its ID and its reason.
#[must_use]
pub fn case_line(case: &CaseReport, style: Style) -> String {
    let start = format!("{}{}", style.outcome(case.outcome), escaped(&case.id));
    match &case.reason {
        Some(text) if case.outcome != Outcome::Pass => format!("{start}: {}", reason(text)),
        _ => start,
    }
}

/// Escapes a reason and shortens it to fit on a line.
pub(super) fn reason(text: &str) -> String {
    escaped_up_to(text, 200)
}

/// Labels of texts that can be too long for a terminal.
pub(super) const TRY: &str = "try";
pub(super) const SIGNED: &str = "signed";
pub(super) const VERIFY: &str = "verify";

/// Maximum length of such a text in a terminal, in bytes.
const MAX_LENGTH: usize = 1_000;

pub(super) fn is_long(text: &str) -> bool {
    escaped(text).len() > MAX_LENGTH
}

/// Renders a case with its requirement and its findings.
#[must_use]
pub fn case_text(case: &CaseReport, style: Style) -> String {
    text_of_case_with(case, style, &BTreeMap::new())
}

/// Does the same as [`case_text`]. `files` maps the names of long texts to their files.
pub(super) fn text_of_case_with(
    case: &CaseReport,
    style: Style,
    files: &BTreeMap<String, PathBuf>,
) -> String {
    let mut out = String::new();
    let outcome = style.outcome(case.outcome);
    let _ = writeln!(out, "\n{outcome}{}", style.paint("1", &escaped(&case.id)));
    for requirement in &case.requirements {
        let text = format!(
            "{}: {}",
            escaped(&requirement.id),
            escaped(&requirement.text)
        );
        line(&mut out, "requires", &text);
    }
    // Equal mismatches in several responses are shown once.
    let mut shown: Vec<&str> = Vec::new();
    for finding in &case.findings {
        if !shown.contains(&finding.what.as_str()) {
            render_finding(finding, case, style, &mut out);
            if shown.is_empty() {
                commands(finding, &case.id, files, &mut out);
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
        let more = format!("{more} more {places}; report.json lists some");
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

/// Renders the command that repeats a finding's request, and the details of its signature.
fn commands(
    finding: &FindingReport,
    id: &str,
    files: &BTreeMap<String, PathBuf>,
    out: &mut String,
) {
    let file = |label: &str| files.get(&format!("{id} {label}")).map(PathBuf::as_path);
    if let Some(signed) = &finding.signed {
        let bytes = signed.message_bytes;
        let message = match (&signed.message, file(SIGNED)) {
            (_, Some(path)) => {
                format!("{bytes} bytes, in {}", escaped(&path.display().to_string()))
            }
            (Some(message), None) if !is_long(message) => escaped(message),
            (Some(_), None) => {
                format!("a message of {bytes} bytes: `signed` in report.json (--report-dir)")
            }
            (None, None) => format!("a message of {bytes} bytes, too long for the report"),
        };
        line(out, SIGNED, &message);
        line(out, "digest", &format!("SHA-1 {}", escaped(&signed.digest)));
        if let Some(verify) = &signed.verify {
            line(out, VERIFY, &command(verify, "verify", file(VERIFY)));
        }
    }
    if let Some(curl) = &finding.curl {
        line(out, TRY, &command(curl, "curl", file(TRY)));
    }
}

/// Returns a command that can be copied, or its location. The command is never truncated.
fn command(command: &str, member: &str, saved: Option<&Path>) -> String {
    match saved {
        Some(path) => format!("sh {}", escaped(&path.display().to_string())),
        None if is_long(command) => {
            format!(
                "a command of {} bytes: `{member}` in report.json (--report-dir)",
                command.len()
            )
        }
        None => escaped(command),
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

/// Escapes each line of a text, and truncates it after `most` characters.
fn escaped_each_line(text: &str, most: usize) -> String {
    let lines = text.split('\n').map(|line| escaped_up_to(line, most));
    lines.collect::<Vec<_>>().join("\n")
}

/// Writes an indented line: a label and its text.
pub(super) fn line(out: &mut String, label: &str, text: &str) {
    let _ = writeln!(out, "  {label:<9} {text}");
}
