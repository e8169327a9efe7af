//! The page of several nodes, with a column for each node.

use maud::{Markup, html};

use super::{
    document::document,
    escape::Line,
    finding::findings,
    heights, latency,
    parts::{badge, count, group_name, group_names, requirements, version},
    tools::tools,
    verdict,
};
use crate::model::{CaseReport, CrossCheck, CrossFinding, NodesReport, Outcome, Report};

/// Renders the report of several nodes as an HTML page.
#[must_use]
pub fn nodes_html(report: &NodesReport) -> String {
    let rows = rows(report);
    document(
        &count(report.nodes.len(), "node"),
        &html! {
            (banner(report))
            (filters(&rows))
            main {
                (heights::section(report))
                (cross_checks(report))
                (table(report, &rows))
                @for (place, node) in report.nodes.iter().enumerate() {
                    (findings_of_node(place + 1, node))
                }
                @for (number, node) in (1..).zip(&report.nodes) {
                    @let of_node = html! { " of node " (number) " " code { (Line(&node.target.base_url)) } };
                    @let suffix = format!("-{number}");
                    (latency::section(node, &html! { "Latency" (of_node) }, &suffix))
                }
            }
        },
    )
}

fn banner(report: &NodesReport) -> Markup {
    let (class, sign, words) = match report.exit_code {
        0 => (
            "good",
            "✓",
            "All conform, and agree in everything that was compared",
        ),
        1 => ("bad", "✕", "Not all conform, or they do not agree"),
        _ => ("unknown", "?", "Not all have a verdict"),
    };
    html! {
        header class={ "banner " (class) } {
            h1 { span.sign aria-hidden="true" { (sign) } " " (words) }
            @for (place, node) in report.nodes.iter().enumerate() {
                p.target {
                    "node " (place + 1) " " code { (Line(&node.target.base_url)) }
                    " " span.network { (Line(&node.target.network)) }
                    " " (node.in_words())
                    @if let Some(reason) = &node.reason { ": " (Line(reason)) }
                }
                @if let Some(sweep) = &node.sweep { (verdict::swept(sweep)) }
            }
            p.facts { span { "exit status " (report.exit_code) } " " (version()) }
        }
    }
}

fn cross_checks(report: &NodesReport) -> Markup {
    html! {
        section #cross-check aria-labelledby="cross-check-title" {
            h2 #cross-check-title { "Compared with each other" }
            div.list {
                @if report.cross_check.is_empty() { p { "Nothing was compared." } }
                @for check in &report.cross_check { (cross_check(check)) "\n" }
            }
        }
    }
}

fn cross_check(check: &CrossCheck) -> Markup {
    html! {
        details.case open[check.outcome == Outcome::Fail] {
            summary {
                (badge(check.outcome))
                " " span.id { (Line(&check.id)) } " "
                span.why {
                    @match &check.reason {
                        Some(reason) => (Line(reason)),
                        None => { (check.compared) " compared" }
                    }
                }
            }
            div.inside {
                @for finding in &check.findings { (difference(finding)) }
                @if check.more_findings > 0 { p.part { "and " (check.more_findings) " more" } }
            }
        }
    }
}

fn difference(finding: &CrossFinding) -> Markup {
    html! {
        div.finding {
            p.what { (Line(&finding.what)) }
            dl {
                dt { "at" }
                dd {
                    (Line(&finding.place))
                    @if finding.count > 1 { ", the first of " (finding.count) " places" }
                }
                @for value in &finding.values {
                    dt { "actual" }
                    dd.actual { (Line(&value.value)) " at " (Line(&value.nodes.join(", "))) }
                }
            }
        }
    }
}

/// A case at all nodes. Its group is the worst one of any node.
struct Row<'r> {
    group: &'static str,
    words: &'static str,
    of_nodes: Vec<Option<&'r CaseReport>>,
    id: &'r str,
}

/// Returns the cases: those that failed at any node first.
fn rows(report: &NodesReport) -> Vec<Row<'_>> {
    let first = report.nodes.first().map_or(&[][..], |node| &node.cases);
    let mut rows = Vec::new();
    for (group, words) in group_names() {
        for (place, case) in first.iter().enumerate() {
            let nodes = report.nodes.iter();
            let of_nodes: Vec<_> = nodes.map(|node| node.cases.get(place)).collect();
            let names = || of_nodes.iter().flatten().map(|case| group_name(case));
            let worst = group_names().find(|(name, _)| names().any(|of_node| of_node == *name));
            if worst.is_some_and(|(name, _)| name == group) {
                rows.push(Row {
                    group,
                    words,
                    of_nodes,
                    id: &case.id,
                });
            }
        }
    }
    rows
}

fn filters(rows: &[Row<'_>]) -> Markup {
    let groups = rows.chunk_by(|one, other| one.group == other.group);
    tools(groups.filter_map(|group| {
        let first = group.first()?;
        Some((first.group, first.words, group.len()))
    }))
}

/// Renders every case, with a column for each node.
fn table(report: &NodesReport, rows: &[Row<'_>]) -> Markup {
    html! {
        section #cases aria-labelledby="cases-title" {
            h2 #cases-title { "Cases" }
            p.none #none hidden { "No case matches." }
            div.scroll tabindex="0" {
                table {
                    thead {
                        tr {
                            th { "Case" }
                            @for node in 1..=report.nodes.len() { th { "node " (node) } }
                        }
                    }
                    tbody {
                        @for row in rows {
                            tr.case data-outcome=(row.group) {
                                th scope="row" { (Line(row.id)) }
                                @for (number, case) in (1..).zip(&row.of_nodes) {
                                    td data-label={ "node " (number) } {
                                        @if let Some(case) = case { (badge(case.outcome)) }
                                    }
                                }
                            }
                            "\n"
                        }
                    }
                }
            }
        }
    }
}

/// Renders the cases of one node that have findings. `number` counts the nodes from 1.
fn findings_of_node(number: usize, node: &Report) -> Markup {
    let found =
        |case: &&CaseReport| case.outcome.has_new_findings() || case.outcome == Outcome::Stale;
    let cases: Vec<_> = node.cases.iter().filter(found).collect();
    if cases.is_empty() {
        return html! {};
    }
    html! {
        section.operation {
            h2 { "Findings at node " (number) " " code { (Line(&node.target.base_url)) } }
            div.list { @for case in cases { (case_details(node, case)) "\n" } }
        }
    }
}

fn case_details(node: &Report, case: &CaseReport) -> Markup {
    let reason = case.reason.as_ref().or(case.note.as_ref());
    html! {
        details.case data-outcome=(group_name(case)) {
            summary {
                (badge(case.outcome))
                " " span.id { (Line(&case.id)) }
                " " span.why { (Line(reason.map_or("", String::as_str))) }
            }
            div.inside {
                blockquote { (requirements(case)) }
                (findings(node, case))
            }
        }
    }
}
