//! The cases, grouped by operation. Cases with findings are expanded, the others collapsed.

use maud::{Markup, html};

use super::{
    escape::Line,
    exchange,
    finding::findings,
    parts::{badge, count, group_name, group_names, requirements, took},
};
use crate::model::{CaseReport, NodeReport, Outcome, Report};

/// A case at all nodes, or a comparison between the nodes.
pub(super) struct Row<'r> {
    id: &'r str,
    /// The worst group of any node, by which cases are counted and filtered.
    pub(super) group: &'static str,
    /// The case at each node, with the number of the node.
    at_nodes: Vec<(&'r CaseReport, Option<(usize, &'r NodeReport)>)>,
}

/// Returns the cases of all nodes, and the comparisons between the nodes.
pub(super) fn rows(report: &Report) -> Vec<Row<'_>> {
    let of_nodes = report.numbered().flat_map(|node| {
        let cases = node.1.cases.iter();
        cases.map(move |case| (case, Some(node)))
    });
    let between = report.cross_check.iter().map(|check| (check, None));
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (case, node) in of_nodes.chain(between) {
        match rows.iter_mut().find(|row| row.id == case.id) {
            Some(row) => row.at_nodes.push((case, node)),
            None => rows.push(Row {
                id: &case.id,
                group: "",
                at_nodes: vec![(case, node)],
            }),
        }
    }
    for row in &mut rows {
        let is_of = |name: &&str| {
            row.at_nodes
                .iter()
                .any(|(case, _)| group_name(case) == *name)
        };
        let mut names = group_names().map(|(name, _)| name);
        row.group = names.find(is_of).unwrap_or_default();
    }
    rows
}

impl Row<'_> {
    fn operation(&self) -> &str {
        self.at_nodes
            .first()
            .map_or("", |(case, _)| case.operation())
    }
}

pub(super) fn section(report: &Report, rows: &[Row<'_>]) -> Markup {
    html! {
        section #cases aria-labelledby="cases-title" {
            h2 #cases-title { "Cases" }
            p.none #none hidden { "No case matches." }
            @for rows in rows.chunk_by(|one, other| one.operation() == other.operation()) {
                (operation(report, rows)) "\n"
            }
        }
    }
}

/// Renders the cases of one operation: the worst outcome first, and those that other cases explain
/// last.
fn operation(report: &Report, rows: &[Row<'_>]) -> Markup {
    let operation = rows.first().map_or("", Row::operation);
    let groups = group_names().map(|(name, words)| {
        let rows: Vec<_> = rows.iter().filter(|row| row.group == name).collect();
        (name, words, rows)
    });
    let groups: Vec<_> = groups.filter(|(_, _, rows)| !rows.is_empty()).collect();
    html! {
        section.operation aria-label=(Line(operation)) {
            h3 {
                (Line(operation)) " "
                span.tally {
                    @for (name, words, rows) in &groups {
                        span class=(name) { (rows.len()) " " (words) } " "
                    }
                }
            }
            div.list {
                @for row in groups.iter().flat_map(|(_, _, rows)| rows) { (case_details(report, row)) "\n" }
            }
        }
    }
}

fn case_details(report: &Report, row: &Row<'_>) -> Markup {
    let is_open = ["fail", "stale", "warn"].contains(&row.group);
    let cases = row.at_nodes.iter().map(|(case, _)| *case);
    let shows_reason = |case: &&CaseReport| {
        case.outcome.has_new_findings() || case.outcome == Outcome::Inconclusive
    };
    let reason = cases
        .clone()
        .filter(shows_reason)
        .find_map(|case| case.reason.as_ref());
    let first = cases.clone().next();
    html! {
        details.case data-outcome=(row.group) id=(Line(row.id)) open[is_open] {
            summary {
                @for case in cases.clone() { (badge(case.outcome)) " " }
                span.id { (Line(row.id)) } " "
                @match reason {
                    Some(reason) => span.why { (Line(reason)) },
                    None => span.says { @if let Some(case) = first { (requirements(case)) } },
                }
                " " @if let Some(slowest) = cases.map(|case| case.elapsed_ms).max() { (took(slowest)) }
            }
            div.inside {
                @if let Some(case) = first {
                    blockquote { span.level { (case.level.name()) } " " (requirements(case)) }
                }
                @for (case, node) in &row.at_nodes { (at_node(report, case, *node)) }
                @if is_open && first.is_some_and(|case| !case.requirements.is_empty()) {
                    p { "Explained by " code { "nodeproof explain " (Line(row.id)) } }
                }
            }
        }
    }
}

/// Renders a case at one node.
fn at_node(report: &Report, case: &CaseReport, node: Option<(usize, &NodeReport)>) -> Markup {
    html! {
        @if let Some((number, node)) = node && report.has_several() {
            h4 { (badge(case.outcome)) " node " (number) " " code { (Line(&node.target.base_url)) } }
        }
        @if let Some(note) = &case.note {
            p.note { b { "Expectation:" } " " (Line(note)) }
        }
        @if let Some(cause) = &case.explained_by {
            p.note { "Explained by " a href={ "#" (Line(cause)) } { (Line(cause)) } }
        }
        @if let (Some(reason), true) = (&case.reason, case.findings.is_empty()) {
            p { (Line(reason)) }
        }
        @if let Some(compared) = case.compared { p { (compared) " compared" } }
        (findings(case, node.map(|(_, node)| node)))
        @if let Some((number, node)) = node { (other_exchanges(case, number, node)) }
    }
}

/// Renders the case's exchanges that its findings do not show.
fn other_exchanges(case: &CaseReport, number: usize, node: &NodeReport) -> Markup {
    let shown: Vec<_> = case
        .findings
        .iter()
        .filter_map(|one| one.exchange)
        .collect();
    let others = case.exchanges.iter().filter(|index| !shown.contains(index));
    let others: Vec<_> = others
        .filter_map(|index| Some((*index, node.exchanges.get(*index)?)))
        .collect();
    html! {
        @if !others.is_empty() {
            details.looked {
                summary {
                    "Looked at " (count(others.len(), if shown.is_empty() { "exchange" } else { "more exchange" }))
                }
                div.inside {
                    @for (index, exchange) in others {
                        (exchange::reference(node, exchange, &exchange::anchor(number, index)))
                    }
                }
            }
        }
    }
}
