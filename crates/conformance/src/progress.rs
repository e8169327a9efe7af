//! What a person sees while a run goes on.

use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressStyle};

use crate::{
    report::{CaseReport, Style},
    run::Watch,
};

/// A bar on a terminal, plain lines elsewhere, or nothing.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    lines: bool,
    style: Style,
}

impl Progress {
    pub(crate) fn new(quiet: bool, verbose: bool, style: Style) -> Self {
        let bar = (!quiet && stderr().is_terminal()).then(|| ProgressBar::new(0));
        let lines = !quiet && (verbose || bar.is_none());
        Self { bar, lines, style }
    }

    #[expect(
        clippy::print_stderr,
        reason = "progress is what a command line shows on stderr"
    )]
    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => eprintln!("{text}"),
        }
    }
}

impl Watch for Progress {
    fn phase(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_owned());
            bar.tick();
        } else if self.lines {
            self.say(what);
        }
    }

    fn begin(&self, cases: usize) {
        if let Some(bar) = &self.bar {
            let cases = u64::try_from(cases).unwrap_or(u64::MAX);
            bar.set_length(cases);
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
                bar.set_style(style);
            }
        }
    }

    fn done(&self, case: &CaseReport) {
        if let Some(bar) = &self.bar {
            bar.set_message(case.id.clone());
            bar.inc(1);
        }
        if self.lines {
            self.say(&crate::report::line(case, self.style));
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
