//! Renders the differences between two runs, for a terminal or as Markdown.

use std::fmt::Write;

use nodeproof_primitives::escape::{escaped, escaped_up_to};

use super::compare::{CaseChange, Change, Comparison};
use crate::{
    markdown::fenced,
    model::{CaseReport, by_reason, figure},
    text::{Style, case_line, case_line_and_differences, case_text},
};

/// The kinds of changes that have a line for each case, with their headings.
const LINES: [(Change, &str); 4] = [
    (Change::New, "new"),
    (Change::Fixed, "fixed"),
    (
        Change::NotSeenAgain,
        "not seen again (the later run did not check the same samples; use --recheck)",
    ),
    (Change::Changed, "changed"),
];
/// The kinds of which only the IDs are listed.
const IDS: [(Change, &str); 4] = [
    (Change::Remaining, "still failing"),
    (Change::Judged, "checked now"),
    (Change::Appeared, "only in the later run"),
    (Change::Vanished, "only in the earlier run"),
];

/// Renders the differences between two runs, with a line for each new finding.
#[must_use]
pub fn text_of_comparison(comparison: &Comparison<'_>, style: Style) -> String {
    text(comparison, style, case_line_and_differences)
}

/// Renders the differences between two runs, with the whole text of each new finding.
#[must_use]
pub fn text_of_changes(comparison: &Comparison<'_>, style: Style) -> String {
    text(comparison, style, |case, style| {
        case_text(case, style).trim().to_owned()
    })
}

/// Renders the differences between two runs as Markdown.
#[must_use]
pub fn markdown_of_comparison(comparison: &Comparison<'_>) -> String {
    let text = text_of_comparison(comparison, Style::Plain);
    let conclusion = comparison.conclusion();
    format!("## Comparison: {conclusion}\n\n{}", fenced(&text, "text"))
}

fn text(
    comparison: &Comparison<'_>,
    style: Style,
    new_finding: impl Fn(&CaseReport, Style) -> String,
) -> String {
    let mut out = String::new();
    let runs = [("before", comparison.before), ("after", comparison.after)];
    for (label, run) in runs {
        let run = run.map_or("this node is not in the report".to_owned(), |run| {
            run.in_words()
        });
        let _ = writeln!(out, "{label:<7}{}", escaped_up_to(&run, 900));
    }
    let heading = |title: &str, out: &mut String| {
        let _ = writeln!(out, "\n{}", style.paint("1", title));
    };
    for (kind, title) in LINES {
        for (place, change) in comparison.causes(kind).into_iter().enumerate() {
            if place == 0 {
                heading(title, &mut out);
            }
            out.push_str(&match kind {
                Change::New => new_finding(change.case, style),
                _ => case_line(change.case, style),
            });
            out.push('\n');
            before(change, &mut out);
            match comparison.explained(change) {
                0 => {}
                1 => out.push_str("  for the same reason: 1 more case\n"),
                count => {
                    let _ = writeln!(out, "  for the same reason: {count} more cases");
                }
            }
        }
    }
    for (kind, title) in IDS {
        let changes = comparison.causes(kind);
        let ids: Vec<_> = changes.iter().map(|change| &*change.case.id).collect();
        if !ids.is_empty() {
            heading(title, &mut out);
            in_rows(&ids, &mut out);
        }
    }
    let not_judged = comparison.causes(Change::NotJudged);
    let reasons = by_reason(not_judged.iter().map(|change| change.case));
    for (place, (reason, ids)) in reasons.into_iter().enumerate() {
        if place == 0 {
            heading("no longer checked", &mut out);
        }
        let _ = writeln!(out, "{}", escaped_up_to(reason, 400));
        in_rows(&ids, &mut out);
    }
    for (place, slow) in comparison.slower.iter().enumerate() {
        if place == 0 {
            heading("slower", &mut out);
        }
        let operation = escaped_up_to(slow.operation, 200);
        let (before, after) = (figure(slow.before_ms), figure(slow.after_ms));
        let _ = writeln!(
            out,
            "{operation}: {} {before} ms, now {after} ms",
            slow.measure
        );
    }
    let colour = match comparison.is_worse() {
        true => "31;1",
        false => "32;1",
    };
    let _ = writeln!(out, "\n{}", style.paint(colour, comparison.conclusion()));
    out
}

/// Renders the result before, unless the case passed, or its reason is the same.
fn before(change: &CaseChange<'_>, out: &mut String) {
    let case = change.case;
    let Some(before) = change.before else {
        out.push_str("  was not in the earlier run\n");
        return;
    };
    if before.outcome == crate::model::Outcome::Pass {
        return;
    }
    let reason = before.reason.as_ref();
    let reason = reason.filter(|_| before.reason != case.reason);
    let reason = reason.map(|reason| format!(": {}", escaped_up_to(reason, 200)));
    let (was, reason) = (before.outcome.name(), reason.unwrap_or_default());
    let _ = writeln!(out, "  was {was}{reason}");
}

/// Renders IDs in rows.
fn in_rows(ids: &[&str], out: &mut String) {
    for row in ids.chunks(4) {
        let row: Vec<_> = row.iter().map(|id| escaped(id)).collect();
        let _ = writeln!(out, "  {}", row.join("  "));
    }
}
