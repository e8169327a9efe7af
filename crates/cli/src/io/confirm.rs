//! Asks the user for confirmation on a terminal.

use std::io::{self, IsTerminal as _};

use nodeproof_primitives::escape::escaped;

use super::prompt;
use crate::failure::Failure;

/// Asks a question. Any answer except `y` or `yes` counts as no.
///
/// The subject of the question is shown on standard error, so standard error must be a terminal, too.
pub(crate) fn ask(question: &str) -> Result<(), Failure> {
    let nobody = |why: &str| {
        Failure::usage(format!(
            "there is no terminal to confirm the signature on{why}: look at what --dry-run shows, \
             and give --yes to sign it; nothing was signed"
        ))
    };
    if !io::stderr().is_terminal() {
        return Err(nobody(""));
    }
    let answer = prompt::shown(&format!("{} [y/N] ", escaped(question)))
        .map_err(|error| nobody(&format!(" ({error})")))?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::usage(
            "the signature was not confirmed; nothing was signed",
        )),
    }
}
