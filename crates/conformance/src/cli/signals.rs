//! Signals that end the process: SIGINT from Ctrl-C, and SIGTERM, which CI systems send.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

use nodeproof_report::{ExitStatus, NodesReport, Report};
use tokio::sync::mpsc;

const INTERRUPTED: u8 = ExitStatus::Interrupted.code();
const TERMINATED: u8 = ExitStatus::Terminated.code();

/// The exit status of the first signal that arrived, or 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals(Arc<AtomicU8>);

impl Signals {
    /// Returns the exit status of a run that a signal ended.
    pub(crate) fn status(&self) -> u8 {
        match self.0.load(Ordering::Relaxed) {
            0 => INTERRUPTED,
            status => status,
        }
    }

    fn handle_signal(&self, status: u8) {
        // The first signal determines the status. A second one ends the process immediately.
        let first = self
            .0
            .compare_exchange(0, status, Ordering::Relaxed, Ordering::Relaxed);
        if first.is_err() {
            std::process::exit(status.into());
        }
    }

    /// Returns a future that is ready when a signal arrives.
    ///
    /// It listens from this call on, even before it is polled. A second signal ends the process without
    /// a report.
    #[cfg(unix)]
    pub(crate) fn listen(&self) -> impl Future<Output = ()> + Send + use<> {
        use tokio::signal::unix::{SignalKind, signal};

        let both = [
            (SignalKind::interrupt(), INTERRUPTED),
            (SignalKind::terminate(), TERMINATED),
        ];
        let (sender, mut receiver) = mpsc::unbounded_channel();
        for (kind, status) in both {
            // If the process can't listen to a signal, the run continues without it.
            let Ok(mut signal) = signal(kind) else {
                continue;
            };
            let (this, sender) = (self.clone(), sender.clone());
            tokio::spawn(async move {
                while signal.recv().await.is_some() {
                    this.handle_signal(status);
                    // Sending fails if the run is over. That is harmless.
                    let _ = sender.send(());
                }
            });
        }
        async move {
            if receiver.recv().await.is_none() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Returns a future that is ready when a signal arrives.
    #[cfg(not(unix))]
    pub(crate) fn listen(&self) -> impl Future<Output = ()> + Send + use<> {
        let this = self.clone();
        async move {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
            this.handle_signal(INTERRUPTED);
        }
    }
}

/// Returns a channel with an element for each SIGHUP. It listens from this call on.
#[cfg(unix)]
pub(crate) fn hangups() -> mpsc::Receiver<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let (sender, receiver) = mpsc::channel(1);
    if let Ok(mut signal) = signal(SignalKind::hangup()) {
        tokio::spawn(async move {
            while signal.recv().await.is_some() && sender.send(()).await.is_ok() {}
        });
    }
    receiver
}

/// Returns a channel without elements, because other systems have no SIGHUP.
#[cfg(not(unix))]
pub(crate) fn hangups() -> mpsc::Receiver<()> {
    mpsc::channel(1).1
}

/// Corrects the report of an interrupted run if the signal was SIGTERM.
///
/// `status` is the exit status of the signal.
pub(crate) fn mark_terminated(report: &mut Report, status: u8) {
    if report.exit_code == INTERRUPTED && status == TERMINATED {
        report.exit_code = TERMINATED;
        report.reason = Some("terminated by SIGTERM".to_owned());
    }
}

/// Corrects the report of several nodes in the same way.
pub(crate) fn mark_nodes_terminated(report: &mut NodesReport, status: u8) {
    if report.exit_code == INTERRUPTED && status == TERMINATED {
        report.exit_code = TERMINATED;
    }
    for node in &mut report.nodes {
        mark_terminated(node, status);
    }
}
