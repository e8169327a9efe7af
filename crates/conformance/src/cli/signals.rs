//! Being told to end: by Ctrl-C at a terminal, or by SIGTERM, as CI systems send it.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

use nodeproof_report::{ExitStatus, NodesReport, Report};

const INTERRUPTED: u8 = ExitStatus::Interrupted.code();
const TERMINATED: u8 = ExitStatus::Terminated.code();

/// What the process was told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signals(Arc<AtomicU8>);

impl Signals {
    /// The exit status of a run that a signal has ended.
    pub(crate) fn status(&self) -> u8 {
        match self.0.load(Ordering::Relaxed) {
            0 => INTERRUPTED,
            status => status,
        }
    }

    fn told(&self, status: u8) {
        // The first one counts, and the next one finds somebody who does not want to wait.
        let first = self
            .0
            .compare_exchange(0, status, Ordering::Relaxed, Ordering::Relaxed);
        if first.is_err() {
            std::process::exit(status.into());
        }
    }

    /// Ready when the process is told to end. It listens from the call on, and not only when polled;
    /// who asks a second time does not want to wait for the reports either.
    #[cfg(unix)]
    pub(crate) fn listen(&self) -> impl Future<Output = ()> + Send + use<> {
        use tokio::signal::unix::{SignalKind, signal};

        let both = [
            (SignalKind::interrupt(), INTERRUPTED),
            (SignalKind::terminate(), TERMINATED),
        ];
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        for (kind, status) in both {
            // Where a signal can't be listened to, the run goes on without.
            let Ok(mut signal) = signal(kind) else {
                continue;
            };
            let (this, tell) = (self.clone(), tell.clone());
            tokio::spawn(async move {
                while signal.recv().await.is_some() {
                    this.told(status);
                    // The run may be over.
                    let _ = tell.send(());
                }
            });
        }
        async move {
            if told.recv().await.is_none() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Ready when the process is told to end.
    #[cfg(not(unix))]
    pub(crate) fn listen(&self) -> impl Future<Output = ()> + Send + use<> {
        let this = self.clone();
        async move {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
            this.told(INTERRUPTED);
        }
    }
}

/// Corrects the report of an interrupted run if the signal was SIGTERM. `status` is the exit status
/// of the signal.
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
