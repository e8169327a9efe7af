//! Renders reports as Markdown, for job summaries and comments.

use std::fmt::Write;

use nodeproof_primitives::escape::escaped_up_to;

use crate::{
    details::{Value, details},
    model::{CaseReport, NodeReport, Outcome, Report},
};

/// Maximum number of findings in a summary. CI systems limit its size.
const MAX_FINDINGS: usize = 50;

/// Renders a summary of a run as Markdown: the verdict, the counts and the findings.
#[must_use]
pub fn summary(report: &Report) -> String {
    let mut out = format!("## nodeproof: {}\n", report.in_words());
    if report.has_several() {
        let _ = writeln!(
            out,
            "\n- Exit status: {}, the worst of all",
            report.exit_code
        );
    }
    for (number, node_report) in report.numbered() {
        let label = report.has_several().then(|| format!("Node {number}"));
        node(node_report, label.as_deref().unwrap_or("Node"), &mut out);
    }
    for check in report.cross_check.iter().filter(|check| !check.is_cause()) {
        let _ = writeln!(out, "- {}", line(check));
    }
    let causes = report.causes();
    for cause in causes.iter().take(MAX_FINDINGS) {
        heading(cause.case, &mut out);
        if let Some(nodes) = cause.at_nodes(report) {
            let _ = writeln!(out, "- at node: {nodes}");
        }
        if !cause.explained.is_empty() {
            let _ = writeln!(
                out,
                "- Cases that fail or were not checked for the same reason: {}",
                cause.explained.len()
            );
        }
    }
    if causes.len() > MAX_FINDINGS {
        let more = causes.len() - MAX_FINDINGS;
        let _ = writeln!(out, "\n{more} more findings are in the reports.");
    }
    out
}

fn node(node: &NodeReport, label: &str, out: &mut String) {
    let _ = writeln!(
        out,
        "\n- {label}: {}: {}",
        code(&node.name(), 240),
        node.in_words()
    );
    if let Some(reason) = &node.reason {
        let _ = writeln!(out, "- Reason: {}", code(reason, 600));
    }
    let counts = Outcome::WORST_FIRST.map(|outcome| {
        let count = node.count_own(outcome);
        (count > 0).then(|| format!("{count} {}", outcome.participle()))
    });
    let counts: Vec<_> = counts.into_iter().flatten().collect();
    let _ = writeln!(out, "- Cases: {}", counts.join(", "));
    let _ = writeln!(out, "- Exit status: {}", node.exit_code);
    if let Some(examined) = node.examined() {
        let _ = writeln!(out, "- {}", code(&examined, 400));
    }
    if let Some(cost) = &node.cost {
        let _ = writeln!(out, "- Load on the node: {}", cost.in_words());
    }
    for note in &node.notes {
        let _ = writeln!(out, "- Note: {}", code(note, 400));
    }
    for case in node
        .expected()
        .filter(|case| case.outcome == Outcome::Stale)
    {
        let note = code(case.note.as_deref().unwrap_or_default(), 300);
        let _ = writeln!(out, "- {}: {note}", line(case));
    }
    for (reason, ids) in node.inconclusive() {
        let count = ids.len();
        let cases = if count == 1 { "case" } else { "cases" };
        let _ = writeln!(out, "- {count} inconclusive {cases}: {}", code(reason, 400));
    }
}

/// Renders the outcome, the ID and the reason of a case.
fn line(case: &CaseReport) -> String {
    let reason = case.reason.as_deref();
    let reason = reason.map(|reason| format!(": {}", code(reason, 400)));
    let (outcome, id) = (case.outcome.name(), code(&case.id, 200));
    format!("**{outcome}** {id}{}", reason.unwrap_or_default())
}

/// Renders a case with its requirements and its findings.
fn heading(case: &CaseReport, out: &mut String) {
    let (outcome, id) = (case.outcome.name(), code(&case.id, 200));
    let _ = writeln!(out, "\n### {outcome}: {id}\n");
    for detail in details(case) {
        let _ = match &detail.value {
            Value::Diff(lines) => writeln!(out, "\n{}", fenced(lines, "diff")),
            _ => writeln!(out, "- {}: {}", detail.label, code(&detail.shown(), 2_000)),
        };
    }
}

/// Writes at most `most` characters of a text as a code span. Nothing in it is interpreted as markup.
fn code(text: &str, most: usize) -> String {
    let text = escaped_up_to(text, most);
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    // A code span ends at a run of as many backticks as the run that begins it.
    let fence = "`".repeat(longest_run(&text) + 1);
    // One space on each side is not shown. It separates backticks at the ends from the fence.
    format!("{fence} {text} {fence}")
}

/// Writes lines as a block of code.
pub(crate) fn fenced(lines: &str, language: &str) -> String {
    let fence = "`".repeat(longest_run(lines).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", lines.trim_end())
}

/// Returns the length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_span() {
        for (text, span) in [
            ("a", "` a `"),
            ("`a``b", "``` `a``b ```"),
            ("`", "`` ` ``"),
            ("", "(empty)"),
            ("a\n\n# b", "` a\\n\\n# b `"),
        ] {
            assert_eq!(code(text, 100), span);
        }
        assert_eq!(code("```", 1), "`` `… ``");
        assert_eq!(fenced("a\n````", "text"), "`````text\na\n````\n`````\n");
    }
}
