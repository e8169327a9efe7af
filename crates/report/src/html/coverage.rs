//! The section about coverage.

use maud::{Markup, html};

use super::{
    escape::Line,
    parts::{case_links, count},
};
use crate::model::{NodeReport, OperationCoverage, PartCoverage};

/// Renders what the run exercised at a node. `number` distinguishes the sections of several nodes.
pub(super) fn section(node: &NodeReport, number: usize, title: &Markup) -> Markup {
    let coverage = &node.coverage;
    let unseen = &coverage.unseen_fields;
    html! {
        section.coverage id={ "coverage-" (number) } {
            h2 { "Coverage" (title) }
            @if coverage.operations.is_empty() {
                p { "Nothing was exercised." }
            } @else {
                div.scroll tabindex="0" {
                    table {
                        thead {
                            tr {
                                th { "Operation" }
                                th { "Requests" }
                                th { "Statuses" }
                                th { "Parameters" }
                                th { "Fields" }
                            }
                        }
                        tbody { @for operation in &coverage.operations { (row(operation)) "\n" } }
                    }
                }
                @if !unseen.is_empty() {
                    details.gaps {
                        summary {
                            (count(unseen.len(), "field")) " of the specification that no response had"
                        }
                        (case_links(unseen.iter().map(String::as_str)))
                    }
                }
            }
        }
    }
}

fn row(operation: &OperationCoverage) -> Markup {
    html! {
        tr {
            th scope="row" { (Line(&operation.operation)) }
            @if operation.requests == 0 {
                td.gap colspan="4" {
                    "no requests"
                    @if let Some(reason) = &operation.reason { ": " (Line(reason)) }
                }
            } @else {
                td data-label="Requests" { (operation.requests) }
                td data-label="Statuses" { @for status in &operation.statuses { (status) " " } }
                (parts("Parameters", &operation.parameters))
                (parts("Fields", &operation.fields))
            }
        }
    }
}

/// Renders a cell: how many parts were exercised, and which were not.
fn parts(label: &str, parts: &[PartCoverage]) -> Markup {
    if parts.is_empty() {
        return html! { td.nothing data-label=(label) { "–" } };
    }
    let missing: Vec<_> = parts.iter().filter(|part| !part.exercised).collect();
    let class = if missing.is_empty() { "all" } else { "gap" };
    html! {
        td class=(class) data-label=(label) {
            (parts.len() - missing.len()) " of " (parts.len())
            @if !missing.is_empty() {
                details {
                    summary { "missing" }
                    ul.ids {
                        @for part in missing {
                            li {
                                code { (Line(&part.name)) }
                                @if let Some(reason) = &part.reason { " " (Line(reason)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
