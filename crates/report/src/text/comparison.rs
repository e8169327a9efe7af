//! The comparison of two runs.

use std::fmt::Write;

use nodeproof_primitives::escape::{escaped, escaped_up_to};

use super::style::Style;
use crate::{
    comparison::{CaseChange, Cause, Comparison, RunSummary},
    model::{Outcome, figure},
};

/// Renders the differences between two runs.
#[must_use]
pub fn text_of_comparison(comparison: &Comparison, style: Style) -> String {
    let mut out = String::new();
    run("before", comparison.before.as_ref(), &mut out);
    run("after", comparison.after.as_ref(), &mut out);
    let new = comparison.new_causes();
    heading("new", new.len(), style, &mut out);
    for cause in new {
        change(cause.case, style, &mut out);
        explains(&cause, &mut out);
    }
    let fixed = comparison.fixed_causes();
    heading("fixed", fixed.len(), style, &mut out);
    for cause in fixed {
        let CaseChange {
            id,
            after,
            before,
            reason_before,
            ..
        } = cause.case;
        let before = before.unwrap_or(Outcome::Fail).name();
        let reason = escaped_up_to(reason_before.as_deref().unwrap_or_default(), 200);
        let _ = writeln!(
            out,
            "{}{} (was {before}: {reason})",
            style.outcome(*after),
            escaped(id)
        );
        explains(&cause, &mut out);
    }
    heading("changed", comparison.changed.len(), style, &mut out);
    for changed in &comparison.changed {
        change(changed, style, &mut out);
    }
    let judged = comparison.judged_ids();
    heading("checked now", judged.len(), style, &mut out);
    ids_in_rows(judged.into_iter(), &mut out);
    not_judged(comparison, style, &mut out);
    heading("slower", comparison.slower.len(), style, &mut out);
    for slow in &comparison.slower {
        let (before, after) = (figure(slow.before_ms), figure(slow.after_ms));
        let operation = escaped(&slow.operation);
        let _ = writeln!(
            out,
            "{operation}: {} {before} ms, now {after} ms",
            slow.measure
        );
    }
    for (what, ids) in [
        ("only in the later run", &comparison.appeared),
        ("only in the earlier run", &comparison.vanished),
    ] {
        heading(what, ids.len(), style, &mut out);
        ids_in_rows(ids.iter().map(String::as_str), &mut out);
    }
    let colour = if comparison.is_worse() {
        "31;1"
    } else {
        "32;1"
    };
    let _ = writeln!(out, "\n{}", style.paint(colour, comparison.conclusion()));
    out
}

fn explains(cause: &Cause<'_>, out: &mut String) {
    if let Some(words) = cause.explains() {
        let _ = writeln!(out, "  {words}");
    }
}

fn run(label: &str, run: Option<&RunSummary>, out: &mut String) {
    let Some(run) = run else {
        let _ = writeln!(out, "{label:<7} this node is not in the report");
        return;
    };
    let node = escaped_up_to(&run.node, 200);
    let at = run
        .started_at
        .as_deref()
        .map(|at| format!(", {}", escaped_up_to(at, 40)));
    let _ = write!(
        out,
        "{label:<7} {node}{}: {}",
        at.unwrap_or_default(),
        run.result()
    );
    if let Some(reason) = &run.reason {
        let _ = write!(out, ": {}", escaped_up_to(reason, 600));
    }
    out.push('\n');
}

fn heading(text: &str, entries: usize, style: Style, out: &mut String) {
    if entries > 0 {
        let _ = writeln!(out, "\n{}", style.paint("1", text));
    }
}

/// Renders a case with its result now, and also its result before if that matters.
fn change(change: &CaseChange, style: Style, out: &mut String) {
    let _ = write!(
        out,
        "{}{}",
        style.outcome(change.after),
        escaped(&change.id)
    );
    if let Some(reason) = &change.reason {
        let _ = write!(out, ": {}", escaped_up_to(reason, 200));
    }
    out.push('\n');
    match (change.before, change.other_reason_before()) {
        (None, _) => out.push_str("  was not in the earlier run\n"),
        (Some(Outcome::Pass), _) => {}
        (Some(before), reason) => {
            let reason = reason.map(|reason| format!(": {}", escaped_up_to(reason, 200)));
            let _ = writeln!(out, "  was {}{}", before.name(), reason.unwrap_or_default());
        }
    }
}

fn not_judged(comparison: &Comparison, style: Style, out: &mut String) {
    let reasons = comparison.not_judged_by_reason();
    heading("no longer checked", reasons.len(), style, out);
    for (reason, changes) in reasons {
        let _ = writeln!(
            out,
            "{}: {}",
            cases(changes.len()),
            escaped_up_to(reason, 400)
        );
        ids_in_rows(changes.iter().map(|change| change.id.as_str()), out);
    }
}

fn cases(count: usize) -> String {
    match count {
        1 => "1 case".to_owned(),
        count => format!("{count} cases"),
    }
}

fn ids_in_rows<'i>(ids: impl Iterator<Item = &'i str>, out: &mut String) {
    let ids: Vec<_> = ids.collect();
    for row in ids.chunks(4) {
        let _ = writeln!(out, "  {}", escaped(&row.join("  ")));
    }
}
