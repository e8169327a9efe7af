//! The report that a person reads.

mod nodes;

pub use nodes::pretty_nodes;

use std::fmt::Write;

use nodeproof_primitives::escape::escaped_up_to as shown;
use similar::TextDiff;

use super::{CaseReport, FindingReport, Report, SweepReport, Verdict};
use crate::outcome::Outcome;

/// Whether a report is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without escape sequences.
    Plain,
    /// With colours, for a terminal.
    Coloured,
}

impl Style {
    fn paint(self, colour: &str, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Coloured => format!("\u{1b}[{colour}m{text}\u{1b}[0m"),
        }
    }

    fn outcome(self, outcome: Outcome) -> String {
        let colour = match outcome {
            Outcome::Pass => "32",
            Outcome::Fail | Outcome::Stale => "31;1",
            Outcome::Warn => "33",
            _ => "36",
        };
        self.paint(colour, &format!("{:<13}", outcome.name()))
    }
}

/// One line for a case that has just ended.
pub(crate) fn line(case: &CaseReport, style: Style) -> String {
    match (&case.reason, case.outcome) {
        (Some(reason), outcome) if outcome != Outcome::Pass => {
            format!(
                "{}{}: {}",
                style.outcome(outcome),
                case.id,
                shown(reason, 200)
            )
        }
        (_, outcome) => format!("{}{}", style.outcome(outcome), case.id),
    }
}

/// The whole report: what departs, what could not be found out, the verdict and the counts.
#[must_use]
pub fn pretty(report: &Report, style: Style) -> String {
    let mut out = String::new();
    for case in &report.cases {
        if matches!(case.outcome, Outcome::Fail | Outcome::Warn | Outcome::Info) {
            departure(case, style, &mut out);
        }
    }
    expected(report, style, &mut out);
    unknown(report, style, &mut out);
    if let Some(sweep) = &report.sweep {
        swept(sweep, &mut out);
    }
    verdict(report, style, &mut out);
    out
}

/// One departure in full: what the contract says, what was found, and how to see it again.
#[must_use]
pub fn pretty_case(case: &CaseReport, style: Style) -> String {
    let mut out = String::new();
    departure(case, style, &mut out);
    out
}

fn departure(case: &CaseReport, style: Style, out: &mut String) {
    let _ = writeln!(
        out,
        "\n{}{}",
        style.outcome(case.outcome),
        style.paint("1", &case.id)
    );
    let _ = writeln!(out, "  {:<9} {}", "contract", case.requirement);
    // What is wrong in the same way in several answers is shown once.
    let mut shown_before: Vec<&str> = Vec::new();
    for finding in &case.findings {
        if !shown_before.contains(&finding.what.as_str()) {
            found(finding, case, style, out);
            shown_before.push(&finding.what);
        }
    }
    let told: u64 = case
        .findings
        .iter()
        .filter_map(|finding| finding.count)
        .sum();
    let more = match usize::try_from(told) {
        Ok(told @ 1..) => (case.findings.len() + case.more_findings).saturating_sub(told),
        _ => case.findings.len() - shown_before.len() + case.more_findings,
    };
    if more > 0 {
        let places = if more == 1 { "place" } else { "places" };
        let _ = writeln!(
            out,
            "  {:<9} {more} more {places}; report.json has some",
            "and in"
        );
    }
    if let Some(snapshot) = &case.snapshot {
        let _ = writeln!(out, "  {:<9} {snapshot}", "snapshot");
    }
}

fn found(finding: &FindingReport, case: &CaseReport, style: Style, out: &mut String) {
    let _ = writeln!(out, "  {:<9} {}", "found", shown(&finding.what, 400));
    match finding.pointer.as_deref() {
        Some("") => {
            let _ = writeln!(out, "  {:<9} the whole body", "at");
        }
        Some(pointer) => {
            let _ = writeln!(out, "  {:<9} {}", "at", shown(pointer, 200));
        }
        None => {}
    }
    match (finding.block, finding.count) {
        (Some(block), Some(count @ 2..)) => {
            let _ = writeln!(
                out,
                "  {:<9} {block}, the first of {count} places",
                "in block"
            );
        }
        (Some(block), _) => {
            let _ = writeln!(out, "  {:<9} {block}", "in block");
        }
        (None, _) => {}
    }
    if finding.expected.contains('\n') || finding.actual.contains('\n') {
        let expected = shown_lines(&finding.expected, 400);
        let actual = shown_lines(&finding.actual, 400);
        let diff = TextDiff::from_lines(&expected, &actual);
        for line in diff
            .unified_diff()
            .context_radius(3)
            .missing_newline_hint(false)
            .to_string()
            .lines()
        {
            let colour = match line.as_bytes().first() {
                Some(b'-') => "31",
                Some(b'+') => "32",
                _ => "0",
            };
            let _ = writeln!(out, "    {}", style.paint(colour, line));
        }
    } else {
        if finding.expected != case.requirement {
            let _ = writeln!(out, "  {:<9} {}", "expected", shown(&finding.expected, 400));
        }
        let _ = writeln!(out, "  {:<9} {}", "actual", shown(&finding.actual, 400));
    }
    if let Some(curl) = &finding.curl {
        let _ = writeln!(out, "  {:<9} {}", "try", shown(curl, 2000));
    }
}

/// What was known before, and what was wrongly believed to be.
fn expected(report: &Report, style: Style, out: &mut String) {
    for outcome in [Outcome::Known, Outcome::Stale] {
        let mut cases = report
            .cases
            .iter()
            .filter(|case| case.outcome == outcome)
            .peekable();
        if cases.peek().is_some() {
            out.push('\n');
        }
        for case in cases {
            let note = shown(case.note.as_deref().unwrap_or_default(), 300);
            let _ = writeln!(out, "{}{}: {note}", style.outcome(outcome), case.id);
        }
    }
}

/// Cases that could not be decided, those with one reason together.
fn unknown(report: &Report, style: Style, out: &mut String) {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for case in report
        .cases
        .iter()
        .filter(|case| case.outcome == Outcome::Inconclusive)
    {
        let reason = case.reason.as_deref().unwrap_or_default();
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, ids)) => ids.push(&case.id),
            None => reasons.push((reason, vec![&case.id])),
        }
    }
    for (reason, ids) in reasons {
        if reason == super::NOT_RUN {
            let _ = writeln!(
                out,
                "\n{} of {} cases did not run",
                ids.len(),
                report.cases.len()
            );
            continue;
        }
        let _ = writeln!(
            out,
            "\n{}{}",
            style.outcome(Outcome::Inconclusive),
            shown(reason, 400)
        );
        for chunk in ids.chunks(4) {
            let _ = writeln!(out, "  {}", chunk.join("  "));
        }
    }
}

/// How far a sweep went.
fn swept(sweep: &SweepReport, out: &mut String) {
    let SweepReport { from, to, next, .. } = sweep;
    let _ = write!(
        out,
        "\nsweep of blocks {from} to {}: ",
        to.saturating_sub(1)
    );
    let _ = write!(out, "{} judged", sweep.judged);
    for (count, what) in [(sweep.missing, "missing"), (sweep.unread, "not read")] {
        if count > 0 {
            let _ = write!(out, ", {count} {what}");
        }
    }
    let _ = writeln!(out, ", {} found wrong", places(sweep.findings));
    if let Some(lowest) = sweep.none_below {
        let _ = writeln!(
            out,
            "it began there, as the node has no block below {lowest}"
        );
    }
    if sweep.done {
        return;
    }
    let _ = write!(out, "it ended before block {next}");
    match (&sweep.state, &sweep.trouble) {
        (Some(path), _) => {
            let _ = writeln!(out, "; --resume goes on from there, by {path}");
        }
        (None, Some(trouble)) => {
            let trouble = shown(trouble, 300);
            let _ = writeln!(
                out,
                ", and can't be resumed, as its state was not kept: {trouble}"
            );
        }
        (None, None) => out.push('\n'),
    }
}

fn places(count: u64) -> String {
    match count {
        0 => "nothing".to_owned(),
        1 => "one place".to_owned(),
        count => format!("{count} places"),
    }
}

fn verdict(report: &Report, style: Style, out: &mut String) {
    for operation in &report.coverage.operations {
        if operation.operation == "submit-transaction"
            && let Some(reason) = &operation.reason
        {
            let _ = writeln!(out, "\nnot exercised: {}: {reason}", operation.operation);
        }
    }
    let (word, colour) = verdict_words(report);
    let target = format!(
        "{} ({})",
        shown(&report.target.base_url, 200),
        report.target.network
    );
    let _ = write!(out, "\n{target} {}", style.paint(colour, word));
    if let Some(reason) = &report.reason {
        let _ = write!(out, ": {}", shown(reason, 600));
    }
    let counts = [
        (Outcome::Pass, "passed"),
        (Outcome::Fail, "failed"),
        (Outcome::Warn, "warned"),
        (Outcome::Info, "informed"),
        (Outcome::Known, "known"),
        (Outcome::Stale, "stale"),
        (Outcome::Inconclusive, "inconclusive"),
        (Outcome::Skipped, "skipped"),
    ];
    let counts: Vec<_> = counts
        .iter()
        .map(|(outcome, word)| (report.count(*outcome), word))
        .filter(|(count, word)| *count > 0 || matches!(**word, "passed" | "failed"))
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let _ = writeln!(
        out,
        "\n{}; {} requests of at most {} in {:.1} s",
        counts.join(", "),
        report.requests,
        report.most_requests,
        std::time::Duration::from_millis(report.elapsed_ms).as_secs_f64()
    );
}

/// What is said of a node, and in which colour.
fn verdict_words(report: &Report) -> (&'static str, &'static str) {
    match report.verdict {
        Verdict::Conforms if report.count(Outcome::Inconclusive) > 0 => {
            ("conforms, as far as could be seen", "32;1")
        }
        Verdict::Conforms => ("conforms", "32;1"),
        Verdict::Departs => ("departs from the contract", "31;1"),
        Verdict::Unreachable => ("has no verdict", "33;1"),
        Verdict::Error => ("has no verdict: the harness is at fault", "33;1"),
    }
}

/// As [`shown`], line by line: the text's own line ends stay.
fn shown_lines(text: &str, most: usize) -> String {
    text.split('\n')
        .map(|line| shown(line, most))
        .collect::<Vec<_>>()
        .join("\n")
}
