//! The whole report: in full, or with one line for each case.

use std::{fmt::Write, time::Duration};

use nodeproof_primitives::escape::{escaped, escaped_up_to};

use super::{
    case::{case_line, case_text, line},
    style::Style,
};
use crate::model::{CaseReport, NodeReport, Outcome, Report, SweepReport, Verdict};

/// Renders a report: the findings, the comparison between the nodes and the exit status for all of them, and for each
/// node the inconclusive cases, the verdict and the counts.
#[must_use]
pub fn text(report: &Report, style: Style) -> String {
    let mut out = String::new();
    for cause in report.causes() {
        out.push_str(&case_text(cause.case, style));
        if let Some(nodes) = cause.at_nodes(report) {
            line(&mut out, "at node", &nodes);
        }
        also(&cause.explained, style, &mut out);
    }
    let between = report.cross_check.iter();
    for (place, check) in between.filter(|check| !check.is_cause()).enumerate() {
        let before = if place == 0 { "\n" } else { "" };
        let _ = writeln!(out, "{before}{}", case_line(check, style));
    }
    conclusion(report, style, &mut out);
    for (number, node) in report.numbered() {
        if report.has_several() {
            let _ = writeln!(out, "\n{}", style.paint("1", &format!("node {number}")));
        }
        expectations(node, style, &mut out);
        inconclusive(node, style, &mut out);
        let swept = node.sweep.as_ref();
        for (place, line) in swept
            .map(SweepReport::in_words)
            .into_iter()
            .flatten()
            .enumerate()
        {
            let before = if place == 0 { "\n" } else { "" };
            let _ = writeln!(out, "{before}{}", escaped_up_to(&line, 600));
        }
        notes(node, &mut out);
        if !report.has_several() {
            out.push('\n');
        }
        verdict_and_counts(node, style, &mut out);
    }
    out
}

/// Renders a report with one line for each selected case that ran, the verdict and the counts. With
/// several nodes, each line begins with the node's number.
#[must_use]
pub fn compact(report: &Report, style: Style) -> String {
    let mut out = String::new();
    let is_for = |case: &CaseReport, reason| case.reason.as_deref() == Some(reason);
    for (number, node) in report.numbered() {
        let selected = node.cases.iter();
        let selected = selected.filter(|case| !is_for(case, CaseReport::NOT_SELECTED));
        let (not_run, run): (Vec<_>, Vec<_>) =
            selected.partition(|case| is_for(case, CaseReport::NOT_RUN));
        let of_node = match report.has_several() {
            true => format!("node {number}  "),
            false => String::new(),
        };
        for case in run {
            out.push_str(&of_node);
            out.push_str(&case_line(case, style));
            if let Some(cause) = &case.explained_by {
                let _ = write!(out, " (explained by {})", escaped(cause));
            }
            out.push('\n');
        }
        if !not_run.is_empty() {
            let _ = writeln!(out, "{of_node}{}", not_run_of(not_run.len(), node));
        }
    }
    for check in &report.cross_check {
        let _ = writeln!(out, "{}", case_line(check, style));
    }
    conclusion(report, style, &mut out);
    for node in &report.nodes {
        verdict_and_counts(node, style, &mut out);
    }
    out
}

/// Renders the cases that a case above explains: one line for each case with findings, and the number
/// of the other cases.
fn also(explained: &[&CaseReport], style: Style, out: &mut String) {
    let (failing, others): (Vec<_>, Vec<_>) = explained
        .iter()
        .partition(|case| case.outcome.has_new_findings());
    if !failing.is_empty() {
        let _ = writeln!(out, "  the same cause explains");
    }
    for case in failing {
        let _ = writeln!(out, "    {}", case_line(case, style));
    }
    if !others.is_empty() {
        let text = format!("{}, because of this finding", cases(others.len()));
        line(out, "not checked", &text);
    }
}

fn cases(count: usize) -> String {
    match count {
        1 => "1 case".to_owned(),
        count => format!("{count} cases"),
    }
}

fn not_run_of(not_run: usize, node: &NodeReport) -> String {
    format!("{not_run} of {} cases did not run", node.cases.len())
}

/// Renders the cases that an expectation names.
fn expectations(node: &NodeReport, style: Style, out: &mut String) {
    for (place, case) in node.expected().enumerate() {
        let before = if place == 0 { "\n" } else { "" };
        let (outcome, id) = (style.outcome(case.outcome), escaped(&case.id));
        let note = escaped_up_to(case.note.as_deref().unwrap_or_default(), 300);
        let _ = writeln!(out, "{before}{outcome}{id}: {note}");
    }
}

/// Renders the inconclusive cases, grouped by reason.
fn inconclusive(node: &NodeReport, style: Style, out: &mut String) {
    for (reason, ids) in node.inconclusive() {
        if reason == CaseReport::NOT_RUN {
            let _ = writeln!(out, "\n{}", not_run_of(ids.len(), node));
            continue;
        }
        let outcome = style.outcome(Outcome::Inconclusive);
        let _ = writeln!(out, "\n{outcome}{}", escaped_up_to(reason, 400));
        for chunk in ids.chunks(4) {
            let _ = writeln!(out, "  {}", escaped(&chunk.join("  ")));
        }
    }
}

fn notes(node: &NodeReport, out: &mut String) {
    for operation in &node.coverage.operations {
        if operation.operation == "submit-transaction"
            && let Some(reason) = &operation.reason
        {
            let reason = escaped(reason);
            let _ = writeln!(out, "\nnot exercised: {} ({reason})", operation.operation);
        }
    }
    for note in &node.notes {
        let _ = writeln!(out, "\nnote: {}", escaped_up_to(note, 400));
    }
}

/// Renders the verdict, the counts of cases and requests, and the load on the node.
fn verdict_and_counts(node: &NodeReport, style: Style, out: &mut String) {
    let colour = match node.verdict {
        Verdict::Conforms => "32;1",
        Verdict::DoesNotConform => "31;1",
        Verdict::Unreachable | Verdict::Error => "33;1",
    };
    let words = style.paint(colour, &node.in_words());
    let reason = escaped_up_to(&node.reason_in_words(), 600);
    let _ = writeln!(out, "{}: {words}{reason}", escaped_up_to(&node.name(), 240));
    let counts: Vec<_> = COUNTED
        .into_iter()
        .map(|outcome| (node.count_own(outcome), outcome))
        .filter(|(count, outcome)| *count > 0 || matches!(outcome, Outcome::Pass | Outcome::Fail))
        .map(|(count, outcome)| format!("{count} {}", outcome.participle()))
        .collect();
    let explained = node.cases.iter();
    let explained = explained.filter(|case| case.explained_by.is_some());
    let explained = match explained.count() {
        0 => String::new(),
        count => format!(", {count} explained by others"),
    };
    let requests = match node.most_requests {
        0 if node.requests == 1 => "1 recorded request".to_owned(),
        0 => format!("{} recorded requests", node.requests),
        most => format!("{} requests of at most {most}", node.requests),
    };
    let _ = writeln!(
        out,
        "{}{explained}; {requests} in {:.1} s",
        counts.join(", "),
        Duration::from_millis(node.elapsed_ms).as_secs_f64()
    );
    if let Some(examined) = node.examined() {
        let _ = writeln!(out, "{}", escaped_up_to(&examined, 400));
    }
    if let Some(cost) = &node.cost {
        let _ = writeln!(out, "load on the node: {}", cost.in_words());
    }
}

/// The order in which cases are counted.
const COUNTED: [Outcome; 8] = [
    Outcome::Pass,
    Outcome::Fail,
    Outcome::Warn,
    Outcome::Info,
    Outcome::Known,
    Outcome::Stale,
    Outcome::Inconclusive,
    Outcome::Skipped,
];

/// Renders whether several nodes agree, and the exit status for all of them.
fn conclusion(report: &Report, style: Style, out: &mut String) {
    if !report.has_several() {
        return;
    }
    let has = |outcome| {
        let mut checks = report.cross_check.iter();
        checks.any(|check| check.outcome == outcome)
    };
    let (words, colour) = match (has(Outcome::Fail), has(Outcome::Pass)) {
        (true, _) => ("the nodes disagree", "31;1"),
        (false, true) => ("the nodes agree in everything that was compared", "32;1"),
        (false, false) => ("the nodes could not be compared", "33;1"),
    };
    let _ = writeln!(out, "\n{}", style.paint(colour, words));
    if report.exit_code != 0 {
        let _ = writeln!(out, "exit status {}, the worst of all", report.exit_code);
    }
}
