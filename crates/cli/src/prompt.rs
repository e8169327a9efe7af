//! Secrets that are typed: never shown, and asked for only on a terminal.
//!
//! While a prompt is open, nobody ends the run: the terminal has to be put back first. The prompt
//! sees Ctrl-C itself.

use std::{
    io::ErrorKind,
    sync::atomic::{AtomicBool, Ordering},
};

use node_client::escape::escaped;
use zeroize::Zeroizing;

use crate::{
    failure::{Failure, Kind},
    interrupt,
};

static OPEN: AtomicBool = AtomicBool::new(false);

/// Whether somebody is asked for a secret right now.
pub(crate) fn is_open() -> bool {
    OPEN.load(Ordering::SeqCst)
}

/// Asks for one line that is not shown; `instead` names what does without a terminal.
pub(crate) fn hidden(what: &str, instead: &str) -> Result<Zeroizing<String>, Failure> {
    OPEN.store(true, Ordering::SeqCst);
    let typed = rpassword::prompt_password(format!("{}: ", escaped(what)));
    let interrupted = matches!(&typed, Err(error) if error.kind() == ErrorKind::Interrupted);
    if interrupted {
        interrupt::typed_at_prompt();
    }
    OPEN.store(false, Ordering::SeqCst);
    match typed {
        Ok(text) => Ok(Zeroizing::new(text)),
        Err(_) if interrupted => Err(Failure::new(Kind::Interrupted, "interrupted")),
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
