//! One case and its findings.

use std::fmt::Write;

use nodeproof_primitives::escape::{escaped, escaped_up_to};

use super::style::Style;
use crate::{
    details::{Value, details},
    model::CaseReport,
};

/// Renders a case as one line without a line feed: its outcome, its ID and its reason.
#[must_use]
pub fn case_line(case: &CaseReport, style: Style) -> String {
    let start = format!("{}{}", style.outcome(case.outcome), escaped(&case.id));
    match (&case.reason, case.compared) {
        (Some(reason), _) => format!("{start}: {}", escaped_up_to(reason, 200)),
        (None, Some(compared)) => format!("{start}: {compared} compared"),
        (None, None) => start,
    }
}

/// Renders a case with its requirements and its findings.
#[must_use]
pub fn case_text(case: &CaseReport, style: Style) -> String {
    let outcome = style.outcome(case.outcome);
    let id = style.paint("1", &escaped(&case.id));
    format!("\n{outcome}{id}\n{}", details_text(case, style))
}

/// Renders the requirements and the findings of a case.
pub(crate) fn details_text(case: &CaseReport, style: Style) -> String {
    let mut out = String::new();
    for detail in details(case) {
        match &detail.value {
            Value::Diff(diff) => difference(diff, style, &mut out),
            _ => line(&mut out, detail.label, &detail.shown()),
        }
    }
    out
}

/// Renders a case as [`case_line`] does, followed by the lines in which two texts differ.
pub(crate) fn case_line_and_differences(case: &CaseReport, style: Style) -> String {
    let mut out = case_line(case, style);
    for detail in details(case) {
        if let Value::Diff(diff) = &detail.value {
            out.push('\n');
            difference(diff, style, &mut out);
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Writes the lines of a difference, indented.
fn difference(diff: &str, style: Style, out: &mut String) {
    for line in diff.lines() {
        let colour = match line.as_bytes().first() {
            Some(b'-') => "31",
            Some(b'+') => "32",
            _ => "0",
        };
        let _ = writeln!(out, "    {}", style.paint(colour, line));
    }
}

/// Writes an indented line: a label and its text.
pub(super) fn line(out: &mut String, label: &str, text: &str) {
    let _ = writeln!(out, "  {label:<9} {text}");
}
