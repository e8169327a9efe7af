//! Renders findings as annotations of a GitHub Actions job.
//!
//! GitHub runs each line of a job's output that begins with `::` as a command. Every line here is
//! one of our own commands. A node's text cannot begin a command, because its line ends are escaped.

use std::fmt::Write;

use nodeproof_primitives::escape::{escaped_up_to, without_commands};

use crate::{
    model::{NodeReport, Outcome, Report, Verdict},
    text::{Style, details_text},
};

/// Renders each finding as an annotation, and the verdict about each node.
#[must_use]
pub fn github(report: &Report) -> String {
    let mut out = String::new();
    let strict = report.nodes.iter().any(|node| node.strict);
    for cause in report.causes() {
        let kind = match cause.case.outcome {
            Outcome::Fail => "error",
            Outcome::Warn if strict => "error",
            Outcome::Warn => "warning",
            _ => "notice",
        };
        let mut text = details_text(cause.case, Style::Plain);
        if let Some(nodes) = cause.at_nodes(report) {
            let _ = writeln!(text, "  at node   {nodes}");
        }
        let failing = cause.explained.iter();
        let failing = failing.filter(|case| case.outcome.has_new_findings());
        match failing.count() {
            0 => {}
            1 => text.push_str("  1 more case fails for the same reason\n"),
            failing => {
                let _ = writeln!(text, "  {failing} more cases fail for the same reason");
            }
        }
        command(kind, &cause.case.id, &text, &mut out);
    }
    for node in &report.nodes {
        verdict(node, &mut out);
    }
    out
}

fn verdict(node: &NodeReport, out: &mut String) {
    for case in node
        .expected()
        .filter(|case| case.outcome == Outcome::Stale)
    {
        let note = case.note.as_deref().unwrap_or_default();
        let text = format!("stale: it passes; the note of the expectation: {note}");
        command("error", &case.id, &escaped_up_to(&text, 600), out);
    }
    let kind = match (node.verdict, node.exit_code) {
        (Verdict::Conforms, 0) => "notice",
        _ => "error",
    };
    let counts = [Outcome::Pass, Outcome::Fail, Outcome::Inconclusive];
    let counts =
        counts.map(|outcome| format!("{} {}", node.count_own(outcome), outcome.participle()));
    let text = format!(
        "{}: {}{}; {}",
        node.name(),
        node.in_words(),
        node.reason_in_words(),
        counts.join(", ")
    );
    command(kind, "nodeproof", &escaped_up_to(&text, 1_000), out);
}

/// Writes a workflow command. `message` may have several lines.
fn command(kind: &str, title: &str, message: &str, out: &mut String) {
    let title = data(&escaped_up_to(title, 200))
        .replace(':', "%3A")
        .replace(',', "%2C");
    let _ = writeln!(out, "::{kind} title={title}::{}", data(message.trim()));
}

/// Escapes a command's data.
fn data(text: &str) -> String {
    let text = text
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A");
    without_commands(&text)
}

/// Renders an error that prevented a run as an annotation.
#[must_use]
pub fn github_error(message: &str) -> String {
    let mut out = String::new();
    command(
        "error",
        "nodeproof",
        &escaped_up_to(message, 1_000),
        &mut out,
    );
    out
}
