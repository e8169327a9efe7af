//! The top of a page: the verdict, the counts, the findings and the inconclusive cases.

use maud::{Markup, html};

use super::{
    escape::Line,
    finding::brief_values,
    parts::{badge, case_links, count, groups, took, version},
};
use crate::model::{CaseReport, Outcome, Report, SweepReport, Verdict};

pub(super) fn banner(report: &Report) -> Markup {
    let (class, sign, headline) = match report.verdict {
        Verdict::Conforms if report.exit_code != 0 => {
            ("unknown", "!", "Conforms, but the run failed")
        }
        Verdict::Conforms => ("good", "✓", "Conforms"),
        Verdict::DoesNotConform => ("bad", "✕", "Does not conform"),
        Verdict::Unreachable => ("unknown", "?", "No verdict: unreachable"),
        Verdict::Error => ("unknown", "?", "No verdict: the harness is at fault"),
    };
    let selected = report.passed_of_selected();
    let headline = match &selected {
        Some(selected) if report.verdict == Verdict::Conforms && report.exit_code == 0 => selected,
        _ => headline,
    };
    let known = report.count(Outcome::Known);
    html! {
        header class={ "banner " (class) } {
            h1 { span.sign aria-hidden="true" { (sign) } " " (headline) }
            p.target {
                code { (Line(&report.target.base_url)) }
                " " span.network { (Line(&report.target.network)) }
            }
            @if let Some(reason) = &report.reason { p.reason { (Line(reason)) } }
            @if known > 0 {
                p.reason { (count(known, "violation")) " known beforehand and expected" }
            }
            ul.counts {
                @for group in groups(&report.cases) {
                    li class=(group.name) { b { (group.cases.len()) } " " (group.words) }
                    "\n"
                }
                @if report.count(Outcome::Pass) == 0 { li.pass { b { "0" } " passed" } }
            }
            (facts(report))
            @for note in &report.notes { p { "Note: " (Line(note)) } }
            @if let Some(sweep) = &report.sweep { (swept(sweep)) }
            nav aria-label="On this page" {
                @if with_findings(report).next().is_some() {
                    a href="#findings" { "Findings" } " "
                }
                a href="#coverage" { "Coverage" } " "
                @if report.cost.as_ref().is_some_and(|cost| !cost.endpoints.is_empty()) {
                    a href="#latency" { "Latency" } " "
                }
                a href="#cases" { "Cases" } " "
                a href="#exchanges" { "Exchanges" }
            }
        }
    }
}

fn facts(report: &Report) -> Markup {
    let started_at = report.started_at.replace('T', " ").replace('Z', " UTC");
    html! {
        p.facts {
            (count(report.requests, "request")) " in " (took(report.elapsed_ms))
            " " span { (Line(&started_at)) }
            " " span { "exit status " (report.exit_code) }
            @if report.strict { " " span { "strict" } }
            " " (version())
            @if let Some(cost) = &report.cost { " " span { (cost.in_words()) } }
        }
        @if let Some(examined) = report.examined() {
            p.facts { span { (Line(&examined)) } }
        }
    }
}

/// Renders the progress of a sweep.
pub(super) fn swept(sweep: &SweepReport) -> Markup {
    html! {
        p.facts {
            span { "blocks " (sweep.from) " to " (sweep.to.saturating_sub(1)) }
            " " span { (sweep.judged) " judged" }
            @if let Some(lowest) = sweep.none_below {
                " " span { "the node has no block below " (lowest) }
            }
            @if sweep.missing > 0 { " " span { (sweep.missing) " missing" } }
            @if sweep.unread > 0 { " " span { (sweep.unread) " not read" } }
            " " span { (sweep.findings) " findings" }
            @if let Some(records) = sweep.records {
                " " span { "records of " (records.compared) " of " (records.assets) " claimed assets compared" }
            }
            @if !sweep.done { " " span { "ended before block " (sweep.next) } }
        }
    }
}

/// Returns the cases with findings that no other case explains, each with the cases that it
/// explains. The cases that an expectation names follow.
fn with_findings(report: &Report) -> impl Iterator<Item = (&CaseReport, Vec<&CaseReport>)> {
    let expected = |outcome| {
        let cases = report.cases.iter();
        cases.filter(move |case| case.outcome == outcome)
    };
    let expected = [Outcome::Stale, Outcome::Known]
        .into_iter()
        .flat_map(expected);
    let causes = report.causes().into_iter();
    causes.chain(expected.map(|case| (case, Vec::new())))
}

/// Renders a line for each case with findings.
pub(super) fn findings(report: &Report) -> Markup {
    if with_findings(report).next().is_none() {
        return html! {};
    }
    html! {
        section #findings aria-labelledby="findings-title" {
            h2 #findings-title { "Findings" }
            ul.list {
                @for (case, explained) in with_findings(report) {
                    li {
                        (finding_line(case))
                        @if let Some(finding) = case.findings.first() { (brief_values(finding)) }
                        @if !explained.is_empty() {
                            details.more {
                                summary { (count(explained.len(), "more case")) " with the same cause" }
                                ul.list { @for case in explained { li { (finding_line(case)) } "\n" } }
                            }
                        }
                    }
                    "\n"
                }
            }
        }
    }
}

fn finding_line(case: &CaseReport) -> Markup {
    let reason = case.reason.as_ref().or(case.note.as_ref());
    html! {
        (badge(case.outcome))
        " " a href={ "#" (Line(&case.id)) } { (Line(&case.id)) }
        " " span.why { (Line(reason.map_or("", String::as_str))) }
    }
}

/// Renders the inconclusive cases, grouped by reason.
pub(super) fn inconclusive(report: &Report) -> Markup {
    let reasons = report.inconclusive_by_reason();
    if reasons.is_empty() {
        return html! {};
    }
    html! {
        section #undecided aria-labelledby="undecided-title" {
            h2 #undecided-title { "Inconclusive cases" }
            div.list {
                @for (reason, ids) in reasons {
                    details {
                        summary {
                            span.why { (Line(reason)) }
                            " " span.took { (count(ids.len(), "case")) }
                        }
                        (case_links(ids))
                    }
                    "\n"
                }
            }
        }
    }
}
