//! Signals that end the process.

/// A signal that ends the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Ctrl-C, which is SIGINT on Unix.
    Interrupted,
    /// SIGTERM. Only Unix has it.
    #[cfg_attr(not(unix), expect(dead_code, reason = "other systems have no SIGTERM"))]
    Terminated,
}
