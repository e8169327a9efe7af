//! The findings of a case.

use maud::{Markup, html};

use super::{
    escape::Line,
    exchange,
    parts::{count, exact_text},
};
use crate::{
    details::{Detail, Value, finding_details, kinds, next_steps},
    model::{CaseReport, FindingReport, NodeReport},
};

/// Renders the findings of a case. Equal mismatches in several places are shown once, and the
/// other places are collapsed.
pub(super) fn findings(case: &CaseReport, node: Option<&NodeReport>) -> Markup {
    let mut shown = Vec::new();
    html! {
        @for (first, others) in kinds(case) {
            div.finding {
                p.what { (Line(&first.what)) }
                (finding(case, first, node, &mut shown))
                @if !others.is_empty() {
                    details.more {
                        summary { "The same in " (count(others.len(), "more place")) }
                        div.inside {
                            @for other in others {
                                div.finding { (finding(case, other, node, &mut shown)) }
                            }
                        }
                    }
                }
            }
        }
        @if !case.findings.is_empty() { (list(&next_steps(case))) }
    }
}

/// Renders a finding, and its exchange unless `shown` already lists it.
fn finding(
    case: &CaseReport,
    finding: &FindingReport,
    node: Option<&NodeReport>,
    shown: &mut Vec<usize>,
) -> Markup {
    let index = finding.exchange.filter(|index| !shown.contains(index));
    let exchange = node.and_then(|node| Some((node, node.exchanges.get(index?)?)));
    shown.extend(index);
    html! {
        (list(&finding_details(case, finding)))
        @if let Some((node, exchange)) = exchange { (exchange::whole(node, exchange, None)) }
    }
}

fn list(details: &[Detail<'_>]) -> Markup {
    html! {
        dl {
            @for detail in details {
                dt { (detail.label) }
                dd class=(detail.label) {
                    @match &detail.value {
                        Value::Text(text) => (Line(text)),
                        Value::Exact(text, _) => (exact_text(text)),
                        Value::Diff(lines) => (diff(lines)),
                    }
                }
            }
        }
    }
}

fn diff(lines: &str) -> Markup {
    html! {
        pre.diff tabindex="0" {
            @for line in lines.lines() {
                @match line.as_bytes().first() {
                    Some(b'-') => del { (Line(line)) },
                    Some(b'+') => ins { (Line(line)) },
                    _ => span { (Line(line)) },
                }
                "\n"
            }
        }
    }
}
