//! Signals that end the process: SIGINT from Ctrl-C, and SIGTERM, which CI systems send.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

use nodeproof_report::{ExitStatus, Report};
use tokio::sync::mpsc;

use crate::platform::{self, End};

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
    pub(crate) fn listen(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut ends = platform::ends();
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let this = self.clone();
        tokio::spawn(async move {
            while let Some(end) = ends.recv().await {
                this.handle_signal(match end {
                    End::Interrupted => INTERRUPTED,
                    End::Terminated => TERMINATED,
                });
                // Sending fails if the run is over. That is harmless.
                let _ = sender.send(());
            }
        });
        async move {
            if receiver.recv().await.is_none() {
                std::future::pending::<()>().await;
            }
        }
    }
}

/// Corrects the report of an interrupted run if the signal was SIGTERM.
///
/// `status` is the exit status of the signal.
pub(crate) fn mark_terminated(report: &mut Report, status: u8) {
    if status != TERMINATED {
        return;
    }
    if report.exit_code == INTERRUPTED {
        report.exit_code = TERMINATED;
    }
    for node in &mut report.nodes {
        if node.exit_code == INTERRUPTED {
            node.exit_code = TERMINATED;
            node.reason = Some("terminated by SIGTERM".to_owned());
        }
    }
}
