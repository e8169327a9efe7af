//! The report of one node.

use std::{collections::BTreeMap, fmt::Write, path::PathBuf, time::Duration};

use nodeproof_primitives::escape::{escaped, escaped_up_to};

use super::{
    case::{SIGNED, TRY, VERIFY, case_line, is_long, line, text_of_case_with},
    style::Style,
    sweep::sweep,
};
use crate::model::{CaseReport, Outcome, Report, Verdict};

/// Renders a report: the findings, the inconclusive cases, the verdict and the counts.
///
/// Texts that are too long for a terminal appear only by name; [`text_with_files`] shows their files.
#[must_use]
pub fn text(report: &Report, style: Style) -> String {
    text_with_files(report, style, &BTreeMap::new())
}

/// A command or a signed message that is too long for a terminal.
#[derive(Clone, Debug)]
pub struct LongText<'r> {
    /// The ID of its case, and its label, such as `get-block/shape try`.
    pub name: String,
    /// The text.
    pub text: &'r str,
    /// Whether it is a shell command.
    pub is_command: bool,
}

/// Returns the texts that are too long for a terminal.
#[must_use]
pub fn long_texts(report: &Report) -> Vec<LongText<'_>> {
    let mut texts = Vec::new();
    for (cause, _) in report.causes() {
        let Some(first) = cause.findings.first() else {
            continue;
        };
        let signed = first.signed.as_ref();
        for (label, text) in [
            (TRY, first.curl.as_deref()),
            (SIGNED, signed.and_then(|signed| signed.message.as_deref())),
            (VERIFY, signed.and_then(|signed| signed.verify.as_deref())),
        ] {
            if let Some(text) = text.filter(|text| is_long(text)) {
                texts.push(LongText {
                    name: format!("{} {label}", cause.id),
                    text,
                    is_command: label != SIGNED,
                });
            }
        }
    }
    texts
}

/// Renders a report. `files` maps the names of [`long_texts`] to their files.
#[must_use]
pub fn text_with_files(report: &Report, style: Style, files: &BTreeMap<String, PathBuf>) -> String {
    let mut out = String::new();
    for (cause, explained) in report.causes() {
        out.push_str(&text_of_case_with(cause, style, files));
        also(&explained, style, &mut out);
    }
    expectations(report, style, &mut out);
    inconclusive(report, style, &mut out);
    if let Some(report) = &report.sweep {
        sweep(report, &mut out);
    }
    verdict(report, style, &mut out);
    out
}

/// Renders the cases that a case above explains: one line for each case with findings, and the number
/// of the other cases.
fn also(explained: &[&CaseReport], style: Style, out: &mut String) {
    let (failing, others): (Vec<_>, Vec<_>) = explained
        .iter()
        .partition(|case| case.outcome.has_new_findings());
    if !failing.is_empty() {
        let _ = writeln!(out, "  the same cause explains");
    }
    for case in failing {
        let _ = writeln!(out, "    {}", case_line(case, style));
    }
    match others.len() {
        0 => {}
        1 => line(out, "not checked", "1 case, because of this finding"),
        count => line(
            out,
            "not checked",
            &format!("{count} cases, because of this finding"),
        ),
    }
}

/// Renders the cases that an expectation names.
fn expectations(report: &Report, style: Style, out: &mut String) {
    for outcome in [Outcome::Known, Outcome::Stale] {
        let cases = report.cases.iter().filter(|case| case.outcome == outcome);
        for (place, case) in cases.enumerate() {
            if place == 0 {
                out.push('\n');
            }
            let note = escaped_up_to(case.note.as_deref().unwrap_or_default(), 300);
            let _ = writeln!(
                out,
                "{}{}: {note}",
                style.outcome(outcome),
                escaped(&case.id)
            );
        }
    }
}

/// Renders the inconclusive cases, grouped by reason.
fn inconclusive(report: &Report, style: Style, out: &mut String) {
    for (reason, ids) in report.inconclusive_by_reason() {
        if reason == CaseReport::NOT_RUN {
            let (some, all) = (ids.len(), report.cases.len());
            let _ = writeln!(out, "\n{some} of {all} cases did not run");
            continue;
        }
        let outcome = style.outcome(Outcome::Inconclusive);
        let _ = writeln!(out, "\n{outcome}{}", escaped_up_to(reason, 400));
        for chunk in ids.chunks(4) {
            let _ = writeln!(out, "  {}", escaped(&chunk.join("  ")));
        }
    }
}

fn verdict(report: &Report, style: Style, out: &mut String) {
    for operation in &report.coverage.operations {
        if operation.operation == "submit-transaction"
            && let Some(reason) = &operation.reason
        {
            let reason = escaped(reason);
            let _ = writeln!(out, "\nnot exercised: {} ({reason})", operation.operation);
        }
    }
    for note in &report.notes {
        let _ = writeln!(out, "\nnote: {}", escaped_up_to(note, 400));
    }
    out.push('\n');
    verdict_and_counts(report, style, out);
}

/// Renders the verdict, the counts of cases and requests, and the load on the node.
pub(super) fn verdict_and_counts(report: &Report, style: Style, out: &mut String) {
    let _ = writeln!(out, "{}", verdict_line(report, style));
    let counts: Vec<_> = COUNTED
        .into_iter()
        .map(|outcome| (report.count_own(outcome), outcome))
        .filter(|(count, outcome)| *count > 0 || matches!(outcome, Outcome::Pass | Outcome::Fail))
        .map(|(count, outcome)| format!("{count} {}", outcome.participle()))
        .collect();
    let explained = report
        .cases
        .iter()
        .filter(|case| case.explained_by.is_some());
    let explained = match explained.count() {
        0 => String::new(),
        count => format!(", {count} explained by others"),
    };
    let _ = writeln!(
        out,
        "{}{explained}; {} requests of at most {} in {:.1} s",
        counts.join(", "),
        report.requests,
        report.most_requests,
        Duration::from_millis(report.elapsed_ms).as_secs_f64()
    );
    if let Some(examined) = report.examined() {
        let _ = writeln!(out, "{}", escaped_up_to(&examined, 400));
    }
    if let Some(cost) = &report.cost {
        let _ = writeln!(out, "load on the node: {}", cost.in_words());
    }
}

/// The order in which cases are counted.
const COUNTED: [Outcome; 8] = [
    Outcome::Pass,
    Outcome::Fail,
    Outcome::Warn,
    Outcome::Info,
    Outcome::Known,
    Outcome::Stale,
    Outcome::Inconclusive,
    Outcome::Skipped,
];

/// Renders the verdict as one line without a line feed: the node, the verdict and the reason.
pub(super) fn verdict_line(report: &Report, style: Style) -> String {
    let selected = report.passed_of_selected();
    let mut conforms = report.conforms_except();
    if report.count(Outcome::Inconclusive) > 0 {
        conforms.push_str("; some cases are inconclusive");
    }
    let (words, colour) = match report.verdict {
        Verdict::Conforms => (selected.as_deref().unwrap_or(&conforms), "32;1"),
        Verdict::DoesNotConform => ("does not conform", "31;1"),
        Verdict::Unreachable => ("has no verdict", "33;1"),
        Verdict::Error => ("has no verdict: the harness is at fault", "33;1"),
    };
    let mut line = format!(
        "{} ({}){} {}",
        escaped_up_to(&report.target.base_url, 200),
        escaped(&report.target.network),
        if selected.is_some() && report.verdict == Verdict::Conforms {
            ":"
        } else {
            ""
        },
        style.paint(colour, words)
    );
    if let Some(reason) = &report.reason {
        let before = match report.verdict {
            Verdict::Conforms => ", but ",
            _ => ": ",
        };
        let _ = write!(line, "{before}{}", escaped_up_to(reason, 600));
    }
    line
}
