//! `--watch`: repeats a run, and shows what changed since the last one.

use std::{
    io::{Read, stdin},
    time::Duration,
};

use futures_util::FutureExt;
use nodeproof_report::{ExitStatus, Report, Verdict, compare, text_of_changes};
use tokio::sync::mpsc;

use super::{
    output::{NotWritten, complain, print, show},
    runs::Runs,
    signals::Signals,
};

/// Runs the cases again on Enter or after each interval, until a signal arrives or the input ends.
/// Returns the exit status of the last run that was not interrupted.
///
/// The first run shows its report. Each later run shows the differences from the last run with a
/// verdict. So after an outage, the node is compared with its state before the outage.
pub(crate) async fn watch(runs: &mut Runs<'_>, signals: &Signals, every: Option<Duration>) -> u8 {
    let stop = signals.listen().shared();
    let mut enter = line_ends();
    let mut input_ended = false;
    let mut status = None;
    let mut judged: Option<Report> = None;
    loop {
        let report = runs.check(signals, stop.clone()).await;
        let ended = ExitStatus::from_code(report.exit_code);
        let is_cut = matches!(
            ended,
            Some(ExitStatus::Interrupted | ExitStatus::Terminated)
        );
        if let (true, Some(status)) = (is_cut, status) {
            return status;
        }
        let style = runs.style;
        let published = runs.publish(&report, || match &judged {
            Some(last) => compare(last, &report).iter().try_for_each(|comparison| {
                print(&format!("\n{}", text_of_changes(comparison, style)))
            }),
            None => show(&report, runs.args.output.format, style),
        });
        if let Err(NotWritten(status)) = published {
            return status;
        }
        status = Some(report.exit_code);
        if is_cut {
            return report.exit_code;
        }
        let exit_code = report.exit_code;
        if matches!(report.verdict, Verdict::Conforms | Verdict::DoesNotConform) {
            judged = Some(report);
        }
        if !runs.args.quiet {
            complain(&invitation(every));
        }
        let due = async {
            match every {
                Some(every) => tokio::time::sleep(every).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(due);
        loop {
            tokio::select! {
                () = stop.clone() => return exit_code,
                () = &mut due => break,
                line = enter.recv(), if !input_ended => match (line, every) {
                    (Some(()), _) => break,
                    (None, Some(_)) => input_ended = true,
                    (None, None) => return exit_code,
                },
            }
        }
    }
}

fn invitation(every: Option<Duration>) -> String {
    match every {
        None => "\nEnter runs it again, Ctrl-C ends it".to_owned(),
        Some(every) => format!(
            "\nthe next run is in {} s, or on Enter; Ctrl-C ends it",
            every.as_secs_f64()
        ),
    }
}

/// Returns a channel with an element for each line end of standard input.
///
/// A separate thread reads the input. The process does not wait for it when it exits.
fn line_ends() -> mpsc::Receiver<()> {
    let (sender, receiver) = mpsc::channel(1);
    std::thread::spawn(move || {
        for byte in stdin().lock().bytes() {
            let Ok(byte) = byte else { return };
            if byte == b'\n' && sender.blocking_send(()).is_err() {
                return;
            }
        }
    });
    receiver
}
