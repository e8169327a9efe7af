//! The message for Ctrl-C, or for output that can't be written.

use std::sync::{Mutex, PoisonError};

static KNOWN: Mutex<Option<String>> = Mutex::new(None);

/// Sets the message that is shown if the run is interrupted from here on.
pub(crate) fn from_now_on(known: impl Into<String>) {
    *KNOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(known.into());
}

/// The message, if anything was sent.
pub(crate) fn known() -> Option<String> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
