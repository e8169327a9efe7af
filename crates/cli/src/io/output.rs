//! Standard output and standard error: text for a person, or one JSON document for a script.

use std::{
    borrow::Cow,
    io::{self, ErrorKind, IsTerminal, Write},
    path::Path,
};

use nodeproof_primitives::escape::{escaped, escaped_json, is_github_job, without_commands};
use serde::Serialize;

use crate::{
    failure::{Failure, Kind},
    io::{interrupt, transaction_file},
};

/// The result of a command, for people and for scripts.
///
/// As JSON, it is one document. Its numbers have the same text as in the response.
pub(crate) trait CommandResult: Serialize {
    /// Returns the text for a person. Everything from a node is escaped.
    fn for_a_person(&self) -> String;
}

/// The settings for output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    colour_on_stderr: bool,
}

impl Output {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Self {
            json,
            quiet,
            colour_on_stderr: wanted && io::stderr().is_terminal(),
        }
    }

    /// Whether progress may be drawn.
    pub(crate) fn draws_progress(self) -> bool {
        !self.quiet && !self.json && io::stderr().is_terminal()
    }

    /// Prints the result of a command.
    pub(crate) fn show(self, result: &impl CommandResult) -> Result<(), Failure> {
        if self.json {
            write(&format!("{}\n", json_line(result)?))
        } else {
            write(&for_a_job(&result.for_a_person()))
        }
    }

    /// Prints a line to standard error, unless `--quiet` is given.
    pub(crate) fn note(self, text: &str) {
        if !self.quiet {
            self.say(&escaped(text), "note", text);
        }
    }

    /// Prints a line to standard error that the user must see, even with `--quiet`.
    pub(crate) fn tell(self, text: &str) {
        self.say(&escaped(text), "note", text);
    }

    /// Prints a warning to standard error, even with `--quiet`.
    pub(crate) fn warn(self, text: &str) {
        let (on, off) = self.colours("\u{1b}[33m");
        self.say(
            &format!("{on}warning{off}: {}", escaped(text)),
            "warning",
            text,
        );
    }

    /// Prints a line for a person, or an object with one member for a script.
    fn say(self, line: &str, name: &str, text: &str) {
        let object = std::collections::BTreeMap::from([(name, text)]);
        match json_line(&object) {
            Ok(json) if self.json => complain(&format!("{json}\n")),
            _ => complain(&for_a_job(&format!("{line}\n"))),
        }
    }

    /// Prints the failure of the command: as text, or as a JSON document.
    pub(crate) fn fail(self, failure: &Failure) {
        #[derive(Serialize)]
        struct Reported<'f> {
            error: &'f Failure,
        }
        if failure.kind == Kind::ReaderGone {
            return;
        }
        if self.json
            && let Ok(line) = json_line(&Reported { error: failure })
        {
            return complain(&format!("{line}\n"));
        }
        let (on, off) = self.colours("\u{1b}[31m");
        complain(&for_a_job(&format!(
            "{on}error{off}: {}\n",
            failure.message
        )));
    }

    fn colours(self, on: &'static str) -> (&'static str, &'static str) {
        if self.colour_on_stderr {
            (on, "\u{1b}[0m")
        } else {
            ("", "")
        }
    }
}

/// Returns text that has no command for a job of GitHub Actions.
fn for_a_job(text: &str) -> Cow<'_, str> {
    match is_github_job() {
        true => without_commands(text).into(),
        false => text.into(),
    }
}

/// Writes a whole text to standard output, and flushes it.
pub(crate) fn write(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::reader_gone()),
        Err(error) => {
            let why = format!("standard output can't be written: {error}");
            Err(match interrupt::known() {
                Some(known) => Failure::new(Kind::Unconfirmed, format!("{why}; {known}")),
                None => Failure::usage(why),
            })
        }
    }
}

/// Returns JSON text for standard output. It is unchanged, but escaped if the output is a terminal.
pub(crate) fn shown_json(text: &str) -> String {
    if io::stdout().is_terminal() {
        harmless_json(text)
    } else {
        text.to_owned()
    }
}

/// Returns JSON text for a person, and whether it had to be escaped.
pub(crate) fn for_a_person(text: &str) -> (String, bool) {
    let changed = text
        .split(['\n', '\r', '\t'])
        .any(|part| escaped(part) != part);
    if changed {
        (harmless_json(text), true)
    } else {
        (text.to_owned(), false)
    }
}

/// Writes a transaction to a file, unchanged, or to standard output.
///
/// On a terminal, everything that the terminal would act on is escaped.
pub(crate) fn write_or_keep(transaction: &str, out: Option<&Path>) -> Result<(), Failure> {
    match out {
        Some(path) => transaction_file::write(path, &format!("{transaction}\n")),
        None => write(&format!("{}\n", shown_json(transaction))),
    }
}

/// Writes to standard error. If this fails, nothing else can be done.
fn complain(text: &str) {
    let _written = io::stderr().lock().write_all(text.as_bytes());
}

/// Returns a JSON document on one line.
pub(crate) fn json_line(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(value)
        .map_err(|error| Failure::unexpected(format!("this can't be written as JSON: {error}")))?;
    let text = harmless_json(&text);
    Ok(match is_github_job() {
        true => text.replace("##[", "#\\u0023["),
        false => text,
    })
}

/// Returns the same JSON document on one line, with everything escaped that a terminal acts on.
///
/// Such characters occur only inside strings, where an escape has the same meaning. The exceptions are
/// line breaks and tabs between values, which have no meaning.
pub(crate) fn harmless_json(text: &str) -> String {
    escaped_json(&text.replace(['\n', '\r', '\t'], ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_means_the_same_and_can_not_act_on_a_terminal() {
        let text = "{\n\t\"a\u{9b}\u{202e}\": \"\u{7f}\u{e0041}é\",\r\n\"n\":1E400}";
        let harmless = harmless_json(text);
        assert_eq!(
            harmless,
            r#"{"a\u009b\u202e": "\u007f\udb40\udc41é","n":1E400}"#
        );
        let read = |text: &str| -> Vec<String> {
            let members: std::collections::BTreeMap<String, nodeproof_primitives::RawJson> =
                serde_json::from_str(text).unwrap();
            let text = members.values().next().unwrap().decode().unwrap();
            members.into_keys().chain([text]).collect()
        };
        assert_eq!(read(&harmless), read(text));
    }
}
