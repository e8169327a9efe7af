//! What is printed, and where it goes.

use std::io::{ErrorKind, IsTerminal, Write, stdout};

use nodeproof_primitives::redact::redact;
use nodeproof_report::{JsonReport, Report, Style, json, text};

use super::{args::Format, error::UsageError};
use crate::run::Options;

/// How a report looks where it is printed.
pub(crate) fn style() -> Style {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if wanted && stdout().is_terminal() {
        Style::Coloured
    } else {
        Style::Plain
    }
}

/// Prints the cases that are selected.
pub(crate) fn list(options: &Options) -> Result<(), UsageError> {
    let mut out = String::new();
    for case in options
        .cases()
        .iter()
        .filter(|case| options.selects(case.id))
    {
        out.push_str(&format!(
            "{:<44} {:<8} {:<6} {}\n",
            case.id,
            case.level.name(),
            case.tier.name(),
            case.requirement
        ));
    }
    print(&out)
}

/// Prints what came of a run.
pub(crate) fn show(report: &Report, format: Format, style: Style) -> Result<(), UsageError> {
    match format {
        Format::Pretty => print(&text(report, style)),
        Format::Json => print_json(report),
    }
}

/// Prints a report for programs.
pub(crate) fn print_json<R: JsonReport>(report: &R) -> Result<(), UsageError> {
    let text = json(report).map_err(|error| UsageError::Output(error.to_string()))?;
    print(&text)
}

/// Writes to standard output; a reader that has gone away is no fault of the run.
pub(crate) fn print(text: &str) -> Result<(), UsageError> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(UsageError::Output(error.to_string()))
        }
        _ => Ok(()),
    }
}

/// Shows the help or what is wrong with a command line, without anything that looks like a private
/// key, and exits.
pub fn exit_with(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    let harmless = redact(&text);
    if harmless == text {
        error.exit()
    }
    complain(harmless.trim_end());
    std::process::exit(error.exit_code())
}

/// Tells a person what is wrong.
#[expect(
    clippy::print_stderr,
    reason = "a wrong command line is told on stderr"
)]
pub(crate) fn complain(text: &str) {
    eprintln!("{text}");
}
