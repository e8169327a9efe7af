//! The page of several nodes, with a column for each node.

use maud::{Markup, html};

use super::{
    chain,
    document::document,
    escape::Line,
    finding::findings,
    heights, latency,
    parts::{badge, count, requirements, version},
    verdict,
};
use crate::model::{CaseReport, CrossCheck, CrossFinding, NodesReport, Outcome, Report};

/// Renders the report of several nodes as an HTML page.
#[must_use]
pub fn nodes_html(report: &NodesReport) -> String {
    document(
        &count(report.nodes.len(), "node"),
        &html! {
            (banner(report))
            main {
                (heights::section(report))
                (cross_checks(report))
                (table(report))
                @for (place, node) in report.nodes.iter().enumerate() {
                    (findings_of_node(place + 1, node))
                }
                @for (number, node) in (1..).zip(&report.nodes) {
                    @let of_node = html! { " of node " (number) " " code { (Line(&node.target.base_url)) } };
                    @let suffix = format!("-{number}");
                    (chain::section(node, &html! { "Blocks" (of_node) }, &suffix))
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

/// Renders every case, with a column for each node.
fn table(report: &NodesReport) -> Markup {
    let first = report.nodes.first().map_or(&[][..], |node| &node.cases);
    html! {
        section #cases aria-labelledby="cases-title" {
            h2 #cases-title { "Cases" }
            div.scroll tabindex="0" {
                table {
                    thead {
                        tr {
                            th { "Case" }
                            @for node in 1..=report.nodes.len() { th { "node " (node) } }
                        }
                    }
                    tbody {
                        @for (place, case) in first.iter().enumerate() {
                            tr {
                                th scope="row" { (Line(&case.id)) }
                                @for node in &report.nodes {
                                    td {
                                        @if let Some(case) = node.cases.get(place) {
                                            (badge(case.outcome))
                                        }
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
        details.case {
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
