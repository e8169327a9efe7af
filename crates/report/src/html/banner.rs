//! The top of the page: the verdict, and for each node the counts and what the run examined.

use maud::{Markup, html};

use super::{
    escape::Line,
    parts::{count, group_name, group_names, took},
};
use crate::model::{NodeReport, Report, SweepReport, Verdict};

pub(super) fn banner(report: &Report) -> Markup {
    let (class, sign) = match (report.verdict, report.exit_code) {
        (Verdict::Conforms, 0) => ("good", "✓"),
        (Verdict::DoesNotConform, _) => ("bad", "✕"),
        _ => ("unknown", "?"),
    };
    html! {
        header class={ "banner " (class) } {
            h1 { span.sign aria-hidden="true" { (sign) } " " (Line(&report.in_words())) }
            @for (number, node) in report.numbered() {
                (of_node(node, report.has_several().then_some(number)))
            }
            p.facts {
                span { "exit status " (report.exit_code) }
                " " span { "nodeproof " (env!("CARGO_PKG_VERSION")) }
            }
            nav aria-label="On this page" {
                a href="#findings" { "Findings" } " "
                a href="#cases" { "Cases" } " "
                a href="#coverage-1" { "Coverage" } " "
                a href="#latency-1" { "Latency" } " "
                a href="#exchanges-1" { "Exchanges" }
            }
        }
    }
}

fn of_node(node: &NodeReport, number: Option<usize>) -> Markup {
    let of_group = |name| {
        let cases = node.cases.iter();
        cases.filter(|case| group_name(case) == name).count()
    };
    let started_at = node.started_at.replace('T', " ").replace('Z', " UTC");
    html! {
        p.target {
            @if let Some(number) = number { "node " (number) " " }
            code { (Line(&node.target.base_url)) }
            " " span.network { (Line(&node.target.network)) }
            @if number.is_some() { " " (Line(&node.in_words())) }
        }
        @if let Some(reason) = &node.reason { p.reason { (Line(reason)) } }
        ul.counts {
            @for (name, words) in group_names() {
                @let cases = of_group(name);
                @if cases > 0 || name == "pass" {
                    li class=(name) { b { (cases) } " " (words) }
                    "\n"
                }
            }
        }
        p.facts {
            (count(node.requests, "request")) " in " (took(node.elapsed_ms))
            " " span { (Line(&started_at)) }
            @if node.strict { " " span { "strict" } }
            @if let Some(cost) = &node.cost { " " span { (cost.in_words()) } }
            @if let Some(height) = node.height { " " span { "latest block " (height) } }
        }
        @if let Some(examined) = node.examined() { p.facts { span { (Line(&examined)) } } }
        @for note in &node.notes { p { "Note: " (Line(note)) } }
        @for line in node.sweep.as_ref().map(SweepReport::in_words).into_iter().flatten() {
            p.facts { (Line(&line)) }
        }
    }
}
