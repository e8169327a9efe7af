//! Progress of a run, for the user.

use std::{
    io::{IsTerminal, stderr},
    sync::Mutex,
    time::{Duration, Instant},
};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use nodeproof_primitives::escape::escaped_up_to;
use nodeproof_report::{CaseReport, Outcome, Style, case_line};

use super::{
    args::{ConformanceArgs, Format},
    output::harmless,
};
use crate::sweep::{Observer, SweepProgress};

/// Shows progress: a bar on a terminal, or plain lines, or nothing.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    lines: bool,
    /// Whether the report has a line for each case.
    compact: bool,
    /// Whether to show nothing at all.
    quiet: bool,
    style: Style,
    /// The prefix of each line if there are several nodes.
    label: String,
    /// When the progress of a sweep was last printed, if there is no bar.
    last_printed: Mutex<Option<Instant>>,
}

/// How often the progress of a sweep is printed if there is no bar.
const PRINT_INTERVAL: Duration = Duration::from_secs(10);

impl Progress {
    fn new(args: &ConformanceArgs, style: Style) -> Self {
        let quiet = args.quiet || matches!(args.output.format, Format::Json | Format::Github);
        let bar = (!quiet && stderr().is_terminal()).then(|| ProgressBar::new(0));
        let lines = !quiet && (args.verbose || bar.is_none());
        Self {
            bar,
            lines,
            compact: args.output.format == Format::Compact,
            quiet,
            style,
            label: String::new(),
            last_printed: Mutex::new(None),
        }
    }

    /// Creates one for each node. Their bars are below one another.
    pub(crate) fn of_nodes(nodes: usize, args: &ConformanceArgs, style: Style) -> Vec<Self> {
        let bars = MultiProgress::new();
        let of_node = |node: usize| {
            let one = Self::new(args, style);
            Self {
                bar: one.bar.map(|bar| bars.add(bar)),
                label: match nodes {
                    1 => String::new(),
                    _ => format!("node {node}  "),
                },
                ..one
            }
        };
        (1..=nodes).map(of_node).collect()
    }

    #[expect(
        clippy::print_stderr,
        reason = "progress is what a command line shows on stderr"
    )]
    fn say(&self, text: &str) {
        let label = &self.label;
        match &self.bar {
            Some(bar) => bar.println(format!("{label}{text}")),
            None => eprintln!("{}", harmless(&format!("{label}{text}"))),
        }
    }
}

impl Observer for Progress {
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
        // The report shows findings with their details. In a pipe, they would appear twice.
        let is_finding = case.is_cause() || matches!(case.outcome, Outcome::Known | Outcome::Stale);
        let is_in_report = self.bar.is_none() && (is_finding || self.compact);
        if self.lines && !is_in_report {
            self.say(&case_line(case, self.style));
        }
    }

    fn sweep(&self, sweep: &SweepProgress) {
        if let Some(bar) = &self.bar {
            bar.set_length(sweep.to - sweep.from);
            bar.set_position(sweep.next - sweep.from);
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
                bar.set_style(style);
            }
            bar.set_message(how_far(sweep));
            return;
        }
        let Ok(mut last_printed) = self.last_printed.lock() else {
            return;
        };
        let due = last_printed.is_none_or(|at| at.elapsed() >= PRINT_INTERVAL);
        if !self.quiet && (due || sweep.next == sweep.to) {
            *last_printed = Some(Instant::now());
            self.say(&how_far(sweep));
        }
    }

    fn found(&self, case: &str, block: u64, what: &str) {
        // The report shows it, too.
        if self.bar.is_some() {
            let what = escaped_up_to(what, 200);
            self.say(&format!("found in block {block} by {case}: {what}"));
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Describes the progress of a sweep: blocks checked, rate and time left.
fn how_far(sweep: &SweepProgress) -> String {
    let (judged, all) = (sweep.next - sweep.from, sweep.to - sweep.from);
    let mut text = format!("{judged} of {all} blocks");
    #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
    let rate = sweep.done as f64 / sweep.elapsed.as_secs_f64();
    if sweep.done > 0 && rate.is_finite() {
        text.push_str(&format!(", {rate:.0} a second"));
        #[expect(clippy::cast_precision_loss, reason = "a figure for a person")]
        let left = (sweep.to - sweep.next) as f64 / rate;
        if sweep.next < sweep.to {
            text.push_str(&format!(", {} left", time_left(left)));
        }
    }
    if sweep.findings > 0 {
        text.push_str(&format!(", {} findings", sweep.findings));
    }
    text
}

fn time_left(seconds: f64) -> String {
    match seconds {
        ..100.0 => format!("{seconds:.0} s"),
        ..6000.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_and_time_left_are_of_what_this_run_has_judged() {
        let mut sweep = SweepProgress {
            from: 1,
            to: 10_001,
            next: 5_001,
            done: 1_000,
            elapsed: Duration::from_secs(2),
            findings: 3,
        };
        assert_eq!(
            how_far(&sweep),
            "5000 of 10000 blocks, 500 a second, 10 s left, 3 findings"
        );
        sweep.done = 0;
        assert_eq!(how_far(&sweep), "5000 of 10000 blocks, 3 findings");
    }
}
