//! The message after Ctrl-C, or if the output can't be written.

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

/// What is known, and the file without which it is not so.
type Known = (String, Option<PathBuf>);

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// Sets the message for an interruption from now on.
pub(crate) fn set_interrupt_message(known: impl Into<String>) {
    set(known.into(), None);
}

/// Sets the message for an interruption once a file exists.
pub(crate) fn set_interrupt_message_if_saved(file: PathBuf, known: impl Into<String>) {
    set(known.into(), Some(file));
}

fn set(known: String, file: Option<PathBuf>) {
    *KNOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some((known, file));
}

/// Returns the message, if it was set.
pub(crate) fn known() -> Option<String> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (message, _) = known.filter(|(_, file)| file.as_ref().is_none_or(|file| file.exists()))?;
    Some(message)
}
