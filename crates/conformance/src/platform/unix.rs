//! Unix.

use std::os::unix::fs::FileTypeExt as _;

use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
};

use super::end::End;

/// A file is larger than `ulimit -f` allows.
const SIGXFSZ: i32 = 25;

/// Returns a channel with an element for each signal that ends the process. It listens from this call on.
/// From then on, these signals do not end the process by themselves.
pub(crate) fn ends() -> mpsc::UnboundedReceiver<End> {
    let (sender, receiver) = mpsc::unbounded_channel();
    for (kind, end) in [
        (SignalKind::interrupt(), End::Interrupted),
        (SignalKind::terminate(), End::Terminated),
    ] {
        // If the process can't listen to a signal, the run continues without it.
        let Ok(mut signal) = signal(kind) else {
            continue;
        };
        let sender = sender.clone();
        tokio::spawn(
            async move { while signal.recv().await.is_some() && sender.send(end).is_ok() {} },
        );
    }
    // A report beyond a limit of the system then fails to be written, and does not end the process.
    let _heard = signal(SignalKind::from_raw(SIGXFSZ));
    receiver
}

/// Returns a channel with an element for each SIGHUP. It listens from this call on.
pub(crate) fn hangups() -> mpsc::Receiver<()> {
    let (sender, receiver) = mpsc::channel(1);
    if let Ok(mut signal) = signal(SignalKind::hangup()) {
        tokio::spawn(async move {
            while signal.recv().await.is_some() && sender.send(()).await.is_ok() {}
        });
    }
    receiver
}

/// Whether a file is a pipe with a name.
pub(crate) fn is_pipe(about: &std::fs::Metadata) -> bool {
    about.file_type().is_fifo()
}
