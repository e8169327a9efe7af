//! What is known when Ctrl-C comes.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

static KNOWN: Mutex<Option<String>> = Mutex::new(None);
static AT_PROMPT: AtomicBool = AtomicBool::new(false);

/// Notes that Ctrl-C was typed where a secret was asked for.
pub(crate) fn typed_at_prompt() {
    AT_PROMPT.store(true, Ordering::SeqCst);
}

/// Whether Ctrl-C was typed where a secret was asked for: whatever failed, failed by that.
pub(crate) fn was_typed_at_prompt() -> bool {
    AT_PROMPT.load(Ordering::SeqCst)
}

/// Remembers what a person should know if the run is interrupted from here on.
pub(crate) fn from_now_on(known: impl Into<String>) {
    *KNOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(known.into());
}

/// What a person should know, if anything was sent.
pub(crate) fn known() -> Option<String> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
