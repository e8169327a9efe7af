//! Windows, and other systems that are not Unix.

use tokio::sync::mpsc;

use super::end::End;

/// Returns a channel with an element for each Ctrl-C.
pub(crate) fn ends() -> mpsc::UnboundedReceiver<End> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && sender.send(End::Interrupted).is_ok() {}
    });
    receiver
}

/// Returns a channel without elements, because this system has no SIGHUP.
pub(crate) fn hangups() -> mpsc::Receiver<()> {
    mpsc::channel(1).1
}

/// Whether a file is a pipe with a name.
pub(crate) fn is_pipe(_: &std::fs::Metadata) -> bool {
    false
}
