//! Small elements that several sections use.

use std::time::Duration;

use maud::{Markup, html};

use super::escape::{Line, Lines};
use crate::model::{CaseReport, Outcome};

/// Renders a number with its noun. The noun gets an `s` unless the number is 1.
pub(super) fn count(number: impl TryInto<u64>, noun: &str) -> Markup {
    let number = number.try_into().unwrap_or(u64::MAX);
    html! { (number) " " (noun) @if number != 1 { "s" } }
}

/// Renders a duration.
pub(super) fn took(milliseconds: u64) -> Markup {
    let text = match milliseconds {
        0 => "< 1 ms".to_owned(),
        1..1000 => format!("{milliseconds} ms"),
        _ => format!("{:.1} s", Duration::from_millis(milliseconds).as_secs_f64()),
    };
    html! { span.took { (text) } }
}

/// Renders a shell command, or another text that is used as it is, with a copy button.
pub(super) fn exact_text(text: &str) -> Markup {
    html! {
        div.shell {
            pre tabindex="0" { (Lines(text)) }
            button.copy type="button" hidden { "Copy" }
        }
    }
}

/// Renders an outcome.
pub(super) fn badge(outcome: Outcome) -> Markup {
    html! { span class={ "badge " (outcome.name()) } { (outcome.name()) } }
}

/// Renders the requirements of a case. The parts between backticks are code.
pub(super) fn requirements(case: &CaseReport) -> Markup {
    html! {
        @for (place, requirement) in case.requirements.iter().enumerate() {
            @if place > 0 { " " }
            b { (Line(&requirement.id)) } " "
            @for (index, part) in requirement.text.split('`').enumerate() {
                @if index % 2 == 1 { code { (Line(part)) } } @else { (Line(part)) }
            }
        }
    }
}

/// Renders links to cases.
pub(super) fn case_links<'i>(ids: impl IntoIterator<Item = &'i str>) -> Markup {
    html! {
        ul.ids {
            @for id in ids { li { a href={ "#" (Line(id)) } { (Line(id)) } } }
        }
    }
}

/// Returns the name of the group that a case is counted in.
pub(super) fn group_name(case: &CaseReport) -> &'static str {
    match case.explained_by {
        Some(_) => "explained",
        None => case.outcome.name(),
    }
}

/// Returns the name of each group, and the words for it: the worst outcome first, and the explained ones
/// last.
pub(super) fn group_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    let outcomes = Outcome::WORST_FIRST.into_iter();
    let names = outcomes.map(|outcome| (outcome.name(), outcome.participle()));
    names.chain([("explained", "explained by others")])
}
