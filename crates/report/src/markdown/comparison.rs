//! The comparison of two runs.

use std::fmt::Write;

use super::code::code;
use crate::{
    comparison::{CaseChange, Cause, Comparison, RunSummary},
    model::{Outcome, figure},
};

/// Renders the differences between two runs as Markdown.
#[must_use]
pub fn markdown_of_comparison(comparison: &Comparison) -> String {
    let mut out = format!("## Comparison: {}\n\n", comparison.conclusion());
    run("Before", comparison.before.as_ref(), &mut out);
    run("After", comparison.after.as_ref(), &mut out);
    let new = comparison.new_causes();
    heading("New", new.len(), &mut out);
    for cause in new {
        change(cause.case, &mut out);
        explains(&cause, &mut out);
    }
    let fixed = comparison.fixed_causes();
    heading("Fixed", fixed.len(), &mut out);
    for cause in fixed {
        let CaseChange {
            id,
            before,
            reason_before,
            ..
        } = cause.case;
        let before = before.unwrap_or(Outcome::Fail).name();
        let reason = code(reason_before.as_deref().unwrap_or_default(), 200);
        let _ = writeln!(out, "- **pass** {} (was {before}: {reason})", code(id, 200));
        explains(&cause, &mut out);
    }
    heading("Changed", comparison.changed.len(), &mut out);
    for changed in &comparison.changed {
        change(changed, &mut out);
    }
    let judged = comparison.judged_ids();
    heading("Judged now", judged.len(), &mut out);
    for id in judged {
        let _ = writeln!(out, "- {}", code(id, 200));
    }
    let reasons = comparison.not_judged_by_reason();
    heading("No longer checked", reasons.len(), &mut out);
    for (reason, changes) in reasons {
        let _ = writeln!(out, "- {}: {}", cases(changes.len()), code(reason, 400));
        let ids = changes.iter().map(|change| code(&change.id, 200));
        let _ = writeln!(out, "  - {}", ids.collect::<Vec<_>>().join(", "));
    }
    heading("Slower", comparison.slower.len(), &mut out);
    for slow in &comparison.slower {
        let (before, after) = (figure(slow.before_ms), figure(slow.after_ms));
        let operation = code(&slow.operation, 200);
        let _ = writeln!(
            out,
            "- {operation}: {} {before} ms, now {after} ms",
            slow.measure
        );
    }
    for (what, ids) in [
        ("Only in the later run", &comparison.appeared),
        ("Only in the earlier run", &comparison.vanished),
    ] {
        heading(what, ids.len(), &mut out);
        for id in ids {
            let _ = writeln!(out, "- {}", code(id, 200));
        }
    }
    out
}

fn explains(cause: &Cause<'_>, out: &mut String) {
    if let Some(words) = cause.explains() {
        let _ = writeln!(out, "  - {words}");
    }
}

fn run(label: &str, run: Option<&RunSummary>, out: &mut String) {
    let Some(run) = run else {
        let _ = writeln!(out, "- {label}: this node is not in the report");
        return;
    };
    let at = run
        .started_at
        .as_deref()
        .map(|at| format!(", {}", code(at, 40)));
    let (node, at) = (code(&run.node, 200), at.unwrap_or_default());
    let reason = run
        .reason
        .as_deref()
        .map(|reason| format!(": {}", code(reason, 600)));
    let reason = reason.unwrap_or_default();
    let _ = writeln!(out, "- {label}: {node}{at}: {}{reason}", run.result());
}

fn heading(text: &str, entries: usize, out: &mut String) {
    if entries > 0 {
        let _ = writeln!(out, "\n### {text}\n");
    }
}

fn change(change: &CaseChange, out: &mut String) {
    let _ = write!(
        out,
        "- **{}** {}",
        change.after.name(),
        code(&change.id, 200)
    );
    if let Some(reason) = &change.reason {
        let _ = write!(out, ": {}", code(reason, 200));
    }
    out.push('\n');
    match (change.before, change.other_reason_before()) {
        (None, _) => out.push_str("  - was not in the earlier run\n"),
        (Some(Outcome::Pass), _) => {}
        (Some(before), reason) => {
            let reason = reason.map(|reason| format!(": {}", code(reason, 200)));
            let _ = writeln!(
                out,
                "  - was {}{}",
                before.name(),
                reason.unwrap_or_default()
            );
        }
    }
}

fn cases(count: usize) -> String {
    match count {
        1 => "1 case".to_owned(),
        count => format!("{count} cases"),
    }
}
