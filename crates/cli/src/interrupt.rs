//! What is known when Ctrl-C comes, or when nothing more can be told.

use std::sync::{Mutex, PoisonError};

static KNOWN: Mutex<Option<String>> = Mutex::new(None);

/// Remembers what a person should know if the run is interrupted from here on.
pub(crate) fn from_now_on(known: impl Into<String>) {
    *KNOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(known.into());
}

/// What a person should know, if anything was sent.
pub(crate) fn known() -> Option<String> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
