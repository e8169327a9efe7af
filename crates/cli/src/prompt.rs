//! Secrets that are typed: never shown, and asked for only on a terminal.
//!
//! A prompt blocks the task that asks. So Ctrl-C is seen only after the terminal was put back.

use std::io::ErrorKind;

use zeroize::Zeroizing;

use crate::{
    failure::{Failure, Kind},
    interrupt,
};

/// Asks for one line that is not shown; `instead` names what does without a terminal.
pub(crate) fn hidden(what: &str, instead: &str) -> Result<Zeroizing<String>, Failure> {
    match rpassword::prompt_password(format!("{what}: ")) {
        Ok(text) => Ok(Zeroizing::new(text)),
        Err(error) if error.kind() == ErrorKind::Interrupted => {
            interrupt::typed_at_prompt();
            Err(Failure::new(Kind::Interrupted, "interrupted"))
        }
        Err(error) => Err(Failure::usage(format!(
            "there is no terminal to ask for the {} on ({error}): {instead}",
            lower_first(what)
        ))),
    }
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(characters).collect()
    })
}
