//! What differs between operating systems: signals.

use std::{future::Future, io};

/// Waits for Ctrl-C or SIGTERM. From this call on, these signals no longer end the process by themselves.
#[cfg(unix)]
pub(crate) fn end() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
pub(crate) fn end() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _pressed = tokio::signal::ctrl_c().await;
    })
}
