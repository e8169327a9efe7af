//! The findings of a case.

use maud::{Markup, html};
use nodeproof_primitives::escape::escaped_up_to;
use similar::{ChangeTag, TextDiff};

use super::{
    escape::Line,
    exchange,
    parts::{count, shell_command},
};
use crate::model::{CaseReport, FindingReport, Report, SignedReport};

/// Maximum length of a text that is compared line by line, in bytes.
const MAX_COMPARED: usize = 64 * 1024;

/// Renders the findings of a case. Equal mismatches in several places are shown once, and the
/// other places are collapsed.
pub(super) fn findings(report: &Report, case: &CaseReport) -> Markup {
    let mut kinds: Vec<(&FindingReport, Vec<&FindingReport>)> = Vec::new();
    for finding in &case.findings {
        match kinds
            .iter_mut()
            .find(|(first, _)| first.what == finding.what)
        {
            Some((_, others)) => others.push(finding),
            None => kinds.push((finding, Vec::new())),
        }
    }
    let mut shown = Vec::new();
    html! {
        @for (first, others) in kinds {
            div.finding {
                p.what { (Line(&first.what)) }
                (finding_details(report, first, &mut shown))
                @if !others.is_empty() {
                    details.more {
                        summary { "The same in " (count(others.len(), "more place")) }
                        div.inside {
                            @for other in others {
                                div.finding { (finding_details(report, other, &mut shown)) }
                            }
                        }
                    }
                }
            }
        }
        @if case.more_findings > 0 {
            p.part { "and " (count(case.more_findings, "more finding")) }
        }
    }
}

/// Renders a finding, and its exchange unless `shown` already lists it.
fn finding_details(report: &Report, finding: &FindingReport, shown: &mut Vec<usize>) -> Markup {
    let index = finding.exchange.filter(|index| !shown.contains(index));
    let exchange = index.and_then(|index| report.exchanges.get(index));
    shown.extend(index);
    html! {
        (values(finding))
        @if let Some(signed) = &finding.signed { (signature_details(signed)) }
        @if let Some(curl) = &finding.curl { (shell_command(curl)) }
        @if let Some(exchange) = exchange { (exchange::whole(report, exchange, None)) }
    }
}

/// Renders the details of a signature.
fn signature_details(signed: &SignedReport) -> Markup {
    html! {
        dl {
            dt { "signed" }
            dd {
                @match &signed.message {
                    Some(message) => code { (Line(message)) },
                    None => { "a message of " (signed.message_bytes) " bytes" }
                }
            }
            dt { "digest" }
            dd { "SHA-1 " code { (Line(&signed.digest)) } }
        }
        @if let Some(verify) = &signed.verify { (shell_command(verify)) }
    }
}

/// Maximum length of a value in the list of findings, in characters.
const MAX_BRIEF: usize = 300;

/// Renders the expected and the actual value in short, unless they have several lines.
pub(super) fn brief_values(finding: &FindingReport) -> Markup {
    let (expected, actual) = (&finding.expected, &finding.actual);
    if expected.contains('\n') || actual.contains('\n') {
        return html! {};
    }
    html! {
        dl.brief {
            dt { "expected" }
            dd.expected { (escaped_up_to(expected, MAX_BRIEF)) }
            dt { "actual" }
            dd.actual { (escaped_up_to(actual, MAX_BRIEF)) }
        }
    }
}

fn values(finding: &FindingReport) -> Markup {
    let (expected, actual) = (&finding.expected, &finding.actual);
    let several_lines = expected.contains('\n') || actual.contains('\n');
    html! {
        dl {
            @if let Some(pointer) = &finding.pointer {
                dt { "at" }
                dd { @if pointer.is_empty() { "the whole body" } @else { code { (Line(pointer)) } } }
            }
            @if let Some(block) = finding.block {
                dt { "in block" }
                dd {
                    (block)
                    @if let Some(count @ 2..) = finding.count {
                        ", the first of " (count) " places"
                    }
                }
            }
            @if !several_lines {
                dt { "expected" }
                dd.expected { (Line(expected)) }
                dt { "actual" }
                dd.actual { (Line(actual)) }
            }
        }
        @if several_lines { (diff(expected, actual)) }
    }
}

/// Renders the lines that differ, with three lines of context.
fn diff(expected: &str, actual: &str) -> Markup {
    let diff = TextDiff::from_lines(start(expected), start(actual));
    html! {
        p.legend { del { "− expected" } " " ins { "+ actual" } }
        pre.diff tabindex="0" {
            @for (index, group) in diff.grouped_ops(3).iter().enumerate() {
                @if index > 0 { span.gap { "⋯" } "\n" }
                @for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
                    @let line = Line(change.value().trim_end_matches('\n'));
                    @match change.tag() {
                        ChangeTag::Delete => del { (line) },
                        ChangeTag::Insert => ins { (line) },
                        ChangeTag::Equal => span { (line) },
                    }
                    "\n"
                }
            }
        }
    }
}

/// Returns at most the first [`MAX_COMPARED`] bytes of a text.
fn start(text: &str) -> &str {
    let mut end = text.len().min(MAX_COMPARED);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
