//! The findings in short, with links to their cases, and the inconclusive cases.

use maud::{Markup, html};

use super::{
    escape::Line,
    parts::{badge, case_links, count},
};
use crate::model::{CaseReport, Report};

/// Renders a line for each case with findings, and for each case that an expectation names.
pub(super) fn findings(report: &Report) -> Markup {
    let causes = report.causes();
    let expected: Vec<_> = report
        .nodes
        .iter()
        .flat_map(|node| node.expected())
        .collect();
    html! {
        section #findings aria-labelledby="findings-title" {
            h2 #findings-title { "Findings" }
            ul.list {
                @if causes.is_empty() && expected.is_empty() { li { "none" } }
                @for cause in &causes {
                    li {
                        (line(cause.case))
                        @if let Some(nodes) = cause.at_nodes(report) { span.took { "at node " (nodes) } }
                        @if !cause.explained.is_empty() {
                            details.more {
                                summary { (count(cause.explained.len(), "more case")) " with the same cause" }
                                ul.list { @for case in &cause.explained { li { (line(case)) } "\n" } }
                            }
                        }
                    }
                    "\n"
                }
                @for case in expected { li { (line(case)) } "\n" }
            }
        }
    }
}

fn line(case: &CaseReport) -> Markup {
    let reason = case.reason.as_ref().or(case.note.as_ref());
    let first = case.findings.first();
    let block = first
        .and_then(|finding| finding.block)
        .map(|block| format!("block {block}"));
    let place = block.or_else(|| first?.place.clone());
    html! {
        (badge(case.outcome))
        " " a href={ "#" (Line(&case.id)) } { (Line(&case.id)) }
        " " span.why { (Line(reason.map_or("", String::as_str))) }
        @if let Some(place) = place { " " span.took { "first at " (Line(&place)) } }
    }
}

/// Renders the inconclusive cases, grouped by reason.
pub(super) fn inconclusive(report: &Report) -> Markup {
    let reasons = report.numbered().flat_map(|(number, node)| {
        let reasons = node.inconclusive().into_iter();
        reasons.map(move |(reason, ids)| (number, reason, ids))
    });
    let reasons: Vec<_> = reasons.collect();
    if reasons.is_empty() {
        return html! {};
    }
    html! {
        section #undecided aria-labelledby="undecided-title" {
            h2 #undecided-title { "Inconclusive cases" }
            div.list {
                @for (number, reason, ids) in reasons {
                    details {
                        summary {
                            span.why { (Line(reason)) }
                            " " span.took {
                                (count(ids.len(), "case"))
                                @if report.has_several() { " at node " (number) }
                            }
                        }
                        (case_links(ids))
                    }
                    "\n"
                }
            }
        }
    }
}
