//! The message after Ctrl-C, or if the output can't be written.

use std::sync::{Mutex, PoisonError};

static KNOWN: Mutex<Option<String>> = Mutex::new(None);

/// Sets the message for an interruption from now on.
pub(crate) fn set_interrupt_message(known: impl Into<String>) {
    *KNOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(known.into());
}

/// Returns the message, if it was set.
pub(crate) fn known() -> Option<String> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
