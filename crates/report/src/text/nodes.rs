//! The report of several nodes.

use std::fmt::Write;

use nodeproof_primitives::escape::{escaped, escaped_up_to};

use super::{
    case::{case_text, line},
    report::verdict_line,
    style::Style,
    sweep::sweep,
};
use crate::model::{CaseReport, CrossCheck, CrossFinding, NodesReport, Outcome, Verdict};

/// Renders the report of several nodes: the findings, a table of outcomes with a column for each
/// node, the differences between the nodes, and the verdict of each node.
#[must_use]
pub fn nodes_text(report: &NodesReport, style: Style) -> String {
    let mut out = String::new();
    for (place, id) in ids(report) {
        let cases: Vec<_> = cases(report, place, id).collect();
        let found = |case: &&&CaseReport| case.is_cause();
        if let Some(first) = cases.iter().find(found) {
            out.push_str(&case_text(first, style));
            let nodes: Vec<_> = cases
                .iter()
                .enumerate()
                .filter(|(_, case)| found(case))
                .map(|(node, _)| (node + 1).to_string())
                .collect();
            line(&mut out, "at node", &nodes.join(", "));
        }
    }
    table(report, style, &mut out);
    for report in report.nodes.iter().filter_map(|node| node.sweep.as_ref()) {
        sweep(report, &mut out);
    }
    for check in &report.cross_check {
        cross_check(check, style, &mut out);
    }
    verdicts(report, style, &mut out);
    out
}

/// Returns the ID of every case, with its index in the reports of all nodes. They list the same
/// cases.
fn ids(report: &NodesReport) -> impl Iterator<Item = (usize, &str)> {
    let first = report.nodes.first();
    let cases = first.map_or(&[][..], |node| &node.cases);
    cases
        .iter()
        .enumerate()
        .map(|(place, case)| (place, case.id.as_str()))
}

fn cases<'r>(
    report: &'r NodesReport,
    place: usize,
    id: &'r str,
) -> impl Iterator<Item = &'r CaseReport> {
    let nodes = report.nodes.iter();
    nodes.filter_map(move |node| node.cases.get(place).filter(|case| case.id == id))
}

/// Renders the outcomes of cases that need attention or differ between the nodes.
fn table(report: &NodesReport, style: Style, out: &mut String) {
    let mut head = false;
    for (place, id) in ids(report) {
        let outcomes: Vec<_> = cases(report, place, id).map(|case| case.outcome).collect();
        let same = outcomes.iter().all(|outcome| *outcome == outcomes[0]);
        let good = |outcome: &Outcome| {
            matches!(
                outcome,
                Outcome::Pass | Outcome::Skipped | Outcome::Inconclusive
            )
        };
        if same && outcomes.iter().all(good) {
            continue;
        }
        if !head {
            let _ = write!(out, "\n{:<44}", "");
            for node in 1..=report.nodes.len() {
                let _ = write!(out, " {:<13}", format!("node {node}"));
            }
            end_line(out);
            head = true;
        }
        let _ = write!(out, "{:<44}", escaped(id));
        for outcome in outcomes {
            let _ = write!(out, " {}", style.outcome(outcome));
        }
        end_line(out);
    }
}

/// Ends a line without the spaces that pad its last column.
fn end_line(out: &mut String) {
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
}

fn cross_check(check: &CrossCheck, style: Style, out: &mut String) {
    let text = match &check.reason {
        Some(reason) => escaped_up_to(reason, 600),
        None => format!("{} compared", check.compared),
    };
    let _ = writeln!(
        out,
        "\n{}{}: {text}",
        style.outcome(check.outcome),
        escaped(&check.id)
    );
    if check.outcome != Outcome::Fail {
        return;
    }
    for finding in &check.findings {
        difference(finding, out);
    }
    if check.more_findings > 0 {
        line(out, "and", &format!("{} more", check.more_findings));
    }
}

fn difference(finding: &CrossFinding, out: &mut String) {
    line(out, "found", &escaped_up_to(&finding.what, 600));
    let mut place = escaped_up_to(&finding.place, 300);
    if finding.count > 1 {
        let _ = write!(place, ", the first of {} places", finding.count);
    }
    line(out, "at", &place);
    for value in &finding.values {
        let nodes = escaped_up_to(&value.nodes.join(", "), 600);
        let value = escaped_up_to(&value.value, 200);
        line(out, "actual", &format!("{value} at {nodes}"));
    }
}

fn verdicts(report: &NodesReport, style: Style, out: &mut String) {
    out.push('\n');
    for (place, node) in report.nodes.iter().enumerate() {
        let _ = writeln!(
            out,
            "node {}  {}; {} passed, {} failed, {} requests",
            place + 1,
            verdict_line(node, style),
            node.count(Outcome::Pass),
            node.count(Outcome::Fail),
            node.requests
        );
    }
    let any = |outcome| {
        let mut checks = report.cross_check.iter();
        checks.any(|check| check.outcome == outcome)
    };
    let (words, colour) = match (any(Outcome::Fail), any(Outcome::Pass)) {
        (true, _) => ("the nodes disagree", "31;1"),
        (false, true) => ("the nodes agree in everything that was compared", "32;1"),
        (false, false) => ("the nodes could not be compared", "33;1"),
    };
    let _ = writeln!(out, "{}", style.paint(colour, words));
    if report.verdict == Verdict::Conforms && report.exit_code == 0 {
        return;
    }
    let _ = writeln!(out, "exit status {}, the worst of all", report.exit_code);
}
