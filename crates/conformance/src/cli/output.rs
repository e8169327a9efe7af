//! Output to the terminal.

use std::{
    borrow::Cow,
    io::{ErrorKind, IsTerminal, Write, stdout},
};

use nodeproof_openapi::{Requirement, requirements};
use nodeproof_primitives::{
    escape::{escaped_lines, is_github_job, without_commands},
    redact::{given_keys, redact_parts},
};
use nodeproof_report::{ExitStatus, Report, Style, compact, github, github_error, json, text};

use super::{args::Format, error::UsageError};
use crate::{cases::Case, run::Options};

/// Returns the style of reports: coloured on a terminal unless `NO_COLOR` is set.
pub(crate) fn style() -> Style {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if wanted && stdout().is_terminal() {
        Style::Coloured
    } else {
        Style::Plain
    }
}

/// Prints the cases that are selected, grouped by the first requirement that each cites.
///
/// A line of a requirement begins with its ID, and a line of a case with two spaces.
pub(crate) fn list(options: &Options) -> Result<(), UsageError> {
    let mut cases = options.cases();
    cases.retain(|case| options.selects(case.id));
    let of = |id: Option<&str>| {
        let cited = cases
            .iter()
            .filter(move |case| case.requirements.first().copied() == id);
        cited.map(line_of).collect::<String>()
    };
    let mut out = String::new();
    for Requirement {
        id, basis, text, ..
    } in requirements()
    {
        let lines = of(Some(id));
        if !lines.is_empty() {
            out.push_str(&format!("{id} ({}) {text}\n{lines}", basis.name()));
        }
    }
    let baseline = of(None);
    if !baseline.is_empty() {
        out.push_str(&format!(
            "BASELINE The node responds as it did when it was recorded.\n{baseline}"
        ));
    }
    print(&out)
}

/// Returns a case's ID, level and tier, and all requirements that it cites except the first.
fn line_of(case: &Case) -> String {
    let more = case.requirements.get(1..).unwrap_or_default().join(" ");
    let line = format!(
        "  {:<44} {:<8} {:<6} {more}",
        case.id,
        case.level.name(),
        case.tier.name()
    );
    format!("{}\n", line.trim_end())
}

/// Prints the report of a run.
pub(crate) fn show(report: &Report, format: Format, style: Style) -> Result<(), UsageError> {
    match format {
        Format::Pretty => print(&text(report, style)),
        Format::Compact => print(&compact(report, style)),
        Format::Json => print_json(report),
        Format::Github => print_unchanged(&github(report)),
    }
}

/// Returns the exit status of a run after its report was written, and prints what could not be written.
///
/// A failed run stays a failed run. A run that conforms does not, because its report is lost.
pub(crate) fn status_after(
    status: u8,
    written: impl IntoIterator<Item = Result<(), UsageError>>,
) -> Result<u8, NotWritten> {
    let errors: Vec<_> = written.into_iter().filter_map(Result::err).collect();
    for error in &errors {
        complain(&without_keys(&format!("error: {error}")));
    }
    match status {
        _ if errors.is_empty() => Ok(status),
        0 => Err(NotWritten(ExitStatus::HarnessFault.code())),
        status => Err(NotWritten(status)),
    }
}

/// The exit status of a run whose report could not be written completely.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotWritten(pub(crate) u8);

/// Prints a report for programs.
fn print_json(report: &Report) -> Result<(), UsageError> {
    let text = json(report).map_err(|error| UsageError::Output(error.to_string()))?;
    // In JSON, this text is always part of a string, and has the same meaning.
    match is_github_job() {
        true => print(&text.replace("##[", "#\\u0023[")),
        false => print(&text),
    }
}

/// Returns a text that has no command for a job of GitHub Actions.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    match is_github_job() {
        true => without_commands(text).into(),
        false => text.into(),
    }
}

/// Writes to standard output. A closed pipe is not an error.
pub(crate) fn print(text: &str) -> Result<(), UsageError> {
    print_unchanged(&harmless(text))
}

/// Writes to standard output, also commands for a job of GitHub Actions.
fn print_unchanged(text: &str) -> Result<(), UsageError> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(UsageError::Output(error.to_string()))
        }
        _ => Ok(()),
    }
}

/// Shows the help or the error of a command line without anything that looks like a private key, and
/// exits.
pub fn exit_with(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    let redacted = without_keys(&text);
    let annotated = error.use_stderr() && is_github_job();
    if redacted == text && !annotated {
        error.exit()
    }
    complain_usage(redacted.trim_end());
    std::process::exit(error.exit_code())
}

/// Ends the process because the system lacks what it needs, such as threads or files.
pub fn can_not_start(error: &std::io::Error) -> ! {
    complain(&format!("error: the program can't start: {error}"));
    std::process::exit(ExitStatus::HarnessFault.code().into())
}

/// Replaces what looks like a private key in a message, and parts of those in the arguments.
pub(crate) fn without_keys(text: &str) -> String {
    redact_parts(text, &given_keys("NODEPROOF_"))
}

/// Prints the reason why a run did not begin and, in a job of GitHub Actions, an annotation.
pub(crate) fn complain_usage(text: &str) {
    let text = escaped_lines(text);
    complain(&text);
    if is_github_job() {
        complain_unchanged(github_error(&text).trim_end());
    }
}

/// Prints a message to standard error. It may quote a file from elsewhere.
pub(crate) fn complain(text: &str) {
    complain_unchanged(&harmless(&escaped_lines(text)));
}

#[expect(
    clippy::print_stderr,
    reason = "errors of the command line go to stderr"
)]
fn complain_unchanged(text: &str) {
    eprintln!("{text}");
}
