//! Prompts on a terminal: secrets, which are not shown, and answers to questions, which are.
//!
//! On Unix, the terminal stays in line mode. So the user can correct the input, and Ctrl-C works as
//! usual. If a program ends while a prompt is open, it must restore the terminal first ([`close`]).

use std::io::ErrorKind;

use nodeproof_primitives::escape::escaped;
use zeroize::Zeroizing;

use crate::{
    failure::{Failure, Kind},
    platform,
};

pub(crate) use crate::platform::{close, shown};

/// Asks for one line, which is not shown. `instead` is the advice if there is no terminal.
pub(crate) fn hidden(what: &str, instead: &str) -> Result<Zeroizing<String>, Failure> {
    let lower = lower_first(what);
    let typed = match platform::typed(&format!("{}: ", escaped(what))) {
        Ok(typed) => typed,
        Err(error) if error.kind() == ErrorKind::Interrupted => {
            return Err(Failure::new(Kind::Interrupted, "interrupted"));
        }
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
            return Err(Failure::usage(format!("nothing was typed for the {lower}")));
        }
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            return Err(Failure::usage(format!(
                "the input for the {lower} is not UTF-8, or too long: {instead}"
            )));
        }
        Err(error) => {
            return Err(Failure::usage(format!(
                "there is no terminal to prompt for the {lower} ({error}): {instead}"
            )));
        }
    };
    // For example from an arrow key. The result would not be what the user expects.
    if typed
        .chars()
        .any(|typed| typed.is_control() && typed != '\t')
    {
        return Err(Failure::usage(format!(
            "the input for the {lower} contains a control character, for example from an \
             arrow key: type it again without it, or {instead}"
        )));
    }
    Ok(typed)
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(characters).collect()
    })
}
