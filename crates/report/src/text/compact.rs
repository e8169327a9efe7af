//! A report with one line for each case.

use std::fmt::Write;

use nodeproof_primitives::escape::escaped;

use super::{case::case_line, report::verdict_and_counts, style::Style};
use crate::model::{CaseReport, NodesReport, Report};

/// Renders a report with one line for each selected case, the verdict and the counts.
#[must_use]
pub fn compact(report: &Report, style: Style) -> String {
    let mut out = String::new();
    cases(report, "", style, &mut out);
    verdict_and_counts(report, style, &mut out);
    out
}

/// Renders the report of several nodes in the same way. Each line begins with the node's number.
#[must_use]
pub fn nodes_compact(report: &NodesReport, style: Style) -> String {
    let mut out = String::new();
    for (place, node) in report.nodes.iter().enumerate() {
        cases(node, &format!("node {}  ", place + 1), style, &mut out);
    }
    for check in &report.cross_check {
        let (outcome, id) = (style.outcome(check.outcome), escaped(&check.id));
        let first = check.findings.first().map(|finding| finding.what.as_str());
        let reason = first.or(check.reason.as_deref());
        let reason = reason.map(|reason| format!(": {}", super::case::reason(reason)));
        let _ = writeln!(out, "{outcome}{id}{}", reason.unwrap_or_default());
    }
    for node in &report.nodes {
        verdict_and_counts(node, style, &mut out);
    }
    out
}

fn cases(report: &Report, label: &str, style: Style, out: &mut String) {
    let selected = |case: &&CaseReport| case.reason.as_deref() != Some(CaseReport::NOT_SELECTED);
    for case in report.cases.iter().filter(selected) {
        let _ = write!(out, "{label}{}", case_line(case, style));
        if let Some(cause) = &case.explained_by {
            let _ = write!(out, " (explained by {})", escaped(cause));
        }
        out.push('\n');
    }
}
