//! Several nodes side by side.

use std::fmt::Write;

use nodeproof_primitives::escape::escaped_up_to as shown;

use super::{Style, departure, swept};
use crate::{
    outcome::Outcome,
    report::{CaseReport, CrossCheck, CrossFinding, NodesReport, Verdict},
};

/// The report of several nodes: in what they depart, a column a node; in what they differ; and the
/// verdict of each.
#[must_use]
pub fn pretty_nodes(report: &NodesReport, style: Style) -> String {
    let mut out = String::new();
    for (place, id) in ids(report) {
        let cases: Vec<_> = cases(report, place, id).collect();
        let departs = |case: &&&CaseReport| {
            matches!(case.outcome, Outcome::Fail | Outcome::Warn | Outcome::Info)
        };
        if let Some(first) = cases.iter().find(departs) {
            departure(first, style, &mut out);
            let nodes: Vec<_> = cases
                .iter()
                .enumerate()
                .filter(|(_, case)| departs(case))
                .map(|(node, _)| (node + 1).to_string())
                .collect();
            let _ = writeln!(out, "  {:<9} {}", "at node", nodes.join(", "));
        }
    }
    table(report, style, &mut out);
    for node in &report.nodes {
        if let Some(sweep) = &node.sweep {
            swept(sweep, &mut out);
        }
    }
    for check in &report.cross_check {
        compared(check, style, &mut out);
    }
    verdicts(report, style, &mut out);
    out
}

/// The IDs of all cases, each with its place in the nodes' reports, which have the same cases.
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

/// The cases that did not end alike or well, a column a node.
fn table(report: &NodesReport, style: Style, out: &mut String) {
    let mut head = false;
    for (place, id) in ids(report) {
        let outcomes: Vec<_> = cases(report, place, id).map(|case| case.outcome).collect();
        let alike = outcomes.iter().all(|outcome| *outcome == outcomes[0]);
        let well = |outcome: &Outcome| {
            matches!(
                outcome,
                Outcome::Pass | Outcome::Skipped | Outcome::Inconclusive
            )
        };
        if alike && outcomes.iter().all(well) {
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
        let _ = write!(out, "{id:<44}");
        for outcome in outcomes {
            let _ = write!(out, " {}", style.outcome(outcome));
        }
        end_line(out);
    }
}

/// Ends a line without the blanks that pad its last column.
fn end_line(out: &mut String) {
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
}

fn compared(check: &CrossCheck, style: Style, out: &mut String) {
    let _ = write!(out, "\n{}{}", style.outcome(check.outcome), check.id);
    match (check.compared, &check.reason) {
        (_, Some(reason)) => {
            let _ = writeln!(out, ": {}", shown(reason, 600));
        }
        (count, None) => {
            let _ = writeln!(out, ": {count} compared");
        }
    }
    if check.outcome != Outcome::Fail {
        return;
    }
    for finding in &check.findings {
        differs(finding, out);
    }
    if check.more_findings > 0 {
        let _ = writeln!(out, "  {:<9} {} more", "and", check.more_findings);
    }
}

fn differs(finding: &CrossFinding, out: &mut String) {
    let _ = writeln!(out, "  {:<9} {}", "found", shown(&finding.what, 600));
    let _ = write!(out, "  {:<9} {}", "at", shown(&finding.place, 300));
    if finding.count > 1 {
        let _ = write!(out, ", the first of {} places", finding.count);
    }
    out.push('\n');
    for value in &finding.values {
        let nodes = value.nodes.join(", ");
        let _ = writeln!(
            out,
            "  {:<9} {} at {}",
            "actual",
            shown(&value.value, 200),
            shown(&nodes, 600)
        );
    }
}

fn verdicts(report: &NodesReport, style: Style, out: &mut String) {
    out.push('\n');
    for (place, node) in report.nodes.iter().enumerate() {
        let (word, colour) = super::verdict_words(node);
        let _ = write!(
            out,
            "node {}  {} ({}) {}",
            place + 1,
            shown(&node.target.base_url, 200),
            node.target.network,
            style.paint(colour, word)
        );
        if let Some(reason) = &node.reason {
            let _ = write!(out, ": {}", shown(reason, 600));
        }
        let _ = writeln!(
            out,
            "; {} passed, {} failed, {} requests",
            node.count(Outcome::Pass),
            node.count(Outcome::Fail),
            node.requests
        );
    }
    let differ = report
        .cross_check
        .iter()
        .any(|check| check.outcome == Outcome::Fail);
    let known = report
        .cross_check
        .iter()
        .any(|check| check.outcome == Outcome::Pass);
    let (word, colour) = match (differ, known) {
        (true, _) => ("the nodes do not agree with one another", "31;1"),
        (false, true) => ("the nodes agree, as far as they were compared", "32;1"),
        (false, false) => ("the nodes could not be compared", "33;1"),
    };
    let _ = writeln!(out, "{}", style.paint(colour, word));
    if report.verdict == Verdict::Conforms && report.exit_code == 0 {
        return;
    }
    let _ = writeln!(out, "exit status {}, the worst of all", report.exit_code);
}
