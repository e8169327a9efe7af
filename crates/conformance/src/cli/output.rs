//! What is printed, and where it goes.

use std::{
    collections::BTreeMap,
    io::{ErrorKind, IsTerminal, Write, stdout},
    path::PathBuf,
};

use nodeproof_report::{JsonReport, Report, Style, json, long_commands, text_with_files};

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
        Format::Pretty => print(&text_with_files(report, style, &saved_commands(report))),
        Format::Json => print_json(report),
    }
}

/// Writes the commands that are too long for a terminal to files for temporary use. One that can't be
/// written is in the report all the same.
fn saved_commands(report: &Report) -> BTreeMap<String, PathBuf> {
    let save = |(case, command): (&str, &str)| {
        let name = format!("nodeproof-{}-", case.replace('/', "-"));
        let mut builder = tempfile::Builder::new();
        let mut file = builder.prefix(&name).suffix(".sh").tempfile().ok()?;
        writeln!(file, "{command}").ok()?;
        let (_, path) = file.keep().ok()?;
        Some((case.to_owned(), path))
    };
    long_commands(report).into_iter().filter_map(save).collect()
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

/// Tells a person what is wrong.
#[expect(
    clippy::print_stderr,
    reason = "a wrong command line is told on stderr"
)]
pub(crate) fn complain(text: &str) {
    eprintln!("{text}");
}
