//! The cases, grouped by operation. Cases with findings are expanded, the others collapsed.

use maud::{Markup, html};

use super::{
    escape::Line,
    exchange,
    finding::findings,
    parts::{badge, count, group_name, groups, requirements, took},
};
use crate::model::{CaseReport, Outcome, Report};

pub(super) fn section(report: &Report) -> Markup {
    let of_one_operation = |a: &CaseReport, b: &CaseReport| a.operation() == b.operation();
    html! {
        section #cases aria-labelledby="cases-title" {
            h2 #cases-title { "Cases" }
            p.none #none hidden { "No case matches." }
            @for cases in report.cases.chunk_by(of_one_operation) { (group(report, cases)) "\n" }
        }
    }
}

/// Renders the cases of one operation: the worst outcome first, and those that
/// other cases explain last.
fn group(report: &Report, cases: &[CaseReport]) -> Markup {
    let groups = groups(cases);
    let operation = cases.first().map_or("", CaseReport::operation);
    html! {
        section.operation aria-label=(Line(operation)) {
            h3 {
                (Line(operation)) " "
                span.tally {
                    @for group in &groups {
                        span class=(group.name) { (group.cases.len()) " " (group.words) } " "
                    }
                }
            }
            div.list {
                @for case in groups.iter().flat_map(|group| &group.cases) { (case_details(report, case)) "\n" }
            }
        }
    }
}

fn case_details(report: &Report, case: &CaseReport) -> Markup {
    let is_bad = matches!(case.outcome, Outcome::Fail | Outcome::Stale | Outcome::Warn);
    let open = is_bad && case.explained_by.is_none();
    let shows_reason = case.outcome.has_new_findings() || case.outcome == Outcome::Inconclusive;
    html! {
        details.case data-outcome=(group_name(case)) id=(Line(&case.id)) open[open] {
            summary {
                (badge(case.outcome))
                " " span.id { (Line(&case.id)) } " "
                @match case.reason.as_ref().filter(|_| shows_reason) {
                    Some(reason) => span.why { (Line(reason)) },
                    None => span.says { (requirements(case)) },
                }
                " " (took(case.elapsed_ms))
            }
            div.inside {
                blockquote {
                    span.level { (case.level.name()) } " " (requirements(case))
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
                (findings(report, case))
                @if let Some(snapshot) = &case.snapshot {
                    p.snapshot { "Snapshot " code { (Line(snapshot)) } }
                }
                (other_exchanges(report, case))
                @if case.outcome.has_new_findings() && !case.requirements.is_empty() {
                    p { "Explained by " code { "nodeproof explain " (Line(&case.id)) } }
                }
            }
        }
    }
}

/// Renders the case's exchanges that its findings do not show.
fn other_exchanges(report: &Report, case: &CaseReport) -> Markup {
    let shown: Vec<_> = case
        .findings
        .iter()
        .filter_map(|finding| finding.exchange)
        .collect();
    let others: Vec<_> = case
        .exchanges
        .iter()
        .filter(|index| !shown.contains(index))
        .filter_map(|index| Some((*index, report.exchanges.get(*index)?)))
        .collect();
    if others.is_empty() {
        return html! {};
    }
    let noun = match shown.as_slice() {
        [] => "exchange",
        _ => "more exchange",
    };
    html! {
        details.looked {
            summary { "Looked at " (count(others.len(), noun)) }
            div.inside {
                @for (index, exchange) in others {
                    (exchange::reference(report, exchange, index))
                }
            }
        }
    }
}
