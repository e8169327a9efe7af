//! Renders the differences between two runs, for a terminal or as Markdown.

use std::fmt::Write;

use nodeproof_primitives::escape::escaped_up_to;

use super::{
    cause::Cause,
    result::{CaseChange, Comparison, RunSummary},
};
use crate::{
    markdown::code,
    model::{Outcome, Report, figure},
    text::{Style, case_text},
};

/// Renders the differences between two runs.
#[must_use]
pub fn text_of_comparison(comparison: &Comparison, style: Style) -> String {
    text_of(Page::new(Format::Terminal(style)), comparison, style)
}

/// Renders the differences between two runs as text for a terminal, with the whole text of each new
/// finding. `after` is the report of the later run.
#[must_use]
pub fn text_of_changes(comparison: &Comparison, after: &Report, style: Style) -> String {
    let mut page = Page::new(Format::Terminal(style));
    page.after = Some(after);
    text_of(page, comparison, style)
}

fn text_of(mut page: Page<'_>, comparison: &Comparison, style: Style) -> String {
    page.comparison(comparison);
    let colour = if comparison.is_worse() {
        "31;1"
    } else {
        "32;1"
    };
    page.out + &format!("\n{}\n", style.paint(colour, comparison.conclusion()))
}

/// Renders the differences between two runs as Markdown.
#[must_use]
pub fn markdown_of_comparison(comparison: &Comparison) -> String {
    let mut page = Page::new(Format::Markdown);
    page.out = format!("## Comparison: {}\n\n", comparison.conclusion());
    page.comparison(comparison);
    page.out
}

#[derive(Clone, Copy)]
enum Format {
    Terminal(Style),
    Markdown,
}

struct Page<'r> {
    format: Format,
    out: String,
    /// The later run, if new findings are rendered whole.
    after: Option<&'r Report>,
    /// What precedes an entry, and an entry below another.
    bullets: [&'static str; 2],
}

impl Page<'_> {
    fn new(format: Format) -> Self {
        let bullets = match format {
            Format::Terminal(_) => ["", "  "],
            Format::Markdown => ["- ", "  - "],
        };
        Self {
            format,
            out: String::new(),
            after: None,
            bullets,
        }
    }

    fn comparison(&mut self, comparison: &Comparison) {
        self.run("Before", comparison.before.as_ref());
        self.run("After", comparison.after.as_ref());
        let new = comparison.new_causes();
        self.heading("New", new.len());
        for cause in new {
            if !self.whole_case(cause.case) {
                self.change(cause.case);
            }
            self.explains(&cause);
        }
        let fixed = comparison.fixed_causes();
        self.heading("Fixed", fixed.len());
        for cause in fixed {
            self.passes(cause.case);
            self.explains(&cause);
        }
        self.heading(
            "Not seen again (the later run did not check the same samples; use --recheck)",
            comparison.not_seen_again.len(),
        );
        for change in &comparison.not_seen_again {
            self.passes(change);
        }
        self.heading("Changed", comparison.changed.len());
        for changed in &comparison.changed {
            self.change(changed);
        }
        self.list("Still failing", &comparison.remaining);
        self.list("Checked now", &comparison.judged_ids());
        let reasons = comparison.not_judged_by_reason();
        self.heading("No longer checked", reasons.len());
        for (reason, changes) in reasons {
            let cases = if changes.len() == 1 { "case" } else { "cases" };
            let reason = self.value(reason, 400);
            self.entry(0, format!("{} {cases}: {reason}", changes.len()));
            let ids: Vec<_> = changes.iter().map(|change| change.id.as_str()).collect();
            self.ids(1, &ids);
        }
        self.heading("Slower", comparison.slower.len());
        for slow in &comparison.slower {
            let (before, after) = (figure(slow.before_ms), figure(slow.after_ms));
            let operation = self.value(&slow.operation, 200);
            self.entry(
                0,
                format!("{operation}: {} {before} ms, now {after} ms", slow.measure),
            );
        }
        self.list("Only in the later run", &comparison.appeared);
        self.list("Only in the earlier run", &comparison.vanished);
    }

    fn run(&mut self, label: &str, run: Option<&RunSummary>) {
        let label = match self.format {
            Format::Terminal(_) => format!("{:<7}", label.to_lowercase()),
            Format::Markdown => format!("{label}:"),
        };
        let Some(run) = run else {
            return self.entry(0, format!("{label} this node is not in the report"));
        };
        let at = run
            .started_at
            .as_deref()
            .map(|at| format!(", {}", self.value(at, 40)));
        let (node, at) = (self.value(&run.node, 200), at.unwrap_or_default());
        let reason = self.reason(run.reason.as_deref(), 600);
        self.entry(0, format!("{label} {node}{at}: {}{reason}", run.result()));
    }

    /// Renders a case that passes now, with its result before.
    fn passes(&mut self, change: &CaseChange) {
        let before = change.before.unwrap_or(Outcome::Fail).name();
        let reason = self.value(change.reason_before.as_deref().unwrap_or_default(), 200);
        let (outcome, id) = (self.outcome(change.after), self.value(&change.id, 200));
        self.entry(0, format!("{outcome}{id} (was {before}: {reason})"));
    }

    /// Renders a case with its result now, and also its result before if that matters.
    fn change(&mut self, change: &CaseChange) {
        let (outcome, id) = (self.outcome(change.after), self.value(&change.id, 200));
        let reason = self.reason(change.reason.as_deref(), 200);
        self.entry(0, format!("{outcome}{id}{reason}"));
        match change.before {
            None => self.entry(1, "was not in the earlier run".to_owned()),
            Some(Outcome::Pass) => {}
            Some(before) => {
                let reason = self.reason(change.other_reason_before(), 200);
                self.entry(1, format!("was {}{reason}", before.name()));
            }
        }
    }

    /// Renders a case with all its findings, if the report of the later run is at hand and has some.
    fn whole_case(&mut self, change: &CaseChange) -> bool {
        let (Format::Terminal(style), Some(report)) = (self.format, self.after) else {
            return false;
        };
        let case = report.cases.iter().find(|case| case.id == change.id);
        let Some(case) = case.filter(|case| !case.findings.is_empty()) else {
            return false;
        };
        self.out
            .push_str(case_text(case, style).trim_start_matches('\n'));
        true
    }

    fn explains(&mut self, cause: &Cause<'_>) {
        if let Some(words) = cause.explains() {
            self.entry(1, words);
        }
    }

    fn list(&mut self, title: &str, ids: &[impl AsRef<str>]) {
        self.heading(title, ids.len());
        match self.format {
            Format::Terminal(_) => self.ids(1, ids),
            Format::Markdown => ids.iter().for_each(|id| self.ids(0, &[id])),
        }
    }

    /// Renders IDs in rows.
    fn ids(&mut self, level: usize, ids: &[impl AsRef<str>]) {
        let (in_row, separator) = match self.format {
            Format::Terminal(_) => (4, "  "),
            Format::Markdown => (ids.len().max(1), ", "),
        };
        for row in ids.chunks(in_row) {
            let row: Vec<_> = row.iter().map(|id| self.value(id.as_ref(), 200)).collect();
            self.entry(level, row.join(separator));
        }
    }

    fn heading(&mut self, title: &str, entries: usize) {
        let heading = match self.format {
            _ if entries == 0 => return,
            Format::Terminal(style) => style.paint("1", &title.to_lowercase()),
            Format::Markdown => format!("### {title}\n"),
        };
        let _ = writeln!(self.out, "\n{heading}");
    }

    fn entry(&mut self, level: usize, text: String) {
        let _ = writeln!(self.out, "{}{text}", self.bullets[level]);
    }

    fn outcome(&self, outcome: Outcome) -> String {
        match self.format {
            Format::Terminal(style) => style.outcome(outcome),
            Format::Markdown => format!("**{}** ", outcome.name()),
        }
    }

    fn reason(&self, reason: Option<&str>, most: usize) -> String {
        let reason = reason.map(|reason| format!(": {}", self.value(reason, most)));
        reason.unwrap_or_default()
    }

    /// Renders text from a report, which is untrusted.
    fn value(&self, text: &str, most: usize) -> String {
        match self.format {
            Format::Terminal(_) => escaped_up_to(text, most).to_string(),
            Format::Markdown => code(text, most),
        }
    }
}
